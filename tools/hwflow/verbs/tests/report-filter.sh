#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# report-filter.sh BUILD - hwflow report --filter prints the rows of code that matches, with the counts that they have
# without it, and the sum of the rest; --percent-limit leaves small rows out. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS

cat >part.c <<'END'
int part_one(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += i ^ n; return sum; }
int part_two(int n) { return n > 2 ? part_one(n) + 1 : 0; }
END
cat >program.cc <<'END'
extern "C" int part_one(int n);
extern "C" int part_two(int n);
namespace space {
__attribute__((noinline)) int area(int n, int m) { return part_two(n) * m; }
__attribute__((noinline)) int volume(int n) { return area(n, n) + part_one(n); }
}
int main()
{
	int sum = 0;

	for (int i = 0; i < 200; i++)
		sum += space::volume(i & 15) ^ space::area(i & 3, i);
	return sum == 1;
}
END
"$CC" -O1 -g -shared -fPIC -o libpart.so part.c 2>err && "${CC%gcc}g++" -O1 -g -o program program.cc -L. -lpart -Wl,-rpath,"$work" 2>>err &&
	"$hwflow" emulate --quiet --sysroot=/usr/aarch64-linux-gnu -o data -- ./program 2>>err
ok $? "a program with a library is recorded" err

# rows OPTION...: all rows as they are printed, without their shares
rows() {
	"$san" report --limit=0 --width=0 "$@" 2>err | grep '%.*  .' | grep -v ' other code, ' | sed -E 's/^ *[0-9.]+% +//'
}
# left OPTION...: instructions that --filter leaves out, and those of the head
left() {
	"$san" report --limit=0 "$@" 2>err | sed -nE 's/^ *[0-9.]+% +([0-9]+) in other code, which --filter leaves out$/\1/p'
}
rows data >all
# check PATTERN NAME OPTION...: the rows are those of the whole table that grep -E finds
check() {
	grep -E "$1" all >want
	rows "${@:3}" data >got
	[ -s want ] && diff want got >out
	ok $? "$2: $(wc -l <got) of $(wc -l <all) rows" out
	[ "$(awk '{ sum += $1 } END { print sum }' got)" -eq "$(($(awk '{ sum += $1 } END { print sum }' all) - $(left "${@:3}" data)))" ]
	ok $? "$2: the last line has all others"
}
[ "$("$san" report --limit=0 data 2>err | grep ' main ')" = "$("$san" report --filter=function:main data 2>err | grep ' main ')" ]
ok $? "shares are those of all code" err
check '  part_one  ' "a function" --filter=function:part_one
check '  part_(one|two)(@plt)?  ' "functions by *" '--filter=function:part_*'
check '  part_(one|two)  ' "functions by ?" '--filter=function:part_t?o' --filter=function:part_one
check '  space::area\(int, int\)  ' "a C++ function with its parameters" '--filter=function:space::area(int, int)'
check '\(libpart.so\)$' "a library by its name" --filter=dso:libpart.so
check '\(libpart.so\)$' "a library by its path" "--filter=dso:$work/libpart.so"
check '\((libpart.so|program)\)$' "a library and the program" '--filter=dso:lib[op]art*' --filter=dso:program
check '  main  .*\(program\)$' "a function of a program" --filter=dso:program --filter=function:main
rows --filter=function:part_one --filter=dso:program data >got
[ ! -s got ] && grep -q 'data: --filter: it matches no code that was executed' err
ok $? "a function that the program does not have" err
"$san" report --filter=function:part >out 2>err data
[ $? = 1 ]
ok $? "a pattern has to match the whole name" out

for by in line address dso thread process; do
	rows --by=$by --filter=function:part_one data | awk '{ sum += $1 } END { print sum }' >got
	[ "$(awk '/  part_one  / { print $1 }' all)" = "$(cat got)" ]
	ok $? "--by=$by counts what matches" got
done
"$san" profile --call-graph -o data.hwprof data 2>err
diff <(rows --filter=function:part_one data) <(rows --filter=function:part_one data.hwprof) >out
ok $? "a profile has the same rows" out

rows --inclusive data >whole
grep -E '  part_(one|two)(@plt)?  ' whole >want
rows --inclusive '--filter=function:part_*' data | diff want - >out
ok $? "--inclusive: functions that match" out
rows --call-graph --filter=function:part_two data >got
grep -q '      part_two' got && ! grep -q 'part_one' got && grep -q '  main  ' got && [ "$(sed -n '$s/.*  \(part_two\)  .*/\1/p' got)" = part_two ]
ok $? "--call-graph: functions that match are below their callers" got
rows --call-graph=callee --filter=function:part_two data >got
rows --call-graph=callee data | awk '/^[0-9]+ +[0-9]+  [^ ]/ { found = /[0-9]  part_two  / } found' | diff - got >out && grep -q 'space::volume' got
ok $? "--call-graph=callee: functions that match are above their callers" out
for view in --inclusive --call-graph --call-graph=callee; do
	"$san" report $view --filter=function:nothing data >out 2>err
	[ $? = 1 ] && grep -q 'data: --filter: it matches no code that was executed' err
	ok $? "$view: nothing matches" err
done

# rows with at least so many percent
"$san" report --limit=0 --percent-limit=10 --filter=dso:program data >out 2>err
"$san" report --limit=0 --filter=dso:program data 2>>err | awk '/%.*\(program\)$/ && $1 + 0 >= 10' | diff - <(grep '(program)$' out) >diff &&
	grep -q ' more: --limit=0 --percent-limit=0 shows all$' out && grep -q ' in other code, which --filter leaves out$' out
ok $? "--percent-limit: rows that match and have this share" diff
for value in zz function: dso: function symbol:main; do
	"$san" report --filter=$value data >out 2>err
	[ $? = 1 ] && [ ! -s out ] && grep -q -- "--filter=$value: expected function:PATTERN or dso:PATTERN" err
	ok $? "--filter=$value is refused" err
done
done_testing
