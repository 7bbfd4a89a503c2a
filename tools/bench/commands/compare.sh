#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# compare.sh MEASURE HWFLOW INPUTS PAIRS NAME... - CPU time of the commands beside stock perf 6.1 on the same
# perf.data. INPUTS/NAME is read by report, and INPUTS/NAME.part, which has a twentieth of its instructions, by
# script and dump, as perf takes longer for these. Prints lines as bench.sh has them: the ratio is
# CPU time of perf / CPU time of hwflow, the median of PAIRS pairs (one run of each side), so larger is better.
#
# The outputs of both sides are compared; a difference that Documentation/speed.rst does not
# explain is printed as "skipped", with the numbers, and the exit status is 1.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
measure=$1
hwflow=$2
inputs=$3
pairs=$4
shift 4
names=("$@")
perf=$("$here/../../setup/fetch-perf" --arch amd64 6.1)/run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# neither side reads settings, build-id caches or symbol servers of the user
export HOME=$work PERF_CONFIG=/dev/null
unset DEBUGINFOD_URLS
status=0

# Without thread numbers in the trace perf 6.1 prints nothing for a trace with timestamps: Z makes it ignore them.
itrace() { # NAME WHAT
	case $1 in
	timestamps) echo "--itrace=Z$2" ;;
	*) echo "--itrace=$2" ;;
	esac
}

# hwflow's default columns, less the time, which perf does not have for a trace without timestamps
all_columns=comm,tid,ip,sym,symoff,dso,addr,flags

# the commands of a figure: ours and theirs as arrays
set_commands() { # FIGURE NAME
	local whole=$inputs/$2
	local part=$inputs/$2.part

	case $1 in
	report_vs_perf_report)
		ours=("$hwflow" report --quiet -j 1 "$whole")
		theirs=("$perf" report --stdio "$(itrace "$2" i1000i)" -i "$whole")
		;;
	script_vs_perf_script)
		ours=("$hwflow" script --quiet -j 1 "$part")
		theirs=("$perf" script "$(itrace "$2" b)" -F "$all_columns" -i "$part")
		;;
	script_vs_perf_script_addresses)
		ours=("$hwflow" script --quiet -j 1 --fields=ip,addr "$part")
		theirs=("$perf" script "$(itrace "$2" b)" -F "ip,addr" -i "$part")
		;;
	dump_vs_perf_dump)
		ours=("$hwflow" dump --quiet -j 1 "$part")
		theirs=("$perf" report -D -i "$part")
		;;
	esac
}

# gaps (status 3) are results: what Q elements leave out
our_output() {
	"$@" 2>>"$work/errors" || [ $? -eq 3 ]
}

# What report printed when it was measured. perf has samples of 1000 instructions each: what is left of a thread is less
# than one sample.
check_report() {
	local our_count their_count threads

	our_count=$(sed -n '1s/.*: \([0-9]*\) instructions in .*/\1/p' "$work/our-output")
	their_count=$(sed -n 's/^# Event count (approx.): //p' "$work/their-output")
	threads=$(our_output "$hwflow" report --quiet --by=thread --limit=0 "$inputs/$1" |
		awk 'NF == 0 { table++ } table == 1 && /%/ { rows++ } END { print rows }')
	reason="hwflow has ${our_count:-no} instructions, perf ${their_count:-none}, in $threads threads"
	[ -n "$our_count" ] && [ -n "$their_count" ] && [ "$their_count" -le "$our_count" ] &&
		[ $((our_count - their_count)) -le $((1000 * threads)) ]
}

# Lines "thread from to", those of a thread together; 0 is outside of the trace. Gaps go to a file of their own.
our_branches() {
	our_output "$hwflow" script --quiet "$inputs/$1.part" | awk -v gaps="$work/gaps" '
		/ GAP: / { print >gaps; next }
		match($0, /  =>  +/) {
			to = substr($0, RSTART + RLENGTH)
			sub(/ .*/, "", to)
			from = $4
			print $2, from == "-" ? 0 : from, to == "-" ? 0 : to
		}' | sort -s -n -k1,1
}

their_branches() {
	"$perf" script "$(itrace "$1" b)" -F tid,ip,addr -i "$inputs/$1.part" 2>>"$work/errors" |
		awk '{ print $1, $2, $4 }' | sort -s -n -k1,1
}

# perf never prints the end of a thread (its last branch, and where the trace ends), or it prints that the trace ends at
# the last branch; and it joins what is before a Q element and what is behind it to a branch that did not happen, or to an
# exception from another place, where hwflow prints a gap and a start.
check_script() {
	local threads gaps ours_only theirs_only ends

	: >"$work/gaps"
	: >"$work/branches-agree"
	our_branches "$1" >"$work/ours"
	their_branches "$1" >"$work/theirs"
	gaps=$(wc -l <"$work/gaps")
	threads=$(cut -d' ' -f1 "$work/ours" | uniq | wc -l)
	diff --speed-large-files "$work/ours" "$work/theirs" >"$work/diff" || true
	ours_only=$(grep -c '^<' "$work/diff" || true)
	theirs_only=$(grep -c '^>' "$work/diff" || true)
	ends=$(grep -c '^> [0-9]* [0-9a-f]* 0$' "$work/diff" || true)
	reason="hwflow has $(wc -l <"$work/ours") branches and $gaps gaps, perf $(wc -l <"$work/theirs") branches; only hwflow $ours_only, only perf $theirs_only, in $threads threads"
	[ -s "$work/theirs" ] && [ "$ours_only" -le $((2 * threads + 3 * gaps)) ] &&
		[ "$ends" -le $((threads + gaps)) ] && [ $((theirs_only - ends)) -le "$gaps" ] &&
		echo $(($(wc -l <"$work/ours") + gaps)) "$ends" >"$work/branches-agree"
}

