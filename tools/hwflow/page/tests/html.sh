#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# html.sh BUILD - hwflow html writes a page that shows what was executed, and works in a browser: from disk, alone, by
# keyboard, in light and dark, for screen readers. Its numbers are those of report, calls and the log. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
pages=$here
cd "$work" || exit 1
unset DEBUGINFOD_URLS
tool=${CC%gcc}

cat >program.c <<'END'
#include <pthread.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile int sum;

static inline __attribute__((always_inline)) void inlined(int value) { sum += value; sum ^= 1; }
NOINLINE static void leaf(int value) { inlined(value); }
NOINLINE static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
NOINLINE static void deep(int n) { if (n) deep(n - 1); else leaf(n); sum++; }
NOINLINE void script(void) { leaf(5); }
NOINLINE void comment(void) { leaf(6); }
NOINLINE void image(void) { leaf(7); }
NOINLINE void separator(void) { leaf(8); }
NOINLINE void *worker(void *unused) { sum += fib(8); return unused; }
NOINLINE void work(void) { sum += fib(10); deep(60); leaf(1); script(); comment(); image(); separator(); }

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
"$CC" -O1 -g -static -pthread -fno-optimize-sibling-calls -o program program.c 2>err
ok $? "a program" err
"${tool}objcopy" --redefine-sym 'script=</script><script>window.pwned=1</script>' --redefine-sym 'comment=<!--<script>' \
	--redefine-sym 'image=<img src=x onerror=window.pwned=1>' --redefine-sym $'separator=\u2028line' program named 2>err
ok $? "with names that are no words" err

# emulate NAME PROGRAM OPTION...
emulate() {
	local name=$1 program=$2

	shift 2
	"$hwflow" emulate --quiet "$@" -o "$name" -- "./$program" >out 2>err
	ok $? "a recording: $name" err
}
# page STATUS DATA OPTION...: writes DATA.html
page() {
	local wanted=$1 name=$2

	shift 2
	"$san" html -o "$name.html" "$@" "$name" >out 2>err
	[ $? = "$wanted" ] && [ ! -s out ]
	ok $? "a page: $* $name" err
}
emulate plain program
emulate timed program --timestamps=50 --cycle-counts
emulate hostile named
emulate synced program --sync-period=128 --timestamps=50
# a reserved packet header after each fifth synchronisation
"$hwflow" dump synced | awk '$3 == "ALIGN_SYNC" { n++; after = 0 } n % 5 == 0 && ++after > 20 && $3 ~ /^ATOM/ { print $1; after = -1000 }' >offsets
python3 - synced lost offsets <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
trace = data.find(b"\0" * 11 + b"\x80")
for offset in open(sys.argv[3]):
    data[trace + int(offset, 16)] = 5
open(sys.argv[2], "wb").write(data)
END
page 0 plain
page 0 timed
page 0 hostile
page 3 lost
cp plain small && cp plain.truth small.truth
page 0 small --budget=20K

# the numbers are those of the other verbs
read_page() { python3 "$pages/page_read.py" "$@"; }
# compare NAME WANTED GOT: lines in any order
compare() {
	sort "$2" >wanted.sorted && sort "$3" >got.sorted
	[ "$(wc -l <wanted.sorted)" -gt 15 ] && diff wanted.sorted got.sorted >diff
	ok $? "$1: $(wc -l <wanted.sorted) lines" diff
}
for name in plain timed lost; do
	"$hwflow" report --inclusive --limit=0 --width=0 $name 2>err | awk 'on && NF == 0 { exit } on {
		calls = substr($0, 39, 12) + 0
		print $2, $3, calls, substr($0, 53)
	} /^ *share/ { on = 1 }' >wanted
	read_page $name.html inclusive >got
	compare "$name: functions are those of report --inclusive" wanted got
	cut -d ' ' -f 1,4- wanted >totals && read_page $name.html tree >got
	compare "$name: the tree of calls has these totals" totals got
	"$hwflow" report --limit=0 --width=0 $name 2>err | awk 'on && NF == 0 { exit } on && $2 { print $2, substr($0, 64) } /^ *share/ { on = 1 }' >wanted
	read_page $name.html report >got
	compare "$name: the sums of instructions are those of report" wanted got
