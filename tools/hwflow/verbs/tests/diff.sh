#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# diff.sh BUILD - hwflow diff: the counts of both recordings are those of report, their differences and
# order, functions that one recording has alone, build ids. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1

# diff_of OPTION...: to out; the exit status is that of the command
diff_of() {
	"$san" diff "$@" >out 2>err
}

# shows NAME PATTERN: a line of out
shows() {
	grep -qE "$2" out
	ok $? "$1" out
}

# program NAME SYMBOLS...: diff.c with these macros, recorded as NAME.data
program() {
	local name=$1

	shift
	mkdir "$name"
	"$CC" -O1 -static -Wl,--build-id "${@/#/-D}" -o "$name/prog" "$here/diff.c" &&
		"$hwflow" emulate --quiet -o "$name.data" -- "$name/prog" 2>err
	ok $? "$name: the program is recorded" err
}

# counts NAME: instructions, calls and name of each function, by report
counts() {
	"$hwflow" report --limit=0 --width=0 "$1.data" |
		awk '$1 ~ /%$/ { print $6, $2, $3 }' | sort
}

program before ROUNDS=100 BEFORE
program after ROUNDS=150

diff_of --limit=0 --width=0 before.data after.data
ok $? "two recordings" err
counts before >before.counts
counts after >after.counts
join -a 1 -a 2 -e 0 -o 0,1.2,2.2,1.3,2.3 before.counts after.counts |
	awk '$2 != $3 || $4 != $5 { print $1, $2, $3, $4, $5 }' | sort >want
sed -nE 's/^ *[-+]?[0-9]+ +([0-9.]+|only old|only new) +([0-9 ]+)  ([^ ]+)  \(prog\)$/\3 \2/p' out |
	awk '{ $1 = $1; print }' | sort >got
[ -s want ] && diff want got >differences
ok $? "$(wc -l <want) functions differ, with the counts of report" differences
same=$(join before.counts after.counts | awk '$2 == $4 && $3 == $5' | wc -l)
shows "$same functions are equal" "^$same functions have the same counts$"
shows "a function of OLD" '^ +-[0-9]+ +only old +[1-9][0-9]* +0 +[1-9][0-9]* +0  vanishing  \(prog\)$'
shows "a function of NEW" '^ +\+[0-9]+ +only new +0 +[1-9][0-9]* +0 +[1-9][0-9]*  appearing  \(prog\)$'
shows "the ratio" '^ +\+[0-9]+ +1\.500 +[0-9]+ +[0-9]+ +100 +150  steady  \(prog\)$'
awk '$1 ~ /^[-+][0-9]+$/ { n = $1 < 0 ? -$1 : $1; if (seen++ && n > last) wrong = 1; last = n } END { exit wrong || seen < 3 }' out
ok $? "the largest difference is first" out
id() { # FILE
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}
shows "build ids that differ" "^prog: the build ids differ: $(id before/prog), then $(id after/prog)$"
[ "$(grep -c 'Nothing is missing' out)" = 2 ]
ok $? "nothing is missing" out

diff_of after.data before.data && cp out swapped
shows "the other way round: the ratio" '^ +-[0-9]+ +0\.667 +[0-9]+ +[0-9]+ +150 +100  steady  \(prog\)$'
diff_of before.data before.data
[ $? = 0 ] && ! grep -q '(prog)' out && ! grep -q 'build ids differ' out
ok $? "a recording and itself" out
diff_of --by=dso before.data after.data
shows "--by=dso" '^ +[-+][0-9]+ +[0-9.]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+  prog$'
diff_of --limit=1 before.data after.data
shows "--limit" '^[0-9]+ more differ: --limit=0 shows all$'
[ "$(grep -c '(prog)' out)" = 1 ]
ok $? "--limit=1: one row" out

# the program has another name: nothing is alone, and the rows are those of the same name
diff_of --limit=0 --width=0 before.data after.data && cp out same.out
mkdir renamed copied
cp after/prog renamed/prog-2 && "$hwflow" emulate --quiet -o renamed.data -- renamed/prog-2 2>err
ok $? "the new program with another name is recorded" err
diff_of --limit=0 --width=0 before.data renamed.data
ok $? "one program in each recording" err
# those of the C library depend on the length of the path
own='(steady|vanishing|appearing)  \(prog\)$'
[ "$(grep -cE "$own" same.out)" = 3 ] &&
	diff <(grep -E "$own" same.out) <(sed 's/(prog-2)/(prog)/' out | grep -E "$own") >differences
ok $? "its functions are compared" differences
shows "which files were compared" '^prog-2 is prog in OLD: each recording has one program .*; --map=OLD=NEW compares others$'
shows "their build ids differ" "^prog-2: the build ids differ: $(id before/prog), then $(id after/prog)$"
diff_of --by=dso --limit=0 before.data renamed.data
! grep -q 'only \(old\|new\)' out
ok $? "--by=dso: no file is alone" out
shows "--by=dso: one row" '^ +[-+][0-9]+ +[0-9.]+ .*  prog-2$'

