#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# examples.sh BUILD [PAGE...] - the examples of the manual pages succeed and print what the pages show.
#
# Each page has at least two examples. They are run in a directory of their own, in which are
# hello and hello-riscv, programs made of Documentation/hello.c; their recordings hello.data and
# hello-riscv.data; and root, with libraries and programs of an arm64 system. examples.bash has the rule by which
# output is compared. The rule itself is tested first.
set -u
build=$(realpath "$1")
shift
top=$(cd "$(dirname "$0")/../../.." && pwd)
. "$top/tools/setup/tests/tap.bash"
. "$top/tools/setup/tests/examples.bash"
[ $# -gt 0 ] || set -- "$top"/Documentation/man/*.[15]
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
example_shown=$tmp/shown
example_printed=$tmp/printed
PATH=$build:$PATH
# variables of the make that runs this test must not reach the commands
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL HWFLOW_CAPTURES

# rule STATUS NAME SHOWN PRINTED: these outputs match (STATUS 0) or do not match (1)
rule() {
	printf '%b' "$3" >"$tmp/rule-shown"
	printf '%b' "$4" >"$tmp/rule-printed"
	output_matches "$tmp/rule-shown" "$tmp/rule-printed"
	[ $? -eq "$1" ]
	ok $? "rule: $2"
}

test_rule() {
	rule 0 "a number matches another" '12 calls at 0x4ab0\n' '7 calls at 0x99\n'
	rule 0 "a hexadecimal number matches one without digits" '10 d4 ATOM_F6\n' '22 fc ATOM_F6\n'
	rule 1 "a word does not match another" '12 calls\n' '12 returns\n'
	rule 1 "a name with a number does not match another" 'ATOM_F6\n' 'ATOM_F1\n'
	rule 1 "a word does not match a number" 'none missing\n' '12 missing\n'
	rule 0 "blank space matches other blank space" '  1   two\n' '100 two\n'
	rule 1 "a line more is no match" 'one\n' 'one\ntwo\n'
	rule 1 "a line less is no match" 'one\ntwo\n' 'one\n'
	rule 0 "... stands for lines" 'one\n...\nfour\n' 'one\ntwo\nthree\nfour\n'
	rule 0 "... stands for no line" 'one\n...\n' 'one\n'
	rule 1 "... does not stand for the line after it" 'one\n...\nfour\n' 'one\ntwo\nthree\n'
	rule 1 "no output does not match a line" 'one\n' ''
}

prepare() {
	local cc

	mkdir "$tmp/prepared"
	cd "$tmp/prepared" || exit 1
	cp "$top/Documentation/hello.c" .
	for cc in aarch64 riscv64; do
		"$cc-linux-gnu-gcc" -O1 -g -static -o hello-$cc hello.c || return
	done
	mv hello-aarch64 hello
	mv hello-riscv64 hello-riscv
	ln -s "$("$top/tools/setup/fetch-arm64" busybox-static zstd pigz)" root || return
	for cc in hello hello-riscv; do
		hwflow emulate --quiet -o $cc.data -- ./$cc one two three || return
	done
}

test_page() { # FILE
	local name=${1##*/}

	name=${name%.*}
	rm -rf "$tmp/work"
	cp -a "$tmp/prepared" "$tmp/work"
	cd "$tmp/work" || exit 1
	examples_of_page "$1" >"$tmp/examples"
	run_examples "$name" "$tmp/examples"
	[ "$example_blocks" -ge 2 ]
	ok $? "$name has two examples, or more: $example_blocks"
}

test_rule
prepare >"$tmp/log" 2>&1
ok $? "the program of the examples is built and recorded" "$tmp/log"
for page in "$@"; do
	test_page "$(cd "$top" && realpath "$page")"
done
done_testing
