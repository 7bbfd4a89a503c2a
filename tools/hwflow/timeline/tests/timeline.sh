#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# timeline.sh BUILD - hwflow timeline writes the calls of a program in three formats. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS
tool=${CC%gcc}

cat >program.c <<'END'
#include <pthread.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile int sum;

NOINLINE static void leaf(int value) { sum += value; }
NOINLINE static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
NOINLINE static void odd(int n);
NOINLINE static void even(int n) { leaf(n); if (n) odd(n - 1); leaf(n); }
NOINLINE static void odd(int n) { leaf(n); if (n) even(n - 1); leaf(n); }
NOINLINE static void deep(int n) { if (n) deep(n - 1); else leaf(n); sum++; }
NOINLINE void quoted(void) { leaf(5); }
NOINLINE void *worker(void *unused) { sum += fib(8); return unused; }
NOINLINE void work(void) { sum += fib(10); even(20); deep(60); quoted(); leaf(1); }

int main(void)
{
	pthread_t thread;

	work();
	pthread_create(&thread, NULL, worker, NULL);
	pthread_join(thread, NULL);
	work();
	return 0;
}
END
# emulate NAME OPTION...: records $program
program=program
emulate() {
	local name=$1

	shift
	"$hwflow" emulate --quiet "$@" -o "$name" -- ./$program >out 2>err
	ok $? "a recording: $name" err
}
"$CC" -O1 -static -pthread -fno-optimize-sibling-calls -o program program.c 2>err &&
	"${tool}objcopy" --redefine-sym 'quoted=a"quote\back"' program 2>>err
ok $? "a program, with a name that is no word" err
emulate plain
emulate stamped --timestamps=50 --cycle-counts
emulate virtual --timestamps=50 --virtual-time
emulate strobed --strobe=3000,1000

# read FORMAT FILE OPTION... DATA: writes FILE.FORMAT and FILE.FORMAT.txt; in $status what the command ended with
read_timeline() {
	local format=$1 file=$2

	shift 2
	"$san" timeline --for=$format -o "$file.$format" "$@" 2>err
	status=$?
	[ $status = 0 ] || [ $status = 3 ] || return
	python3 "$here/timeline_read.py" $format "$file.$format" >"$file.$format.txt" 2>>err
}

# lasting FILE: without slices of no duration, and without the mark that says so
lasting() {
	sed -E -e '/^slice .* \[[0-9]+ [a-z]* shorter than 1 [a-z]* are left out\]$/d' \
		-e 's/^(slice .*) \[[0-9]+ [a-z]* shorter than 1 [a-z]* are left out\]\t/\1 /' "$1" |
		awk '$1 != "slice" || $3 != $4'
}

# alike FILE OPTION... DATA: all formats have the same events, which are in FILE.txt. chrome has no slices without duration.
alike() {
	local file=$1 format

	shift
	for format in chrome fxt perfetto; do
		read_timeline $format "$file" "$@"
		ok $? "$format: $*" err
	done
	diff <(lasting "$file.chrome.txt") <(lasting "$file.fxt.txt") >out 2>&1 && cmp "$file.fxt.txt" "$file.perfetto.txt" >>out 2>&1
	ok $? "the formats have the same events: $*" out
	cp "$file.fxt.txt" "$file.txt"
}

alike plain plain
! grep -v '^slice ' plain.txt >out
ok $? "nothing but slices" out
grep -q "^hwflow timeline: plain: times are executed instructions of each thread" err
ok $? "that times are instructions is printed" err
# what the log has: calls in functions of the program, in any order
# within ROOT...: the slices in these functions
within() {
	awk -v roots=" $* " 'BEGIN { FS = OFS = "\t" } /^slice/ {
		split($1, head, " ")
		name[1] = substr($1, length(head[1] head[2] head[3] head[4] head[5]) + 6)
		for (i = 2; i <= NF; i++)
			name[i] = $i
		for (i = 1; i <= NF && index(roots, " " name[i] " ") == 0; i++)
			;
		if (i > NF)
			next
		path = name[i]
		for (i++; i <= NF; i++)
			path = path "\t" name[i]
		print head[5] " " head[3] " " head[4] " " path
	}'
}
"$hwflow" emulate --show-log=plain.truth >log && "${tool}nm" program >symbols && "${tool}objdump" -d program >code &&
	python3 "$here/timeline_log.py" log symbols code work worker 2>err | sed 's/^slice/-/' | sort >wanted
