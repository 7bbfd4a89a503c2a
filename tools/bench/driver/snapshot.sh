#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# snapshot.sh [--kernel SERIES] [--patched PATCHED] QEMU MODULE DIR - interrupts and lost bytes of a
# snapshot (perf record -S) whose ring is written over many times, by our driver, MODULE, by the in-tree
# driver of kernel SERIES (6.1 if not said) and, with --patched, by the patched one, whose modules are in PATCHED.
#
# Fails if our driver or the patched one had an interrupt, or lost a byte, or if the snapshot has no trace.
set -euo pipefail
counts="trace-bytes-accepted trace-bytes-rejected"
. "$(dirname "$0")/machine.bash"
ring=16K
loops=5000

# run NAME MODULE
run() {
	measure "$1" guest-snapshot.sh "" "begin snapshot" "$2" "$dir/sizes" -- \
		-icount shift=1
	grep -q '^recorded snapshot 0' "$dir/$1/console"
}

# row NAME: interrupts, bytes accepted, bytes rejected, bytes in the snapshot
row() {
	local interrupts saved

	interrupts=$(tr -d '\r' <"$dir/$1/console" | sed -n 's/^interrupts //p')
	saved=$(perf report -D -i "$dir/$1/host/data" 2>/dev/null |
		sed -n 's/.*PERF_RECORD_AUXTRACE size: \([^ ]*\).*/\1/p' | tail -n 1)
	answers "$dir/$1" | awk -v name="$1" -v interrupts="$interrupts" -v saved=$((saved)) '
		{ n[NR] = $1 }
		END { print name, interrupts, n[3] - n[1], n[4] - n[2], saved }'
}

printf 'RING=%s\nLOOPS=%s\n' $ring $loops >"$dir/sizes"
drivers="ours intree${patched:+ patched}"
for name in $drivers; do
	case $name in
	ours) run ours "$module" ;;
	intree) run intree coresight ;;
	patched) run patched patched ;;
	esac
done
for name in $drivers; do
	row "$name"
done >"$dir/rows"
(
	echo "driver interrupts accepted lost saved"
	cat "$dir/rows"
) | column -t
awk '{ print "bench: snapshot_interrupts_" ($1 == "intree" ? "coresight" : $1), $2, "interrupts" }
	$5 == 0 { print $1 ": the snapshot is empty"; bad = 1 }
	$1 != "intree" && ($2 || $4) { print $1 ": interrupts or losses"; bad = 1 }
	END { exit bad }' "$dir/rows"
