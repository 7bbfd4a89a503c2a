#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# gdbserver.sh BUILD - gdb steps backwards through a recording of hwflow gdbserver, and shows the instructions and lines that
# script shows. Requests that gdb does not make are answered as well. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS
# GDB names another gdb
gdb=${GDB:-gdb-multiarch}
command -v "$gdb" >/dev/null || {
	echo "ok 1 - gdbserver # SKIP $gdb is not installed"
	exit 0
}

cp "$top/Documentation/crash.c" .
cat >library.c <<'END_C'
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	char *number = strdup("12");
	long value = strtol(number, NULL, 10);

	free(number);
	return (int)(value + strlen(argv[argc]));
}
END_C
"$CC" -O1 -g -static -Wl,--build-id -o crash crash.c 2>err &&
	{ "$hwflow" emulate --quiet -o crash.data -- ./crash >out 2>>err; [ $? = 139 ]; } &&
	"$CC" -O1 -g -fno-builtin -pie -fPIE -Wl,--build-id -o library library.c 2>>err &&
	{ "$hwflow" emulate --quiet --sysroot=/usr/aarch64-linux-gnu -o library.data -- ./library >out 2>>err; [ $? = 139 ]; }
ok $? "programs are recorded until SIGSEGV" err

# debug SRC COMMAND...: gdb's output; OPTIONS are those of hwflow gdbserver
debug() {
	local source=$1 command words=()

	shift
	for command in "set pagination off" "set width 0" "target remote | $san gdbserver $OPTIONS $source" "$@"; do
		words+=(-ex "$command")
	done
	timeout 300 "$gdb" -nx -batch "${words[@]}" >out 2>err
	sed 's/^/stderr: /' err >>out
}
OPTIONS=

cat >steps.gdb <<'END_GDB'
define steps
	set $i = 0
	while $i < $arg0
		reverse-stepi
		printf "step %lx ", (unsigned long)$pc
		info line *$pc
		set $i = $i + 1
	end
end
END_GDB

# stepped: "PC LINE" of each step, as gdb prints it
stepped() {
	sed -nE 's/^step ([0-9a-f]+) Line ([0-9]+) of "[^"]*\.c".*/\1 \2/p; s/^step ([0-9a-f]+) No line.*/\1/p' out
}

# executed COUNT SRC: the last instructions, the last one first, in the same way
executed() {
	"$san" script --insn --fields=ip,srcline "${@:2}" 2>/dev/null | tail -n "$1" | tac |
		sed -E 's/^ *([0-9a-f]+)/\1/; s/ +.*crash\.c:([0-9]+)$/ \1/; s/ +[^ ]*:[0-9?]+$//; s/ +$//'
}

debug crash.data "source steps.gdb" "info threads" "steps 1200"
executed 1200 crash.data >wanted
stepped >got
[ "$(wc -l <got)" = 1200 ] && diff wanted got >differ
ok $? "1,200 steps back from SIGSEGV: addresses and lines are those of script" differ
[ "$(cut -d ' ' -f 2 wanted | sort -u | wc -l)" -ge 6 ]
ok $? "they are on six lines, or more" wanted
grep -q '^total (list=<unavailable>) at crash.c:24$' out && grep -q 'Target is recording using Branch Trace Store' out &&
	grep -q '^stderr: hwflow gdbserver: thread [0-9]* (crash): the trace ends with an exception (data fault) at 0x[0-9a-f]*; gdb shows it as SIGSEGV' out
ok $? "gdb begins at the instruction that has failed" out
grep -q '^\* 1 *Thread [0-9]* "crash" ' out
ok $? "the thread has its name" out

insns=$("$san" script --insn --fields=ip crash.data | wc -l)
debug crash.data "info record" "record function-call-history /il" "break fib" "reverse-continue" "p \$sp" "info registers pc" \
	"record goto begin" "info symbol \$pc" "record goto end" "stepi" "continue" "info line *\$pc"
grep -q "^Recorded $insns instructions in [0-9]* functions (0 gaps)" out
ok $? "all $insns instructions are in the recording" out
grep -qE '^[0-9]+	fib	inst [0-9]+,[0-9]+	at crash.c:13,17$' out && grep -qE '^[0-9]+	total	inst [0-9]+,[0-9]+	at crash.c:23,27$' out
ok $? "record function-call-history has the functions" out
grep -q '^Breakpoint 1, fib (n=<unavailable>) at crash.c:' out && grep -q '^\$1 = <unavailable>' out
ok $? "reverse-continue stops at a breakpoint; a register has no value there" out
grep -q '^_start in section .text' out
ok $? "the recording begins with the program" out
[ "$(grep -c '^stderr: hwflow: the recording ends here' out)" = 2 ] && grep -q '^Line 24 of "crash.c"' out
ok $? "execution does not go on at the end" out

