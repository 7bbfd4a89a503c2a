#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh STOCK QEMU DIR PAIRS - how much slower the emulated machine is than STOCK, a QEMU without trace units: CPU
# time of QEMU divided by that of STOCK.
#
# emulated_idle_slowdown: nothing is traced. /absent has no trace unit, /load and /boot have one that is disabled.
# emulated_trace_slowdown: /user traces EL0, /all traces everything, and /logged writes the ground-truth log as well.
# A name without /CONFIGURATION is the worst of its configurations.
#
# The workload is load.c of the bare-metal program, on one CPU: branches of all kinds, a block of four instructions on
# the average, no device and no waiting. /boot is Debian's kernel from its start to its end. Each value is the median of
# pairs of runs, one of STOCK and one of QEMU in turn; the least and the greatest go to standard error.
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

# slowdown NAME COMMAND OPTIONS [LOAD-TRACE]: QEMU's time by that of STOCK
slowdown() {
	local i name=$1 command=$2 options=$3 trace=${4-} a b

	for ((i = 0; i < pairs; i++)); do
		a=$("$command" "$stock" "" ${trace:+0})
		b=$("$command" "$ours" "$options" $trace)
		echo "$a $b"
	done | awk '{ print $2 / $1 }' | sort -n | awk -v "name=$name" '
		{ r[NR] = $1 }
		END {
			m = NR % 2 ? r[(NR + 1) / 2] : (r[NR / 2] + r[NR / 2 + 1]) / 2
			printf "bench: %s %.3f times\n", name, m
			printf "%s: %.3f to %.3f in %d pairs\n", name, r[1], r[NR], NR >"/dev/stderr"
		}'
}

# worst NAME: pass on the lines of its configurations, and print the worst of them
worst() {
	awk -v "name=$1" '
		{ print }
		$3 > most { most = $3 }
		END { printf "bench: %s %.3f times\n", name, most }'
}

unit=,ete=on,trbe=on
{
	slowdown emulated_idle_slowdown/absent load "" 0
	slowdown emulated_idle_slowdown/load load $unit 0
	slowdown emulated_idle_slowdown/boot boot $unit
} | worst emulated_idle_slowdown
{
	slowdown emulated_trace_slowdown/user load $unit 1
	slowdown emulated_trace_slowdown/all load $unit 2
	slowdown emulated_trace_slowdown/logged load "$unit,trace-log=$dir/truth" 2
} | worst emulated_trace_slowdown
rm -f "$dir/truth"
