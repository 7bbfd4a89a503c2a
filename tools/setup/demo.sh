#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# demo.sh QEMU HWFLOW MODULE BUILD - boot a machine that has trace units and trace buffers, load the
# driver, which is MODULE, record real programs and the kernel with stock perf, decode what was
# recorded, and compare it with every instruction that was executed.
set -euo pipefail

qemu=$1
hwflow=$2
module=$3
work=$4/demo
top=$(cd "$(dirname "$0")/../.." && pwd)
least=20000000 # instructions in all
total=0

say() {
	printf '\n\033[1m%s\033[0m\n' "$*"
}

# what the machine says, while it says it
watch_console() {
	touch "$work/console"
	tail -n +1 -f "$work/console" | sed -u -n 's/^| //p' &
	watching=$!
	trap 'kill $watching 2>/dev/null || true' EXIT
}

# verify NAME: the recording against the log of what was executed
verify() {
	local last

	"$hwflow" verify --symfs="$root" --truth="$work/host/truth" "$work/host/$1" |
		tee "$work/$1.verify" | tail -n 1
	last=$(tail -n 1 "$work/$1.verify")
	total=$((total + $(sed -E 's/.* ([0-9]+) instructions.*/\1/' <<<"$last")))
}

rm -rf "$work"
mkdir -p "$work/host"
# a real file: a program text, of which every machine has the same
head -c 300000 "$("$top/tools/setup/fetch-arm64" busybox-static)/usr/bin/busybox" >"$work/input"
cp "$top/tools/setup/demo-guest.sh" "$work/test"
"$top/selftests/boot/make-image" -o "$work" --share --program linux-perf:usr/bin/perf \
	--program pigz:usr/bin/pigz "$work/test" "$work/input" "$module"
root=$work/root

say "A machine with ETE and TRBE boots Debian's kernel, and perf records with our driver"
watch_console
"$top/selftests/boot/boot" "$work" 300 "$qemu" -M virt,gic-version=3,virtualization=on -smp 2 \
	-cpu "max,pauth-impdef=on,ete=on,trbe=on,trace-log=$work/host/truth" \
	-virtfs "local,path=$work/host,mount_tag=host,security_model=none" >/dev/null || {
	echo "the machine did not come to its end; all that it said is in $work/console" >&2
	exit 1
}
# the program has done its work
gzip -dc "$work/host/input.gz" | cmp - "$work/input"

say "hwflow verify: what pigz executed, instruction by instruction"
verify threads
say "hwflow verify: everything on both CPUs, user and kernel"
verify system

say "hwflow report: where the instructions of the whole machine went"
"$hwflow" report --limit=12 --symfs="$root" "$work/host/system" >"$work/report"
cat "$work/report"

say "hwflow flow: the first of what was executed"
head -n 12 < <("$hwflow" flow --quiet --symfs="$root" "$work/host/system")

say "result"
if [ "$total" -lt "$least" ]; then
	echo "only $total instructions were traced; at least $least were expected" >&2
	exit 1
fi
echo "$total instructions executed, traced, recorded, decoded: every one equal to the ground truth"
echo "recordings are in $work/host; the same without a machine: make demo-user"
