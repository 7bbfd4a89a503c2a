#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# profile-call-graph.sh BUILD - hwflow profile --call-graph counts calls by the calls around them. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS

cat >program.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static jmp_buf buffer;
static volatile int sum;

NOINLINE static void leaf(int value) { sum += value; }
NOINLINE static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
NOINLINE static void deep(int n)
{
	if (!n)
		longjmp(buffer, 1);
	deep(n - 1);
	leaf(n);
}
NOINLINE static void after(void) { leaf(1); leaf(2); }
NOINLINE static void handler(int number) { leaf(number); }
NOINLINE static void *worker(void *unused) { leaf(3); return unused; }
NOINLINE static void child(void) { leaf(4); _exit(0); }

int main(void)
{
	pthread_t thread;

	sum += fib(10);
	if (!setjmp(buffer))
		deep(6);
	after();
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	if (!fork())
		child();
	wait(NULL);
	after();
	return 0;
}
END
"$CC" -O1 -g -static -pthread -Wl,--build-id -o program program.c 2>err && "$hwflow" emulate --quiet -o data -- ./program >out 2>>err
ok $? "a program with threads, processes, a jump and a signal is recorded" err
"$san" profile --call-graph -o graph.hwprof data 2>err && "$san" profile --for=folded -o folded graph.hwprof 2>>err
ok $? "its calls are counted" err

# path PATTERN: there is a path, from the beginning of a line to its count
path() {
	grep -Eq "^$1 [0-9]+\$" folded
	ok $? "path: $1" folded
}
nested=$(printf ';fib%.0s' {1..10})
path "_start;.*;main$nested"
! grep -q "$nested;fib" folded
ok $? "and none that is deeper" folded
path "_start;.*;main;deep;deep;deep;deep;deep;deep;deep;[a-z_]*longjmp.*"
path '_start;.*;main;after;leaf'
path '_start;.*;main;.*raise.*;handler;leaf'
path '[^;]*;(start_thread|[^;]*;start_thread);worker;leaf'
path '_start;.*;main;child;leaf'
! grep -q '^\[unknown\]' folded
ok $? "all callers are known" folded

"$san" profile -o plain.hwprof data 2>err && "$san" report --limit=0 --width=0 plain.hwprof 2>>err |
	sed -n 's/^ *[0-9.]*% *\([0-9]*\) .*  \(.*\)  (.*)$/\2 \1/p' | sort >plain
awk '{ count = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); n[$0] += count } END { for (name in n) if (n[name]) print name, n[name] }' folded | sort >leaves
[ "$(wc -l <plain)" -gt 50 ] && diff plain leaves >out
ok $? "each function has the instructions that report counts without calls" out
for profile in graph plain; do
	"$san" report --limit=0 --width=0 $profile.hwprof 2>err | tail -n +2 >$profile.report
done
diff plain.report graph.report >out
ok $? "and so has the profile with calls" out
"$san" profile --for=json graph.hwprof 2>err | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
calls = sum(row["calls"] for row in rows if row["type"] == "context" and row.get("entry") == int(sys.argv[1], 16))
sys.exit(calls != 177)' "$(aarch64-linux-gnu-nm program | awk '$3 == "fib" { print $1 }' | sed 's/^0*4/0x/')" >out 2>&1
ok $? "fib(10) makes 177 calls of fib" out

# a part of the trace: the callers of its first function are not known
"$san" profile --call-graph --for=folded --offset=1500,3000 -o part data 2>err
ok $? "calls of a part of the trace are counted" err
grep -q '^\[unknown\];' part && ! grep -v '^\[unknown\];' part >out
ok $? "and no caller is taken for the first one" out
# more calling contexts than the limit
"$san" profile --call-graph --max=contexts=100 -o few.hwprof data 2>err
[ $? = 0 ] && [ "$(grep -c 'too many calling contexts.*--max=contexts=N raises it' err)" = 1 ]
ok $? "too many contexts are reported" err
"$san" profile --for=folded -o few few.hwprof 2>err
sum() { awk '{ n += $NF } END { print n }' "$1"; }
[ "$(wc -l <few)" -le 101 ] && grep -q '^\[other contexts\] [1-9]' few && [ "$(sum few)" = "$(sum folded)" ]
ok $? "and counted together: $(sum few) instructions" few
"$san" profile --call-graph -o again.hwprof plain.hwprof 2>err
[ $? = 2 ] && grep -q 'no calling contexts; make it again with --call-graph' err
ok $? "a profile without calls is refused" err
done_testing