# a shell that runs two programs, one of which has another name and the same build id: no program is the only one
printf 'int main(int argc, char **argv) { for (volatile int i = 0; i < 100 * argc; i++) ; return argv[1] ? 0 : 0; }\n' >other.c
"$CC" -O1 -static -Wl,--build-id -o copied/first other.c && cp copied/first copied/moved
cat >both.c <<'END'
#include <spawn.h>
#include <sys/wait.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		pid_t pid;

		if (posix_spawn(&pid, argv[i], 0, 0, argv + i, 0) || waitpid(pid, 0, 0) < 0)
			return 1;
	}
	return 0;
}
END
"$CC" -O1 -static -Wl,--build-id -o both both.c &&
	"$hwflow" emulate --quiet -o one.data -- ./both copied/first before/prog 2>err &&
	"$hwflow" emulate --quiet -o two.data -- ./both copied/moved after/prog renamed/prog-2 2>>err
ok $? "several programs are recorded" err
diff_of --limit=0 one.data two.data
shows "a build id finds a file with another name" '^moved is first in OLD$'
shows "a name finds another build" '^prog: the build ids differ: '
! grep -q 'only old .*(first)' out && grep -q 'only new .* main  (prog-2)' out && ! grep -q 'only new .* main  (prog)$' out
ok $? "the name finds another one, and one is new" out
diff_of --limit=0 --map=x/prog=renamed/prog-2 one.data two.data
shows "--map" '^prog-2 is prog in OLD$'
grep -q 'only new .* main  (prog)$' out && ! grep -q 'only new .* main  (prog-2)$' out
ok $? "--map is before the name" out
diff_of --limit=0 --map=first=prog-2 one.data two.data
grep -q '^prog-2 is first in OLD$' out && grep -q 'only new .*(moved)$' out
ok $? "--map is before the build id" out
diff_of --limit=0 --map=first=prog one.data two.data
shows "a file whose name another one has" 'only old .* main  \(prog of OLD\)$'
shows "the file that is left" 'only new .* main  \(moved\)$'
shows "both files of --map" '^ +[-+][0-9]+ +[0-9.]+ +[1-9][0-9]* +[1-9][0-9]* +1 +1  main  \(prog\)$'
diff_of --limit=0 before.data one.data
grep -q 'only new .* main  (both)' out && ! grep -q ' is .* in OLD' out
ok $? "several programs are left: none is chosen" out
"$hwflow" emulate --quiet -o three.data -- ./both copied/first 2>err
diff_of --limit=0 before.data three.data
grep -q 'only old .* main  (prog)' out && grep -q 'only new .* main  (first)' out && ! grep -q ' is .* in OLD' out
ok $? "several programs are left in one recording: none is chosen" out
for map in none=prog:"OLD has executed no file none" prog=none:"NEW has executed no file none" \
	=prog:"OLD=NEW expected" prog=:"OLD=NEW expected" prog:"OLD=NEW expected"; do
	diff_of --map="${map%%:*}" one.data two.data
	[ $? = 1 ] && ! grep -q 'same counts' out &&
		grep -q -- "hwflow diff: --map=${map%%:*}: ${map#*:}" err
	ok $? "--map=${map%%:*}" err
done
diff_of --map=prog=prog-2 --map=prog=prog one.data two.data
[ $? = 1 ] && grep -q -- '--map=prog=prog: another --map has one of these files' err
ok $? "two --map of one file" err

# code made at run time: the number of the process is not part of its name
"$CC" -O1 -static -o jit "$top/tools/hwflow/tests/jit.c" && "$hwflow" emulate --quiet -o jit1.data -- ./jit dump 2>err &&
	"$hwflow" emulate --quiet -o jit2.data -- ./jit dump 2>>err
ok $? "code made at run time: two recordings" err
diff_of --limit=0 jit1.data jit2.data
! grep -q 'only \(old\|new\).*dump' out && ! grep -q '\(before\|after\)  (jit' out
ok $? "code made at run time: the functions are the same" out

# default files
diff_of
[ $? = 2 ] && grep -q 'hwflow diff: no OLD was named, and perf.data.old: No such file' err
ok $? "no files" err
cp before.data perf.data.old
diff_of
[ $? = 2 ] && grep -q 'hwflow diff: no NEW was named, and perf.data: No such file' err
ok $? "no perf.data" err
diff_of after.data && grep -q '^perf.data.old: ' out && grep -q '^after.data: ' out
ok $? "one file is NEW" err
cp after.data perf.data
diff_of && grep -q '^perf.data.old: ' out && grep -q '^perf.data: ' out &&
	shows "perf.data.old and perf.data" '^ +\+[0-9]+ +1\.500 .*  steady  \(prog\)$'

# wrong usage, unreadable files, gaps
diff_of before.data after.data third
[ $? = 1 ] && grep -q "hwflow diff: one NEW at a time, and 'third' is a second" err
ok $? "three files" err
diff_of --by=thread before.data after.data
[ $? = 1 ] && grep -q 'hwflow diff: --by=thread: unknown' err
ok $? "--by=thread" err
diff_of before.data "$here/diff.c"
[ $? = 2 ] && grep -q 'diff.c: ' err && [ ! -s out ]
ok $? "NEW is no recording" err
mv before/prog moved
diff_of before.data after.data
[ $? = 3 ] && grep -q '^before.data: Not all of the execution is known' out &&
	grep -q '^after.data: Nothing is missing' out
ok $? "a program that is missing: gaps" out
done_testing
