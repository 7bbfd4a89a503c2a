#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# switch.sh [--kernel SERIES] QEMU MODULE DIR - what a switch of a thread that is traced costs: accesses
# to registers of the trace unit and the trace buffer, counted by the device model, and instructions
# executed by the driver, for one switch in and out of `perf record -e cs_etm//u --per-thread`; by our
# driver, which is MODULE, and by the in-tree driver of kernel SERIES (6.1 if not said). With the resources
# that the model has by default, and with the least that the in-tree driver takes: without a selector, or a
# comparator of each kind, it writes registers that are not there.
#
# The thread is switched once a round, and the cost of a round is that of a long recording without
# that of a short one. Instructions are counted, not time: it does not matter what else the host does.
set -euo pipefail
counts="trace-unit-reads trace-unit-writes trace-buffer-reads trace-buffer-writes"
. "$(dirname "$0")/machine.bash"
short=200
long=2200
least=,ete-address-pairs=1,ete-resource-pairs=2,ete-counters=0,ete-single-shot=0,ete-sequencer=0
least=$least,ete-context-comparators=1,ete-virtual-context-comparators=1,ete-external-inputs=0

make_programs() {
	gcc -std=c11 -O2 -Wall -Wextra -Werror -fPIC -shared -o "$dir/count.so" "$here/count.c" \
		-I"$("$top/tools/setup/fetch-source" --suite trixie qemu)/include/qemu" \
		$(pkg-config --cflags glib-2.0)
	aarch64-linux-gnu-gcc -static -O2 -Wall -Wextra -Werror -o "$dir/pingpong" \
		"$here/pingpong.c"
	printf 'SHORT=%s\nLONG=%s\n' $short $long >"$dir/rounds"
}

# record NAME CPU-OPTIONS MODULE
record() {
	measure "$1" guest-switch.sh "$2" "begin short long" "$3" "$dir/rounds" "$dir/pingpong" -- \
		-icount shift=1 -plugin "$dir/count.so,out=$dir/$1.pages"
	[ "$(grep -c '^recorded .* 0' "$dir/$1/console")" -eq 3 ]
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
		END { printf "%.1f\n", (n[3] - n[2]) / rounds }' - "$at.pages"
}

# compare WHAT SET IN-TREE OURS
compare() {
	echo "switch_$1_vs_coresight_$2: $3 in-tree, $4 ours" >&2
	awk -v a="$3" -v b="$4" -v name="switch_$1_vs_coresight_$2" 'BEGIN {
		printf "bench: %s %.2f ratio\n", name, a / b }'
}

make_programs
for set in full least; do
	cpu=
	[ $set = full ] || cpu=$least
	record ours-$set "$cpu" "$module"
	record intree-$set "$cpu" coresight
	compare accesses $set "$(accesses intree-$set)" "$(accesses ours-$set)"
	compare instructions $set \
		"$(instructions intree-$set coresight coresight_etm4x coresight_trbe)" \
		"$(instructions ours-$set arm_ete_pmu)"
done | tee "$dir/results"
# the worse of both
for what in accesses instructions; do
	sort -k3,3n "$dir/results" | awk -v name="switch_${what}_vs_coresight" '
		index($2, name "_") == 1 { print "bench:", name, $3, $4; exit }'
done | tee "$dir/worst"
# what is promised
awk '$2 ~ /accesses/ && $3 < 4 || $2 ~ /instructions/ && $3 < 2 { print "too few: " $0; bad = 1 }
	END { exit bad || NR != 2 }' "$dir/worst"
