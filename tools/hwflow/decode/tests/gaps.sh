#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# gaps.sh BUILD - how gaps are reported: once a kind with their number, or each; and FILE.code and
# FILE.truth, which are found beside FILE wherever that is. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"

# run STATUS VERB...: ends with this status; its output is in $work/out and $work/err
run() {
	local want=$1

	shift
	"$san" "$@" >"$work/out" 2>"$work/err"
	[ $? = "$want" ]
}

# whole NAME FILE: FILE has all of its code and its ground truth
whole() {
	run 0 verify "$2" && [ ! -s "$work/err" ]
	ok $? "$1: verify" "$work/out"
	run 0 report "$2" && [ ! -s "$work/err" ] && grep -q '^Nothing is missing' "$work/out"
	ok $? "$1: report" "$work/err"
}

mkdir "$work/made" "$work/moved"
"$CC" -O2 -static -o "$work/jit" "$top/tools/plugin/tests/jit.c" &&
	"$hwflow" emulate --quiet -o "$work/made/a.data" -- "$work/jit" >"$work/out" 2>"$work/err"
ok $? "a program that makes code" "$work/err"
whole "as recorded" "$work/made/a.data"
for suffix in "" .code .truth; do
	mv "$work/made/a.data$suffix" "$work/moved/b.data$suffix"
done
data=$work/moved/b.data
whole "moved and renamed together" "$data"
ln -s moved/b.data "$work/link"
whole "by a link" "$work/link"

mv "$data.code" "$work/code"
run 3 report --gaps=all "$data"
ok $? "--gaps=all: status 3" "$work/err"
all=$(grep -c 'no program code at this address' "$work/err")
[ "$all" -gt 50 ]
ok $? "--gaps=all: $all gaps" "$work/err"
[ "$(sort -u "$work/err" | wc -l)" -gt 50 ] && ! grep -q ' times' "$work/err"
ok $? "--gaps=all: each has its own place" "$work/err"

# once VERB...: one line for all gaps, with the first place, the number and the remedy
once() {
	run 3 "$@" "$data" && [ "$(grep -c 'no program code' "$work/err")" = 1 ] &&
		grep -Eq "^hwflow: tid[0-9]+, AUX record [0-9]+: offset 0x[0-9a-f]+: 0x[0-9a-f]+: no program code at this address, in $data.code \(give it with --image or --symfs\); $all times, [0-9]+ bytes of trace; --gaps=all shows each$" "$work/err" &&
		grep -q "^hwflow: $data.code: no code: .*keep it beside the recording" "$work/err"
	ok $? "$*: one kind of gaps is one line" "$work/err"
}

once report
grep -Eq "^ +$all x no program code at this address, in $data.code$" "$work/out"
ok $? "report: the number below the table" "$work/out"
once flow --format=pc
for verb in script flow; do
	once $verb
	[ "$(grep -c 'GAP: .*no program code at this address$\|GAP: no program code at this address$' "$work/out")" = "$all" ]
	ok $? "$verb: each gap stands in its place, in short"
done
for verb in script flow; do
	run 3 $verb --gaps=all "$data" && [ "$(grep -c 'no program code' "$work/err")" = "$all" ]
	ok $? "$verb: --gaps=all" "$work/err"
done

# packets that cannot be decoded, each behind a synchronisation
trace="--protocol=ete --config=TRCIDR0=0x084002a1,TRCIDR2=0x40001088,TRCDEVARCH=0x47735a13"
for _ in $(seq 200); do
	printf '\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\0\x33'
done >"$work/noise"
# shellcheck disable=SC2086 # words
for verb in dump flow; do
	run 3 $verb $trace --gaps=all "$work/noise"
	[ "$(grep -c ' packet .*; waiting for the next synchronisation$' "$work/err")" = 200 ]
	ok $? "$verb: 200 bad packets" "$work/err"
	run 3 $verb $trace "$work/noise"
	[ "$(grep -c 'waiting' "$work/err")" = 1 ] &&
		grep -Eq "noise: offset 0x(e: header 0x00: reserved packet header|10: malformed packet payload); waiting for the next synchronisation; 200 times" "$work/err"
	ok $? "$verb: bad packets of one kind are one line" "$work/err"
done
run 1 report --gaps=some "$data" && grep -q -- '--gaps=some: unknown' "$work/err"
ok $? "--gaps=some" "$work/err"
done_testing