done
for name in plain lost; do
	"$hwflow" report --by=thread --limit=0 --width=0 $name 2>err | awk 'on && NF == 0 { exit } on { print $2, $(NF - 1), $NF } /^ *share/ { on = 1 }' >wanted
	read_page $name.html threads >got
	[ "$(wc -l <wanted)" = 2 ] && diff <(sort wanted) <(sort got) >diff
	ok $? "$name: two threads, as report --by=thread has them" diff
	# long stretches that were not executed are one row of both
	"$hwflow" annotate --limit=0 --no-lines $name 2>err | awk '$1 ~ /^[0-9]+$/ && $2 != "x" && $0 !~ /\.\.\. [0-9]+ instructions$/ {
		branch = substr($0, 15, 26) ~ /[0-9]/
		print $1, (branch ? $2 " " $3 : "- -"), (branch ? $4 " " $5 : $2 " " $3)
	}' >wanted
	read_page $name.html code >got
	compare "$name: each instruction has the counts of annotate" wanted got
done
"$hwflow" annotate --limit=0 plain 2>err | awk '
	/^[^ ]*:[0-9]+( |$)/ { line = $1 ~ /^program.c:/ ? substr($1, 11) : 0 }
	/^[^ 0-9]/ && !/^[^ ]*:[0-9]+( |$)/ { line = 0 }
	line && $1 ~ /^[0-9]+$/ && /^ / && !/\.\.\. [0-9]+ instructions$/ { if (!(line in most) || $1 + 0 > most[line]) most[line] = $1 + 0 }
	END { for (line in most) print most[line], line }' >wanted
read_page plain.html lines >got
compare "source lines have the counts of annotate, and their text" wanted got
"$hwflow" calls --limit=0 --width=0 plain 2>err |
	awk 'on && NF == 0 { exit } on && $6 ~ /^[0-9]/ { print $1, $2, $4, $5, $6, substr($0, 90) } /^ *total/ { on = 1 }' >wanted
read_page plain.html calls >got
compare "durations are those of calls" wanted got
"$hwflow" emulate --show-log=plain.truth >log && "${tool}nm" program >symbols && "${tool}objdump" -d program >code &&
	python3 "$top/tools/hwflow/timeline/tests/timeline_log.py" log symbols code work worker 2>err | sed 's/^slice/-/' >wanted
# slices within these functions, from them on
within() {
	awk -v roots=" $* " 'BEGIN { FS = OFS = "\t" } {
		split($1, head, " ")
		name[1] = head[4]
		for (i = 2; i <= NF; i++)
			name[i] = $i
		for (i = 1; i <= NF && index(roots, " " name[i] " ") == 0; i++)
			;
		if (i > NF)
			next
		path = name[i]
		for (i++; i <= NF; i++)
			path = path "\t" name[i]
		print head[1] " " head[2] " " head[3] " " path
	}'
}
read_page plain.html slices | within work worker >got
compare "the timeline has the calls of the log, with their times" wanted got
executed=$(grep -vc ' EXC ' log)
[ "$(python3 -c 'import re, sys; print(re.search("\"instructions\":(\\d+)", open("plain.html").read()).group(1))')" = "$executed" ]
ok $? "the page has $executed instructions, as the log"

diff <(read_page plain.html sizes) <(read_page small.html sizes) >out && [ "$(read_page plain.html sizes | wc -l)" = 4 ]
ok $? "a reduced page counts all that it leaves out" out
"$san" html -o deep.html --depth=3 --min-duration=100 plain 2>err && read_page deep.html slices >got
awk -F '\t' '{ split($1, head, " ") } NF > 3 || head[3] - head[2] < 100' got >out
[ $? = 0 ] && [ ! -s out ] && [ "$(wc -l <got)" -gt 5 ] && diff <(read_page plain.html slices |
	awk -F '\t' '{ split($1, head, " ") } NF <= 3 && head[3] - head[2] >= 100' | sort) <(sort got) >out
ok $? "--depth and --min-duration: $(wc -l <got) calls are left" out
grep -Eq '[0-9]+ calls shorter than 100 instructions or deeper than 3 are left out' deep.html
ok $? "and the page says so" err
"$san" html -o again.html lost 2>err
[ $? = 3 ] && grep -q 'reserved packet header' err
ok $? "gaps are reported, too" err
"$san" html -o /dev/full plain 2>err
[ $? = 2 ] && grep -qx 'hwflow html: /dev/full: No space left on device' err
ok $? "a full disk is reported" err
cp plain recording && "$san" html -o recording recording 2>err
[ $? = 2 ] && grep -q 'the page would replace SRC' err && cmp -s plain recording
ok $? "the recording is not replaced" err
"$san" html plain timed 2>err
[ $? = 1 ] && grep -q "one SRC at a time, and 'timed' is a second" err
ok $? "one recording at a time" err

