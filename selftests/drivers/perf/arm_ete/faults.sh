#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# faults.sh [-d coresight] - errors that the platform can inject: allocations that fail while an event is opened, and
# writes of the trace buffer that fail.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
echo "TAP version 13"
need_root
need_pmu
make_work
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null

if [ -e /proc/self/fail-nth ] && [ -d /sys/kernel/debug/failslab ]; then
	# allocations that may sleep, too
	for kind in failslab fail_page_alloc; do
		echo N >/sys/kernel/debug/$kind/ignore-gfp-wait
	done
	for what in "cs_etm" "cs_etm 0 ko"; do
		# shellcheck disable=SC2086 # words
		./failnth perf $what >"$work/out" 2>&1
		status=$?
		sed 's/^/# /' "$work/out"
		ok $status "an event opened with each of its allocations failing: $what"
	done
else
	skip "an event opened with each of its allocations failing" \
		"there is no /proc/self/fail-nth (CONFIG_FAULT_INJECTION, CONFIG_FAILSLAB)"
fi

# faults: errors of a trace buffer so far
faults() {
	cat $stats/cpu*/faults_stage1 $stats/cpu*/faults_stage2 $stats/cpu*/external_aborts 2>/dev/null |
		awk '{ n += $1 } END { print n + 0 }'
}
if [ "$driver" = coresight ]; then
	xfail "trace goes on behind a fault of the trace buffer" "the in-tree driver disables the event"
else
	before=$(faults)
	./fault -1 >"$work/out" 2>&1
	status=$?
	sed 's/^/# /' "$work/out"
	if [ "$(faults)" = "$before" ]; then
		skip "trace goes on behind a fault of the trace buffer" "no fault occurs on this platform"
	else
		ok $status "trace goes on behind a fault of the trace buffer"
	fi
fi
done_testing