within work worker <plain.txt | sort >got
[ "$(wc -l <wanted)" -gt 600 ] && diff wanted got >out
ok $? "$(wc -l <wanted) calls of the log are slices with the same times" out
[ "$(cut -d ' ' -f 2 plain.txt | sort -u | wc -l)" = 2 ]
ok $? "each thread has a track"
"$san" profile --call-graph --for=folded -o folded plain 2>err
awk 'BEGIN { FS = OFS = "\t" } {
	split($1, head, " ")
	path = substr($1, length(head[1] head[2] head[3] head[4] head[5]) + 6)
	total = head[4] - head[3]
	for (i = 2; i <= NF; i++)
		path = path ";" $i
	self[path] += total
	if (sub(/;[^;]*$/, "", path))
		self[path] -= total
} END { for (path in self) if (self[path]) print path " " self[path] }' plain.txt | sort >got
sed 's/a"quote\\\\back/a"quote\\\\back/' folded | sort >wanted
[ "$(wc -l <wanted)" -gt 100 ] && diff wanted got >out
ok $? "$(wc -l <wanted) paths of calls have the instructions that profile counts" out

alike stamped stamped
grep '^counter program/program/' stamped.txt >values && awk '$4 <= last[$2] { exit 1 } { last[$2] = $4 }' values
ok $? "the counter of cycles goes up" values
awk '$1 == "slice" && $3 == $4' stamped.fxt.txt stamped.perfetto.txt | grep -q . &&
	! awk '$1 == "slice" && $3 == $4' stamped.chrome.txt | grep .
ok $? "chrome has no slices without duration, as speedscope has no order for them"
read_timeline chrome stamped stamped
[ ! -s err ]
ok $? "there is nothing to say of times of the perf clock" err
alike virtual virtual
# the virtual time does not go on with instructions alone where system calls are
shape() { within work | awk 'BEGIN { FS = OFS = "\t" } { split($1, head, " "); $1 = head[1] " " head[3] - head[2] " " head[4]; print }'; }
diff <(shape <plain.txt) <(shape <virtual.txt) >out && [ "$(shape <virtual.txt | wc -l)" -gt 400 ]
ok $? "$(shape <virtual.txt | wc -l) durations are interpolated between timestamps" out

# rules FULL NAME RULE... -- OPTION... DATA: slices are left out by these rules
rules() {
	local full=$1 name=$2 format size rules=()

	shift 2
	while [ "$1" != -- ]; do
		rules+=("$1")
		shift
	done
	shift
	size=$(sed -nE 's/.*--budget=([0-9]+)K.*/\1/p' <<<"$*")
	for format in chrome fxt perfetto; do
		# a later rule counts
		[ $format != chrome ] || rules=(least=1 "${rules[@]}")
		[ $format = chrome ] || [ "${rules[0]}" != least=1 ] || rules=("${rules[@]:1}")
		read_timeline $format part "$@" && python3 "$here/timeline_rules.py" "$full" part.$format.txt "${rules[@]}" >out 2>>err
		ok $? "$name, $format: $(cat out) are left out" err
		[ -z "$size" ] || [ "$(stat -c %s part.$format)" -le $((size * 1024)) ]
		ok $? "$name, $format: $(stat -c %s part.$format) bytes" err
	done
}
for size in 10K 30K 100K; do
	rules plain.txt "--budget=$size" least=any -- --budget=$size plain
	! find part.chrome part.fxt part.perfetto -size -3k | grep .
	ok $? "--budget=$size: the files have slices"
