#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf-core.sh [SERIES[=DIR]...] - the functions of perf's core that drivers/perf depends on, without
# an interface that promises their behaviour, are those that were read.
#
# SERIES is 6.1, 6.12 or latest; the first two if none is given. DIR is a kernel tree to be checked as
# that series; Debian's source if not given. perf-core.known has the hash of each function.
set -u
setup=$(cd "$(dirname "$0")/.." && pwd)
. "$setup/tests/tap.bash"
known=$setup/tests/perf-core.known
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

# FILE PART
parts='ring_buffer.c perf_aux_output_begin
ring_buffer.c perf_aux_output_end
ring_buffer.c perf_aux_output_skip
ring_buffer.c perf_aux_output_flag
ring_buffer.c perf_output_wakeup
core.c perf_event_disable_inatomic
core.c perf_pending_disable
core.c __perf_pending_disable
core.c perf_pending_irq
core.c __perf_pending_irq
core.c event_sched_out
core.c pending_disable'

# code FILE: without comments
code() {
	cc -fpreprocessed -dD -E -P -x c "$1"
}

# part FILE PART: prints a part of a file of kernel/events; nothing if it has none of the name. A part is
# - of event_sched_out(): pmu->del() to the end of the statement that reads pending_disable;
# - pending_disable: each line with this member;
# - else the function of the name.
part() {
	case $2 in
	event_sched_out) code "$1" | part_function "$2" | sed -n '/pmu->del(/,/}/p' ;;
	pending_disable) code "$1" | grep -w 'pending_disable' ;;
	*) code "$1" | part_function "$2" ;;
	esac
}

# part_function NAME: the definition of a function in standard input, from its name to the brace in column 1
part_function() {
	awk -v name="$1" '
		!inside && $0 ~ "^([a-z].*[ *])?" name "\\(" && !/;$/ { inside = 1 }
		inside { print }
		inside && /^}/ { exit }'
}

# hash FILE PART: without white space; - if the file has no such part
hash() {
	part "$1" "$2" | tr -d '[:space:]' | sha256sum |
		sed -E 's/^e3b0c44298fc1c14.*/-/; s/^([0-9a-f]{16}).*/\1/'
}

# check SERIES FILE PART
check() {
	local series=$1 file=$2 name=$3 found wanted

	found=$(hash "$file" "$name")
	wanted=$(awk -v s="$series" -v n="$name" '$1 == s && $2 == n { print $3 }' "$known")
	[ "$found" = "$wanted" ]
	ok $? "$series: $name is as it was read" <(
		echo "$name of $series has the hash $found; ${known##*/} has ${wanted:-none}."
		echo "Read it against ete_compat_event_keep() and ete_compat_room() in"
		echo "drivers/perf/arm_ete_compat.h. If both are still right, write into ${known##*/}:"
		echo "$series $name $found REASON"
		part "$file" "$name"
	)
}

[ $# -gt 0 ] || set -- 6.1 6.12
for argument; do
	series=${argument%%=*}
	case $argument in
	*=*) source=${argument#*=} ;;
	*) source=$("$setup/fetch-kernel-source" --series "$series" kernel/events/ring_buffer.c \
		kernel/events/core.c) || exit 1 ;;
	esac
	while read -r file name; do
		check "$series" "$source/kernel/events/$file" "$name"
	done <<<"$parts"
done

# The table has rows of these parts only, and a reason where a series differs from the one before it.
awk -v parts="$parts" '
	BEGIN { split(parts, words); for (i = 2; i in words; i += 2) part[words[i]] }
	/^#|^$/ { next }
	!($2 in part) { print $2 " is not checked" }
	($2 in before) && before[$2] != $3 && NF < 4 { print $1 " " $2 ": no reason" }
	{ before[$2] = $3 }' "$known" >"$log"
[ ! -s "$log" ]
ok $? "the table has only what is checked, and reasons" "$log"
done_testing
