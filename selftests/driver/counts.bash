# SPDX-License-Identifier: GPL-2.0-only
#
# Accesses to registers of trace units, trace buffers and trace filters, of all CPUs together, as the
# emulated machine counts them: for cells with counts=on. To be sourced.
#
# The machine asks by a file count-NAME of its directory /host, and has the answer in counted-NAME. A NAME that begins
# with bytes- asks for the bytes that were written to the trace buffers, with lost- for those that were lost because
# collection had stopped.
counted="trace-unit-reads trace-unit-writes trace-buffer-reads trace-buffer-writes
trace-filter-accesses"

# numbers that the monitor has printed; an answer is a number by itself
monitor_answers() { # AT
	tr -d '\r' <"$1/monitor" | grep -E '^[0-9]+$'
}

# count_once AT CPUS PROPERTY...: the sum of all counts
count_once() {
	local at=$1 cpus=$2 before wanted cpu property

	shift 2
	before=$(monitor_answers "$at" | wc -l)
	wanted=$((cpus * $#))
	for ((cpu = 0; cpu < cpus; cpu++)); do
		for property; do
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
	local at=$1 cpus=$2 asked properties

	# the pipes are open to read and write: no open waits for the machine
	exec 6<>"$at/monitor.out" 5<"$at/monitor.out" 7<>"$at/monitor.in"
	cat <&5 >"$at/monitor" 6>&- 7>&- &
	exec 5<&-
	while :; do
		for asked in "$at"/host/count-*; do
			[ -e "$asked" ] || continue
			rm "$asked"
			case $asked in
			*/count-bytes-*) properties=trace-bytes-accepted ;;
			*/count-lost-*) properties=trace-bytes-rejected ;;
			*) properties=$counted ;;
			esac
			# shellcheck disable=SC2086 # words
			count_once "$at" "$cpus" $properties >"$at/count"
			mv "$at/count" "$at/host/counted-${asked##*/count-}"
		done
		sleep 0.2
	done
}
