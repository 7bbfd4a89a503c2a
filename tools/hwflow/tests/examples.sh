#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# examples.sh BUILD - the examples in the manual pages, run: their output is that of the page, but
# for numbers and for what depends on the C library. Speaks TAP.
set -u

build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
man=$here/../../../Documentation/man
CC=${CROSS_CC:-aarch64-linux-gnu-gcc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/../../setup/tests/tap.bash"

command -v qemu-aarch64 >/dev/null || {
	echo "ok 1 - examples # SKIP qemu-aarch64 is not installed"
	exit 0
}

# Recordings that the examples name
prepare() {
	local at

	"$CC" -O1 -g -static -ffile-prefix-map="$here/examples/=" -o hello "$here/examples/hello.c" &&
		"$CC" -O1 -static -pthread -o threads "$here/examples/threads.c" &&
		timeout 100 hwflow emulate --quiet --timestamps=100 -o hello.data -- ./hello &&
		timeout 100 hwflow emulate --quiet --timestamps -o threads.data -- ./threads ||
		return
	cp hello.data bad.data
	cp hello.data.truth bad.data.truth
	# Atoms that are repeated: as many as in no other packet
	at=$(hwflow dump hello.data | awk '$3 == "ATOM_F6" { print $1; exit }')
	at=$((0x$at + $(trace_offset)))
	printf '\xd3' | dd of=bad.data bs=1 seek="$at" conv=notrunc status=none
}

# Offset of the trace in hello.data, which begins with an alignment synchronisation and a Trace Info
trace_offset() {
	LC_ALL=C grep -obUaP '\x00{11}\x80\x01' hello.data | head -n 1 | cut -d: -f1
}

# The example number N of a page as it stands there
example() { # PAGE N
	awk -v want="$2" '
		/^\.EX/ { inside = 1; count++; next }
		/^\.EE/ { inside = 0 }
		inside && count == want { gsub(/\\-/, "-"); gsub(/\\e/, "\\"); print }' "$man/$1"
}

# Numbers become N, of any width; functions of a table may be others
normal() {
	sed -E 's/  [^ ]+  \(hello\)$/ FUNCTION/; s/0x[0-9a-f]+/N/g
		s/[0-9a-f]*[0-9][0-9a-f]*(\.[0-9]+)?/N/g; s/ +/ /g; s/^ //'
}

# run_examples PAGE: each command of each example
run_examples() {
	local page=$1 number line

	for ((number = 1; ; number++)); do
		example "$page" "$number" >page-text
		[ -s page-text ] || break
		while IFS= read -r line; do
			[ "${line:0:2}" = '$ ' ] || continue
			echo "$line"
			bash -c "${line:2}" 2>&1
		done <page-text >found-text
		diff <(normal <page-text) <(normal <found-text) >difference
		ok $? "$page: example $number" difference
	done
	[ "$number" -gt 2 ]
	ok $? "$page: at least two examples"
}

cd "$work" || exit 1
PATH=$build:$PATH
prepare >out 2>&1
ok $? "recordings for the examples" out
for page in hwflow-report.1 hwflow-script.1 hwflow-verify.1; do
	run_examples "$page"
done
done_testing
