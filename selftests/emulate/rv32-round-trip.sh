#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rv32-round-trip.sh HWFLOW DIR - real programs of RV32 on a bare machine, with U-mode, exceptions and
# timer interrupts (rv32-start.c): executed by QEMU, encoded, decoded under each setting of
# rv32.table, and compared instruction by instruction and trap by trap with QEMU's own log, in which no
# code of ours has a part. Speaks TAP.
set -u

hwflow=$(realpath "$1")
dir=$2
here=$(cd "$(dirname "$0")" && pwd)
setup=$here/../../tools/setup
CC=riscv64-unknown-elf-gcc
least=4000000
. "$setup/tests/tap.bash"
. "$setup/tests/wait.bash"
. "$here/programs.bash"
. "$here/../golden/riscv-traps.bash"

command -v qemu-system-riscv32 >/dev/null || {
	echo "ok 1 - rv32-round-trip # SKIP qemu-system-riscv32 is not installed"
	exit 0
}
rm -rf "$dir"
mkdir -p "$dir"
dir=$(realpath "$dir")

# the memory of QEMU's virt: code, then data
memory=(-Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=0x400000
	-Wl,--defsym=__ram=0x80400000,--defsym=__ram_size=0x4000000,--defsym=__stack_size=0x10000)
picolibc=(--specs=picolibc.specs --picolibc-buildtype=release --oslib=semihost --crt0=semihost)

programs=({bzip2,lua}-{c,g,q} minigzip-{c,g})

# build NAME
build() {
	local name=$1 march=rv32imac options=()

	case $name in
	*-g) march=rv32im ;;
	*-q) options=(-DQUIET) ;;
	esac
	$CC "${picolibc[@]}" -march=${march}_zicsr -mabi=ilp32 -O2 ${options[@]+"${options[@]}"} -c \
		-o "$dir/$name.o" "$here/rv32-start.c" &&
		program_sources "${name%-*}" "$dir" &&
		# the seed of lua is the time, if it is not said
		$CC "${picolibc[@]}" "${memory[@]}" -march=$march -mabi=ilp32 -O2 -w -I"$dir" \
			'-Dluai_makeseed(L)=1' -Wl,--wrap=main -o "$dir/$name" "${sources[@]}" \
			"$dir/$name.o" || exit 1
}

cat >"$dir/lua.lua" <<'END'
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local t, s = {}, {}
for i = 1, 60 do t[i] = (i * 7919) % 2003 end
table.sort(t)
for i = 1, 20 do s[#s + 1] = ("%d:%s"):format(t[i], ("x"):rep(i % 7)) end
local walk = coroutine.wrap(function() for i = 1, 50 do coroutine.yield(i / 4) end end)
local sum = 0
for i = 1, 50 do
	local good = pcall(function() if i % 3 == 0 then error({}) end end)
	sum = sum + walk() + (good and 1 or 0)
end
print(fib(9), #table.concat(s, ","):gsub("x+", "y"), sum)
END

# words NAME: what the program is given
words() {
	case $1 in
	bzip2-*) echo -1 -k input ;;
	minigzip-*) echo input ;;
	lua-*) echo lua.lua ;;
	esac
}

# right NAME: the program's own result
right() {
	case $1 in
	bzip2-*) bunzip2 <"$dir/input.bz2" | cmp -s - "$dir/given" ;;
	minigzip-*) gunzip <"$dir/input.gz" | cmp -s - "$dir/given" ;;
	lua-*) [ "$(tr '\t' ' ' <"$dir/out")" = "34 114 352.75" ] ;;
	esac
}

# one instruction a block: the option has this name since QEMU 8.1
one=(-accel "tcg,one-insn-per-tb=on")
qemu-system-riscv32 -help 2>/dev/null | grep -q one-insn-per-tb || one=(-singlestep)

# execute NAME: NAME.exec has what was executed; the program's words are relative to DIR
execute() {
	local name=$1 arguments="" word

	cp "$dir/given" "$dir/input"
	rm -f "$dir"/input.*
	for word in $(words "$name"); do arguments+=,arg=$word; done
	riscv64-unknown-elf-objdump -d "$dir/$name" >"$dir/objdump"
	(cd "$dir" && guarded 300 qemu-system-riscv32 -M virt -m 128 -bios none -display none \
		-serial none -monitor none -icount shift=0 -chardev file,id=out,path=out \
		-semihosting-config "enable=on,userspace=on,target=native,chardev=out$arguments" \
		-kernel "$name" "${one[@]}" -d exec,nochain,int -D /dev/fd/3 \
		3>&1 >"$dir/qemu" 2>&1) | awk -f "$here/exec-csv.awk" "$dir/objdump" - >"$dir/$name.exec"
	ok "${PIPESTATUS[0]}" "$name comes to its end" "$dir/qemu"
	right "$name"
	ok $? "$name has its result"
}

