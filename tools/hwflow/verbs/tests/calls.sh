#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# calls.sh BUILD - hwflow calls has the durations that follow from the ground-truth log: of all calls of a function, of
# threads, of recursion, in instructions and in time, and of a part of the trace. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS

cat >program.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned int sums[4];
static unsigned int slow;
static jmp_buf back;

NOINLINE static void spin(unsigned int at, unsigned int count) { while (count--) sums[at]++; }
NOINLINE static void parse(unsigned int at) { spin(at, 3); }
NOINLINE static void request(unsigned int at, unsigned int number)
{
	parse(at);
	spin(at, number == slow ? 3000 : 20 + number % 7);
}
NOINLINE static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
NOINLINE static void leaves(int n) { if (n) leaves(n - 1); else longjmp(back, 1); sums[0]++; }
NOINLINE static void catches(void) { if (!setjmp(back)) leaves(5); }
NOINLINE static void handler(int number) { spin(0, (unsigned int)number); }

static void *requests(void *at)
{
	for (unsigned int i = 0; i < 500; i++)
		request((unsigned int)(size_t)at, i);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];

	slow = (unsigned int)atoi(argv[1]);
	signal(SIGUSR1, handler);
	for (unsigned int i = 0; i < (unsigned int)atoi(argv[2]); i++)
		request(0, i);
	fib(12);
	catches();
	raise(SIGUSR1);
	if (argc > 3) {
		for (size_t i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, requests, (void *)(i + 1));
		for (size_t i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
	}
	return 0;
}
END
"$CC" -O1 -g -static -pthread -fno-optimize-sibling-calls -o program program.c 2>err
ok $? "a program is built" err

# record NAME OPTION... -- ARG...: the program's recording, and its log as text
record() {
	local name=$1 options=()

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"$hwflow" emulate --quiet "${options[@]}" -o "$name" -- ./program "$@" >out 2>err &&
		"$hwflow" emulate --show-log="$name.truth" >"$name.txt" 2>>err
}

# truth NAME FUNCTION: its calls by the log
truth() {
	python3 "$here/call_truth.py" "$1.txt" "$(nm program | awk -v name="$2" '$3 == name { print $1 }')"
}

# rows ARGUMENT...: the calls that are listed, as THREAD BEGIN DURATION
rows() {
	"$san" calls --limit=0 --width=0 "$@" 2>err | awk 'is_list && !NF { exit } is_list { print $(NF - 2), $(NF - 3), $2 }
		$1 == "call" && $2 == "duration" { is_list = 1 }'
}

record many -- 1321 2000
ok $? "2,000 requests are recorded, of which one is slow" err
truth many request | sort >wanted
rows --function=request many | sort >got
[ "$(wc -l <wanted)" = 2000 ] && diff wanted got >out
ok $? "each request has the instructions of the log" out
"$san" calls --function=request --limit=1 many >one 2>err
grep -q '^ *1322 .*main  (program)$' one && [ "$(grep -c '(program)$' one)" = 1 ] && grep -q 'in 1999 more: --limit=0 shows all' one
ok $? "the slow one is the longest" one

# the table, the percentiles and the histogram are those of the log
awk '{ print $3 }' wanted | sort -n >sorted
awk '{ n[NR] = $1; sum += $1 } END {
	print 2000, sum, n[1], n[NR], int(sum / NR)
	for (i = 1; i <= split("1000 1800 1980 1998", at, " "); i++)
		print n[at[i]]
}' sorted >from_log
awk '$1 == "request:" { calls = $2 } $1 == "shortest" { least = $2 } $1 == "longest" { most = $2 } $1 == "mean" { mean = $2 }
	$1 == "total" { total = $2 } $1 == "median" || $2 == "%" { p[++count] = $NF }
	END { print calls, total, least, most, mean; for (i = 1; i <= 4; i++) print p[i] }' one >printed
paste from_log printed | awk 'NR == 1 { for (i = 1; i <= 5; i++) bad += $i != $(i + 5) } NR > 1 { bad += $2 < $1 || $2 > $1 * 1.008 }
	END { exit bad || NR != 5 }'
ok $? "percentiles are those of the log, and at most 0.8 % greater" printed
awk '/^ +from +to +calls$/ { on = 1; next } !NF { on = 0 } on { print $1, $2, $3 }' one >histogram
awk 'NR == FNR { n[++count] = $1; next } { found = 0; for (i = 1; i <= count; i++) found += n[i] >= $1 && n[i] < $2
	bad += found != $3; all += found } END { exit bad || all != count || !FNR }' sorted histogram