OPTIONS=--limit=50
debug crash.data "source steps.gdb" "info record" "steps 20"
executed 20 crash.data >wanted
stepped >got
diff wanted got >differ
ok $? "--limit=50: the last steps are the same" differ
grep -q ': earlier instructions are left out: older instructions were dropped; --limit=N keeps N blocks$' out &&
	[ "$(sed -n 's/^Recorded \([0-9]*\) instructions.*/\1/p' out)" -lt 600 ]
ok $? "--limit=50: few instructions are in the recording" out
OPTIONS=

# A program that can be loaded anywhere, and shared libraries
debug library.data "source steps.gdb" "info sharedlibrary" "steps 400" "record function-call-history" \
	"break main" "reverse-continue"
"$san" script --insn --fields=ip library.data 2>/dev/null | tail -n 400 | tac | sed 's/ //g' >wanted
stepped | cut -d ' ' -f 1 >got
[ "$(wc -l <got)" = 400 ] && diff wanted got >differ
ok $? "400 steps back in a PIE and its libraries" differ
grep -q '^0x[0-9a-f]* in .* from .*/libc\.so\.6$' out && grep -q ' Yes .*/libc\.so\.6$' out && grep -q ' Yes .*/ld-linux-aarch64\.so\.1$' out
ok $? "the libraries are at their addresses" out
grep -qE '^Breakpoint 1, main \(.*\) at library.c:[5-9]$' out
ok $? "the program is at its address" out

# RISC-V
riscv64-linux-gnu-gcc -O1 -g -static -Wl,--build-id -o crash-riscv crash.c 2>err &&
	{ "$hwflow" emulate --quiet -o riscv.data -- ./crash-riscv >out 2>>err; [ $? = 139 ]; }
ok $? "a RISC-V program is recorded" err
debug riscv.data "source steps.gdb" "steps 1000" "x/2i \$pc"
executed 1000 riscv.data >wanted
stepped >got
[ "$(wc -l <got)" = 1000 ] && diff wanted got >differ
ok $? "1,000 steps back in RISC-V code" differ
grep -qE '^=> 0x[0-9a-f]+ <(fib|total)\+?[0-9]*>:	[a-z]' out
ok $? "its code is disassembled" out

# The program is read from the archive if it is nowhere else
"$san" archive -o crash.tar.zst crash.data 2>err && mkdir hidden && mv crash hidden &&
	debug crash.tar.zst "source steps.gdb" "steps 100"
executed 100 crash.tar.zst >wanted
stepped >got
[ "$(wc -l <got)" = 100 ] && diff wanted got >differ
ok $? "the program of an archive is used" differ
mv hidden/crash .

# A history has no holes. The trace is damaged in the middle: with synchronisation after that, and without.
"$hwflow" emulate --quiet --sync-period=8 -o synced.data -- ./crash >out 2>&1
for source in synced.data crash.data; do
	cp $source damaged.data
	head -c 16 /dev/zero | tr '\0' '\5' | dd of=damaged.data bs=1 seek=$(($(stat -c %s $source) / 2)) conv=notrunc status=none
	"$san" script --insn --no-lines damaged.data >script 2>err
	if [ $source = synced.data ]; then
		tac script | awk '/ GAP: / { exit } { n++ } END { print n + 0 }' >known
		reason='earlier instructions are left out'
	else
		awk '/ GAP: / { exit } { n++ } END { print n + 0 }' script >known
		reason='later instructions are not known'
	fi
	# the last executed instruction is the current one if the next one is not known
	[ $source = synced.data ] || echo $(($(cat known) - 1)) >known
	debug damaged.data "info record"
	grep -q ' GAP: ' script && [ "$(cat known)" -gt 1000 ] && [ "$(cat known)" -lt "$insns" ] &&
		grep -q "^Recorded $(cat known) instructions" out &&
		grep -q "^stderr: hwflow gdbserver: thread [0-9]* (crash): $reason: [a-z]" out
	ok $? "damaged $source: $reason; the other $(cat known) are in the recording" out
done

# Threads, and processes
cat >threads.c <<'END_C'
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int ready, sum;

__attribute__((noinline)) static void spin(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
}

static void *work(void *arg)
{
	pthread_setname_np(pthread_self(), "<wor&ker>");
	spin(1000);
	ready = 1;
	pause();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1) {
		if (!fork()) {
			spin(500);
			_exit(0);
		}
		wait(NULL);
		return 0;
	}
	pthread_create(&thread, NULL, work, NULL);
	while (!ready)
		spin(3);
	return *(volatile int *)8;
}
END_C
"$CC" -O1 -g -static -pthread -Wl,--build-id -o threads threads.c 2>err &&
	{ "$hwflow" emulate --quiet -o threads.data -- ./threads 2>>err; [ $? = 139 ]; } &&
	"$hwflow" emulate --quiet -o fork.data -- ./threads fork 2>>err
