#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# cover.sh BUILD - a real program traced under a pairwise cover of options, each run verified
# instruction by instruction, without the log as well, and some compared with stock perf.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../tools/setup/tests/tap.bash"
hwflow=$(realpath "$1/hwflow")
busybox=$("$here/../../tools/setup/fetch-arm64" busybox-static | tail -n 1)/usr/bin/busybox
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# the table is what it says it is
awk -F' [|] ' '
	/^#/ { next }
	{ for (i = 1; i <= NF; i++) { v[i, $i]; for (j = i + 1; j <= NF; j++) seen[i, $i, j, $j] }
	  if (NF > cols) cols = NF }
	END {
		for (a in v) for (b in v) {
			split(a, x, SUBSEP); split(b, y, SUBSEP)
			if (x[1] + 0 < y[1] + 0 && !((x[1], x[2], y[1], y[2]) in seen)) {
				print "# missing: " x[2] " with " y[2]; bad = 1 }
		}
		exit bad
	}' "$here/cover.table"
ok $? "the table covers every pair"

head -c 4000 "$busybox" >"$tmp/input"
rows=0
while IFS= read -r row; do
	case $row in '#'*) continue ;; esac
	rows=$((rows + 1))
	options=$(echo "$row" | sed 's/ | / /g; s/\(^\| \)-\( -\)*\( \|$\)/ /g; s/\(^\| \)-\( \|$\)/ /g')
	# shellcheck disable=SC2086 # the options are words
	"$hwflow" emulate --quiet --fixed-addresses $options -o "$tmp/t.data" -- \
		"$busybox" gzip -c "$tmp/input" >"$tmp/out" 2>"$tmp/err" &&
		"$hwflow" verify "$tmp/t.data" >"$tmp/verify" 2>>"$tmp/err"
	status=$?
	ok $status "equal:$options"
	[ $status = 0 ] || sed 's/^/# /' "$tmp/verify" "$tmp/err" | head -n 20
	gunzip <"$tmp/out" | cmp -s - "$tmp/input" || ok 1 "the program's own result$options"
	if [ $rows = 1 ]; then
		"$hwflow" flow --format=pc "$tmp/t.data" 2>/dev/null | cksum >"$tmp/with"
		rm "$tmp/t.data.truth"
		"$hwflow" flow --format=pc "$tmp/t.data" 2>/dev/null | cksum >"$tmp/without"
		cmp -s "$tmp/with" "$tmp/without"
		ok $? "the same without the log"
	fi
done <"$here/cover.table"

# The second witness. What it does not know, or does not do, is in Documentation/testing.rst.
for options in "" --cycle-counts "--cycle-counts=4 --vary-cycles=3" --timestamps=1000 --context-id --return-stack \
	--branch-broadcast --events=500 --source-addresses --speculation=1 \
	"--revision=1 --timestamp-markers --timestamps=300" "--sync-period=256 --return-stack"; do
	# shellcheck disable=SC2086
	"$hwflow" emulate --quiet $options -o "$tmp/t.data" -- \
		"$busybox" gzip -c "$tmp/input" >/dev/null 2>"$tmp/err"
	"$here/perf-agrees" "$hwflow" "$tmp/t.data" "stock perf${options:+, $options}"
done
[ "$failed" -eq 0 ]
