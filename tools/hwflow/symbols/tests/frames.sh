#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# frames.sh BUILD - functions and inlined calls of all addresses of programs by gcc and clang, in C and C++, are those
# that llvm-symbolizer prints: DWARF 4 and 5, split units, functions in parts, LTO, partial units, T32, RV64. Damaged
# DWARF ends. Speaks TAP.
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

cat >a.c <<-'END'
	#include "leaf.h"
	int cold(int);
	static inline __attribute__((always_inline)) int middle(int n, int k)
	{
	        int sum = 0;

	        for (int i = 0; i < n; i++)
	                sum += leaf(i + k) ^ (k > 3 ? leaf(sum) : leaf(k));
	        return sum;
	}
	int outer(int n)
	{
	        if (__builtin_expect(n == 77, 0))
	                return cold(middle(n, 9)) + cold(leaf(n)) * cold(n);
	        if (n > 10 && n % 3) return middle(n, 2) + middle(n, 5);
	        return middle(n * 2, n);
	}
END
cat >leaf.h <<-'END'
	static inline __attribute__((always_inline)) int leaf(int n)
	{
	        return n & 1 ? n * 3 : n / 2 + 1; }
END
cat >b.c <<-'END'
	#include "leaf.h"
	__attribute__((cold, noinline)) int cold(int n) { return leaf(n) - leaf(n + 1); }
	int outer(int);
	int start(int n) { return outer(n) + leaf(n + 3); }
END
cat >c.cc <<-'END'
	namespace space {
	template <typename T> struct sum {
	        T all;
	        inline __attribute__((always_inline)) sum &add(T x)
	        {
	                all += x; if (all > 1000) all -= 777;
	                return *this;
	        }
	};
	struct shape { virtual int area(int n) const = 0; };
	struct square : shape {
	        int area(int n) const override
	        {
	                sum<int> a{n};
	                for (int i = 0; i < n; i++)
	                        a.add(i).add(n);
	                return a.all;
	        }
	};
	struct circle : shape { int area(int n) const override; };
	int circle::area(int n) const
	{
	        auto twice = [&](int k) { sum<long> a{k}; return int(a.add(n).add(k).all); };
	        return twice(3) + twice(n);
	}
	}
	extern "C" void __cxa_pure_virtual() { __builtin_trap(); }
	extern "C" int start(int n)
	{
	        space::square s;
	        space::circle c;
	        return s.area(n) + c.area(n + 1);
	}
END

# frames_are WHAT: the frames of all addresses of the code of the program
frames_are() {
	llvm-objdump-22 -d --no-show-raw-insn program | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' >addresses
	"$build/tests/make_frames" program <addresses >have 2>err &&
		sed 's/^/0x/' addresses | llvm-symbolizer-22 -e program --inlines --verbose --no-demangle >want 2>>err &&
		python3 "$here/frames.py" have want >out 2>>err && [ ! -s err ]
	ok $? "$1: $(tail -n 1 out)" <(cat out err)
}
# built WHAT COMPILER OPTION... - FILE...: the program
built() {
	local what=$1 compiler=$2 options=()

	shift 2
	while [ "$1" != - ]; do
		options+=("$1")
		shift
	done
	# shellcheck disable=SC2086 # words
	$compiler "${options[@]}" -O2 -ffreestanding -nostdlib -Wl,-estart -o program "${@:2}" 2>compile.log ||
		ok 1 "$what" compile.log
}

clang="clang-22 --target=aarch64-linux-gnu -fuse-ld=lld"
for options in -gdwarf-5 "-gdwarf-4 -fdebug-types-section" "-gdwarf-5 -ffunction-sections -Wl,--gc-sections"; do
	for compiler in "$CC" "$clang -fdebug-info-for-profiling"; do
		# shellcheck disable=SC2086 # options
		built "$options" "$compiler" -static $options - a.c b.c
		frames_are "${compiler%% *} $options"
	done
	# shellcheck disable=SC2086 # options
	built "$options" "${clang/22/22 --driver-mode=g++} -fno-exceptions -fno-rtti" -static $options - c.cc
	frames_are "C++ $options"
