#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# riscv-round-trip.sh HWFLOW DIR - real programs of RISC-V, executed, encoded, decoded and compared
# instruction by instruction, under each setting of riscv.table; 50 million instructions in all.
# Speaks TAP.
set -u

hwflow=$(realpath "$1")
dir=$2
here=$(cd "$(dirname "$0")" && pwd)
setup=$here/../../tools/setup
CC=riscv64-linux-gnu-gcc
least=50000000
. "$setup/tests/tap.bash"
. "$setup/qemu-user.bash"
. "$here/programs.bash"

qemu_of "$hwflow" qemu-riscv64 >/dev/null || {
	echo "ok 1 - riscv-round-trip # SKIP there is no QEMU for riscv64: make qemu-user"
	exit 0
}
rm -rf "$dir"
mkdir -p "$dir"
dir=$(realpath "$dir")

# build NAME SOURCE... [OPTIONS]: with compressed instructions and without
build() {
	local name=$1

	shift
	$CC -march=rv64gc -mabi=lp64d -O2 -static -w -I"$dir" -o "$dir/$name-c" "$@" || exit 1
	$CC -march=rv64g -mabi=lp64d -O2 -static -w -I"$dir" -o "$dir/$name-g" "$@" || exit 1
}

program_sources bzip2 "$dir" || exit 1
build bzip2 "${sources[@]}"
program_sources minigzip "$dir" || exit 1
build minigzip "${sources[@]}"
program_sources lua "$dir" || exit 1
build lua -DLUA_USE_POSIX "${sources[@]}"
head -c 2000 "$dir/bzip2-c" >"$dir/input-bzip2"
head -c 10000 "$dir/bzip2-c" >"$dir/input-minigzip"
cat >"$dir/lua.lua" <<'END'
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local t, s = {}, {}
for i = 1, 500 do t[i] = (i * 7919) % 2003 end
table.sort(t)
for i = 1, 100 do s[#s + 1] = ("%d:%s"):format(t[i], ("x"):rep(i % 7)) end
print(fib(13), #table.concat(s, ","):gsub("x+", "y"))
END
cat >"$dir/throw.lua" <<'END'
local sum, walk = 0, coroutine.wrap(function() for i = 1, 500 do coroutine.yield(i) end end)
for i = 1, 500 do
	local good = pcall(function() if i % 3 == 0 then error({}) end end)
	sum = sum + walk() + (good and 1 or 0)
end
print(sum)
END

# words NAME-MARCH: the command of a program
words() {
	local name=${1%-*}

	case $name in
	throw) echo "$dir/lua-${1##*-} $dir/throw.lua" ;;
	lua) echo "$dir/$1 $dir/lua.lua" ;;
	*) echo "$dir/$1 -c $dir/input-$name" ;;
	esac
}

# right NAME FILE: the program's own result
right() {
	case $1 in
	bzip2-*) bunzip2 <"$2" | cmp -s - "$dir/input-bzip2" ;;
	minigzip-*) gunzip <"$2" | cmp -s - "$dir/input-minigzip" ;;
	lua-*) [ "$(cut -f 1 "$2")" = 233 ] ;;
	throw-*) [ "$(cat "$2")" = $((500 * 501 / 2 + 500 - 166)) ] ;;
	esac
}

total=0
while IFS='|' read -r program options pattern; do
	case $program in '#'*) continue ;; esac
	program=${program// /}
	pattern=${pattern# }
	filtered=
	case $options in *--filter*) filtered=--filtered ;; esac
	# shellcheck disable=SC2086,SC2046 # options and commands are words
	"$hwflow" emulate --quiet $options -o "$dir/t.data" -- $(words "$program") >"$dir/out" \
		2>"$dir/err" && "$hwflow" verify $filtered "$dir/t.data" >"$dir/verify" 2>&1
	status=$?
	ok $status "$program equal:$options" "$dir/verify"
	[ $status -eq 0 ] || continue
	count=$(sed -n 's/^equal: .* \([0-9]*\) instructions$/\1/p' "$dir/verify")
	total=$((total + ${count:-0}))
	# all of it is compared, but what a filter leaves out
	if [ -z "$filtered" ] && grep -q 'lost\|not verified\|P0' "$dir/verify"; then
		ok 1 "$program all compared:$options" "$dir/verify"
	fi
	right "$program" "$dir/out"
	ok $? "$program has its result" "$dir/out"
	"$hwflow" dump "$dir/t.data" 2>/dev/null | grep -E -- "$pattern" >"$dir/found"
	ok $? "$program has '$pattern'"
done < <(sed 's/ *| */|/g' "$here/riscv.table")

# the same without the log, by the addresses; and the context, which verify does not look at
"$hwflow" emulate --quiet --dialect=0.026 --config=context_width_p=32 -o "$dir/t.data" -- "$dir/lua-c" "$dir/throw.lua" \
	>"$dir/out" 2>"$dir/err"
"$hwflow" emulate --show-log="$dir/t.data.truth" | awk '$4 != "EXC" { print $6 }' >"$dir/pc"
tid=$("$hwflow" emulate --show-log="$dir/t.data.truth" | awk '{ print $3; exit }')
rm "$dir/t.data.truth"
"$hwflow" flow --format=pc "$dir/t.data" 2>"$dir/err" | cmp -s - "$dir/pc"
ok $? "addresses, with no log to look at" "$dir/err"
[ "$("$hwflow" flow "$dir/t.data" 2>"$dir/err" | sed -n 's/.*mode: //p' | sort -u)" = \
	"U, context $(printf '%#x' "$tid")" ]
ok $? "the context is the thread's number, the privilege U" "$dir/err"

[ $total -ge $least ]
ok $? "$total instructions, of which at least $least are wanted"
rm -f "$dir"/t.data*
done_testing
