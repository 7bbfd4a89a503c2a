#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# annotate.sh BUILD - the counts of hwflow annotate are those of the ground-truth log, instruction by
# instruction, for A64, A32, T32 and RV64GC; how functions are chosen and printed. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1

# rows FILE: of each row: address, bytes of the instruction, count, and of a branch how often it was
# taken and not taken
rows() {
	sed -nE 's/^ {0,13}([0-9]+) (.{12}) (.{12}) +([0-9a-f]+)  ([0-9a-f]{4}|[0-9a-f]{8})( .*)?$/\4 \5 \1 \2 \3/p' "$1" |
		awk '{ $2 = length($2) / 2; $1 = $1; print }'
}

# always_taken FILE: addresses of the branches without a condition. The addresses of the log do not
# show that a branch to the next instruction is taken.
always_taken() {
	sed -nE 's/^.{14}.{26} +([0-9a-f]+)  [0-9a-f]+ +(b|bl|br|blr|blx|bx|ret|j|jr|jal|jalr)( .*)?$/\1/p' "$1"
}

# counts_of_log FILE: the same of a log as text; the files "got" and "out" say which instructions are
# branches and how long they are
counts_of_log() {
	always_taken out >always
	awk '
		function hexadecimal(text,   i, n) {
			for (i = 1; i <= length(text); i++)
				n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
			return n
		}
		# the thread goes on at an address, after a branch or another instruction
		function go_to(thread, address) {
			if (!(last[thread] in next_to))
				return
			if (address == next_to[last[thread]])
				not_taken[last[thread]]++
			else
				taken[last[thread]]++
		}
		FILENAME == "always" { always[$1] = 1; next }
		FILENAME == "got" {
			size[$1] = $2
			if (NF == 5)
				next_to[$1] = sprintf("%x", hexadecimal($1) + $2)
			next
		}
		$4 == "GAP" { next }
		{ go_to($3, $6) }
		$4 == "EXC" { last[$3] = ""; next }
		{ last[$3] = $6; count[$6]++ }
		END {
			for (a in count)
				if (a in next_to && a in always)
					print a, size[a], count[a], count[a], 0
				else if (a in next_to)
					print a, size[a], count[a], taken[a] + 0, not_taken[a] + 0
				else
					print a, size[a], count[a]
		}' always got "$1" | sort
}

# counts_equal NAME LOG OPTION...: annotate has each instruction of the log, as often as the log
counts_equal() {
	local name=$1 log=$2

	shift 2
	"$san" annotate --limit=0 "$@" >out 2>err
	ok $? "$name: annotate" err
	rows out >got
	counts_of_log "$log" >want
	awk '$3 > 0' got | sort >counted
	[ -s want ] && diff want counted >differences
	ok $? "$name: $(wc -l <want) instructions and branches, each as often as in the log" differences
	[ "$(awk 'NF == 5 { n++ } END { print n + 0 }' want)" -gt 3 ] &&
		awk 'NF == 5 && $4 + $5 != $3' want >differences && [ ! -s differences ]
	ok $? "$name: each branch is taken or not taken as often as it is executed" differences
}

# program NAME COMPILER: annotate.c, recorded
program() {
	"$2" -O1 -g -static -o "$1" "$here/annotate.c" &&
		"$hwflow" emulate --quiet -o "$1.data" -- "./$1" 2>err &&
		"$hwflow" emulate --show-log="$1.data.truth" >"$1.txt"
	ok $? "$1: the program is recorded" err
	counts_equal "$1" "$1.txt" "$1.data"
	[ "$(awk '{ print $3 }' "$1.txt" | sort -u | wc -l)" = 2 ]
	ok $? "$1: two processes"
}

# as_report NAME: each function has as many instructions as in report
as_report() {
	"$san" annotate --limit=0 --no-lines "$1.data" 2>err |
		sed -nE 's/^([^ ]+)  .*: ([0-9]+) instructions, .*%$/\2 \1/p' | sort >got
	"$san" report --limit=0 --width=0 "$1.data" | awk '$1 ~ /%$/ { print $2, $6 }' | sort >want
	diff want got >differences
	ok $? "$1: $(wc -l <want) functions, each with the instructions of report" differences
	grep -qx '60 falls' got && grep -qx '40 into' got
	ok $? "$1: code that falls through into the next function" got
}

# shows NAME PATTERN: a line of out
shows() {
	grep -qE "$2" out
	ok $? "$1" out
}

program arm64 "$CC"
program riscv64 riscv64-linux-gnu-gcc
as_report arm64
as_report riscv64

# 8000 mov r4, #3; 8004 nop; 8008 blx 8018; 800c subs r4, #1; 8010 bne 8004; 8014 b 8014
# 8018 cmp r4, #2; 801a ite eq; 801c moveq r0, r1; 801e bxne lr; 8020 nop.w; 8024 bx lr
printf '%b' '\x03\x40\xa0\xe3\x00\xf0\x20\xe3\x02\x00\x00\xfa\x01\x40\x54\xe2\xfb\xff\xff\x1a' \
	'\xfe\xff\xff\xea\x02\x2c\x0c\xbf\x08\x46\x70\x47\xaf\xf3\x00\x80\x70\x47' >arm
