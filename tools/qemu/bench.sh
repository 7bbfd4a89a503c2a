#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh STOCK QEMU DIR PAIRS - what tracing costs in the emulated machine: CPU time of STOCK, QEMU without
# our lines, divided by that of QEMU, so that 1 is no cost at all, and 0.5 twice the time.
#
# Work is load.c of the bare-metal program, in which nothing but execution takes time, and Debian's
# kernel from its start to its end. Medians of pairs, in turn; each line has its pairs' least and
# greatest on standard error.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
stock=$(realpath "$1")
ours=$(realpath "$2")
dir=$3
pairs=$4
mkdir -p "$dir"
dir=$(realpath "$dir")
make -s -C "$here/tests/bare" OUT="$dir/registers.elf"
cp "$here/tests/guest/nothing" "$dir/test"
"$here/../../selftests/boot/make-image" -o "$dir" "$dir/test"

# seconds COMMAND...: its CPU time, of all its threads
seconds() {
	local TIMEFORMAT='%U %S'

	{ time "$@" >"$dir/output" 2>&1 </dev/null; } 2>&1 | awk '{ print $1 + $2 }'
}

load() { # QEMU CPU-OPTIONS LOAD-TRACE
	seconds timeout 300 "$1" -M virt,gic-version=3 -cpu "max$2" -m 128 -nic none -display none \
		-serial none -monitor none -kernel "$dir/registers.elf" \
		-semihosting-config "enable=on,arg=registers,arg=load=300,arg=load-trace=$3"
}

boot() { # QEMU CPU-OPTIONS
	seconds timeout 300 "$1" -M virt,gic-version=3 -cpu "max$2" -m 512 -nic none -display none \
		-serial none -monitor none -no-reboot -kernel "$dir/kernel" -initrd "$dir/initramfs" \
		-append "console=ttyAMA0 quiet panic=-1"
}

# compare NAME COMMAND OPTIONS [LOAD-TRACE]: stock QEMU's time by ours
compare() {
	local i name=$1 command=$2 options=$3 trace=${4-} a b

	for ((i = 0; i < pairs; i++)); do
		a=$("$command" "$stock" "" ${trace:+0})
		b=$("$command" "$ours" "$options" $trace)
		echo "$a $b"
	done | awk '{ print $1 / $2 }' | sort -n | awk -v "name=$name" '
		{ r[NR] = $1 }
		END {
			m = NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2
			printf "bench: %s %.2f ratio\n", name, m
			printf "%s: %.2f to %.2f in %d pairs\n", name, r[1], r[NR], NR >"/dev/stderr"
		}'
}

unit=,ete=on,trbe=on
compare qemu_without_vs_stock load "" 0
compare qemu_off_vs_stock load $unit 0
compare qemu_boot_off_vs_stock boot $unit
compare qemu_user_vs_stock load $unit 1
compare qemu_all_vs_stock load $unit 2
compare qemu_all_logged_vs_stock load "$unit,trace-log=$dir/truth" 2
rm -f "$dir/truth"
