#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# emulate.sh HWFLOW PROGRAM TEXT [PAIRS] - what 'hwflow emulate' takes compared with plain QEMU: busybox (PROGRAM)
# packs TEXT several times, in turn under each. Prints lines as bench.sh has them. emulate_vs_plain_qemu/VERSION is the
# time of that QEMU / the time of emulate with it, for the QEMU that was built and for an installed one with plugins; as
# each ratio to a peer, larger is better. emulate_slowdown_vs_qemu is that of the QEMU that was built. HWFLOW_QEMUS
# names more QEMUs.
set -euo pipefail
hwflow=$1
program=$2
text=$3
pairs=${4:-5}
. "$(dirname "$0")/../setup/qemu-user.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for ((i = 0; i < 8; i++)); do cat "$text"; done >"$work/text"
own=$(qemu_of "$hwflow" qemu-aarch64)

# version QEMU: 10.0 of 10.0.13
version() {
	"$1" -version | sed -nE 's/.* version ([0-9]+\.[0-9]+).*/\1/p'
}

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

declare -A qemus=(["$(version "$own")"]=$own)
for qemu in ${HWFLOW_QEMUS-} "$(command -v qemu-aarch64 || true)"; do
	if [ -n "$qemu" ] && "$qemu" -plugin file=none -version >/dev/null 2>&1; then
		name=$(version "$qemu")
		qemus[$name]=${qemus[$name]-$qemu}
	fi
done
for ((i = 0; i < pairs; i++)); do
	for name in "${!qemus[@]}"; do
		seconds "${qemus[$name]}" "$program" gzip -c "$work/text" >>"$work/qemu-$name"
		seconds emulate --qemu="${qemus[$name]}" >>"$work/truth-$name"
	done
	seconds emulate --no-truth >>"$work/no-truth"
done
millions=$(sed -n 's/.*: \([0-9.]*\) million instructions.*/\1/p' "$work/err")
name=$(version "$own")
ln -s "qemu-$name" "$work/qemu"
ln -s "truth-$name" "$work/truth"
for name in "${!qemus[@]}"; do
	awk -v ours="$(median <"$work/truth-$name")" -v qemu="$(median <"$work/qemu-$name")" -v name="$name" 'BEGIN {
		printf "bench: emulate_vs_plain_qemu/%s %.3f x\n", name, qemu / ours
	}'
done
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
