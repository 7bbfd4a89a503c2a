#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# crash.sh BUILD - hwflow crash prints the signal, the call stack and the last branches of a core file's thread, and says so
# if the trace does not reach its end; hwflow script --tail prints the last lines of each thread. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS

cat >program.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline, noclone))

struct node { struct node *next; int value; };
static int *volatile nowhere;
static volatile int sum;

NOINLINE static int walk(struct node *node, int left)
{
	int all = 0;

	while (left--) {
		all += node->value;
		node = node->next;
	}
	return all;
}
NOINLINE static int level(int depth, struct node *list)
{
	if (depth)
		return level(depth - 1, list) + 1;
	return walk(list, 4) + 1;
}
NOINLINE static void fail(int number) { if (number) abort(); sum++; }
NOINLINE static void handler(int number) { fail(number); sum++; }
static void *spin(void *count) { for (long i = 0; i < (long)count; i++) sum++; return NULL; }

int main(int argc, char **argv)
{
	struct node nodes[3] = {{&nodes[1], 1}, {&nodes[2], 2}, {NULL, 3}};
	pthread_t threads[2];

	switch (argv[1][0]) {
	case 'w':
		return level(atoi(argv[2]), nodes);
	case 'a':
		signal(SIGUSR1, handler);
		raise(SIGUSR1);
		return 0;
	default:
		for (long i = 0; i < 2; i++)
			pthread_create(&threads[i], NULL, spin, (void *)(500 + i));
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		return argc;
	}
}
END
"$CC" -O1 -g -static -pthread -fno-optimize-sibling-calls -o program program.c 2>err
ok $? "a program is built" err

# record NAME ARG...: a run of the program; its core file is NAME.core. unit has options of the trace unit
unit=(--timestamps=50)
record() {
	local name=$1

	shift
	(ulimit -c unlimited && "$hwflow" emulate --quiet "${unit[@]}" -o "$name" -- ./program "$@" >out 2>err)
	for core in qemu_program_*.core; do
		[ ! -e "$core" ] || mv "$core" "$name.core"
	done
	[ -s "$name" ]
}
# crash STATUS ARGUMENT...
crash() {
	local status=$1

	shift
	"$san" crash "$@" >out 2>err
	[ $? = "$status" ] || { cat err >>out && return 1; }
}

record walk walk 3 && [ -s walk.core ]
ok $? "a program is ended by a signal, and has a core file" err
crash 0 walk.core walk
ok $? "its last trace is found" out
grep -Eq '^program \(process [0-9]+, thread [0-9]+\) was ended by signal 11 \(Segmentation fault\) at [0-9a-f]+\.$' out
ok $? "the signal" out
sed -n 's/^#//p' out | head -6 >stack
diff - stack <<'END' >diff
0   walk  program.c:15
1   level  program.c:24
2   level  program.c:23
3   level  program.c:23
4   level  program.c:23
5   main  program.c:37
END
ok $? "the call stack, with lines" diff
sed -n '/^The last branches:$/,/^$/p' out >branches
[ "$(grep -c '=>' branches)" = 20 ] && tail -n 2 branches | grep -q ' walk+0x[0-9a-f]* (program) program.c:15 .* exception data fault$' &&
	[ "$(grep -c 'program.c:23 .* call$' branches)" -ge 3 ]
ok $? "the last 20 branches, the last one of which is the fault" branches
tail -n 1 out | grep -q '^The trace ends where the program was ended\.$'
ok $? "the trace has the end" out
pc=$(sed -n '1s/.* at \([0-9a-f]*\)\.$/\1/p' out)
tid=$(sed -n '1s/.*thread \([0-9]*\).*/\1/p' out)
crash 0 --tail=2 --insn walk.core walk && [ "$(grep -c 'walk+0x.*program.c:' out)" = 2 ]
ok $? "--insn: instructions" out
crash 0 --tail=0 --full-paths walk.core walk && grep -q "walk  $work/program.c:15\$" out && ! grep -q '=>' out
ok $? "--full-paths, and no branches" out
cp walk perf.data && crash 0 walk.core
ok $? "perf.data is the recording if none is named" out
record deep walk 100 && crash 0 deep.core deep && [ "$(grep -c '^#' out)" = 64 ] && grep -q '^ *[0-9]* more$' out
ok $? "of a deep stack the innermost and the outermost calls" out

record abort abort && crash 0 abort.core abort && grep -q 'signal 6 (Aborted)' out &&
	grep -q '^#[0-9]* *\[handles a signal\] handler  program.c:27$' out && grep -q '^#[0-9]* *main  program.c:40$' out
ok $? "abort(3) in the handler of a signal" out

