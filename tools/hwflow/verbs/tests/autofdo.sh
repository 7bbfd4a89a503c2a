#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# autofdo.sh BUILD - profiles for clang: those of programs in C and C++, of a library, and of a program with a separate
# debug file are those that llvm-profgen makes of the same counts; programs that are built with them take fewer branches.
# Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS
clang="clang-22 --target=aarch64-linux-gnu -fuse-ld=lld -O2 -g -fdebug-info-for-profiling"
emulate="$hwflow emulate --quiet --sysroot=/usr/aarch64-linux-gnu"

# lines FILE: a profile without how often functions are entered from other binaries, and without branches back to a
# loop at the entry of a function, which llvm-profgen takes for calls of it
lines() {
	sed -E 's/^([^ ].*):[0-9]+$/\1/' "$1" | awk '/^[^ ]/ { split($0, name, ":") }
		name[1] == "loop" { sub(" loop:[0-9]+", "") } { print }'
}

# as_profgen NAME BINARY: the profile NAME.prof of a binary that was recorded in NAME.data
as_profgen() {
	"$san" profile -o "$1.hwprof" "$1.data" 2>err && "$san" profile --for=autofdo --dso="$2" -o "$1.prof" "$1.hwprof" 2>>err
	ok $? "$1: profile" err
	"$san" profile --for=profgen --dso="$2" -o "$1.ranges" "$1.hwprof" &&
		llvm-profgen-22 --unsymbolized-profile="$1.ranges" --binary="$2" --format=text --output="$1.want" >err 2>&1 &&
		diff <(lines "$1.want") <(lines "$1.prof") >out 2>&1
	ok $? "$1: $(wc -l <"$1.prof") lines, as llvm-profgen has them" out
	llvm-profdata-22 overlap --sample "$1.prof" "$1.want" 2>&1 | grep -q 'Whole program profile similarity: *100.000%'
	ok $? "$1: llvm-profdata takes it for the same"
	llvm-profdata-22 show --sample "$1.prof" 2>/dev/null | grep -q 'inlined callee'
	ok $? "$1: there are inlined calls" "$1.prof"
}
# entered NAME FUNCTION: how often it was entered
entered() {
	sed -n "s/^$2:[0-9]*://p" "$1.prof"
}

# taken NAME FILE: branches taken in a file of a recording
taken() {
	"$hwflow" report --by=dso "$1.data" 2>/dev/null | awk -v file="$2" '$NF ~ "/" file "$" { print $4 }'
}

$clang -o inlined "$here/inlined.c" 2>err && $emulate -o inlined.data -- ./inlined >want 2>>err
ok $? "a program in C is recorded" err
as_profgen inlined inlined
# add_up() runs 101 times, the loop of loop() 49 times in each of its 50 calls
[ "$(entered inlined loop)" = 50 ] && [ "$(sed -n 's/^loop:[0-9]*://p' inlined.want)" -gt 1000 ]
ok $? "a loop at the entry of a function does not enter it" inlined.prof
[ "$(entered inlined nested)" = 21 ] && grep -q '^ 2[.0-9]*: 20 nested:20$' inlined.prof
ok $? "a function that calls itself is entered" inlined.prof
[ "$(entered inlined main)" = 1 ] && [ "$(entered inlined add_up)" = 101 ] && [ "$(entered inlined outer)" = 400 ] &&
	[ "$(entered inlined compare)" -gt 1000 ]
ok $? "functions are entered as often as they are called, from other binaries too" inlined.prof
! grep -q '^unused' inlined.prof && grep -q '^ *[0-9.]*: 0$' inlined.prof
ok $? "lines of a function that were not executed have the count 0; other functions are left out" inlined.prof
$clang -fprofile-sample-use=inlined.prof -Werror -o faster "$here/inlined.c" 2>err &&
	$emulate -o faster.data -- ./faster >out 2>>err && cmp want out
ok $? "clang reads it, and makes the same program" err
[ "$(taken faster faster)" -lt "$(taken inlined inlined)" ]
ok $? "branches taken: $(taken inlined inlined) before, $(taken faster faster) after"

"${clang%% *}" --driver-mode=g++ ${clang#* } -static -fno-exceptions -fno-rtti -nostdlib++ -o plus "$here/inlined.cc" 2>err &&
	$emulate -o plus.data -- ./plus >out 2>>err
ok $? "a program in C++ is recorded" err
as_profgen plus plus
grep -q '_ZNK5space6square4areaEi:[0-9]*:667' plus.prof && grep -q ' _ZNK5space6square4areaEi:667 _ZNK5space6circle4areaEi:333$' plus.prof
ok $? "targets of indirect calls are counted" plus.prof

$clang -shared -fPIC -DLIBRARY -o libinlined.so "$here/inlined.c" 2>err &&
	echo 'unsigned work(unsigned); int main(void) { return work(3) + work(4) == 1; }' >main.c &&
	$clang -o library main.c -L. -linlined -Wl,-rpath,"$work" 2>>err && $emulate -o library.data -- ./library 2>>err
ok $? "a library is recorded" err
as_profgen library libinlined.so
[ "$(entered library work)" = 2 ] && [ "$(sed -n 's/^work:[0-9]*://p' library.want)" = 0 ]
ok $? "the program calls its functions" library.prof

cp inlined.prof whole.prof && "${CC%gcc}objcopy" --only-keep-debug inlined inlined.dbg && mkdir debug && mv inlined.dbg debug &&
	"${CC%gcc}objcopy" --strip-all inlined && "$san" profile --for=autofdo --dso=inlined -o stripped.prof inlined.hwprof 2>err
[ $? = 2 ] && [ ! -e stripped.prof ] && grep -q "/inlined: it has no DWARF.*--debug-dir=DIR" err
ok $? "a program without DWARF is refused" err
"$san" profile --for=autofdo --dso=inlined --debug-dir=debug inlined.hwprof >out 2>err && cmp whole.prof out
ok $? "--debug-dir finds it" err
done_testing