done
for options in "-gdwarf-5 -gsplit-dwarf" "-gdwarf-4 -gsplit-dwarf -ffunction-sections"; do
	for compiler in "$CC" "$clang -fdebug-info-for-profiling"; do
		rm -f ./*.dwo
		# shellcheck disable=SC2086 # options
		built "$options" "$compiler" -static $options - a.c b.c
		frames_are "${compiler%% *} $options"
	done
	# shellcheck disable=SC2086 # options
	built "$options" "${clang/22/22 --driver-mode=g++} -fno-exceptions -fno-rtti" -static $options - c.cc
	frames_are "C++ $options"
done
built "split units" "$clang" -static -g -gsplit-dwarf - a.c b.c

# without WHAT PATTERN: what is reported of the program, whose code has frames of the unit b.c only
without() {
	timeout 20 "$build/tests/make_frames" program <addresses >have 2>err
	[ $? = 0 ] && [ "$(wc -l <err)" = 1 ] && grep -q "$2" err && grep -q '^cold$' have && ! grep -q '^middle$' have
	ok $? "split units: $1" err
}
llvm-objdump-22 -d --no-show-raw-insn program | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' >addresses
mv program-a.dwo good.dwo
without "a file that is missing is reported once" "the file program-a.dwo, .* is missing"
cp program-b.dwo program-a.dwo
without "so is a file of another unit" "program-a.dwo: its debug information is damaged"
read -r first size <<<"$(readelf -SW good.dwo | awk '/debug_rnglists.dwo/ { sub(/.*PROGBITS */, ""); print $2, $3 }')"
for ((i = 16#$first + 12; i < 16#$first + 16#$size; i += 7)); do
	cp good.dwo program-a.dwo && printf '\377\377\377' | dd of=program-a.dwo bs=1 seek=$i conv=notrunc 2>/dev/null
	timeout 20 "$build/tests/make_frames" program <addresses >have 2>err
	echo "$i $? $(grep -c 'its debug information is damaged' err)"
done >damaged
awk '$2 { bad = 1 } $3 { reported++ } END { exit bad || reported < 5 }' damaged
ok $? "split units: damaged lists of ranges are reported" damaged
cp good.dwo program-a.dwo
mkdir elsewhere && mv program elsewhere
"$build/tests/make_frames" elsewhere/program <addresses >have 2>err && grep -q '^middle$' have && [ ! -s err ]
ok $? "split units: files in the directory of the compiler" err
mv elsewhere/program .
rm ./*.dwo

built "functions in parts" "$CC" -static -g -freorder-blocks-and-partition - a.c b.c
frames_are "functions in parts"
built LTO "$CC" -static -g -flto - a.c b.c
frames_are LTO
built "a library" "$clang" -shared -fPIC -g - a.c b.c
frames_are "a library"
built T32 "clang-22 --target=arm-linux-gnueabihf -mthumb -fuse-ld=lld" -static -g - a.c b.c
frames_are T32
built RV64 "clang-22 --target=riscv64-linux-gnu -mno-relax -fuse-ld=lld" -static -g - a.c b.c
frames_are RV64

# Functions of a unit that a partial unit describes, as dwz(1) makes them; a name that refers to itself; calls that are
# inlined inside each other too deeply; blocks without end. $1: entries of the unit, $2: of the partial unit
damaged() {
	cat >program.s <<-END
		.text
		.globl start
		.type start, %function
		start:
		        .rept 64
		        nop
		        .endr
		.size start, .-start
		.section .debug_abbrev,"",%progbits
		        .uleb128 1, 0x11; .byte 1                      // compile unit
		        .uleb128 0x11, 0x01, 0x12, 0x07, 0, 0          // low_pc, high_pc
		        .uleb128 2, 0x2e; .byte 1                      // subprogram
		        .uleb128 0x31, 0x10, 0x11, 0x01, 0x12, 0x0b, 0, 0 // abstract_origin in another unit, low_pc, high_pc
		        .uleb128 3, 0x1d; .byte 1                      // inlined call
		        .uleb128 0x31, 0x10, 0x11, 0x01, 0x12, 0x0b, 0x59, 0x0b, 0x57, 0x0b, 0, 0 // and line, column of the call
		        .uleb128 4, 0x3c; .byte 1                      // partial unit
		        .uleb128 0, 0
		        .uleb128 5, 0x2e; .byte 0                      // subprogram
		        .uleb128 0x03, 0x08, 0x3b, 0x0b, 0x20, 0x0b, 0, 0 // name, line, inline
		        .uleb128 6, 0x2e; .byte 0                      // subprogram
		        .uleb128 0x31, 0x10, 0, 0                      // abstract_origin
		        .uleb128 7, 0x0b; .byte 1, 0, 0                // block
		        .byte 0
		.section .debug_info,"",%progbits
		.Linfo:
		        .long .Lend - .Lbegin
		.Lbegin:
		        .short 4; .long 0; .byte 8
		        .uleb128 1; .quad start; .quad 256
		        $1
		        .byte 0
		.Lend:
		        .long .Lpartend - .Lpart
		.Lpart:
		        .short 4; .long 0; .byte 8
		        .uleb128 4
		        $2
		        .byte 0
		.Lpartend:
	END
	"$CC" -c -o program.o program.s 2>compile.log && aarch64-linux-gnu-ld -e start -o program program.o 2>>compile.log ||
		ok 1 "program.s is assembled" compile.log
	start=$((16#$(nm program | sed -n 's/ T start$//p')))
	for i in {0..255..4}; do
		printf '%x\n' $((start + i))
	done >addresses
	timeout 20 "$build/tests/make_frames" program <addresses >have 2>err
}
names='.Lname: .uleb128 5; .asciz "far"; .byte 7; .byte 1; .Lother: .uleb128 5; .asciz "near"; .byte 9; .byte 1'
damaged '.uleb128 2; .long .Lname - .Linfo; .quad start; .byte 200
	.uleb128 3; .long .Lother - .Linfo; .quad start + 8; .byte 4; .byte 17; .byte 5; .byte 0; .byte 0' "$names"
[ $? = 0 ] && [ "$(sed -n 3p addresses | "$build/tests/make_frames" program | grep -v '^  .*: ??$' | tr -s ' \n' ' ')" = \
	"near Function start line: 9 Line: 0 Column: 0 Discriminator: 0 far Function start line: 7 Line: 17 Column: 5 Discriminator: 0 " ]
ok $? "functions that a partial unit describes" have
[ "$(grep -c '^far$' have)" = 50 ] && [ "$(grep -c '^near$' have)" = 1 ] && [ ! -s err ]
ok $? "and their addresses" have
damaged '.uleb128 2; .long .Lname - .Linfo; .quad start; .byte 200; .byte 0' '.Lname: .uleb128 6; .long .Lname - .Linfo'
[ $? = 0 ] && [ "$(grep -c 'Function start line: 0' have)" = 50 ]
ok $? "an origin that is its own origin" err
damaged '.uleb128 2; .long .Lname - .Linfo; .quad start; .byte 200
	.rept 300; .uleb128 3; .long .Lother - .Linfo; .quad start + 8; .byte 4; .byte 17; .byte 5; .endr
	.rept 301; .byte 0; .endr' "$names"
[ $? = 0 ] && [ "$(grep -c '^near$' have)" = 300 ] && [ ! -s err ]
ok $? "300 calls inside each other" err
damaged '.uleb128 2; .long .Lname - .Linfo; .quad start; .byte 200
	.rept 3000; .uleb128 3; .long .Lother - .Linfo; .quad start + 8; .byte 4; .byte 17; .byte 5; .endr
	.rept 3001; .byte 0; .endr' "$names"
[ $? = 0 ] && [ "$(grep -c '^near$' have)" -le 512 ] && grep -q "its debug information is damaged" err
ok $? "3000 calls inside each other are reported" err
damaged '.uleb128 2; .long .Lname - .Linfo; .quad start; .byte 200; .rept 200000; .uleb128 7; .endr' "$names"
[ $? = 0 ] && grep -qE "its debug information (is damaged|takes too long)" err
ok $? "blocks without end are reported" err
done_testing