# the notes of the kernel's core files, which have the address of a fault
core() {
	python3 "$here/make_core.py" "$@" >made.core
}
core aarch64 "$tid" "$pc" 11 8 && crash 0 made.core walk && grep -q "^program (process $tid, thread $tid) .*, address 8\.\$" out
ok $? "the address of the fault" out
core aarch64 "$tid" "$pc" 6 8 && crash 0 made.core walk && ! grep -q ', address 8' out
ok $? "other signals have none" out
core aarch64 "$tid" "$pc" && crash 0 made.core walk && ! grep -q 'was ended by' out
ok $? "a core file of a program that goes on" out
core aarch64 "$tid" 123456 11 && crash 3 made.core walk && grep -q "^The trace ends at $pc: what was executed from there to 123456 is missing\.\$" out
ok $? "a trace that ends before" out
core aarch64 77 "$pc" 11 && crash 3 made.core walk && grep -q 'no trace of thread 77: is this a recording of the same run' err
ok $? "a core file of another run" err
if command -v riscv64-linux-gnu-gcc >/dev/null; then
	unit=()
	riscv64-linux-gnu-gcc -O1 -g -static -pthread -fno-optimize-sibling-calls -o program program.c && record riscv walk 3
	read -r tid _ at < <("$san" script --tail=1 --fields=tid,addr riscv 2>err)
	core riscv "$tid" "$at" 11 0
	crash 0 made.core riscv && grep -q '^#0 *walk  program.c:15$' out && grep -q '^#5 *main  program.c:37$' out
	ok $? "riscv64" out
fi

unit=(--timestamps=50)

# what is no core file
refused() { # PATTERN ARGUMENT...
	local pattern=$1

	shift
	"$san" crash "$@" >out 2>err
	case $? in
	1 | 2) grep -q -- "$pattern" err ;;
	*) false ;;
	esac
	ok $? "refused: $pattern" err
}
refused 'no CORE was named'
refused 'No such file' missing.core walk
refused 'not a core file' program walk
refused 'not a core file' program.c walk
: >empty
refused 'not a core file' empty walk
core x86-64 1 1 11 && refused 'of another machine' made.core walk
core aarch64 "$tid" "$pc" 11 8
size=$(stat -c %s made.core)
for ((at = 1; at < size; at += 101)); do
	head -c $at made.core >cut.core
	"$san" crash cut.core walk >out 2>err
	status=$?
	[ $status -eq 2 ] || [ $status -eq 0 ] || break
done
[ "$at" -ge "$size" ]
ok $? "a core file that is cut off" err
python3 - made.core <<'END'
import random, subprocess, sys
data = open(sys.argv[1], "rb").read()
random.seed(3)
for i in range(40):
    bad = bytearray(data)
    for _ in range(random.randint(1, 4)):
        bad[random.randrange(len(bad))] = random.choice((0, 0xff, 0x80, random.randrange(256)))
    open("bad%d.core" % i, "wb").write(bad)
END
for file in bad*.core; do
	"$san" crash --tail=0 "$file" walk >out 2>err
	status=$?
	[ $status -eq 0 ] || [ $status -eq 2 ] || [ $status -eq 3 ] || break
done
[ $status -eq 0 ] || [ $status -eq 2 ] || [ $status -eq 3 ]
ok $? "core files with wrong bytes" err

# the last lines of each thread
"$CC" -O1 -g -static -pthread -o program program.c && record threads threads
"$san" script --sort=thread --no-lines threads 2>err | grep -v '^#' >all
[ "$(awk '{ print $2 }' all | sort -u | wc -l)" = 3 ]
ok $? "a recording has three threads" err
for count in 1 7 100000; do
	"$san" script --tail=$count --no-lines threads 2>err | grep -v '^#' >last
	for thread in $(awk '{ print $2 }' all | sort -u); do
		awk -v t="$thread" '$2 == t' all | tail -n $count
	done | sort >wanted
	[ -s last ] && sort last | diff wanted - >diff && awk '$2 != thread && $2 in seen { bad = 1 } { thread = $2; seen[$2] } END { exit bad }' last
	ok $? "--tail=$count: the last lines of each thread, together" diff
done
"$build/tests/make_cpus" threads cpus 2 1 100 >out 2>err
"$san" script --sort=thread --no-lines cpus 2>err | grep -v '^#' >on_cpus
for thread in $(awk '{ print $2 }' on_cpus | sort -u); do
	awk -v t="$thread" '$2 == t' on_cpus | tail -n 3
done | sort >wanted
"$san" script --tail=3 --no-lines cpus 2>err | grep -v '^#' | sort | diff wanted - >diff && [ "$(wc -l <wanted)" = 9 ]
ok $? "--tail: threads that share a CPU" diff
"$build/tests/make_cpus" threads cpus 2 2 100 >out 2>err
"$san" script --sort=thread --no-lines cpus 2>err | grep -v '^#' | awk '{ print $2, $3 }' | sort -nk2 >on_cpus
for thread in $(awk '{ print $1 }' on_cpus | sort -u); do
	awk -v t="$thread" '$1 == t' on_cpus | tail -n 3
done | sort >wanted
"$san" script --tail=3 --no-lines cpus 2>err | grep -v '^#' | awk '{ print $2, $3 }' | sort | diff wanted - >diff && [ "$(wc -l <wanted)" = 9 ]
ok $? "--tail: threads that were on two CPUs, in the order of time" diff
thread=$(awk '{ print $2; exit }' all)
"$san" script --insn --sort=thread --no-lines threads 2>err | grep -v '^#' | awk -v t="$thread" '$2 == t' | tail -n 5 >wanted
"$san" script --insn --tail=5 --no-lines threads 2>err | awk -v t="$thread" '$2 == t' | diff wanted - >diff
ok $? "--tail=5 --insn: instructions" diff
for options in --tail=0 --tail=x '--tail=5 --limit=3' '--tail=5 --sort=time'; do
	# shellcheck disable=SC2086 # options
	"$san" script $options threads >out 2>err
	[ $? = 1 ] && grep -q -- '--tail' err
	ok $? "$options is refused" err
done
done_testing
