#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# switch.sh QEMU MODULE DIR - what a switch of a thread that is traced costs: accesses to registers
# of the trace unit and the trace buffer, counted by the device model, and instructions executed by
# the driver, for one switch in and out of `perf record -e cs_etm//u --per-thread`; by our driver,
# which is MODULE, and by the kernel's own. With the resources that the model has by default, and
# with none.
#
# The thread is switched once a round, and the cost of a round is that of a long recording without
# that of a short one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
qemu=$(realpath "$1")
module=$(realpath "$2")
mkdir -p "$3"
dir=$(realpath "$3")
short=200
long=2200
common="virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci netfs fscache 9pnet 9pnet_virtio 9p"
intree="configfs coresight coresight-etm4x coresight-trbe"
counts="trace-unit-reads trace-unit-writes trace-buffer-reads trace-buffer-writes"
least=,ete-address-pairs=0,ete-resource-pairs=0,ete-counters=0,ete-single-shot=0,ete-sequencer=0
least=$least,ete-context-comparators=0,ete-virtual-context-comparators=0,ete-external-inputs=0

make_plugin() {
	gcc -std=c11 -O2 -Wall -Wextra -Werror -fPIC -shared -o "$dir/count.so" "$here/count.c" \
		-I"$("$top/tools/setup/fetch-qemu-source")/include/qemu" \
		$(pkg-config --cflags glib-2.0)
	aarch64-linux-gnu-gcc -static -O2 -Wall -Wextra -Werror -o "$dir/pingpong" \
		"$here/pingpong.c"
}

# an answer is a number by itself
answers() { # AT
	tr -d '\r' <"$1/monitor" | grep -E '^[0-9]+$' || true
}

# ask AT NAME: for the machine's counts, in the order of $counts; then it may go on behind stop NAME
ask() {
	local property before

	before=$(answers "$1" | wc -l)
	for property in $counts; do
		printf 'qom-get /machine/unattached/device[0] %s\n' "$property"
	done >&7
	until [ "$(answers "$1" | wc -l)" -eq $((before + 4)) ]; do
		kill -0 $boot
		sleep 0.1
	done
	touch "$1/host/$2"
}

# measure NAME CPU-OPTIONS FILE...: boots, and has in NAME/console, NAME/monitor and NAME/pages what
# was counted at begin, short and long
measure() {
	local name=$1 at=$dir/$1 cpu=$2 list=$common name_of boot stop
	local -a options=()

	shift 2
	[ $# -gt 0 ] || list="$intree $common"
	for name_of in $list; do
		options+=(--module "$name_of")
	done
	rm -rf "$at"
	mkdir -p "$at/host"
	cp "$here/guest.sh" "$at/test"
	printf 'SHORT=%s\nLONG=%s\n' $short $long >"$at/rounds"
	"$top/selftests/boot/make-image" -o "$at" --kernel 6.1 "${options[@]}" \
		--program linux-perf:usr/bin/perf "$at/test" "$at/rounds" "$dir/pingpong" "$@"
	mkfifo "$at/monitor.in" "$at/monitor.out"
	cat "$at/monitor.out" >"$at/monitor" &
	timeout 400 "$qemu" -M virt,gic-version=3 -cpu "max,ete=on,trbe=on$cpu" -m 1024 -nic none \
		-display none -serial "file:$at/console" -no-reboot -smp 1 -icount shift=1 \
		-virtfs "local,path=$at/host,mount_tag=host,security_model=none" \
		-chardev "pipe,id=monitor,path=$at/monitor" -mon monitor \
		-plugin "$dir/count.so,out=$at/pages" -kernel "$at/kernel" \
		-initrd "$at/initramfs" -append "console=ttyAMA0 quiet panic=-1 nokaslr" </dev/null &
	boot=$!
	exec 7>"$at/monitor.in"
	for stop in begin short long; do
		until grep -qs "^stop $stop" "$at/console"; do
			kill -0 $boot
			sleep 0.2
		done
		ask "$at" $stop
	done
	wait $boot
	exec 7>&-
	wait
	[ "$(grep -c '^recorded .* 0' "$at/console")" -eq 3 ]
}

# accesses NAME: to registers, a round
accesses() {
	answers "$dir/$1" | awk -v rounds=$((long - short)) '
		{ n[int((NR - 1) / 4)] += $1 }
		END { printf "%.2f\n", ((n[2] - n[1]) - (n[1] - n[0])) / rounds }'
}

# instructions NAME MODULE...: executed in these modules, a round
instructions() {
	local at=$dir/$1

	shift
	tr -d '\r' <"$at/console" | awk -v wanted=" $* " -v rounds=$((long - short)) '
		function number(hex,   i, n) {
			for (i = 1; i <= length(hex); i++)
				n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		# kernel addresses differ in their last 48 bits: what a number of awk can hold
		FNR == NR && $1 == "module" && index(wanted, " " $2 " ") {
			from[++m] = number(substr($3, 7)); to[m] = from[m] + $4
		}
		FNR == NR { next }
		$1 == "mark" { mark++; next }
		{
			at = number(substr($1, 5))
			for (i = 1; i <= m; i++)
				if (at >= from[i] && at < to[i])
					n[mark] += $2
		}
		END { printf "%.1f\n", (n[3] - n[2]) / rounds }' - "$at/pages"
}

ratio() {
	awk -v a="$2" -v b="$3" -v name="$1" 'BEGIN {
		printf "bench: %s %.2f ratio\n", name, a / b
		printf "%s: %s in-tree, %s ours\n", name, a, b >"/dev/stderr"
	}'
}

make_plugin
for set in full least; do
	cpu=
	[ $set = full ] || cpu=$least
	measure ours-$set "$cpu" "$module"
	measure intree-$set "$cpu"
	ratio switch_accesses_vs_coresight_$set "$(accesses intree-$set)" "$(accesses ours-$set)"
	ratio switch_instructions_vs_coresight_$set \
		"$(instructions intree-$set coresight coresight_etm4x coresight_trbe)" \
		"$(instructions ours-$set arm_ete_pmu)"
done
