#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lines.sh BUILD - source lines of programs by gcc, clang and the assembler: with .debug_aranges, without, and with some;
# units with ranges; split units; units of types; LTO; functions that the linker left out. Speaks TAP.
set -u
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../.." && pwd)
. "$top/tools/setup/tests/tap.bash"
CC=${CROSS_CC:-aarch64-linux-gnu-gcc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset DEBUGINFOD_URLS

# A function FILE_N is in FILE from line N to line N + 4.
for unit in a b; do
	cat >$unit.c <<-END
		extern volatile int sum;
		int ${unit}_2(int n)
		{
		        sum += n;
		        return sum * n;
		}

		int ${unit}_8(int n)
		{
		        for (int i = 0; i < n; i++)
		                sum += i;
		        return sum; }
	END
done
{
	echo 'int a_20(int n) {'
	for ((i = 21; i < 400; i++)); do echo 'sum += n;'; done
	echo 'return n; }'
} >>a.c
cat >c.c <<-END
	volatile int sum;
	int a_2(int), b_2(int), b_8(int), s_1(int);
	int c_3(void)
	{
	        return a_2(1) + b_2(2) + b_8(3) + s_1(4);
	}
END
printf '%s\n' '.globl s_1; .type s_1, %function; s_1:' ' nop' ' nop' ' nop' '.size s_1, .-s_1' >s.S

# lines_are WHAT FUNCTION...: the program has these functions, and each address of them has its line. Functions of
# the unit $mixed may have none.
mixed=
lines_are() {
	local what=$1 name address size i

	shift
	nm -S program | awk 'NF == 4 && $4 ~ /^[abcs]_[0-9]$/ { print $4, $1, $2 }' >functions
	while read -r name address size; do
		for ((i = 16#$address; i < 16#$address + 16#$size; i += 2)); do
			printf '%s %x\n' "$name" $i
		done
	done <functions >addresses
	cut -d' ' -f2 addresses | "$build/tests/make_lines" program >found 2>bad
	# line 0: the compiler has none
	paste -d' ' addresses found | awk -v wanted="$*" -v mixed="$mixed" '{
		split($1, part, "_")
		if (part[1] == mixed && $3 == "??:0")
			next
		split($3, line, ":")
		file = line[1]
		sub(/.*\//, "", file)
		sub(/\..*/, "", file)
		if (file != part[1] || (line[2] && (line[2] < part[2] || line[2] > part[2] + 4)))
			print
		else if (line[2])
			seen[$1] = 1
	}
	END {
		count = split(wanted, names, " ")
		for (i = 1; i <= count; i++)
			if (!(names[i] in seen))
				print "no line of " names[i]
	}' >>bad
	rows_are_found
	[ ! -s bad ]
	ok $? "$what" bad
}

# rows_are_found: the rows of the program have the lines that its addresses have; adds others to bad
rows_are_found() {
	"$build/tests/make_lines" program rows >rows 2>>bad
	python3 - rows addresses found >>bad <<-'END'
		import bisect, sys
		rows = [line.split(None, 2) for line in open(sys.argv[1])]
		# a row of no code is before the one that has the code
		rows = [(int(start, 16), int(end, 16), line.strip()) for start, end, line in rows if start != end]
		for (address, found) in zip(open(sys.argv[2]), open(sys.argv[3])):
		    at = int(address.split()[1], 16)
		    # the second byte of an instruction of T32, see symbols.c
		    row = max((row for row in rows if row[0] <= at), default=(0, 0, ""))
		    line = row[2] if at < row[1] else "??:0"
		    if line != found.strip() and not found.endswith(":0\n"):
		        print(f"{at:x}: {found.strip()}, and its row {line}")
		    elif at < row[1] and not line.startswith("/"):
		        print(f"{at:x}: {line} has no directory")
		if [row[0] for row in rows] != sorted(row[0] for row in rows):
		    print("rows are not sorted")
	END
}

# all_rows_are WHAT: the program has the rows that LLVM reads, those of no code included
all_rows_are() {
	"$build/tests/make_lines" program rows >rows 2>bad
	llvm-dwarfdump-22 --debug-line program | awk '/^0x/ { print $1, $2, /end_sequence/ }' >dump
	python3 - rows dump >>bad <<-'END'
		import sys
		rows = [line.split(None, 2) for line in open(sys.argv[1])]
		have = {(int(start, 16), int(line.split(":")[-1])) for start, _, line in rows}
		want, before = set(), None
		for at, line, end in (map(lambda word: int(word, 0), line.split()) for line in open(sys.argv[2])):
		    # one that goes on with the line before it is no row of its own
		    if line and not end and line != before:
		        want.add((at, line))
		    before = None if end else line
		empty = sum(start == end for start, end, _ in rows)
		for at, line in want ^ have:
		    print(f"{at:x}: line {line} is {'missing' if (at, line) in want else 'not in the file'}")
		if not empty:
		    print("no row is of no code")
	END
	[ ! -s bad ]
	ok $? "$1" bad
}
# compile COMPILER OPTION... - FILE...: to FILE.o
compile() {
	local compiler=$1 options=() file

	shift
	while [ "$1" != - ]; do
		options+=("$1")
		shift
	done
	for file in "${@:2}"; do
		$compiler "${options[@]}" -ffreestanding -c "$file" -o "${file%.*}.o" 2>compile.log ||
			ok 1 "$compiler ${options[*]} $file" compile.log
	done
}
# link OPTION...: the program
link() {
	"$CC" -nostdlib -static -Wl,-ec_3 "$@" -o program a.o b.o c.o s.o 2>link.log || ok 1 "link $*" link.log
}
all=(a_2 a_8 b_2 b_8 c_3 s_1)

for compiler in "$CC" "clang --target=aarch64-linux-gnu" "clang-22 --target=aarch64-linux-gnu"; do
	name=${compiler% *}
	for options in -gdwarf-5 "-gdwarf-4 -fdebug-types-section" -g1 "-gdwarf-4 -gsplit-dwarf -ffunction-sections" \
		"-gdwarf-5 -gsplit-dwarf -ffunction-sections"; do
		# shellcheck disable=SC2086 # options
		compile "$compiler" $options - a.c b.c c.c s.S && link
		lines_are "$name $options" "${all[@]}"
	done
	rm -f ./*.dwo
	lines_are "$name: the files of split units are missing" "${all[@]}"
done

mkdir sub && mv b.c sub
for options in -gdwarf-4 -gdwarf-5; do
	compile "$CC" $options - a.c sub/b.c c.c s.S && mv sub/b.o . && link
	lines_are "$options: a file has the directory of its unit" "${all[@]}"
done
mv sub/b.c .

compile "$CC" -g -O2 - a.c b.c c.c
compile "$CC" -g - s.S
link
all_rows_are "all rows, with those of lines that have no code"

compile "$CC" -g - c.c s.S
compile "clang --target=aarch64-linux-gnu" -g - a.c
compile "clang-22 --target=aarch64-linux-gnu" -g -ffunction-sections - b.c
link
readelf --debug-dump=aranges program >aranges 2>&1
[ "$(grep -c 'Length:' aranges)" = 2 ]
ok $? "some of the units have .debug_aranges" aranges
lines_are "these and the others have lines" "${all[@]}"

compile "$CC" -g -flto - a.c b.c c.c
compile "$CC" -g - s.S
"$CC" -g -O1 -flto -fno-inline -nostdlib -static -Wl,-ec_3 -Wl,-ua_8 -o program a.o b.o c.o s.o
lines_are "LTO" a_2 b_2 b_8 c_3 s_1

# Functions that the linker leaves out: their rows begin at 0. Those of a_20 go on up to the code of the program if it
# begins at 0x200: libdw mixes them with the rows of a_2.
for compiler in "$CC" "clang-22 --target=aarch64-linux-gnu"; do
	for options in -gdwarf-4 -gdwarf-5; do
		compile "$compiler" $options -ffunction-sections - a.c b.c c.c s.S
		link -Wl,--gc-sections -Wl,-Ttext=0x10000
		lines_are "${compiler% *} $options: functions are left out" a_2 b_2 b_8 c_3 s_1
		link -Wl,--gc-sections -Wl,-Ttext=0x200
		mixed=a
		lines_are "${compiler% *} $options: no line of a function that is left out" b_2 b_8 c_3 s_1
		mixed=
	done
done

for target in arm-linux-gnueabihf riscv64-linux-gnu; do
	options=(-g -ffunction-sections)
	[ $target = arm-linux-gnueabihf ] || options+=(-mno-relax)
	compile "clang-22 --target=$target" "${options[@]}" - a.c b.c c.c s.S
	ld.lld -e c_3 -o program a.o b.o c.o s.o 2>link.log
	lines_are "$target" "${all[@]}"
done
compile "clang-22 --target=arm-linux-gnueabihf -marm" -gdwarf-4 - a.c b.c c.c s.S
ld.lld -e c_3 --gc-sections -o program a.o b.o c.o s.o 2>link.log
lines_are "A32" "${all[@]}"
done_testing