done
rules stamped.txt "--budget=20K, with a counter" least=any -- --budget=20K stamped
rules plain.txt "--depth=4" depth=4 -- --depth=4 plain
rules plain.txt "--min-duration=500" least=500 -- --min-duration=500 plain
rules plain.txt "both" least=50 depth=9 -- --min-duration=50 --depth=9 plain
rules stamped.txt "--min-duration=2us" least=2000 -- --min-duration=2us stamped
"$san" timeline --budget=10K -o part plain 2>err
grep -Eq '^hwflow timeline: --budget=10K: calls shorter than [0-9]+ instructions are left out$' err
ok $? "what the budget leaves out is printed" err
"$san" timeline --budget=400 -o part plain 2>err
[ $? = 2 ] && grep -Eq 'budget=400: the names of the threads need [0-9]+ bytes' err
ok $? "a budget that is too small is refused" err
least=$(sed -nE 's/.* need ([0-9]+) bytes.*/\1/p' err)
"$san" timeline --budget="$least" -o part plain 2>err && [ "$(stat -c %s part)" -le "$least" ]
ok $? "the budget that it names suffices: $least" err

"$san" timeline --for=chrome -o /dev/full plain 2>err
[ $? = 2 ] && grep -qx 'hwflow timeline: /dev/full: No space left on device' err
ok $? "a full disk is reported" err

# a part of the time
from=$(awk '$1 == "slice" && $6 ~ /work$/ { print $3; exit }' stamped.txt)
alike half --time=50%-100% stamped
[ "$(wc -l <half.txt)" -gt 100 ] && [ "$(wc -l <half.txt)" -lt "$(wc -l <stamped.txt)" ]
ok $? "--time: $(wc -l <half.txt) events of $(wc -l <stamped.txt)"
! awk 'BEGIN { FS = "\t" } { split($1, head, " "); if (head[5] == "-" && head[1] == "slice") print head[3], head[4], $NF }' half.txt |
	grep -vxFf <(awk 'BEGIN { FS = "\t" } { split($1, head, " "); if (head[1] == "slice") print head[3], head[4], $NF }' stamped.txt) >out
[ "$(wc -l <out)" -lt 5 ]
ok $? "whole slices are those of the whole trace, but for times before the first timestamp" out