loop="8004 A 8008 A 8018 T 801a T 801c T 801e T"
# shellcheck disable=SC2086 # words
printf '%s %s\n' 8000 A $loop 800c A 8010 A $loop 8020 T 8024 T 800c A 8010 A $loop 800c A 8010 A \
	8014 A 8014 A 8014 IRQ | awk '
	$2 == "IRQ" { print NR - 1, -1, 7, "EXC", $2, $1; next }
	{ print NR - 1, -1, 7, 0, $2 "32", $1 }' >arm.txt
"$hwflow" encode --image=arm@0x8000 -o arm.ete arm.txt 2>err
ok $? "arm: the trace is encoded" err
# shellcheck disable=SC2046 # two options
counts_equal arm arm.txt $("$hwflow" encode --print-config) --image=arm@0x8000 arm.ete
shows "A32 has a text" ' 8004  e320f000  nop$'
shows "T32 has a text, with the condition of the IT block" ' 801c  4608      moveq r0, r1$'
shows "T32 of 32 bits" ' 8020  f3af8000  nop.w$'
shows "the target of a branch that changes the instruction set" ' 8008  fa000002  blx .*  -> 8018$'

# code made at run time, which is replaced
"$CC" -O1 -static -o jit "$top/tools/hwflow/tests/jit.c" && "$hwflow" emulate --quiet -o jit.data -- ./jit dump 2>err &&
	"$hwflow" emulate --show-log=jit.data.truth >jit.txt && "$san" annotate --limit=0 jit.data >out 2>err
ok $? "code made at run time: annotate" err
got=$(rows out | awk '{ n += $3 } END { print n }')
[ "$got" = "$(awk '$4 != "EXC" && $4 != "GAP"' jit.txt | wc -l)" ]
ok $? "code made at run time: $got instructions, as in the log" out
for name in before after; do
	shows "code made at run time: function $name" "^$name  \(jit-.*\.dump\): "
done
shows "code made at run time: source line" '^jit.src:42$'

# the choice of functions
"$san" annotate --symbol=classify arm64.data >out 2>err
ok $? "--symbol" err
[ "$(grep -c ' instructions, .*%$' out)" = 1 ]
ok $? "--symbol: one function" out
shows "its name and file" '^classify  \(arm64\): [0-9]+ instructions, [0-9.]+%$'
shows "a source line with its text" '^annotate\.c:[0-9]+ {18}return value / 7;$'
shows "many of them are one row" '^ +0 +[0-9a-f]+  \.\.\. [0-9]+ instructions$'
total=$(rows out | awk '{ n += $3 } END { print n }')
[ "$(sed -nE 's/^classify .*: ([0-9]+) instructions.*/\1/p' out)" = "$total" ]
ok $? "the sum of its counts, $total" out
[ "$("$hwflow" report --limit=0 arm64.data | awk '/ classify / { print $2 }')" = "$total" ]
ok $? "which is that of report"
"$san" annotate --symbol=classify --all arm64.data >out 2>err
size=$(aarch64-linux-gnu-nm -S arm64 | awk '/ classify$/ { print $2 }')
! grep -q '\.\.\.' out && [ "$(rows out | awk '{ n += $2 } END { print n }')" = $((16#$size)) ]
ok $? "--all: rows for the whole function" out
shows "--all: instructions that were not executed" '^ +0 +[0-9a-f]+  [0-9a-f]{8}  [a-z]'
"$san" annotate --symbol=sum --no-lines arm64.data >out 2>err
! grep -q '^annotate' out && grep -q -- ' -> [0-9a-f]* classify$' out
ok $? "--no-lines; the name of a function that is called" out
"$san" annotate --symbol=sum --full-paths arm64.data >out 2>err
shows "--full-paths" "^$here/annotate\.c:[0-9]+  int total = 0;|^/.*/annotate\.c:[0-9]+ "
cp "$here/annotate.c" copy.c && "$CC" -O1 -g -static -o gone copy.c && rm copy.c &&
	"$hwflow" emulate --quiet -o gone.data -- ./gone && "$san" annotate --symbol=sum gone.data >out 2>err
ok $? "a source file that is gone" err
shows "its lines have no text" '^copy\.c:[0-9]+$'
[ "$("$san" annotate --limit=2 arm64.data | grep -c ' instructions, .*%$')" = 2 ]
ok $? "--limit"
"$san" annotate --limit=1 arm64.data >out
shows "how many more there are" '^[0-9]+ more functions: --limit=0 prints all$'

# wrong usage, gaps
"$san" annotate --symbol=none arm64.data >out 2>err
[ $? = 1 ] && grep -q 'arm64.data: --symbol=none: no function of this name was executed' err
ok $? "a function that was not executed" err
"$san" annotate --limit=x arm64.data >out 2>err
[ $? = 1 ] && grep -q 'hwflow annotate: --limit=x: not a number' err
ok $? "--limit=x" err
mv arm64 moved
"$san" annotate arm64.data >out 2>err
[ $? = 3 ] && grep -q '^Not all of the execution is known' out && grep -q 'no program code' err
ok $? "a program that is missing: gaps" err
done_testing
