#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# coverage.sh BUILD - what `profile --for=lcov` writes: the counts of lines, functions and branches are those of the
# ground-truth log and of gcov; several binaries are one tracefile; lcov and genhtml read it. What `profile --for=drcov`
# writes: the blocks of all binaries. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
cp "$here/coverage.c" .

# lcov_of FILE OPTION...: FILE.info of FILE.data
lcov_of() {
	"$san" profile --for=lcov -o "$1.info" "${@:2}" "$1.data" 2>err
}

# refused STATUS PATTERN NAME ARGUMENT...: exit status and message of a command line, which changes no file
refused() {
	local status=$1 pattern=$2 name=$3

	shift 3
	echo old >kept
	"$san" profile --for=lcov -o kept "$@" 2>err
	[ $? = "$status" ] && grep -qE -- "$pattern" err && [ "$(cat kept)" = old ]
	ok $? "$name" err
}

# the log
for level in 0 1 2; do
	"$CC" "-O$level" -g -static -o "arm64-O$level" coverage.c && "$hwflow" emulate -q -o "arm64-O$level.data" -- "./arm64-O$level" &&
		"$hwflow" emulate --show-log="arm64-O$level.data.truth" >log && lcov_of "arm64-O$level"
	ok $? "-O$level: tracefile" err
	python3 "$here/profile_coverage.py" log "arm64-O$level.info" coverage.c "arm64-O$level" log >out 2>err
	ok $? "-O$level: $(cat out), as in the log" err
done
grep -q '^FNDA:0,never$' arm64-O1.info && grep -q '^DA:25,0$' arm64-O1.info && grep -q '^BRDA:24,0,0,-$' arm64-O1.info
ok $? "a function, a line and a branch that never ran" arm64-O1.info
printf '%s\n' 'int twice(int value)' '{' '	int copy;' '	copy = value;' '	value = copy;' '	return value * 2;' '}' \
	'int main(void) { return twice(3) + twice(4) != 14; }' >copy.c
"$CC" -O2 -fno-inline -g -static -o copy copy.c && "$hwflow" emulate -q -o copy.data -- ./copy && lcov_of copy &&
	[ "$(sed -n 's/^DA://p' copy.info | head -n 6 | tr '\n' ' ')" = "2,2 3,2 4,2 5,2 6,2 7,2 " ]
ok $? "a line of which no code is left has the count of the code that follows" copy.info

# a loop that begins with its function, two functions in a line, and names that compilers make: a part of a function and a
# copy
cat >names.S <<'END'
	.globl count, scale.constprop.0, both
	.type count, %function
	.type count.cold, %function
	.type scale.constprop.0, %function
count: sub x0, x0, #1; cbnz x0, count; b count.cold; .size count, . - count; count.cold: ret; .size count.cold, 4
	.type both, %function
scale.constprop.0:
	add x0, x0, x0
	ret; both: ret; .size both, 4
	.size scale.constprop.0, 8
END
printf '%s\n' 'long count(long n);' 'long scale(long n) __asm__("scale.constprop.0");' \
	'int main(void) { return count(5) + count(5) + scale(0); }' >names.c
"$CC" -g -static -o names names.c names.S && "$hwflow" emulate -q -o names.data -- ./names && lcov_of names &&
	[ "$(grep -A100 'SF:.*names.S' names.info | grep -E '^(FN|FNDA|DA):' | tr '\n' ' ')" = \
		"FN:5,count FNDA:2,count FN:8,scale FNDA:1,scale FN:9,both FNDA:0,both DA:5,10 DA:8,1 DA:9,1 " ]
ok $? "parts and copies of functions" names.info

