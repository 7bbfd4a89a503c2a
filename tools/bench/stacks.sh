#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# stacks.sh MEASURE HWFLOW [PAIRS] - what call stacks cost, on traces of Debian's lua 5.4. Prints lines as bench.sh has them:
# stacks_vs_perf_script: CPU time of perf script --itrace=g16i1000i of stock perf 6.12 / CPU time of hwflow report
# --inclusive -j 1 on the same perf.data of 20 MB, the median of PAIRS pairs;
# cpu_time/VERB_SIZE, peak_memory/VERB_SIZE and written/VERB_SIZE, the size of the output: of the verbs that follow calls, on
# traces of 20 and 200 MB with context identifiers and timestamps. LARGE=1: also on one of 2 GB, which takes the better part of an hour.
set -euo pipefail
measure=$1
hwflow=$(realpath "$2")
pairs=${3:-3}
here=$(cd "$(dirname "$0")" && pwd)
setup=$here/../setup
. "$here/lua.bash"
perf=$("$setup/fetch-perf" --arch amd64 6.12)/run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# neither side reads settings, build-id caches or symbol servers of the user
export HOME=$work PERF_CONFIG=/dev/null
unset DEBUGINFOD_URLS
status=0

make_lua "$work"

record() { # ITEMS [OPTION...]
	"$hwflow" emulate --quiet --no-truth --fixed-addresses --virtual-time "${@:2}" -o "$work/data" -- \
		"$work/lua" "$here/profile.lua" "$1" >"$work/said"
}

# cpu COMMAND...: seconds
cpu() {
	"$measure" "$work/cost" "$work/output" "$@" && cut -d' ' -f1 "$work/cost"
}

record 13000
for ((i = 0; i < pairs; i++)); do
	theirs=$(cpu "$perf" script --itrace=g16i1000i -i "$work/data")
	samples=$(grep -c instructions: "$work/output") || true
	ours=$(cpu "$hwflow" report --inclusive --quiet -j 1 "$work/data")
	echo "$theirs $ours"
done >"$work/pairs"
# perf has a sample of each 1000 instructions
instructions=$("$hwflow" report --quiet "$work/data" | sed -n '1s/.*: \([0-9]*\) instructions in .*/\1/p')
if [ $((instructions / 1000)) -eq "$samples" ]; then
	awk '{ print $1 / $2 }' "$work/pairs" | sort -g |
		awk '{ v[NR] = $1 } END { printf "bench: stacks_vs_perf_script %.2f ratio\n", v[int((NR + 1) / 2)] }'
else
	echo "bench: stacks_vs_perf_script skipped perf has $samples samples of $instructions instructions"
	status=1
fi

while read -r size items; do
	[ "$size" != 2GB ] || [ "${LARGE-}" = 1 ] || continue
	record "$items" --context-id --timestamps=1000
	echo "# $size: perf.data of $(stat -c %s "$work/data") bytes"
	while read -r verb options; do
		# shellcheck disable=SC2086 # options
		if cpu "$hwflow" "$verb" --quiet $options "$work/data" >"$work/seconds"; then
			printf 'bench: cpu_time/%s_%s %.2f s\n' "$verb" "$size" "$(cat "$work/seconds")"
			awk -v name="${verb}_$size" '{ printf "bench: peak_memory/%s %.1f MB\n", name, $2 / 1024 }' "$work/cost"
		else
			echo "bench: cpu_time/${verb}_$size skipped hwflow $verb failed"
			status=1
		fi
		[ ! -e "$work/written" ] ||
			printf 'bench: written/%s_%s %.1f MB\n' "$verb" "$size" "$(stat -c %s "$work/written")e-6"
		rm -f "$work/written"
	done <<-END
		calls
		timeline --for=perfetto -o $work/written
		html -o $work/written
	END
done <<'END'
20MB 13000
200MB 120000
2GB 1100000
END
exit $status