ok $? "and so is the histogram" histogram
"$san" calls many 2>err | awk '$NF == "(program)" && $7 == "request" { print $2, $1, $3, $6 }' >row
[ "$(cat row)" = "$(awk 'NR == 1 { print $1, $2, $5, $4 }' from_log)" ]
ok $? "and the row of the table of functions" row

truth many fib | sort >wanted
rows --function=fib many | sort >got
[ "$(wc -l <wanted)" = 465 ] && diff wanted got >out
ok $? "calls of a function that calls itself" out
rows --function=leaves many >got
[ "$(wc -l <got)" = 6 ] && [ "$(awk '{ print $2 + $3 }' got | sort -u | wc -l)" = 1 ]
ok $? "longjmp(3) ends six calls at once" got
[ "$(rows --function=handler many | wc -l)" = 1 ]
ok $? "the handler of a signal is a call" got

# from one function to another
truth many parse | sort -nk2 >parse
truth many request | sort -nk2 >request
join -11 -21 <(awk '{ print NR, $1, $2 }' request) <(awk '{ print NR, $2 }' parse) | awk '{ print $2, $3, $4 - $3 }' | sort >wanted
rows --between=request,parse many | sort >got
[ "$(wc -l <wanted)" = 2000 ] && diff wanted got >out
ok $? "--between: from a call of one function to the next call of another" out
rows --between=request,fib many >got
[ "$(rows --between=main,request many | wc -l)" = 1 ] && [ "$(wc -l <got)" = 1 ] &&
	[ "$(awk '{ print $2 }' got)" = "$(awk 'NR == 1 { print $2 }' request)" ]
