#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# report-measure.sh BUILD - time and cycles of functions, calling contexts and instructions: report --measure, profile
# --measure, annotate --measure. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS
busybox=$("$top/tools/setup/fetch-arm64" busybox-static | tail -n 1)/bin/busybox

cat >program.c <<'END'
#include <time.h>
#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned int sum;

NOINLINE static void spin(unsigned int count) { while (count--) sum++; }
NOINLINE static void waits(void)
{
	spin(100);
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	spin(200);
}
NOINLINE static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main(void)
{
	spin(1000);
	for (int i = 0; i < 5; i++) {
		fib(10);
		waits();
	}
	return 0;
}
END
"$CC" -O1 -g -static -fno-optimize-sibling-calls -o program program.c 2>err
ok $? "a program is built" err

record() { # NAME OPTION...
	local name=$1

	shift
	"$hwflow" emulate --quiet "$@" -o "$name" -- ./program >out 2>err
}

# columns FILE: of each function: the sum with its callees, its own, its calls
columns() {
	awk '$1 ~ /%$/ && NF == 6 { print $5, $2, $3, $4 }' "$1" | sort
}

# In the virtual time a tick is an instruction: the time of a function itself is the number of its instructions.
record virtual --virtual-time --timestamps=100
ok $? "the program is recorded" err
for measure in time instructions; do
	"$san" report --measure=$measure --inclusive --limit=0 --width=0 virtual >$measure.out 2>err
	columns $measure.out | awk '/^(main|spin|waits|fib) / { print $1, $3, $4 }' >$measure
done
[ "$(wc -l <time)" = 4 ] && diff instructions time >out
ok $? "time between timestamps belongs to what was executed" out
grep -q '^  share .* time (ticks)  *calls  function$' time.out
ok $? "and is in ticks, without a clock of the recording" time.out
"$san" report --measure=instructions virtual >out 2>err && "$san" report virtual | cmp - out
ok $? "--measure=instructions alone is the table without calls" out

# the same of each instruction of functions that are executed between timestamps
for name in fib main; do
	"$san" annotate --measure=time --symbol=$name virtual >$name.out 2>err
	awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ { print $1, $2 }' $name.out >$name.costs
done
[ "$(wc -l <fib.costs)" -gt 5 ] && awk '$1 != $2 { exit 1 }' fib.costs
ok $? "instructions have the time in which they were executed" fib.out
grep -q '^fib  (program): \([0-9]*\) instructions, .*; time (ticks) \1, ' fib.out &&
	grep -q '^  time (ticks)       executed        taken    not taken      address$' fib.out
ok $? "and a function that of its instructions" fib.out
# in each piece of trace
"$hwflow" emulate --quiet --virtual-time --timestamps=100 -o twice -- "$busybox" sh -c './program; ./program' >out 2>err
"$san" annotate --measure=time --symbol=fib twice 2>err | awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ { print $1, $2 }' >twice.costs
awk '{ print 2 * $1, 2 * $2 }' fib.costs | cmp - twice.costs
ok $? "in all pieces of trace" twice.costs
# no time is of main's instructions while it is not traced
awk '{ sum += $1; executed += $2 } END { exit !(executed && sum <= executed) }' main.costs
ok $? "time without trace is of no instruction" main.out
"$san" annotate --symbol=fib virtual >out 2>err && ! grep -q 'ticks' out
ok $? "without --measure there is no time" out

# real time: 5 times 20 ms in which the thread is not traced
record real --timestamps=100
"$san" report --measure=time --limit=0 --width=0 real >out 2>err
ok $? "the time of a recording is reported" err
head -1 out | cmp - <("$san" report real | head -1) && grep -q '^  share .* time (ns)  *calls  function$' out
ok $? "in nanoseconds, below the number of instructions" out
columns out >functions
awk '$1 == "waits" { ok = $2 >= 100000000 && $3 < 50000000 && $4 == 5 } END { exit !ok }' functions
ok $? "what waits has the time that it waits, and those that it calls" functions
awk '/% / && / \[not traced\]$/ { ok = $2 >= 100000000 && $2 == $3 } END { exit !ok }' out
ok $? "the time without trace is shown as such" out
awk '$1 == "fib" { ok = $2 == $3 && $4 == 885 } END { exit !ok }' functions
ok $? "a function that calls itself has its time once" functions
"$san" report --measure=time --call-graph --limit=0 --width=0 real >tree 2>err
awk '/% / && / \[not traced\]$/ && $2 >= 100000000 { found = 1 } END { exit !found }' tree
ok $? "the calls that wait are in the tree" tree