ok $? "programs with threads and processes are recorded" err
debug threads.data "source steps.gdb" "info threads" "thread 2" "steps 100"
worker=$(sed -nE 's/^  2 +Thread ([0-9]+) "<wor&ker>".*/\1/p' out)
main=$(sed -nE 's/^\* 1 +Thread ([0-9]+) "threads".*/\1/p' out)
"$san" script --insn --fields=ip --tid="$worker" threads.data 2>err | tail -n 100 | tac | sed 's/ //g' >wanted
stepped | cut -d ' ' -f 1 >got
[ -n "$worker" ] && [ -n "$main" ] && [ "$(wc -l <got)" = 100 ] && diff wanted got >differ
ok $? "another thread has a recording of its own" out
"$san" gdbserver fork.data </dev/null >out 2>err
[ $? = 1 ] && grep -q 'fork.data: has several processes; choose one:' err && [ "$(grep -c '^  --pid=[0-9]* *threads$' err)" = 2 ]
ok $? "of several processes, one is to be chosen" err
child=$(sed -n 's/^  --pid=\([0-9]*\).*/\1/p' err | tail -n 1)
OPTIONS=--pid=$child debug fork.data "info threads"
grep -q "^\* 1 *Thread $child \"threads\"" out
ok $? "--pid chooses it" out
OPTIONS=--tid=$child debug fork.data "info threads"
grep -q "^\* 1 *Thread $child \"threads\"" out
ok $? "--tid chooses it" out
OPTIONS=

# gdb waits for one that decodes for a long time
cat >slow.c <<'END_C'
static volatile int sum;

__attribute__((noinline)) static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(void)
{
	sum = fib(30);
	return 0;
}
END_C
"$CC" -O1 -g -static -Wl,--build-id -o slow slow.c 2>err && "$hwflow" emulate --quiet -o slow.data -- ./slow 2>>err &&
	[[ $("$san" gdbserver slow.data </dev/null 2>>err) =~ ^\++$ ]]
ok $? "gdb gets bytes while the trace is decoded" err
debug slow.data "info threads"
grep -q '^\* 1 *Thread [0-9]* "slow"' out
ok $? "and waits" out

# ---- requests that gdb does not make ----