# lost trace
alike strobed strobed
[ "$(grep -c '^slice [^ ]* [0-9]* [0-9]* [a-z]*b' strobed.txt)" -gt 5 ] && [ "$(grep -c '^slice [^ ]* [0-9]* [0-9]* [a-z]*e' strobed.txt)" -gt 5 ]
ok $? "parts of the execution: slices balance" strobed.txt
# a thread that goes from CPU to CPU
cat >single.c <<'END'
static volatile int sum;
__attribute__((noinline, noclone)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { sum = fib(14); return 0; }
END
program=single
"$CC" -O1 -static -o single single.c 2>err
ok $? "a program of one thread" err
# damaged trace: a reserved packet header behind each fifth synchronisation
emulate synced --sync-period=128
alike synced synced
"$hwflow" dump synced | awk '$3 == "ALIGN_SYNC" { n++; after = 0 } n % 5 == 0 && ++after > 20 && $3 ~ /^ATOM/ { print $1; after = -1000 }' >offsets
python3 - synced lost offsets <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
trace = data.find(b"\0" * 11 + b"\x80")
for offset in open(sys.argv[3]):
    data[trace + int(offset, 16)] = 5
open(sys.argv[2], "wb").write(data)
END
alike lost lost
[ "$(wc -l <offsets)" -gt 2 ] && [ "$(grep -c "^instant .*\[trace missing: reserved packet header\]" lost.txt)" = "$(wc -l <offsets)" ]
ok $? "damaged trace: $(wc -l <offsets) gaps are events" lost.txt
# whole NAME...: durations and functions of whole slices
whole() { awk 'BEGIN { FS = "\t" } { split($1, head, " "); if (head[1] == "slice" && head[5] == "-") print head[4] - head[3], (NF > 1 ? $NF : head[6]) }' "$1" | sort; }
comm -13 <(whole synced.txt) <(whole lost.txt) >out
[ "$(whole lost.txt | wc -l)" -gt 100 ] && [ "$(whole lost.txt | wc -l)" -lt "$(whole synced.txt | wc -l)" ] && [ ! -s out ]
ok $? "$(whole lost.txt | wc -l) whole slices, and each is one of the trace without damage" out
rules lost.txt "--budget=10K after a loss" least=any -- --budget=10K lost

emulate moving --timestamps=20 --context-id --sync-period=512
"$hwflow" dump moving | awk '
	function decimal(hex, i, value) {
		value = 0
		for (i = 1; i <= length(hex); i++)
			value = 16 * value + index("0123456789abcdef", substr(hex, i, 1)) - 1
		return value
	}
	$3 == "ALIGN_SYNC" && ++n % 4 == 0 { printf "%.0f:%.0f\n", decimal($1), time }
	$3 == "TIMESTAMP" { time = decimal(substr($4, 6)) }' >places
mapfile -t places <places
"$build/tests/make_moves" moving moved "${places[@]}" 2>err
ok $? "a recording of two CPUs: ${#places[@]} pieces of trace" err
alike moved moved
awk -F : 'NR > 1 { printf "CPU_%d %.0f %.0f\n", (NR - 1) % 2, from + 1, $2 } { from = $2 }' places >wanted
sed -nE 's/^slice trace\/(CPU_[01]) ([0-9]+) ([0-9]+) - program [0-9]+$/\1 \2 \3/p' moved.txt | sort -nk 2 >got
[ "$(wc -l <wanted)" -gt 3 ] && diff wanted got >out
ok $? "each CPU has slices of the thread, between its switches" out
awk -F : 'NR > 1 { printf "%.0f [on CPU %d]\n", from + 1, (NR - 1) % 2 } { printf "%.0f [off CPU %d]\n", $2, (NR - 1) % 2; from = $2 }' places >wanted
sed -n 's/^instant program\/program\/[0-9]* //p' moved.txt | sort -n >got
diff wanted got >out
ok $? "and the thread has the switches" out
[ "$(grep -c '^slice program/' moved.txt)" -gt 300 ]
ok $? "and $(grep -c '^slice program/' moved.txt) slices of calls" moved.txt
rules moved.txt "--budget=20K, CPUs" least=any -- --budget=20K moved
# without switches, the trace says which thread a CPU executes
"$build/tests/sample_trace" cpu moving sampled 0-"${places[1]%:*}" "${places[1]%:*}-${places[2]%:*}" 2>err
alike sampled sampled
[ "$(grep -Ec '^slice trace/CPU_0 [0-9]+ [0-9]+ - program [0-9]+$' sampled.txt)" = 2 ] &&
	[ "$(grep -Ec '^instant program/program/[0-9]+ [12]000000 cycles:u cycles:u cpu=0 ip=0x' sampled.txt)" = 2 ] &&
	[ "$(grep -c '^instant trace/CPU_0 [0-9]* \[trace missing: a sample begins' sampled.txt)" = 2 ]
ok $? "samples are events of threads, and the CPU has two slices" sampled.txt

# many samples and gaps
mapfile -t ranges < <(for ((i = 0; i < 300; i++)); do echo "0-${places[0]%:*}"; done)
"$build/tests/sample_trace" cpu moving many "${ranges[@]}" 2>err
for format in chrome fxt perfetto; do
	read_timeline $format many --budget=20K many
	written=$(grep -c '^instant ' many.$format.txt)
	left=$(sed -nE 's/^slice .* \[.* (and )?([0-9]+) events are left out\]$/\2/p' many.$format.txt | awk '{ sum += $1 } END { print sum + 0 }')
	[ "$written" -gt 20 ] && [ $((written + left)) = 600 ] && [ "$(stat -c %s many.$format)" -le 20480 ]
	ok $? "$format: $written of 600 gaps and samples, $left are left out" err
done
# trace before the first timestamp
first=$("$hwflow" dump moving | awk '$3 == "TIMESTAMP" { print $1; exit }')
"$build/tests/sample_trace" cpu moving untimed 0-$((16#$first)) && "$san" timeline --for=chrome -o untimed.chrome untimed 2>err
[ $? = 0 ] && grep -Eq 'untimed: [1-9][0-9]* calls are left out: their thread has no timestamp$' err && ! grep -q '"ph":"[BE]"' untimed.chrome
ok $? "calls without times are left out, which is printed" err

# handlers of signals
cat >signal.c <<'END'
#include <signal.h>
static volatile int sum;
__attribute__((noinline)) static void handler(int number) { sum += number; }
int main(void) { signal(SIGUSR1, handler); raise(SIGUSR1); return 0; }
END
"$CC" -O1 -static -o signal signal.c 2>err
ok $? "a program with a signal" err
program=signal
emulate signalled
alike signalled signalled
grep -P '^slice [^ ]* [0-9]+ [0-9]+ [be]*x' signalled.txt | cut -d ' ' -f 5- | sed 's/ .*\t/ /' >out
printf '%s\n' 'xcall handler' 'xcall __kernel_rt_sigreturn' | cmp - out
ok $? "its handler is an exception, with the name of the exception that entered the kernel" out

# more threads, and more functions, than fxt has numbers for
cat >threads.c <<'END'
#include <pthread.h>

static void *work(void *unused) { return unused; }

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 300; i++) {
		pthread_create(&thread, NULL, work, NULL);
		pthread_join(thread, NULL);
	}
	return 0;
}
END
awk 'BEGIN {
	print ".text"
	for (i = 0; i < 33000; i++)
		printf ".type f%d, %%function\nf%d: ret\n.size f%d, . - f%d\n", i, i, i, i
	print ".globl all\n.type all, %function\nall: stp x29, x30, [sp, -32]!\nstr x19, [sp, 16]\nadrp x19, f0\nadd x19, x19, :lo12:f0"
	print "0: blr x19\nadd x19, x19, 4\nadrp x1, all\nadd x1, x1, :lo12:all\ncmp x19, x1\nb.lo 0b"
	print "ldr x19, [sp, 16]\nldp x29, x30, [sp], 32\nret\n.size all, . - all"
}' >functions.s
echo 'void all(void); int main(void) { all(); return 0; }' >functions.c
for name in threads functions; do
	sources=($name.*)
	"$CC" -O1 -static -pthread -o $name-program "${sources[@]}" 2>err && "$hwflow" emulate --quiet -o $name -- ./$name-program >out 2>>err
	ok $? "many $name" err
	alike $name $name
	rules $name.txt "many $name, --budget=600K" least=any -- --budget=600K $name
