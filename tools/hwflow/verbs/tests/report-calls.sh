#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# report-calls.sh BUILD - hwflow report --inclusive and --call-graph print the sums of all paths of calls. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS

cat >program.c <<'END'
#define NOINLINE __attribute__((noinline, noclone))

static volatile int sum;

NOINLINE static void leaf(int value) { sum += value; }
NOINLINE static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
NOINLINE static void odd(int n);
NOINLINE static void even(int n) { leaf(n); if (n) odd(n - 1); leaf(n); }
NOINLINE static void odd(int n) { leaf(n); if (n) even(n - 1); leaf(n); }
NOINLINE static void deep(int n) { if (n) deep(n - 1); else leaf(n); sum++; }

int main(void)
{
	sum += fib(10);
	even(20);
	deep(60);
	leaf(1);
	return 0;
}
END
"$CC" -O1 -g -static -fno-optimize-sibling-calls -Wl,--build-id -o program program.c 2>err &&
	"$hwflow" emulate --quiet -o data -- ./program >out 2>>err
ok $? "a program is recorded" err
"$san" profile --call-graph -o graph.hwprof data 2>err && "$san" profile --for=folded -o folded graph.hwprof 2>>err
ok $? "its calls are counted" err

# rows ARGUMENT...: what report prints, as NAME TOTAL [SELF]; a dot stands for each level of a tree
rows() {
	"$san" report --limit=0 --width=0 "$@" 2>err | sed -nE 's/^ *[0-9.]+% //p' | awk '{
		match($0, /  [^ 0-9].*  \(/)
		numbers = substr($0, 1, RSTART)
		name = substr($0, RSTART + 2, RLENGTH - 5)
		count = split(numbers, n, " ")
		print name, n[1], (count > 2 || !calls) ? n[2] : ""
	}'
}

# what a function executes with all that it calls, once however often it is in a path
awk '{
	count = $NF
	sub(/ [0-9]+$/, "")
	n = split($0, path, ";")
	delete seen
	for (i = 1; i <= n; i++)
		if (!(path[i] in seen)) {
			seen[path[i]]
			total[path[i]] += count
		}
	self[path[n]] += count
} END { for (name in total) print name, total[name], self[name] + 0 }' folded | sort >wanted
rows --inclusive data | sort >got
[ "$(wc -l <wanted)" -gt 50 ] && diff wanted got >out
ok $? "--inclusive: $(wc -l <wanted) functions have the sums of all paths" out
"$san" report --inclusive --limit=0 data 2>err | awk '/%/ { if (seen && $2 > last) exit 1; last = $2; seen = 1 }'
ok $? "--inclusive: the greatest sum comes first"
"$san" report --inclusive --limit=0 data 2>err | awk '$5 == "fib" { fib = $4 } $5 == "leaf" { leaf = $4 } END { exit fib != 177 || leaf != 44 }'
ok $? "fib was called 177 times, and leaf 44 times"

# tree ARGUMENT...: a tree as paths: NAME;NAME TOTAL
tree() {
	"$san" report --limit=0 --width=0 "$@" 2>err | sed -nE 's/^ *[0-9.]+% //p' | awk '{
		total = $1
		rest = substr($0, 45)
		sub(/  \([^()]*\)$/, "", rest)
		match(rest, /^ */)
		level = RLENGTH / 2
		rest = substr(rest, RLENGTH + 1)
		if (match(rest, /^\[[0-9]+\] /)) {
			level = substr(rest, 2, RLENGTH - 3) + 0
			rest = substr(rest, RLENGTH + 1)
		}
		path[level] = rest
		text = path[0]
		for (i = 1; i <= level; i++)
			text = text ";" path[i]
		print text, total
	}'
}
awk '{
	count = $NF
	sub(/ [0-9]+$/, "")
	n = split($0, path, ";")
	text = ""
	for (i = 1; i <= n; i++) {
		text = text (i > 1 ? ";" : "") path[i]
		total[text] += count
	}
} END { for (text in total) print text, total[text] }' folded | sort >wanted
tree --call-graph data | sort >got
cp got all
[ "$(wc -l <wanted)" -gt 200 ] && diff wanted got >out
ok $? "--call-graph: $(wc -l <wanted) places have the sums of all paths below them" out
awk '{
	count = $NF
	sub(/ [0-9]+$/, "")
	n = split($0, path, ";")
	text = ""
	for (i = n; i > 0 && n - i <= 64; i--) {
		text = text (i < n ? ";" : "") path[i]
		total[text] += count
	}
} END { for (text in total) print text, total[text] }' folded | sort >wanted
tree --call-graph=callee data | sort >got
[ "$(wc -l <wanted)" -gt 1000 ] && diff wanted got >out
ok $? "--call-graph=callee: $(wc -l <wanted) places have the sums of all paths that end in them" out
! grep -q "$(printf 'deep;%.0s' {1..70})" got && grep -q "$(printf 'deep;%.0s' {1..60})" got
ok $? "a function has 64 callers at most"

