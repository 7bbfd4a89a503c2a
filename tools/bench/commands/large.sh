#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# large.sh MEASURE HWFLOW PROGRAM TEXT - figures of a large trace of one thread, with everything that the trace unit can
# add. Prints lines as bench.sh has them:
# peak_memory/VERB_SIZE: maximum resident set of the verbs, in MB, on this trace and on one that has a tenth of its size;
# parallel_speedup/VERB: time of one process (-j 1) / time of two (-j 2) on the large one, the median of three pairs.
# PROGRAM (busybox) packs TEXT.
# MEMORY_MB=N: size of the larger trace (default: 200). The disk needs room for it twice.
# MEMORY_MOST_MB=N: peak_memory on a third trace of this size as well, such as 2000, which takes many minutes.
set -euo pipefail
measure=$1
hwflow=$2
program=$3
text=$4
large=${MEMORY_MB:-200}
most=${MEMORY_MOST_MB:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DEBUGINFOD_URLS
status=0

# 0.626 bytes of trace an instruction, 208 instructions a byte of text. Text behind the limit is packed without a trace,
# which takes time, so there is little of it.
make_trace() { # MB FILE
	local instructions=$(($1 * 1600000))
	local copies=$((instructions / 200 / $(stat -c %s "$text") + 1))

	for ((i = 0; i < copies; i++)); do cat "$text"; done >"$work/text"
	"$hwflow" emulate --quiet --fixed-addresses --virtual-time --limit="$instructions" \
		--return-stack --timestamps=1000 --context-id --branch-broadcast --cycle-counts=4 --commit-mode=1 \
		-o "$2" -- "$program" gzip -c "$work/text" >"$work/output"
}

# The third one is first: parallel_speedup is of the second one.
for size in $most $((large / 10)) "$large"; do
	make_trace "$size" "$work/data"
	bytes=$(stat -c %s "$work/data")
	for verb in report script flow dump annotate verify diff archive; do
		arguments=("$work/data")
		[ $verb = diff ] && arguments+=("$work/data")
		if [ $verb = archive ]; then arguments+=(-o "$work/archive"); else arguments+=(-j 1); fi
		if "$measure" "$work/cost" /dev/null "$hwflow" "$verb" --quiet "${arguments[@]}"; then
			awk -v verb="$verb" -v size="$size" '{ printf "bench: peak_memory/%s_%dMB %.1f MB\n", verb, size, $2 / 1024 }' \
				"$work/cost"
		else
			echo "bench: peak_memory/${verb}_${size}MB skipped hwflow $verb failed"
			status=1
		fi
	done
	echo "# perf.data of $bytes bytes"
done

elapsed() { # ARGUMENT...: seconds
	"$measure" "$work/cost" /dev/null "$hwflow" "$@" && cut -d' ' -f3 "$work/cost"
}

for verb in report script flow dump annotate verify; do
	for pair in 1 2 3; do
		one=$(elapsed "$verb" --quiet -j 1 "$work/data")
		two=$(elapsed "$verb" --quiet -j 2 "$work/data")
		echo "$one $two"
	done | awk '{ print $1 / $2 }' | sort -g |
		awk -v verb="$verb" '{ v[NR] = $1 } END { printf "bench: parallel_speedup/%s %.2f ratio\n", verb, v[2] }'
done
exit "$status"
