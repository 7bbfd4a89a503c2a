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
# emulate NAME OPTION...
emulate() {
	local name=$1

	shift
	"$hwflow" emulate --quiet "$@" -o "$name" -- ./program >out 2>err
	ok $? "a recording: $name" err
}
"$CC" -O1 -static -pthread -fno-optimize-sibling-calls -o program program.c 2>err &&
	"${tool}objcopy" --redefine-sym 'quoted=a"quote\back"' program 2>>err
ok $? "a program, with a name that is no word" err
emulate plain
emulate stamped --timestamps=50 --cycle-counts
emulate virtual --timestamps=50 --virtual-time
emulate synced --sync-period=128
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

# alike FILE OPTION... DATA: all formats have the same events, which are in FILE.txt
alike() {
	local file=$1 format

	shift
	for format in chrome fxt perfetto; do
		read_timeline $format "$file" "$@"
		ok $? "$format: $*" err
	done
	cmp "$file.chrome.txt" "$file.fxt.txt" >out 2>&1 && cmp "$file.chrome.txt" "$file.perfetto.txt" >>out 2>&1
	ok $? "the formats have the same events: $*" out
	mv "$file.chrome.txt" "$file.txt"
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
[ ! -s err ]
ok $? "there is nothing to say of times of the perf clock" err
alike virtual virtual
# the virtual time does not go on with instructions alone where system calls are
shape() { within work | awk 'BEGIN { FS = OFS = "\t" } { split($1, head, " "); $1 = head[1] " " head[3] - head[2] " " head[4]; print }'; }
diff <(shape <plain.txt) <(shape <virtual.txt) >out && [ "$(shape <virtual.txt | wc -l)" -gt 400 ]
ok $? "$(shape <virtual.txt | wc -l) durations are interpolated between timestamps" out

# rules FULL NAME RULE... -- OPTION... DATA: slices are left out by these rules
rules() {
	local full=$1 name=$2 format rules=()

	shift 2
	while [ "$1" != -- ]; do
		rules+=("$1")
		shift
	done
	shift
	for format in chrome fxt perfetto; do
		read_timeline $format part "$@" && python3 "$here/timeline_rules.py" "$full" part.$format.txt "${rules[@]}" >out 2>>err
		ok $? "$name, $format: $(cat out) are left out" err
	done
}
for size in 10K 30K 100K; do
	rules plain.txt "--budget=$size" least=any -- --budget=$size plain
	for format in chrome fxt perfetto; do
		bytes=$(stat -c %s part.$format)
		[ "$bytes" -le $((${size%K} * 1024)) ] && [ "$bytes" -gt 1000 ]
		ok $? "$format: $bytes bytes of $size"
	done
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

# a part of the time
from=$(awk '$1 == "slice" && $6 ~ /work$/ { print $3; exit }' stamped.txt)
alike half --time=50%-100% stamped
[ "$(wc -l <half.txt)" -gt 100 ] && [ "$(wc -l <half.txt)" -lt "$(wc -l <stamped.txt)" ]
ok $? "--time: $(wc -l <half.txt) events of $(wc -l <stamped.txt)"
! awk 'BEGIN { FS = "\t" } { split($1, head, " "); if (head[5] == "-" && head[1] == "slice") print head[3], head[4], $NF }' half.txt |
	grep -vxFf <(awk 'BEGIN { FS = "\t" } { split($1, head, " "); if (head[1] == "slice") print head[3], head[4], $NF }' stamped.txt) >out
ok $? "whole slices are those of the whole trace" out

# lost trace
alike strobed strobed
[ "$(grep -c '^slice [^ ]* [0-9]* [0-9]* [a-z]*b' strobed.txt)" -gt 5 ] && [ "$(grep -c '^slice [^ ]* [0-9]* [0-9]* [a-z]*e' strobed.txt)" -gt 5 ]
ok $? "parts of the execution: slices balance" strobed.txt
python3 - synced lost <<'END'
import re
import sys
data = bytearray(open(sys.argv[1], "rb").read())
# behind each fifth synchronisation
for number, found in enumerate(re.finditer(b"\0" * 11 + b"\x80", data)):
    if number % 5 == 4:
        data[found.start() + 60:found.start() + 68] = b"\xff" * 8
open(sys.argv[2], "wb").write(data)
END
alike synced synced
alike lost lost
[ $status = 3 ] && [ "$(grep -c '^instant .*\[trace missing: ' lost.txt)" -gt 1 ]
ok $? "damaged trace: gaps are instants" lost.txt
# whole NAME...: durations and functions of whole slices
whole() { awk 'BEGIN { FS = "\t" } { split($1, head, " "); if (head[1] == "slice" && head[5] == "-") print head[4] - head[3], (NF > 1 ? $NF : head[6]) }' "$1" | sort; }
comm -13 <(whole synced.txt) <(whole lost.txt) >out
[ "$(whole lost.txt | wc -l)" -gt 100 ] && [ "$(whole lost.txt | wc -l)" -lt "$(whole synced.txt | wc -l)" ] && [ ! -s out ]
ok $? "$(whole lost.txt | wc -l) whole slices, and each is one of the trace without damage" out
rules lost.txt "--budget=10K after a loss" least=any -- --budget=10K lost

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
