#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# landing-pads.sh BUILD - landing pads of all calls of C++ programs by gcc and clang are those that the labels of their
# assembly have: programs and libraries, functions in parts, other encodings. Rust, if there is rustc(1). Speaks TAP.
set -u
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../.." && pwd)
. "$top/tools/setup/tests/tap.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset DEBUGINFOD_URLS

cat >a.cc <<-'END'
	int make(int);
	void drop(int);
	struct guard {
	        int n;
	        explicit guard(int k) : n(make(k)) {}
	        ~guard() { drop(n); }
	};
	struct error { int n; error(const error &); ~error(); explicit error(int); };
	__attribute__((noinline)) int leaf(int n)
	{
	        if (n > 3) throw n;
	        if (n < -3) throw error(n);
	        return n + make(n);
	}
	__attribute__((cold, noinline)) int rare(int n) { guard g(n); return leaf(n); }
	int outer(int n)
	{
	        guard g(n);
	        int sum = 0;

	        try {
	                sum += leaf(n);
	                guard h(1);
	                sum += leaf(n + 1);
	        } catch (int k) {
	                guard q(k);
	                if (__builtin_expect(k == 77, 0)) {
	                        guard z(3);
	                        sum += leaf(k) * rare(k);
	                }
	                sum += k;
	        } catch (error &e) {
	                drop(e.n);
	                if (e.n == 5) throw;
	        }
	        return sum + leaf(n);
	}
	int certain(int n) noexcept { return leaf(n); }
	int recurse(int n)
	{
	        try {
	                if (n) return recurse(n - 1);
	                throw 1;
	        } catch (int k) {
	                if (n % 3) throw;
	                return k;
	        }
	}
	template <typename T> struct pair {
	        T a, b;
	        explicit pair(int n) : a(n), b(n + 1) {}
	        int sum(int n) { T c(n); return leaf(a.n) + leaf(b.n + c.n); }
	};
	int expand(int n, int (*call)(int))
	{
	        pair<guard> first(n);
	        if (__builtin_expect(call(n), 0)) { pair<guard> second(n + 7); make(call(3)); return second.sum(n); }
	        return first.sum(n) + call(9);
	}
END

# pads_are WHAT FILE.s TARGET OPTION...: the landing pads of all calls, assembled and linked with these options
pads_are() {
	local what=$1 assembly=$2 target=$3

	shift 3
	rm -f program have out
	# clang's assembler has labels of its own whose names begin with .Ltmp
	sed 's/\.Ltmp/.Lplace/g' "$assembly" >labelled.s
	if [ "$target" = gnu ]; then
		set -- aarch64-linux-gnu-ld "$@"
		aarch64-linux-gnu-as -L -o a.o labelled.s >err 2>&1
	else
		set -- ld.lld --discard-none "$@"
		clang-22 --target="$target" -Wa,-L -c -o a.o labelled.s >err 2>&1
	fi && "$@" --unresolved-symbols=ignore-all -o program a.o >>err 2>&1 &&
		llvm-nm-22 --special-syms program >labels 2>>err &&
		llvm-dwarfdump-22 --eh-frame program >frames 2>>err &&
		llvm-objdump-22 -d -j .text --no-show-raw-insn program 2>>err |
		sed -nE 's/^ *([0-9a-f]+):[[:space:]]+(bl|blr|callq?)[[:space:]].*/\1/p' >addresses &&
		"$build/tests/make_landing_pads" program <addresses >have 2>>err &&
		python3 "$here/landing_pads.py" labelled.s labels frames addresses have >out 2>>err
	ok $? "$what: $(tail -qn 1 out err 2>/dev/null | head -n 1)" <(cat out err 2>/dev/null)
}
program="-e 0"
library=-shared
# compiled FILE.cc COMMAND...: as a.s
compiled() {
	"${@:2}" -ffreestanding -S -o a.s "$1" 2>err || ok 1 "$*" err
}

arm64=aarch64-linux-gnu
clang="clang-22 --driver-mode=g++ -fno-addrsig --target"
for compiler in "$clang=$arm64" aarch64-linux-gnu-g++; do
	if ! command -v "${compiler%% *}" >/dev/null; then
		ok 0 "$compiler # SKIP no $compiler"
		continue
	fi
	[ "${compiler%% *}" = aarch64-linux-gnu-g++ ] && target=gnu || target=$arm64
	for options in -O0 -O2 "-O2 -ffunction-sections" "-O2 -fnon-call-exceptions -fno-asynchronous-unwind-tables"; do
		# shellcheck disable=SC2086 # options
		compiled a.cc $compiler $options -fno-pie
		# shellcheck disable=SC2086 # options
		pads_are "${compiler%% *} $options, program" a.s "$target" $program
		# shellcheck disable=SC2086 # options
		compiled a.cc $compiler $options -fPIC
		pads_are "${compiler%% *} $options, library" a.s "$target" $library
	done
done
if command -v aarch64-linux-gnu-g++ >/dev/null; then
	compiled a.cc aarch64-linux-gnu-g++ -O2 -fPIC -freorder-blocks-and-partition
	grep -q '^_Z5outeri\.cold:' a.s
	ok $? "g++ puts a part of a function elsewhere"
	pads_are "g++, functions in parts" a.s gnu $library
fi

# the parts of a function are in three sections, so its landing pads have a base
printf '%s\n' v1 "f _Z5outeri" c0 "c1 2 3" "c4 5 6 7" >blocks
for options in "-fPIC $library" "-fno-pie $program"; do
	# shellcheck disable=SC2086 # words
	compiled a.cc $clang=$arm64 -O2 -fbasic-block-sections=list=blocks "${options%% *}"
	grep '@LPStart Encoding' a.s | grep -qv omit
	ok $? "clang ${options%% *} has landing pad bases"
	# shellcheck disable=SC2086 # options
	pads_are "clang, functions in parts, ${options%% *}" a.s $arm64 ${options#* }
done

# numbers of four bytes, as older compilers and assemblers write them
# shellcheck disable=SC2086 # words
compiled a.cc $clang=$arm64 -O2 -fPIC
sed -E '/^GCC_except_table/,/^\.Lcst_end/ {
	/Call site Encoding/s/\.byte\s+1/.byte 3/
	/^\.Lcst_begin/,/^\.Lcst_end/ {
		/On action/!s/\.(uleb128|byte)/.4byte/
	}
}' a.s >b.s
[ "$(grep -c '\.4byte.*Call Site' b.s)" -gt 9 ]
ok $? "call sites with numbers of four bytes"
pads_are "numbers of four bytes" b.s $arm64 $library

if command -v rustc >/dev/null; then
	cat >r.rs <<-'END'
		pub struct Guard(pub u32);
		impl Drop for Guard {
		    #[inline(never)]
		    fn drop(&mut self) { println!("{}", self.0) }
		}
		#[inline(never)]
		pub fn leaf(n: u32) -> u32 { if n > 3 { panic!("large") } n }
		#[inline(never)]
		pub fn outer(n: u32) -> u32 {
		    let _guard = Guard(n);
		    let text = format!("{}", n);
		    let sum = leaf(n) + leaf(n + 1);
		    println!("{}", text);
		    sum
		}
		pub fn catches() -> bool { std::panic::catch_unwind(|| outer(3)).is_err() }
	END
	rust=$(rustc -vV | sed -n 's/^host: //p')
	rustc -O --crate-type lib --emit asm -o a.s r.rs 2>err || ok 1 rustc err
	pads_are "Rust" a.s "$rust" $library
else
	ok 0 "Rust # SKIP no rustc"
fi
done_testing
