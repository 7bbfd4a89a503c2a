#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# report-by.sh BUILD - hwflow report --by=line and --by=address have the counts of the ground-truth log. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS

mkdir one two
echo 'int shared(int value) { return value * 3; }' >one/same.c
printf '\nint other(int value)\n{ return value ? other(value - 1) + 1 : 0; }\n' >two/same.c
cat >program.c <<'END'
#include <stdio.h>
int shared(int value);
int other(int value);
static inline int twice(int value) { return value + value; }
int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = 0; i < 100 * argc; i++) {
		sum += twice(i) ^ shared(i);
		if (i % 3)
			sum += other(i & 7);
	}
	printf("%d %s\n", sum, argv[0]);
	return 0;
}
END
"$CC" -O1 -g -static -o program program.c one/same.c two/same.c 2>err && "$hwflow" emulate --quiet -o data -- ./program >out 2>>err &&
	"$hwflow" emulate --show-log=data.truth 2>>err | awk '$4 != "EXC" { print $6 }' | sort | uniq -c | awk '{ print $2, $1 }' >executed
ok $? "a program is recorded" err

# rows ARGUMENT...: instructions and name of each row
rows() {
	"$san" report --limit=0 --width=0 "$@" 2>err | sed -nE 's/^ *[0-9.]+% +([0-9]+) +[0-9]+ +[0-9]+ +[0-9]+  (.*)  \(.*\)$/\1 \2/p'
}

rows --by=address data | awk '{ print $1 }' | sort -n >got
awk '{ print $2 }' executed | sort -n | diff - got >diff && [ "$(wc -l <got)" -gt 1000 ]
ok $? "--by=address: $(wc -l <got) instructions have their counts" diff
main=$(nm program | awk '$3 == "main" { print $1 }')
[ "$(rows --by=address data | awk '$2 == "main" { print $1 }')" = 1 ] &&
	[ "$(rows --by=address data | awk '$2 == "main+0x4" { print $1 }')" = "$(grep "^$(printf %x $((0x$main + 4))) " executed | cut -d' ' -f2)" ]
ok $? "--by=address: names"

cut -d' ' -f1 executed | aarch64-linux-gnu-addr2line -e program | sed 's/ (disc.*//' | paste -d' ' executed - |
	awk '$3 !~ /\?/ { sub(/.*\//, "", $3); n[$3] += $2 } END { for (line in n) print n[line], line }' | sort >wanted
rows --by=line data | grep ':[0-9]*$' | sort >got
diff wanted got >diff && [ "$(wc -l <got)" -gt 8 ] && grep -q ' same.c:1$' got && grep -q ' same.c:3$' got
ok $? "--by=line: $(wc -l <got) lines have their counts" diff
[ "$(rows --by=line data | awk '{ sum += $1 } END { print sum }')" = "$(awk '{ sum += $2 } END { print sum }' executed)" ]
ok $? "--by=line: nothing is missing" err
rows --by=line data | grep -v ':[0-9]*$' | sort >got
rows data | sort >functions
[ "$(wc -l <got)" -gt 50 ] && [ -z "$(comm -23 got functions)" ]
ok $? "--by=line: functions without lines have a row each" got
"$san" report --by=line --limit=0 data 2>err | awk '$NF == "(program)" && $6 == "same.c:1" { print $3, $4 }' >got
[ "$(cat got)" = "100 100" ]
ok $? "--by=line: calls and branches" got

# lines of the same name in two directories are not one
sed -i 's/^int other/int last/; s/other(value - 1)/last(value - 1)/; 1d' two/same.c
printf 'int last(int value);\nint shared(int);\nint main(void) { return last(50) - shared(10); }\n' >both.c
printf 'int last(int value) { return value ? last(value - 1) + 1 : 0; }\n' >two/same.c
"$CC" -O1 -g -static -o both both.c one/same.c two/same.c 2>err && "$hwflow" emulate --quiet -o both.data -- ./both >out 2>>err
[ "$(rows --by=line both.data | grep -c ' same.c:1$')" = 2 ]
ok $? "--by=line: files of one name in two directories have rows of their own" err

# a profile, and a program without lines
"$san" profile -o data.hwprof data 2>err
for by in line address; do
	diff <(rows --by=$by data) <(rows --by=$by data.hwprof) >diff
	ok $? "--by=$by: a profile has what its recording has" diff
done
cp program kept && aarch64-linux-gnu-strip --strip-debug program
diff <(rows --by=line data | sort) <(rows data | sort) >diff
ok $? "--by=line: without debug information as by function" diff

# colours are for terminals
cat >terminal.py <<'END'
import os, pty, sys
pid, fd = pty.fork()
if not pid:
    os.execv(sys.argv[1], sys.argv[1:])
shown = b""
while True:
    try:
        part = os.read(fd, 65536)
    except OSError:
        break
    if not part:
        break
    shown += part
os.waitpid(pid, 0)
sys.stdout.buffer.write(shown)
END
for view in --by=function --inclusive; do
	TERM=xterm python3 terminal.py "$san" report -q --limit=0 $view data >out 2>err
	grep -q $'^\e\\[31m *[0-9]*[5-9][.][0-9]*%\e\\[m ' out && grep -q $'^\e\\[32m *[0-4][.][0-9]*%\e\\[m ' out &&
		grep -q '^ *0[.][0-4][0-9]% ' out && ! grep -q $'\e\\[3[12]m *0[.][0-4]' out
	ok $? "$view: great shares have colours on a terminal" out
	NO_COLOR=1 TERM=xterm python3 terminal.py "$san" report -q $view data >plain 2>err
	TERM=dumb python3 terminal.py "$san" report -q $view data >dumb 2>err
	"$san" report $view data >file 2>err
	! grep -q $'\e' plain && ! grep -q $'\e' dumb && ! grep -q $'\e' file && [ -s plain ] && [ -s dumb ] && [ -s file ]
	ok $? "$view: and nowhere else" plain
done
"$san" report --by=cgroup data >out 2>err
[ $? = 1 ] && [ ! -s out ] && grep -q "hwflow: data: --by=cgroup: the recording has no cgroups; record it with 'hwflow record --all-cgroups'" err
ok $? "--by=cgroup of a recording without cgroups is refused" err
done_testing