"$hwflow" report --gaps=all lost 2>&1 >out | sed -n '/no symbols/!s/^hwflow: //p' | LC_ALL=C sort >wanted
read_page lost.html places | LC_ALL=C sort >got
# a line on standard error has the remedy, too
while IFS= read -r place <&3 && IFS= read -r line <&4; do
	case $line in
	"$place"*) ;;
	*) echo "$place / $line" ;;
	esac
done 3<got 4<wanted >out
[ ! -s out ] && [ "$(wc -l <got)" -gt 2 ] && [ "$(wc -l <got)" = "$(wc -l <wanted)" ]
ok $? "$(wc -l <got) places where trace is missing are those of --gaps=all" out

# the file
"$san" html plain >out 2>err
[ $? = 0 ] && [ ! -s out ] && cmp report.html plain.html >>err
ok $? "without -o it is report.html" err
"$san" html -o - plain 2>err | cmp - plain.html >out
ok $? "-o - writes the same to standard output" out
cp plain.html before && "$san" html -o plain.html --budget=100 plain 2>err
[ $? = 2 ] && grep -Eq 'budget=100: the names of the threads need [0-9]+ bytes' err && cmp plain.html before
ok $? "a budget that is too small is refused, and the file stays" err
least=$(sed -nE 's/.* need ([0-9]+) bytes.*/\1/p' err)
"$san" html -o least.html --budget="$least" plain 2>err
ok $? "the budget that it names suffices: $least" err
for budget in 10K 40K 100K; do
	"$san" html -o budget.html --budget=$budget plain 2>err
	# all data but the names of functions
	python3 - budget.html $((${budget%K} * 1024)) >out <<'END'
import json, re, sys
text = re.search(r'id="data">(.*?)</script>', open(sys.argv[1], encoding="utf-8").read(), re.S).group(1)
data = json.loads(text)
names = sum(len(json.dumps(pair, ensure_ascii=False)) + 2 for pair in data["functions"])
fixed = 2500
size = len(text) - names - fixed
print(size, "bytes of", sys.argv[2])
sys.exit(size > int(sys.argv[2]))
END
	ok $? "--budget=$budget: $(cat out)" out
done
frame=$(python3 -c '
import re
page = open("plain.html", encoding="utf-8").read()
print(len((page[:page.index("id=\"data\">")] + page[page.index("</script>"):]).encode()))')
[ "$frame" -lt 102400 ]
ok $? "the page without data has $frame bytes, less than 100 KB"
! grep -Eq 'https?://|url\(|@import|<link|src=' <(python3 -c '
import re
print(re.sub(r"id=\"data\">.*?</script>", "", open("plain.html", encoding="utf-8").read(), flags=re.S))') >out
ok $? "it names nothing outside of itself" out
! grep -a '</script><script>window' hostile.html >out && [ "$(grep -ac '<script' hostile.html)" = 2 ]
ok $? "hostile names do not end the script element" out

# the script alone, and in a browser
node --test --test-reporter=tap "$pages/page_data.test.js" >out 2>&1
ok $? "calculations of the script: $(grep -c '^ok ' out) tests" out
axe=$("$top/tools/setup/fetch-axe" 2>err)
ok $? "axe-core" err
node "$pages/browser.js" "$axe" plain.html timed.html lost.html small.html hostile.html >out 2>err
ok $? "the browser has ended" err
while read -r result; do
	case $result in
	"ok - "*) ok 0 "${result#ok - }" ;;
	"not ok - "*) ok 1 "${result#not ok - }" ;;
	"#"*) echo "$result" ;;
	esac
done <out
[ "$(grep -c '^ok - ' out)" -gt 90 ]
ok $? "$(grep -c '^ok - ' out) tests in a browser"

# what people read
. "$top/tools/setup/tests/examples.bash"
# shellcheck disable=SC2034 # examples.bash reads them
example_shown=$work/shown example_printed=$work/printed
mkdir page && cp "$top/Documentation/hello.c" page && cd page || exit 1
PATH=$build:$PATH
examples_of_readme "$top/Documentation/html.rst" >"$work/examples"
run_examples html.rst "$work/examples"
[ "$example_blocks" -ge 2 ] && [ -s report.html ] && [ -s small.html ]
ok $? "the page of the documentation has two examples, or more: $example_blocks"
for picture in $(sed -n 's/^\.\. image:: //p' "$top/Documentation/html.rst"); do
	[ -s "$top/Documentation/$picture" ] && [ "$(stat -c %s "$top/Documentation/$picture")" -lt 150000 ]
	ok $? "the picture $picture has less than 150 KB"
done
done_testing