done
# their calls alone would have room
rules functions.txt "with their names, --budget=1400K" least=any -- --budget=1400K functions
[ "$(cut -d ' ' -f 2 threads.txt | sort -u | wc -l)" = 301 ] && [ "$(grep -o 'f[0-9]*$' functions.txt | sort -u | wc -l)" = 33000 ]
ok $? "all threads and functions have their names"

# refused FILE STATUS TEXT OPTION...: with a message that has TEXT, and without FILE
refused() {
	local file=$1 want=$2 text=$3

	shift 3
	"$san" timeline "$@" >out 2>err
	[ $? = "$want" ] && grep -qF -- "$text" err && [ ! -s out ] && [ ! -e "$file" ]
	ok $? "$* is refused" err
}
refused no 1 "--for=x: unknown" --for=x -o no plain
refused no 1 "--budget=x: a number of bytes expected" --budget=x -o no plain
refused no 1 "--budget=5T: a number of bytes expected" --budget=5T -o no plain
refused no 1 "--budget=-5: a number of bytes expected" --budget=-5 -o no plain
refused no 1 "--depth=0: no call would be left" --depth=0 -o no plain
refused no 1 "--min-duration=5us: expected a number, as times are" --min-duration=5us -o no plain
refused no 1 "--min-duration=5: expected a number and ns, us, ms or s" --min-duration=5 -o no stamped
refused no 1 "one SRC at a time, and 'stamped' is a second" -o no plain stamped
refused no 2 "plain: the timeline would replace SRC" -o plain plain
refused none/no 2 "none/no: No such file or directory" -o none/no plain
refused no 2 "none: No such file or directory" -o no none
"$san" timeline --for=chrome plain 2>err | cmp - plain.chrome
ok $? "standard output" err
cp plain.chrome kept
"$san" timeline --for=chrome -o kept none 2>err
[ $? = 2 ] && cmp plain.chrome kept
ok $? "a file stays as it was if the recording cannot be read"

# what people read
. "$top/tools/setup/tests/examples.bash"
# shellcheck disable=SC2034 # examples.bash reads them
example_shown=$work/shown example_printed=$work/printed
mkdir page && cp "$top/Documentation/hello.c" page && cd page || exit 1
PATH=$build:$PATH
examples_of_readme "$top/Documentation/timeline.rst" >"$work/examples"
run_examples timeline.rst "$work/examples"
[ "$example_blocks" -ge 5 ]
ok $? "the page has five examples, or more: $example_blocks"
done_testing
