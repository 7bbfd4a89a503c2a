# SPDX-License-Identifier: GPL-2.0-only
#
# For tests of README: the recording that its first steps report.

# make_recording BUILD DIR: in DIR: perf.data of Documentation/hello.c, perf.data.tar.zst, and in server/ the program
# at its own path, which is DIR/hello
make_recording() {
	local hwflow
	hwflow=$(realpath "$1/hwflow") || return

	aarch64-linux-gnu-gcc -O1 -g -static -o "$2/hello" Documentation/hello.c &&
		"$hwflow" emulate -q -o "$2/perf.data" -- "$2/hello" one two three >/dev/null &&
		"$hwflow" archive -q -o "$2/perf.data.tar.zst" "$2/perf.data" &&
		rm "$2/perf.data.truth" &&
		mkdir -p "$2/server$2" &&
		cp "$2/hello" "$2/server$2"
}