for view in --inclusive --call-graph --call-graph=callee; do
	"$san" report $view --limit=0 data >from_data 2>err && "$san" report $view --limit=0 graph.hwprof >from_profile 2>>err
	[ $? = 0 ] && diff <(tail -n +2 from_data) <(tail -n +2 from_profile) >out
	ok $? "$view: a profile has what its recording has" out
done
# a limit leaves out what is smallest, and keeps callers
"$san" report --call-graph --limit=5 data >few 2>err
[ "$(grep -c '%' few)" = 5 ] && grep -q ' in [0-9]* more: --limit=0 shows all' few &&
	[ "$(grep -c '^100.00%' few)" -ge 1 ] && tree --call-graph --limit=5 data | sort | cmp -s - <(sort -snrk2 all | head -5 | sort)
ok $? "--limit=5: the five greatest places" few
"$san" report --inclusive --percent-limit=10 --limit=0 data >few 2>err
[ "$(grep -c '%' few)" -gt 3 ] && ! grep -Eq '^ +[0-9]\.[0-9]+%' few && grep -q -- '--limit=0 --percent-limit=0 shows all' few
ok $? "--percent-limit=10: no row has less" few
"$san" report --percent-limit=10 data >few 2>err
[ "$(grep -c '%' few)" -gt 1 ] && ! sed '/ more: /d' few | grep -Eq '^ +[0-9]\.[0-9]+%' && grep -q 'more: --limit=0 --percent-limit=0 shows all' few
ok $? "and none of the table without calls" few

# not all callers are known
"$san" report --call-graph --offset=1500,3000 data >part 2>err
grep -q '^100.00%.* \[unknown\]$' part
ok $? "callers that are not known are [unknown]" part
for ((from = 200; from < 3000; from += 200)); do
	"$san" report --call-graph --offset=$from,$((from + 20)) --limit=1 data 2>err
done >part
[ "$(grep -c '^100.00%.*\[unknown\]$' part)" = 14 ]
ok $? "a function is printed before what is below it, if both have the same sum" part
for options in '--inclusive --sort=calls' '--call-graph --by=dso' '--inclusive --comm=x' '--call-graph --no-demangle'; do
	# shellcheck disable=SC2086 # options
	"$san" report $options data >out 2>err
	[ $? = 1 ] && grep -q -- '--by, --sort, --comm and --no-demangle are for the table' err
	ok $? "$options is refused" err
done
for value in x -1 101 '' 1e999 nan; do
	"$san" report "--percent-limit=$value" data >out 2>err
	[ $? = 1 ] && grep -q 'expected a number from 0 to 100' err
	ok $? "--percent-limit=$value is refused" err
done
"$san" report --call-graph=up data >out 2>err
[ $? = 1 ] && grep -q -- '--call-graph=up: unknown' err
ok $? "--call-graph=up is refused" err
"$san" profile -o plain.hwprof data 2>err
"$san" report --inclusive plain.hwprof >out 2>err
[ $? = 2 ] && grep -q "the profile has no calling contexts; make it with 'hwflow profile --call-graph'" err
ok $? "a profile without calls is refused" err
done_testing
