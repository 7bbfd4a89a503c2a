#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# jit.sh BUILD - code made at run time has the names that the program wrote for perf, in perf-PID.map or
# in jit-PID.dump. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
map=
trap 'rm -rf "$work"; [ -z "$map" ] || rm -f "$map"' EXIT

# report WHAT LINE...: instructions and name of all rows that are not of the program
report() {
	"$san" report --limit=0 "${@:3}" "$work/data" >"$work/out" 2>"$work/err"
	awk '$1 ~ /%$/ && !/\(jit\)$/ { n = $2; $1 = $2 = $3 = $4 = $5 = ""; gsub(" +", " "); sub("^ ", ""); print n, $0 }' \
		"$work/out" | cmp - <(printf '%s' "$2") >>"$work/err" 2>&1
	ok $? "$1" "$work/out"
}

"$CC" -O1 -static -o "$work/jit" "$top/tools/hwflow/tests/jit.c"
cd "$work" || exit 1

"$hwflow" emulate --quiet -o data -- ./jit map 2>err
ok $? "a recording of a program with perf-PID.map" err
pid=$(awk '{ print $2; exit }' < <("$hwflow" script data))
map=/tmp/perf-$pid.map
report "names from /tmp/perf-PID.map" "7001 second (perf-$pid.map)
3001 first in map.js:1 (perf-$pid.map)
"
mkdir -p root/tmp "root$work"
cp jit "root$work"
cp data.code "root$work"
mv "$map" root/tmp/
report "below --symfs" "7001 second (perf-$pid.map)
3001 first in map.js:1 (perf-$pid.map)
" --symfs=root
mv "root$map" .
report "beside the recording" "7001 second (perf-$pid.map)
3001 first in map.js:1 (perf-$pid.map)
"
rm "perf-$pid.map"
report "none without a file" "10002 [data.code] (data.code)
"
map=

"$hwflow" emulate --quiet -o data -- ./jit dump 2>err
ok $? "a recording of a program with jit-PID.dump" err
dump=$(ls jit-*.dump)
report "names from jit-PID.dump: by time, and after a move" "6002 after ($dump)
3001 before ($dump)
"
"$san" script data >out 2>err
grep -q "before ($dump) jit.src:42  indirect call" out
ok $? "script has source lines" out
! grep -q 'too late' out
ok $? "no name of code that was never executed" out
"$hwflow" verify data >out 2>&1
ok $? "it verifies" out
mkdir moved
mv "$dump" moved
report "none without a file" "9003 [data.code] (data.code)
"
grep -q "$work/$dump: cannot be opened.*; put the file beside the recording" err
ok $? "and a message" err
mv data moved
(cd moved && "$san" report --limit=0 data 2>&1) >out
grep -q 'before  (jit' out
ok $? "names from a file that moved with the recording" out
done_testing
