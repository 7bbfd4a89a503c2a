#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# demo-user.sh HWFLOW BUILD - trace real arm64 programs of Debian's on an emulated trace unit, decode
# the trace, and compare it with every instruction that was executed.
set -euo pipefail

hwflow=$1
build=$2
setup=$(dirname "$0")
work=$build/demo-user
packages=(busybox-static zstd pigz)
least=20000000 # instructions in all
total=0

say() {
	printf '\n\033[1m%s\033[0m\n' "$*"
}

# trace NAME OPTIONS -- COMMAND...: run, decode and compare; what it puts out goes to NAME.out
trace() {
	local name=$1 file=$work/$1.data options=() last

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	say "$name: $(basename "$1") ${*:2}"
	"$hwflow" emulate ${options[@]+"${options[@]}"} -o "$file" -- "$@" >"$work/$name.out"
	"$hwflow" verify "$file" | tee "$work/$name.verify" | tail -n 1
	last=$(tail -n 1 "$work/$name.verify")
	total=$((total + $(sed -E 's/.* ([0-9]+) instructions.*/\1/' <<<"$last")))
}

root=$("$setup/fetch-arm64" "${packages[@]}")
rm -rf "$work"
mkdir -p "$work"
# a real file: a program text, of which every machine has the same
head -c 600000 "$root/bin/busybox" >"$work/input"

say "hwflow traces real arm64 programs, with no Arm machine"
trace static -- "$root/bin/busybox" gzip -c "$work/input"
trace dynamic --return-stack --cycle-counts -L "$root" -- "$root/bin/zstd" -q -3 --single-thread \
	-c "$work/input"
trace threads --timestamps --context-id -L "$root" -- "$root/bin/pigz" -p 4 -b 128 -c "$work/input"
trace shell -- "$root/bin/busybox" sh -c "for i in 1 2 3; do echo \$i | $root/bin/busybox md5sum; done"

# the programs have done their work
gzip -dc "$work/static.out" | cmp - "$work/input"
gzip -dc "$work/threads.out" | cmp - "$work/input"

say "hwflow report: where pigz spent its instructions"
"$hwflow" report "$work/threads.data" >"$work/report"
head -n 16 "$work/report"

say "hwflow flow: the first of what was executed"
head -n 12 < <("$hwflow" flow --quiet "$work/static.data")

say "result"
if [ "$total" -lt "$least" ]; then
	echo "only $total instructions were traced; at least $least were expected" >&2
	exit 1
fi
echo "$total instructions executed, traced, decoded: every one equal to the ground truth"
echo "recordings are in $work; see also: $hwflow script $work/static.data"
