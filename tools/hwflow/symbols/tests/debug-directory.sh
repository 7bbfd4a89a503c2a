#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# debug-directory.sh BUILD - separate debug files, and programs, that are not where the recorded machine had
# them: --debug-dir and --symfs find them by build id, and one message names those that are missing. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
tools=${CC%gcc}

build_id() { # FILE
	"${tools}readelf" -n "$1" | sed -n 's/.*Build ID: //p'
}

# names YES|NO WHAT OPTION...: whether the two functions of the program have names
names() {
	local found

	"$san" report --limit=0 "${@:3}" "$data" >"$work/out" 2>"$work/err"
	found=$(grep -cE ' (first|second)_part +\(' "$work/out")
	if [ "$1" = yes ]; then
		[ "$found" = 2 ] && [ ! -s "$work/err" ]
	else
		[ "$found" = 0 ] && grep -q '^hwflow: no symbols for program: --debug-dir=DIR ' "$work/err"
	fi
	ok $? "$2" "$work/out"
}

"$CC" -O1 -g -static -o "$work/whole" "$top/tools/hwflow/tests/stripped.c"
id=$(build_id "$work/whole")
by_id=.build-id/${id:0:2}/${id:2}.debug
mkdir -p "$work/machine/usr/bin" "$work/kept"
"${tools}objcopy" --only-keep-debug "$work/whole" "$work/kept/debug"
"${tools}strip" -o "$work/machine/usr/bin/program" "$work/whole"
data=$work/data
"$hwflow" emulate --quiet -L "$work/machine" -o "$data" -- "$work/machine/usr/bin/program" >/dev/null 2>"$work/err"
ok $? "a recording of a program without symbols, in a root of its own" "$work/err"
names no "no debug file"

# put NAME: makes a directory that has the debug file under this name
put() {
	rm -rf "$work/debug"
	mkdir -p "$(dirname "$work/debug/$1")"
	cp "$work/kept/debug" "$work/debug/$1"
}

put "$by_id"
names yes "a copy of /usr/lib/debug, by build id" --debug-dir="$work/debug"
put "usr/lib/debug/$by_id"
names yes "an unpacked package" --debug-dir="$work/debug"
put a/b/any.name
names yes "any name in any folder" --debug-dir="$work/debug"
names yes "one of two directories" --debug-dir="$work/machine" --debug-dir="$work/kept"
cp "$work/whole" "$work/debug/a/b/any.name"
names yes "a program with its symbols in place of a debug file" --debug-dir="$work/debug"
cp "$work/machine/usr/bin/program" "$work/debug/a/b/any.name"
names no "not the program without symbols" --debug-dir="$work/debug"
"$CC" -O2 -static -o "$work/debug/a/b/any.name" "$top/tools/hwflow/tests/stripped.c"
names no "not a file with another build id" --debug-dir="$work/debug"
rm -rf "$work/debug"
mkdir "$work/debug"
ln -s "$work/debug" "$work/debug/round"
mkfifo "$work/debug/pipe"
names no "a link to its own directory, and a pipe, do not stop the search" --debug-dir="$work/debug"

"$san" report --debug-dir="$work/none" "$data" >"$work/out" 2>&1
[ $? = 2 ] && grep -qxF "hwflow: --debug-dir=$work/none: No such file or directory" "$work/out"
ok $? "a directory that is not there is named" "$work/out"

# annotate and archive take the same option
put any.name
"$san" annotate --debug-dir="$work/debug" --symbol=first_part "$data" >"$work/out" 2>&1
grep -q 'stripped.c' "$work/out" && ! grep -q 'no symbols' "$work/out"
ok $? "annotate has source lines from it" "$work/out"
"$san" archive --debug-dir="$work/debug" -o "$work/packed.tar.zst" "$data" >"$work/out" 2>&1
ok $? "archive packs it" "$work/out"
data=$work/packed.tar.zst
names yes "the archive has names"
data=$work/data

# a root that has its own folder of debug files: that of hwflow emulate -L
mkdir -p "$work/machine/usr/lib/debug/$(dirname "$by_id")"
cp "$work/kept/debug" "$work/machine/usr/lib/debug/$by_id"
names yes "the folder of debug files of the program's own root"
rm -rf "$work/machine/usr/lib"

# --symfs: programs and debug files are found wherever they are below it
mkdir -p "$work/tree/old/bin" "$work/tree/old/debug"
mv "$work/machine/usr/bin/program" "$work/tree/old/bin/1.0"
names_below() { # YES|NO WHAT OPTION...
	"$san" report --limit=0 "${@:3}" "$data" >"$work/out" 2>"$work/err"
	[ "$(grep -cE ' (first|second)_part +\(' "$work/out")" = "$([ "$1" = yes ] && echo 2 || echo 0)" ]
	ok $? "$2" "$work/out" "$work/err"
}
names_below no "a program that is not there"
grep -q '^hwflow: .*/usr/bin/program: no code: ' "$work/err" &&
	[ "$(grep -c -- '--symfs=DIR finds' "$work/err")" = 1 ]
ok $? "--symfs is proposed" "$work/err"
names_below no "a program by its build id, without symbols" --symfs="$work/tree"
grep -q 'program: no code' "$work/err" && ok 1 "it has its code" "$work/err" || ok 0 "it has its code"
cp "$work/kept/debug" "$work/tree/old/debug/other"
names_below yes "a debug file by its build id" --symfs="$work/tree"
"$CC" -O2 -static -o "$work/tree/program" "$top/tools/hwflow/tests/stripped.c"
names_below yes "not the file of the right name and another build id" --symfs="$work/tree"
done_testing