# retired [RANGES [PRIVILEGES]]: addresses of the instructions of an exec.csv that retired, in one of
# the ranges LO-HI and at one of the levels
retired() {
	awk -F, -v ranges="${1-}" -v levels="${2-}" '
		BEGIN { count = split(ranges, range, " ") }
		NR == 1 || ($5 == 1 && $3 != "00000073" && $3 != "00100073") { next }
		levels != "" && index(levels, $4) == 0 { next }
		{
			# text: of the same length and case it sorts as numbers do
			in_range = count == 0
			for (i = 1; i <= count; i++) {
				split(range[i], end, "-")
				if ($2 "" >= end[1] "" && $2 "" <= end[2] "")
					in_range = 1
			}
			if (in_range)
				print $2
		}'
}

# round NAME OPTIONS: encoded and decoded, it is what was executed
round() {
	local name=$1 options=$2 config ranges="" levels="" word

	for word in $options; do
		case $word in
		--filter=*) ranges+="${word#*=} " ;;
		--privilege=*) levels=${word#*=} ;;
		esac
	done
	if [ -z "$ranges$levels" ]; then
		cp "$dir/$name.pc" "$dir/pc"
	else
		retired "$ranges" "$levels" <"$dir/$name.exec" >"$dir/pc"
	fi
	# shellcheck disable=SC2086 # options are words
	config=$("$hwflow" encode --protocol=riscv $options --print-config)
	# shellcheck disable=SC2086
	"$hwflow" encode --protocol=riscv $options -o "$dir/trace" "$dir/$name.exec" 2>"$dir/err" &&
		"$hwflow" flow $config --image="$dir/$name" --format=pc "$dir/trace" \
			2>>"$dir/err" | cmp - "$dir/pc" >>"$dir/err" 2>&1 && [ ! -s "$dir/err" ]
	ok $? "$name equal, $(wc -l <"$dir/pc"):$options" "$dir/err"
	total=$((total + $(wc -l <"$dir/pc")))
	[ -z "$ranges$levels" ] || return
	# shellcheck disable=SC2086
	"$hwflow" flow $config --image="$dir/$name" --format=ref "$dir/trace" 2>/dev/null |
		decoded_traps >"$dir/decoded"
	wrong_traps "$dir/$name.traps" "$dir/decoded" >"$dir/wrong"
	[ -s "$dir/decoded" ] && [ ! -s "$dir/wrong" ]
	ok $? "$name traps:$options" "$dir/wrong"
}

for name in "${programs[@]}"; do build "$name"; done
head -c 2000 "$dir/bzip2-g" >"$dir/given"
executed=0
for name in "${programs[@]}"; do
	execute "$name"
	executed_traps <"$dir/$name.exec" >"$dir/$name.traps"
	interrupts=$(grep -c ' 7 1$' "$dir/$name.traps")
	# the exceptions of rv32-start.c, one of them twice; and interrupts, two in ten thousand
	[ "$(awk '$3 == 0 { print $2 }' "$dir/$name.traps" | tr '\n' ' ')" = "8 3 2 2 5 1 " ] &&
		case $name in
		*-q) [ "$interrupts" = 0 ] ;;
		*) [ "$interrupts" -ge 40 ] ;;
		esac
	ok $? "$name has its exceptions, and $interrupts interrupts" "$dir/$name.traps"
	retired <"$dir/$name.exec" >"$dir/$name.pc"
	executed=$((executed + $(wc -l <"$dir/$name.pc")))
done

total=0
while IFS='|' read -r program options pattern; do
	case $program in '#'*) continue ;; esac
	program=${program// /}
	round "$program" "$options"
	"$hwflow" dump $("$hwflow" encode --protocol=riscv $options --print-config) "$dir/trace" \
		2>/dev/null | grep -qE -- "${pattern# }"
	ok $? "$program has '${pattern# }'"
done < <(sed 's/ *| */|/g' "$here/rv32.table")

[ $executed -ge $least ]
ok $? "$executed instructions executed, of which at least $least are wanted; $total compared"
rm -f "$dir"/*.exec "$dir"/*.pc "$dir"/trace "$dir"/pc
done_testing
