# SPDX-License-Identifier: GPL-2.0-only
#
# Accesses to registers of trace units, trace buffers and trace filters, of all CPUs together, as the
# emulated machine counts them: for cells with counts=on. To be sourced.
#
# The machine asks by a file count-NAME of its directory /host, and has the answer in counted-NAME.
counted="trace-unit-reads trace-unit-writes trace-buffer-reads trace-buffer-writes
trace-filter-accesses"

# numbers that the monitor has printed; an answer is a number by itself
monitor_answers() { # AT
	tr -d '\r' <"$1/monitor" | grep -E '^[0-9]+$'
}

# count_once AT CPUS: the sum of all counts
count_once() {
	local at=$1 cpus=$2 before wanted cpu property

	before=$(monitor_answers "$at" | wc -l)
	wanted=$((cpus * $(wc -w <<<"$counted")))
	for ((cpu = 0; cpu < cpus; cpu++)); do
		for property in $counted; do
			printf 'qom-get /machine/unattached/device[%d] %s\n' "$cpu" "$property"
		done
	done >&7
	until [ "$(monitor_answers "$at" | wc -l)" -ge $((before + wanted)) ]; do
		sleep 0.1
	done
	monitor_answers "$at" | tail -n "$wanted" | awk '{ n += $1 } END { print n }'
}

# serve_counts AT CPUS: until it is killed; the machine's monitor is the pipe AT/monitor
serve_counts() {
	local at=$1 cpus=$2 asked

	cat "$at/monitor.out" >"$at/monitor" &
	exec 7>"$at/monitor.in"
	while :; do
		for asked in "$at"/host/count-*; do
			[ -e "$asked" ] || continue
			rm "$asked"
			count_once "$at" "$cpus" >"$at/count"
			mv "$at/count" "$at/host/counted-${asked##*/count-}"
		done
		sleep 0.2
	done
}
