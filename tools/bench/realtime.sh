#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# realtime.sh MEASURE HWFLOW PROGRAM TEXT [PAIRS] - CPU time of a job on this machine / CPU time of 'hwflow report -j 1',
# and of 'hwflow profile -j 1', on a trace of the same job, the median of PAIRS pairs: at 1.0 one processor decodes what
# one processor executes. The jobs are those of Debian's busybox, as it is for this machine and for arm64 (PROGRAM).
# Prints lines as bench.sh has them.
set -euo pipefail
measure=$1
hwflow=$2
program=$3
text=$4
pairs=${5:-3}
top=$(cd "$(dirname "$0")/../.." && pwd)
native=$("$top/tools/setup/fetch-arm64" --arch "$(dpkg --print-architecture)" busybox-static)/usr/bin/busybox
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DEBUGINFOD_URLS
status=0

cpu() { # COMMAND...: seconds
	"$measure" "$work/cost" /dev/null "$@" && cut -d' ' -f1 "$work/cost"
}

median() { # COLUMN FIGURE
	awk -v column="$1" '{ print $1 / $column }' "$work/pairs" | sort -g |
		awk -v name="$2" '{ v[NR] = $1 } END { printf "bench: %s %.2f ratio\n", name, v[int((NR + 1) / 2)] }'
}

# a tenth of a second of a job, and more: TIMES copies of the text
while read -r name times job; do
	for ((i = 0; i < times; i++)); do cat "$text"; done >"$work/text"
	# shellcheck disable=SC2086 # a command and its options
	"$hwflow" emulate --quiet --no-truth --fixed-addresses --virtual-time -o "$work/data" -- \
		"$program" $job "$work/text" >"$work/output"
	for ((i = 0; i < pairs; i++)); do
		# shellcheck disable=SC2086
		echo "$(cpu "$native" $job "$work/text") $(cpu "$hwflow" report --quiet -j 1 "$work/data")" \
			"$(cpu "$hwflow" profile --quiet -j 1 -o "$work/profile" "$work/data")"
	done >"$work/pairs" || status=1
	median 2 "realtime/$name"
	median 3 "realtime_profile/$name"
done <<'END'
gzip       2  gzip -c
bzip2      1  bzip2 -c
sort       2  sort -k4,4n
sha256sum 20  sha256sum
END
exit $status