# the same for flame graphs
"$san" profile --call-graph --for=folded --measure=time -o folded real 2>err
ok $? "calls with their time are written for flame graphs" err
sum=$(awk '{ sum += $NF } END { print sum }' folded)
total=$(awk '/% / { sum += $3 } END { print sum }' out)
[ "$sum" -ge 100000000 ] && [ "$sum" = "$total" ]
ok $? "with the sum that report has: $sum ns" folded
"$san" profile --call-graph --for=speedscope --measure=time -o speedscope real 2>err
python3 -c '
import json, sys
profile, = json.load(open("speedscope"))["profiles"]
assert profile["unit"] == "nanoseconds" and profile["name"] == "time"
assert profile["endValue"] == sum(profile["weights"]) == int(sys.argv[1])' "$sum" 2>err
ok $? "speedscope has nanoseconds" err

# cycles
record cycles --cycle-counts=16 --vary-cycles=5
"$san" report --measure=cycles --limit=0 --width=0 cycles >out 2>err
columns out >functions
for name in main waits spin; do
	"$san" calls --measure=cycles --function=$name --limit=0 --width=0 cycles 2>err |
		awk -v name=$name 'is_list && !NF { exit } is_list { sum += $2 }
			$1 == "call" && $2 == "duration" { is_list = 1 } END { print name, sum }'
done >wanted
awk '{ print $1, $2 }' functions | grep -E '^(main|waits|spin) ' | sort | diff - <(sort wanted) >diff
ok $? "functions have the cycles of their calls" diff
! grep -q 'not traced' out
ok $? "no cycles pass while the thread waits" out

"$san" annotate --measure=cycles --limit=1 cycles >out 2>err
grep -q '^        cycles       executed        taken    not taken      address$' out
ok $? "instructions have cycles" out
"$san" annotate --measure=cycles --limit=0 cycles 2>err | sed -n 's/.*; cycles \([0-9]*\), .*/\1/p' >sums
[ "$(wc -l <sums)" -gt 5 ] && sort -rnc sums 2>out
ok $? "functions with the most cycles come first" sums
# an interval of cycle counts may be longer than a function: the sum is that of the functions
sum() { awk '{ sum += $1 } END { print int(sum) }'; }
of_insns=$("$san" annotate --measure=cycles --limit=0 --all cycles 2>err | sed -n 's/.*; cycles \([0-9]*\), .*/\1/p' | sum)
of_functions=$("$san" report --measure=cycles --limit=0 cycles 2>err | awk '/% / { print $3 }' | sum)
apart=$((of_functions > of_insns ? of_functions - of_insns : of_insns - of_functions))
[ "$of_insns" -gt 10000 ] && [ $apart -lt $((of_functions / 20)) ]
ok $? "their sum, $of_insns, is nearly that of report, $of_functions" err

refused() { # PATTERN VERB ARGUMENT...
	local pattern=$1

	shift
	"$san" "$@" >out 2>err
	[ $? = 1 ] && grep -q -- "$pattern" err
	ok $? "$*: refused" err
}
record plain
"$san" profile --call-graph -o calls.hwprof plain 2>err
refused 'the trace of .* has no timestamps' report --measure=time plain
refused 'the trace has no cycle counts' report --measure=cycles plain
refused 'the trace has no cycle counts' profile --measure=cycles --call-graph --for=folded plain
refused 'a profile counts instructions' report --measure=time calls.hwprof
refused 'a profile counts instructions' profile --measure=time --call-graph --for=folded calls.hwprof
refused 'are for the table' report --measure=time --by=dso real
refused '--measure=time is for --for=folded and --for=speedscope' profile --measure=time --for=pprof real
refused '--measure=time is for --for=folded and --for=speedscope' profile --measure=time -o x real
refused 'does not say how long a tick' profile --measure=time --call-graph --for=folded virtual
refused 'unknown' report --measure=hours real
refused 'unknown' annotate --measure=instructions real
refused 'the trace of .* has no timestamps' annotate --measure=time plain
refused 'the trace has no cycle counts' annotate --measure=cycles plain
refused 'a profile counts instructions' annotate --measure=cycles calls.hwprof
done_testing
