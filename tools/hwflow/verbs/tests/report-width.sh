#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# report-width.sh BUILD - the columns of a row of hwflow report, on a terminal and elsewhere. Speaks
# TAP.
set -u

build=$(realpath "$1")
hwflow=$build/hwflow
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../../../setup/tests/tap.bash"
cd "$work" || exit 1

name=$(printf 'long_name_%.0s' {1..30})
printf 'int __attribute__((noinline)) %s(int i) { return i ? i + 1 : 2; }\nint main(int c, char **v) { (void)v; return %s(c) - 2; }\n' \
	"$name" "$name" >long.c
aarch64-linux-gnu-gcc -O1 -static -o long long.c
"$hwflow" emulate --quiet --plugin="$build/hwflow-plugin.so" ./long 2>err
ok $? "a program with a name of 300 characters" err

# columns WANT NAME: the longest line of out, and the name's beginning in it
columns() {
	local got

	got=$(tr -d '\r' <out | awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }')
	[ "$got" = "$1" ] && grep -q long_name_ out && grep -q '  (long)' out
	ok $? "$2: $1 columns, got $got" out
}

"$hwflow" report --limit=0 >out
columns 160 "not a terminal"
"$hwflow" report --limit=0 --width=110 >out
columns 110 "--width=110"
"$hwflow" report --limit=0 --width=0 >out
columns 371 "--width=0"
grep -q "  $name  (long)" out
ok $? "--width=0: the name is whole" out
for width in 80:103 120:120 40:103; do
	script -qec "stty cols ${width%:*}; '$hwflow' report --limit=0 --quiet" /dev/null >out </dev/null
	columns "${width#*:}" "a terminal of ${width%:*} columns"
done
"$hwflow" report --limit=0 --by=thread --width=1 >out && grep -q '  long [0-9]*$' out
ok $? "--width=1: a name has 32 columns" out
"$hwflow" report --width=x >out 2>err
[ $? = 1 ] && grep -q -- '--width=x: not a number' err
ok $? "--width=x" err
done_testing