# packet CONTENTS: a packet with its checksum
packet() {
	local i sum=0 c

	for ((i = 0; i < ${#1}; i++)); do
		printf -v c '%d' "'${1:i:1}"
		sum=$(((sum + c) & 255))
	done
	printf '$%s#%02x' "$1" "$sum"
}

# answers BYTES [SRC]: the bytes of all replies, without those that tell gdb to wait
answers() {
	printf '%b' "$1" | "$san" gdbserver "${2-crash.data}" 2>err | sed -E '1s/^\++([+-]\$)/\1/'
}

# reply CONTENTS WANTED: the reply to one request
reply() {
	local got

	got=$(answers "$(packet "$1")")
	[[ $got == "+\$$2#"[0-9a-f][0-9a-f] ]] && ! grep -q 'Sanitizer\|runtime error' err
	ok $? "request '${1:0:40}': ${2:0:40}" <(echo "$got"; cat err)
}
tid=$("$san" script --limit=1 --insn --fields=tid crash.data | tr -d ' ')
thread=$(printf %x "$tid")
reply '?' "T0bthread:$thread;"
reply "qC" "QC$thread"
reply "T$thread" OK
reply "T1" E01
reply "T" E01
reply "Txyz" E01
reply "Hg$thread" OK
reply Hg0 OK
reply Hc-1 OK
reply Hg1 E02
reply H E01
reply Hgp1.1 E01
reply m E01
reply m400580 E01
reply m400580, E01
reply "m400580,4,4" E01
reply m,4 E01
reply m10000000000400580,4 E01
reply m-1,4 E01
reply m0,4 E02
reply mffffffffffffffff,ffffffffffffffff E02
reply m400580,0 ''
reply "m400580,2" "$(objdump -s --start-address=0x400580 --stop-address=0x400582 crash | awk '/^ 400580/ { print $2 }')"
reply M400580,1:00 ''
reply G00 ''
reply vCont? ''
reply vMustReplyEmpty ''
reply qXfer: E00
reply qXfer:btrace E00
reply qXfer:btrace:read:all E00
reply qXfer:btrace:read:all: E01
reply qXfer:btrace:read:all:0 E01
reply qXfer:btrace:read:all:0, E01
reply qXfer:btrace:read:all:,1 E01
reply qXfer:btrace:read:all:0,1,1 E01
reply qXfer:btrace:read:all:0,1 'm<'
reply qXfer:btrace:read:all:ffffffffffffffff,ffffffffffffffff l
reply qXfer:btrace:read:delta:0,1 E00
reply qXfer:btrace:read:other:0,1 E00
reply qXfer:btrace:write:all:0,1 E00
reply qXfer:features:read:other.xml:0,1 E00
reply qXfer:features:read:target.xml:0,7 'm<target'
reply qXfer:exec-file:read::0,1000 "l$work/crash"
reply qXfer:exec-file:read:1:0,1000 "l$work/crash"
reply qXfer:exec-file:read:0,1000 E00
reply Z0,400580,4 OK
reply Z2,400580,4 ''
reply Qbtrace:pt ''
reply "$(printf 'q%.0s' {1..17000})" ''

wrong=$(answers "\$?#00")
[ "$wrong" = "-" ]
ok $? "a wrong checksum is refused" <(echo "$wrong")
wrong=$(answers "\$?#xy$(packet '?')")
[[ $wrong == "-+\$T0b"* ]]
ok $? "so is one that is no number; the next request is answered" <(echo "$wrong")
wrong=$(answers "noise\0\$?\$$(packet '?' | cut -c 2-)")
[[ $wrong == "+\$T0b"* ]]
ok $? "bytes before a request are left out" <(echo "$wrong")
twice=$(answers "$(packet '?')-")
[ "$(grep -o 'T0b' <<<"$twice" | wc -l)" = 2 ]
ok $? "a reply that was refused is sent again" <(echo "$twice")
for half in '$' '$?' '$?#' '$?#3' '+' '\003'; do
	half_answer=$(answers "$half")
	[ -z "${half_answer//+/}" ] && ! grep -q Sanitizer err
	ok $? "'$half' and no more" err
done
quiet=$(answers "$(packet QStartNoAckMode)+\$?#00")
[[ $quiet == '+$OK#9a$T0b'* ]]
ok $? "QStartNoAckMode: no checksum is looked at" <(echo "$quiet")
# a document is that of the thread that was chosen last, whatever part is read first
part=$(answers "$(packet "Hg$(printf %x "$worker")")$(packet qXfer:btrace:read:all:0,50)$(packet "Hg$(printf %x "$main")")$(packet qXfer:btrace:read:all:16,40)" threads.data)
mapfile -t blocks < <(grep -o 'begin="[^"]*" end="[^"]*"' <<<"$part")
[ ${#blocks[@]} = 2 ] && [ "${blocks[0]}" != "${blocks[1]}" ]
ok $? "a document is of the thread that was chosen last" <(echo "$part")
ends=$(answers "$(packet D)$(packet '?')")
[ "$ends" = '+$OK#9a' ]
ok $? "D ends it" <(echo "$ends")
ends=$(answers "$(packet k)$(packet '?')")
[ "$ends" = '+' ]
ok $? "so does k" <(echo "$ends")
python3 -c 'import random, sys; random.seed(1); sys.stdout.buffer.write(bytes(random.choice(b"$#+-}*\x03qXfer:btrace:read:all:0,mHgTZ?c\x00\xff") for i in range(300000)))' >noise
"$san" gdbserver crash.data <noise >out 2>err
[ $? -le 1 ] && ! grep -q 'Sanitizer\|runtime error' err
ok $? "300,000 random bytes" err

# ---- the command line ----
"$san" gdbserver --limit=1 crash.data </dev/null >out 2>err
[ $? = 1 ] && grep -q -- '--limit=1: 2 blocks, or more' err
ok $? "--limit=1 is refused" err
"$san" gdbserver --pid=1 crash.data </dev/null >out 2>err
[ $? = 2 ] && grep -q 'no instruction of the process is known' err
ok $? "--pid of another process is refused" err
"$san" gdbserver missing.data </dev/null >out 2>err
[ $? = 2 ] && [ ! -s out ]
ok $? "a file that is missing is reported" err
script -qec "$san gdbserver crash.data" out </dev/null >err
[ $? = 1 ] && grep -q "gdb starts this command: gdb-multiarch -ex 'target remote | hwflow gdbserver SRC'" err
ok $? "a terminal is no gdb" err

# Documentation/crash.rst
. "$top/tools/setup/tests/examples.bash"
example_shown=$work/shown
example_printed=$work/printed
mkdir page && cd page && cp "$top/Documentation/crash.c" .
PATH=$build:$PATH
examples_of_readme "$top/Documentation/crash.rst" >"$work/examples"
run_examples crash.rst "$work/examples"
[ "$example_blocks" -ge 3 ]
ok $? "the page has three examples, or more: $example_blocks"
done_testing
