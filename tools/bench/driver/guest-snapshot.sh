# SPDX-License-Identifier: GPL-2.0-only
#
# Record a snapshot of a thread that writes its ring over many times, and print how many interrupts of the trace
# buffers there were meanwhile.
interrupts() {
	awk '/ (arm_ete_pmu|arm_trbe)$/ { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' \
		/proc/interrupts
}

. /sizes
stop begin
before=$(interrupts)
perf record -Se -N -o data -m ",$RING" -e cs_etm//u --per-thread -- \
	awk -v n="$LOOPS" 'BEGIN { for (i = 0; i < n; i++) x += i % 7; print x }' >/tmp/log 2>&1
echo "recorded snapshot $?"
echo "interrupts $(($(interrupts) - before))"
cp data /host
stop snapshot