ok $? "--between: calls of the first one in between begin nothing" got
"$san" calls --function=request --over=1000 many 2>err | grep -q '^1 takes longer than 1000\.$' && [ "$(rows --function=request --over=1000 many | wc -l)" = 1 ]
ok $? "--over: what takes longer" err
[ "$(rows --function=request --over="$(tail -n 1 sorted)" many | wc -l)" = 0 ]
ok $? "--over: not what takes as long"
"$san" calls --over=1000 --limit=0 many 2>err | awk '/^ +[0-9]+ +[0-9]+ / { count++; bad += $2 <= 1000; seen[$(NF - 1)] } END { exit bad || !count || !("main" in seen && "request" in seen && "fib" in seen) }'
ok $? "--over: of all functions"
"$san" calls --function=request --show=1322 many >one 2>err
sed -nE 's/^ +[0-9]+ +([0-9]+) (.*)  \(program\)$/\1 \2/p' one >out
longest=$(awk 'END { print $1 }' sorted)
[ "$(sed -n '1s/ .*//p' out)" = "$longest" ] && [ "$(awk '{ $1 = ""; print }' out)" = " request
 parse
 spin
 spin" ] && grep -Eq '^[0-9]+    parse$' out && grep -Eq '^[0-9]+      spin$' out && [ "$(awk 'NR == 4 && $1 > 3000' out | wc -l)" = 1 ]
ok $? "--show: what a call has called" one

# names of C++
cat >names.cc <<'END'
namespace space {
template <typename T> __attribute__((noinline)) int take(T value, int more) { volatile int sum = more; return sum + int(value); }
}
int main() { int sum = 0; for (int i = 0; i < 5; i++) sum += space::take<long>(i, 2); return sum == 0; }
END
aarch64-linux-gnu-g++ -O1 -static -o names names.cc 2>err && "$hwflow" emulate --quiet -o named -- ./names 2>>err
ok $? "a C++ program is recorded" err
for name in _ZN5space4takeIlEEiT_i 'int space::take<long>(long, int)' 'int space::take<long>'; do
	[ "$(rows "--function=$name" named | wc -l)" = 5 ] && [ "$(rows "--between=main,$name" named | wc -l)" = 1 ]
	ok $? "a function is called $name" err
done
"$san" calls '--between=int space::take<long>(long, int),main' named >out 2>err
ok $? "a comma in parentheses does not end a name" err
[ "$(rows '--function=int space::take' named | wc -l)" = 0 ] && grep -q 'no function with this name was called' err
ok $? "and not by a part of its name" err

# in time; the virtual time has a tick an instruction, so that the interpolation can be seen to be right
record threads --virtual-time --timestamps=200 -- 77 500 threads
ok $? "four threads are recorded" err
truth threads request | awk '{ print $1, $3 }' | sort >wanted
rows --function=request threads | awk '{ print $1, $3 }' | sort >got
[ "$(wc -l <wanted)" = 2000 ] && diff wanted got >out
ok $? "time between timestamps is interpolated" out
rows --measure=instructions --function=request threads | sort >got
truth threads request | sort >wanted
[ "$(wc -l <got)" = 2000 ] && diff wanted got >out
ok $? "each thread has its own instructions" out
# the same threads on two CPUs: steps wait until all is decoded; and on one
for cpus in 2 1; do
	"$build/tests/make_cpus" threads cpus $cpus 1 100 >out 2>err && rows --function=request cpus | awk '{ print $1, $3 }' | sort >got
	truth threads request | awk '{ print $1, $3 }' | sort | diff - got >out
	ok $? "threads on $cpus CPUs" out
done
record clocked --timestamps=200 -- 77 500
"$san" calls --function=spin clocked >one 2>err
grep -Eq '^Durations are time, between' one && grep -Eq '^ +longest  [0-9.]+ (us|ms)$' one
ok $? "times of the perf clock have units" one
"$san" calls --function=request --over=1us clocked >one 2>err && grep -q 'take[s]* longer than 1.000 us' one
ok $? "--over takes units" one

# a part of the trace: what is measured is right, and what is cut off is not measured
rows --function=request threads | sort >all
for ((from = 10; from < 90; from += 10)); do
	rows --function=request --time=$from%-$((from + 7))% threads
done | sort >part
[ "$(wc -l <part)" -gt 300 ] && [ "$(wc -l <part)" -lt 1900 ] && awk '
	NR == FNR { seen[$1, $3]; next } { bad += !(($1, $3) in seen) } END { exit bad != 0 }' all part
ok $? "calls that begin before a part, or end behind it, are not measured" part
"$san" calls --function=main --time=10%-20% threads >one 2>err
grep -q '^main: 0 calls$' one || grep -q 'main: no function with this name was called' err
ok $? "they are counted" one

# cycles
record cycles --cycle-counts=16 --vary-cycles=5 -- 77 500
all=$("$san" flow cycles 2>err | awk '$2 == "cycles:" { sum += $3 } END { print sum }')
main=$(rows --measure=cycles --function=main cycles | awk '{ print $3 }')
[ "${all:-0}" -gt 10000 ] && [ "$main" -lt "$all" ] && [ "$main" -gt $((all / 3)) ]
ok $? "main has most of the cycles: $main of $all" err
"$san" calls --measure=cycles --function=request --limit=1 cycles 2>err | grep -q '^ *78 '
ok $? "the slow request has the most cycles"

# what cannot be measured, and what is not there
refused() { # WHAT PATTERN ARGUMENT...
	local what=$1 pattern=$2

	shift 2
	"$san" calls "$@" >out 2>err
	[ $? = 1 ] && grep -q -- "$pattern" err
	ok $? "$what is refused" err
}
refused "time without timestamps" 'the trace of .* has no timestamps; --measure=instructions needs none' --measure=time many
refused "cycles without cycle counts" 'the trace has no cycle counts' --measure=cycles many
refused "a function that was not called" 'nowhere: no function with this name was called' --function=nowhere many
refused "one of two" 'nowhere: no function with this name was called' --between=main,nowhere many
refused "one name of two" 'two names with a comma expected' --between=main many
refused "no second name" 'two names with a comma expected' --between=main, many
refused "two kinds of choice" 'exclude each other' --function=main --between=main,fib many
refused "a call that is not there" '--show=3: main has 1 calls' --function=main --show=3 many
refused "--show of nothing" '--function names it' --show=3 many
refused "call number 0" 'calls are counted from 1' --function=main --show=0 many
refused "a unit for instructions" 'expected a number, as durations are' --over=1ms many
refused "a time without unit" 'expected a number and ns, us, ms or s' --over=1 clocked
refused "an unknown unit" 'expected a number and ns, us, ms or s' --over=1h clocked
refused "a duration below 0" 'expected a number' --over=-1 many
done_testing
