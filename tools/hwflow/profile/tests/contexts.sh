#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# contexts.sh BUILD - formats of calling contexts have the calls and instructions of a trace: recursion, calls from inlined
# functions, tail calls. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS

# compare WHAT FILE: a profile in a format has what the trace has
compare() {
	python3 "$here/profile_contexts.py" "$1" trace program "$2" >out 2>&1
	ok $? "$1: $(head -n 1 out)" out
}

clang-22 --target=aarch64-linux-gnu -fuse-ld=lld -O1 -g -static -Wl,--build-id -o program "$here/contexts.c" 2>err &&
	"$hwflow" emulate --quiet -o program.data -- ./program >out 2>>err
ok $? "a program is recorded" err
"$hwflow" script --insn -F ip,insn,sym program.data >trace 2>err && "$san" profile -o without.hwprof program.data 2>>err &&
	python3 "$here/profile_contexts.py" tree trace program >tree 2>>err &&
	"$build/tests/make_contexts" without.hwprof program.hwprof <tree 2>>err
ok $? "its profile has the calls of the trace: $(wc -l <tree) contexts" err

"$san" profile --for=json -o json program.hwprof 2>err
ok $? "JSON Lines are written" err
compare json json
"$san" profile --for=folded -o folded program.hwprof 2>err
ok $? "folded stacks are written" err
compare folded folded
grep -q ';main;middle;outer;inner;leaf ' folded
ok $? "a call from inlined functions has them on its path" folded
[ "$(grep -o ';factorial' folded | wc -l)" -gt 6 ] && grep -q ';factorial;factorial;factorial;factorial;factorial;factorial;leaf ' folded
ok $? "recursion is a path of the same function" folded

"$san" profile --for=speedscope -o speedscope program.hwprof 2>err
ok $? "a profile for speedscope is written" err
compare speedscope speedscope
line=$(grep -n '^NOINLINE int middle' "$here/contexts.c" | cut -d: -f1)
grep -q "^{\"name\":\"middle\",\"file\":\"[^\"]*/contexts.c\",\"line\":$line}" speedscope
ok $? "functions have source files and lines" speedscope

"$san" profile --for=callgrind -o callgrind program.hwprof 2>err
ok $? "a profile of callgrind is written" err
compare callgrind callgrind
awk '$2 == "middle" { inside = 1 } !NF { inside = 0 } inside && /^fi=/ { found = 1 } END { exit !found }' callgrind
ok $? "inlined code has lines of its own file" callgrind
"$san" report --limit=0 --width=0 program.hwprof 2>err | sed -n 's/^ *[0-9.]*% *\([0-9]*\) .*  \(.*\)  (.*)$/\1 \2/p' | sort >report
callgrind_annotate --threshold=100 --auto=no callgrind 2>>err | tr -d , |
	sed -n 's/ \[.*\]$//; s/^ *\([0-9]*\) ([ 0-9.]*%)  .*:\(.*\)$/\1 \2/p' |
	awk '{ n[$2] += $1 } END { for (name in n) print n[name], name }' | sort >annotated
[ "$(wc -l <report)" -gt 50 ] && diff report annotated >out
ok $? "callgrind_annotate has the instructions of each function that report has" out

"$san" profile --for=pprof -o pprof program.hwprof 2>err && gzip -t <pprof
ok $? "a profile of pprof is written" err
compare pprof pprof

# recursion that is too deep for whole paths; callers that are not known; code that is in no file
{
	awk 'BEGIN { for (i = 0; i < 3000; i++) print i, 0, -1, 0, -1, 0, 1, i + 1, "f" }'
	echo "0 1 -1 0 -1 0 0 7 trace began"
	echo "3001 0 -1 0 -1 0 2 8 g"
	echo "3002 1 -1 0 -1 0 3 9 trace was lost"
	echo "3002 2 -1 0 -1 0 4 10 [kernel]"
} | "$build/tests/make_contexts" without.hwprof made.hwprof 2>err
for format in folded speedscope pprof callgrind; do
	"$san" profile --for=$format -o made.$format made.hwprof 2>>err || break
done
ok $? "contexts are made" err
grep -q '^\[unknown\];\[trace began\];\[g\];\[unknown\];\[trace was lost\] 9$' made.folded &&
	grep -q '^\[unknown\];\[trace began\];\[g\];\[kernel\]_\[k\] 10$' made.folded &&
	[ "$(grep -c . made.folded)" = $((2049 + 4)) ] && grep -q ';\[deeper calls\] 2403324$' made.folded
ok $? "a caller that is not known has a name, and paths have an end"
"$san" profile --for=json made.hwprof 2>err | grep '"context"' | tail -n 4 >made.json
printf '{"type":"context",%s}\n' '"entered":"unknown","name":"trace began","calls":0,"instructions":7' \
	'"caller":3000,"entered":"call","name":"g","calls":2,"instructions":8' \
	'"caller":3001,"entered":"unknown","name":"trace was lost","calls":3,"instructions":9' \
	'"caller":3001,"entered":"exception","name":"[kernel]","calls":4,"instructions":10' | diff - made.json >out
ok $? "JSON Lines have how each context was entered, and code in no file" out
python3 "$here/profile_contexts.py" same made.folded made.speedscope made.pprof >out 2>&1
ok $? "other formats have the same paths: $(cat out)" out

# what has no contexts
"$san" profile --for=folded without.hwprof >out 2>err
[ $? = 2 ] && [ ! -s out ] && grep -q -- '--call-graph from its recordings' err
ok $? "a profile without contexts is refused, with the remedy" err
"$hwflow" emulate --quiet -o other.data -- ./program x >out 2>err && "$san" profile -o other.hwprof other.data 2>>err
ok $? "the program is recorded again" err
for order in "program other" "other program"; do
	read -r first second <<<"$order"
	"$san" profile -o sum.hwprof "$first.hwprof" "$second.hwprof" 2>err
	[ $? = 2 ] && [ ! -e sum.hwprof ] && grep -q "^hwflow: $second.hwprof: .*contexts.*--call-graph" err
	ok $? "profiles with contexts and without are not added: $second to $first" err
done
"$build/tests/make_contexts" other.hwprof same.hwprof <tree 2>err && "$san" profile -o sum.hwprof program.hwprof same.hwprof 2>>err &&
	"$san" profile --for=folded -o twice sum.hwprof 2>>err
ok $? "two profiles with contexts are added" err
python3 - folded twice <<-'END' >out 2>&1
	import sys
	once, twice = ([line.rsplit(" ", 1) for line in open(name)] for name in sys.argv[1:])
	sys.exit(sorted((path, 2 * int(count)) for path, count in once) != sorted((path, int(count)) for path, count in twice))
END
ok $? "and each path has the instructions of both" out

mv program moved
"$san" profile --for=folded -o missing program.hwprof 2>err
[ $? = 3 ] && grep -q '/program: .*--symfs=DIR' err && grep -q '^\[program\];\[program\]' missing
ok $? "a program that is missing is reported, and its functions have its name" missing
mv moved program
done_testing