# gcov
mkdir gcov && "$CC" -O0 --coverage -static -o gcov/coverage coverage.c && "$(qemu_of "$hwflow" qemu-aarch64)" gcov/coverage 2>err
"${CC%gcc}gcov" --json-format --stdout gcov/*.gcda >gcov.json 2>>err
ok $? "gcov counts the same program" err
python3 "$here/profile_coverage.py" gcov arm64-O0.info coverage.c gcov.json >out 2>err
ok $? "gcov: $(tail -n 1 out): all are the same but $(grep -c ':' out) with a cause" err
sed '$d; s/^/# /' out
riscv64-linux-gnu-gcc -O0 -g -static -o riscv64 coverage.c && "$hwflow" emulate -q -o riscv64.data -- ./riscv64 && lcov_of riscv64
ok $? "riscv64: tracefile" err
python3 "$here/profile_coverage.py" gcov riscv64.info coverage.c gcov.json >out 2>err
ok $? "riscv64: $(tail -n 1 out): as in gcov" err
[ "$(sed -n 's/^BRF://p' riscv64.info)" -gt 50 ] && grep -q '^BRDA:24,0,1,-$' riscv64.info &&
	grep -q '^BRDA:173,0,0,50$' riscv64.info && grep -q '^BRDA:173,0,1,1$' riscv64.info
ok $? "riscv64: branches" riscv64.info

# several binaries
mkdir -p src/program src/library src/inc
cat >src/inc/both.h <<'END'
static inline int both(int value)
{
	return value * 2;
}
END
printf '%s\n' '#include ".././inc//both.h"' 'int library(int value)' '{' '	return both(value) + both(3);' '}' >src/library/library.c
printf '%s\n' '#include ".././inc//both.h"' 'int library(int value);' 'int main(void)' '{' \
	'	return both(library(1)) == 16 ? 0 : 1;' '}' >src/program/program.c
"$CC" -O0 -g -shared -fPIC -o liblibrary.so src/library/library.c &&
	"$CC" -O0 -g -o program src/program/program.c -L. -llibrary -Wl,-rpath,"$work" &&
	"$hwflow" emulate -q --sysroot=/usr/aarch64-linux-gnu -o program.data -- ./program &&
	"$san" profile -o program.hwprof program.data && lcov_of program
ok $? "a program with a library" err
cat >want <<END
$work/src/inc/both.h: 2,3 3,3 4,3
$work/src/library/library.c: 3,1 4,1 5,1
$work/src/program/program.c: 4,1 5,1 6,1
END
# lines TRACEFILE: the lines of each file
lines() {
	awk -F: '/^SF/ { file = $2 } /^DA/ { lines = lines " " $2 } /^end/ { print file ":" lines; lines = "" }' "$1" | sort
}
lines program.info | diff want - >out
ok $? "the counts of a header are the sum of those of both binaries" out
lcov_of program --dso=liblibrary.so && printf '%s\n' "$work/src/inc/both.h: 2,2 3,2 4,2" \
	"$work/src/library/library.c: 3,1 4,1 5,1" >want && lines program.info | diff want - >out
ok $? "--dso: one binary" out
mv liblibrary.so moved
"$san" profile --for=lcov -o program.info program.hwprof 2>err
[ $? = 3 ] && grep -q 'liblibrary.so: No such file' err && [ "$(lines program.info | wc -l)" = 2 ]
ok $? "a binary that is missing is left out, with exit status 3" err
refused 2 'liblibrary.so: No such file' "a missing binary that is asked for" --dso=liblibrary.so program.hwprof
mv moved liblibrary.so
refused 1 'the profile has no such file' "a binary that is not in the profile" --dso=none program.data
"$CC" -O0 -static -o without coverage.c && "$hwflow" emulate -q -o without.data -- ./without
refused 2 'no source lines: .*compile with -g.*--debug-dir=DIR' "a program without debug information" without.data
mkdir debug && "${CC%gcc}objcopy" --only-keep-debug arm64-O1 debug/arm64-O1.debug && "${CC%gcc}strip" -o stripped arm64-O1 &&
	mv arm64-O1 whole && mv stripped arm64-O1 && cp arm64-O1.info whole.info && lcov_of arm64-O1 --debug-dir=debug &&
	cmp whole.info arm64-O1.info
ok $? "--debug-dir: lines of a separate debug file" err
mkdir $'src/a\nDA:1,1' && printf 'int main(void) { return 0; }\n' >$'src/a\nDA:1,1/b.c' &&
	"$CC" -g -static -o named $'src/a\nDA:1,1/b.c' && "$hwflow" emulate -q -o named.data -- ./named && lcov_of named &&
	grep -qF 'SF:'"$work"'/src/a\nDA:1,1/b.c' named.info && [ "$(grep -c ^DA named.info)" = 1 ]
ok $? "the name of a file makes no line of its own" named.info

# lcov
lcov --rc lcov_branch_coverage=1 --summary arm64-O0.info >out 2>&1 && grep -q 'lines.*(99 of 114 lines)' out &&
	grep -q 'functions.*(13 of 15 functions)' out && grep -q 'branches.*(66 of 80 branches)' out
ok $? "lcov --summary" out
genhtml -q --branch-coverage -o pages arm64-O0.info >out 2>&1 && grep -rq 'sink += value;' pages && [ ! -s out ]
ok $? "genhtml" out
lcov --rc lcov_branch_coverage=1 -q -a arm64-O0.info -a riscv64.info -o sum.info >out 2>&1 &&
	grep -q '^DA:174,100$' sum.info
ok $? "lcov -a: tracefiles are added up" out

# drcov
{
	printf '%s\n' 'int main(int argc, char **argv)' '{' '	(void)argv;'
	for ((i = 0; i < 40000; i++)); do echo '	__asm__ volatile("nop");'; done
	printf '%s\n' '	return argc != 1;' '}'
} >long.c
"$CC" -static -o long long.c && "$hwflow" emulate -q -o long.data -- ./long
ok $? "a program with a block of more than 64 KB is recorded"
for name in program arm64-O1 riscv64 long; do
	"$san" profile --for=drcov -o $name.drcov $name.data 2>err && "$san" profile --for=json -o $name.json $name.data 2>>err
	ok $? "$name: drcov" err
	python3 "$here/profile_drcov.py" $name.drcov $name.json >out 2>err
	ok $? "$name: $(cat out), as in the profile" err
done
"$san" profile --for=drcov --dso=liblibrary.so -o one.drcov program.data 2>err &&
	grep -qa '^Module Table: version 2, count 1$' one.drcov && grep -qa '^0, .*/liblibrary.so$' one.drcov
ok $? "--dso: one module" err
done_testing
