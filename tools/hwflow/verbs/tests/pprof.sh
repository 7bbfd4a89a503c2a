#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# pprof.sh BUILD - profiles for pprof have the instructions and branches of each function that report has, and the lines
# and inlined calls of llvm-symbolizer: of A64 programs with libraries, RV64 programs, code made at run time, and a
# program that is missing. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS
clang="clang-22 --target=aarch64-linux-gnu -fuse-ld=lld -O2 -g"

# as_report NAME [PROGRAM]: the profile of NAME.data has what report has; PROGRAM has inlined calls
as_report() {
	"$san" profile -o "$1.hwprof" "$1.data" 2>err && "$san" profile --for=pprof -o "$1.pb.gz" "$1.hwprof" 2>>err
	ok $? "$1: profile" err
	gzip -t "$1.pb.gz" 2>err
	ok $? "$1: gzip takes it" err
	"$san" report --limit=0 --width=0 "$1.hwprof" >"$1.report" 2>/dev/null
	"$san" profile --for=json "$1.hwprof" >"$1.json" 2>/dev/null
	python3 "$here/profile_pprof.py" "$1.pb.gz" "$1.report" ${2+"$1.json" "$2"} >out 2>&1
	ok $? "$1: $(tr '\n' ' ' <out)" out
}

$clang -Wl,--build-id -o inlined "$here/inlined.c" 2>err &&
	"$hwflow" emulate --quiet --sysroot=/usr/aarch64-linux-gnu -o inlined.data -- ./inlined >out 2>>err
ok $? "a program with shared libraries is recorded" err
as_report inlined inlined
# the program has more instructions than its libraries
id=$(readelf -n inlined | sed -n 's/.*Build ID: //p')
python3 - "$here" inlined.pb.gz "$id" "$work/inlined" >out 2>&1 <<-'END'
	import sys
	sys.path.insert(0, sys.argv[1])
	import profile_pprof
	profile = profile_pprof.Profile(sys.argv[2])
	first = profile.mappings[0]
	print(first, profile.strings[first[6]])
	sys.exit(profile.strings[first[6]] != sys.argv[3] or profile.strings[first[5]] != sys.argv[4] or
	         any(first[flag] != 1 for flag in range(7, 11)) or len(profile.mappings) < 3)
END
ok $? "the first mapping is the program, with its build id" out

${clang/clang-22/clang-22 --driver-mode=g++} -static -fno-exceptions -fno-rtti -nostdlib++ -o plus "$here/inlined.cc" 2>err &&
	"$hwflow" emulate --quiet -o plus.data -- ./plus >out 2>>err
ok $? "a static program in C++ is recorded" err
as_report plus plus
riscv64-linux-gnu-gcc -O1 -g -static -o riscv64 "$here/annotate.c" && "$hwflow" emulate --quiet -o riscv64.data -- ./riscv64 2>err
ok $? "a program with instructions of two and four bytes is recorded" err
as_report riscv64
"$CC" -O1 -static -o jit "$top/tools/hwflow/tests/jit.c" && "$hwflow" emulate --quiet -o jit.data -- ./jit dump 2>err
ok $? "code made at run time is recorded" err
"$san" profile -o all.hwprof inlined.data riscv64.data jit.data 2>err && cp all.hwprof all.data
ok $? "all are added" err
as_report all
mv plus moved && "$san" profile --for=pprof -o missing.pb.gz plus.hwprof 2>err
[ $? = 3 ] && grep -q "/plus: .*--symfs=DIR" err && "$san" report --limit=0 --width=0 plus.hwprof >report 2>/dev/null &&
	python3 "$here/profile_pprof.py" missing.pb.gz report >out 2>&1 && grep -q '^1 functions' out
ok $? "a program that is missing is reported, and has one function" out
done_testing