# The branches are those of script_vs_perf_script, and each line of perf is a line of hwflow, character by character,
# but for those that perf joins where hwflow has a gap, and for the ends of threads.
check_addresses() {
	local lines gaps theirs_only branches ends

	reason="the branches of script_vs_perf_script differ"
	[ -s "$work/branches-agree" ] || return
	our_output "${ours[@]}" >"$work/ours"
	lines=$(wc -l <"$work/ours")
	gaps=$(grep -c 'GAP: ' "$work/ours" || true)
	read -r branches ends <"$work/branches-agree"
	reason="hwflow has $lines lines, and $branches branches and gaps"
	[ "$lines" -eq "$branches" ] || return
	theirs_only=$("${theirs[@]}" 2>>"$work/errors" | LC_ALL=C sort -u |
		LC_ALL=C comm -13 <(LC_ALL=C sort -u "$work/ours") - | wc -l)
	reason="$theirs_only lines of perf are none of hwflow, which has $gaps gaps"
	[ "$theirs_only" -le $((gaps + ends)) ] && reason="as script_vs_perf_script"
}

# Both sides print the offset of each packet: hwflow in the AUX record, perf in all trace of the thread. The order of
# threads differs.
check_dump() {
	our_output "${ours[@]}" | awk '!/^#/ { print $1 }' | LC_ALL=C sort >"$work/ours"
	"${theirs[@]}" 2>>"$work/errors" | awk '
		function number(hex, value, i) {
			for (i = 3; i <= length(hex); i++)
				value = 16 * value + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return value
		}
		/PERF_RECORD_AUXTRACE size: / {
			sub(/.* offset: /, "")
			base = number($1)
		}
		sub(/.*Idx:/, "") { printf "%x\n", $0 - base }' | LC_ALL=C sort >"$work/theirs"
	reason="hwflow has $(wc -l <"$work/ours") packets, perf $(wc -l <"$work/theirs"), or their offsets differ"
	[ -s "$work/theirs" ] && cmp -s "$work/ours" "$work/theirs" &&
		reason="each has $(wc -l <"$work/ours") packets at the same offsets"
}

check() { # FIGURE NAME
	case $1 in
	report_*) check_report "$2" ;;
	script_vs_perf_script) check_script "$2" ;;
	script_*) check_addresses ;;
	dump_*) check_dump "$2" ;;
	esac
}

# CPU time of a command; hwflow exits with 3 where there are gaps
cpu_time() { # OUTPUT COMMAND...
	"$measure" "$work/cost" "$@" || [ $? -eq 3 ] || {
		echo "compare.sh: failed: ${*:2}" >&2
		return 1
	}
	cut -d' ' -f1 "$work/cost"
}

median() { # of the lines
	sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

compare() { # FIGURE NAME
	local i our_time their_time value
	local outputs=(/dev/null /dev/null)

	set_commands "$1" "$2"
	[ "$1" != report_vs_perf_report ] || outputs=("$work/our-output" "$work/their-output")
	: >"$work/pairs"
	for ((i = 0; i < pairs; i++)); do
		our_time=$(cpu_time "${outputs[0]}" "${ours[@]}")
		their_time=$(cpu_time "${outputs[1]}" "${theirs[@]}")
		echo "$our_time $their_time" >>"$work/pairs"
	done
	if ! check "$1" "$2"; then
		echo "bench: $1/$2 skipped the results differ: $reason"
		tail -n 3 "$work/errors" >&2
		status=1
		return
	fi
	value=$(awk '{ print $2 / $1 }' "$work/pairs" | median)
	printf 'bench: %s/%s %.2f ratio\n' "$1" "$2" "$value"
	printf '# %s: %s s, perf %s s\n' "$reason" "$(cut -d' ' -f1 "$work/pairs" | median)" \
		"$(cut -d' ' -f2 "$work/pairs" | median)"
	echo "$value" >>"$work/$1"
}

figures=(report_vs_perf_report script_vs_perf_script script_vs_perf_script_addresses dump_vs_perf_dump)
for name in "${names[@]}"; do
	: >"$work/errors"
	for figure in "${figures[@]}"; do
		reason=
		compare "$figure" "$name"
	done
done
for figure in "${figures[@]}"; do
	[ ! -s "$work/$figure" ] || printf 'bench: %s %.2f ratio\n' "$figure" "$(sort -g "$work/$figure" | head -n 1)"
done
exit "$status"
