#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# emulate.sh HWFLOW PROGRAM TEXT [PAIRS] - what 'hwflow emulate' takes beside plain QEMU: busybox
# (PROGRAM) packs TEXT several times, in turn under each. Prints lines as bench.sh has them:
# emulate_slowdown_vs_qemu is the time of QEMU / the time of emulate, as each ratio to a peer: larger is better.
set -euo pipefail
hwflow=$1
program=$2
text=$3
pairs=${4:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for ((i = 0; i < 8; i++)); do cat "$text"; done >"$work/text"

# seconds COMMAND...: of the clock
seconds() {
	local start=$EPOCHREALTIME

	"$@" >/dev/null
	echo "$start $EPOCHREALTIME" | awk '{ print $2 - $1 }'
}

median() { # of the lines
	sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

emulate() { # OPTIONS...
	"$hwflow" emulate "$@" -o "$work/data" -- "$program" gzip -c "$work/text" 2>"$work/err"
}

for ((i = 0; i < pairs; i++)); do
	seconds qemu-aarch64 "$program" gzip -c "$work/text" >>"$work/qemu"
	seconds emulate >>"$work/truth"
	seconds emulate --no-truth >>"$work/no-truth"
done
millions=$(sed -n 's/.*: \([0-9.]*\) million instructions.*/\1/p' "$work/err")
qemu=$(median <"$work/qemu")
for name in truth no-truth; do
	awk -v ours="$(median <"$work/$name")" -v qemu="$qemu" -v name=$name -v millions="$millions" 'BEGIN {
		printf "bench: emulate_slowdown_vs_qemu/%s %.3f x\n", name, qemu / ours
		printf "bench: emulate_rate/%s %.1f Minsn/s\n", name, millions / ours
	}'
done
awk -v ours="$(median <"$work/truth")" -v qemu="$qemu" -v millions="$millions" 'BEGIN {
	printf "bench: emulate_slowdown_vs_qemu %.3f x\n", qemu / ours
	printf "bench: emulate_rate %.1f Minsn/s\n", millions / ours
}'
