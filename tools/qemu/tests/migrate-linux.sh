#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# migrate-linux.sh QEMU HWFLOW DIR - a machine with Debian's kernel goes to a file while stock perf
# records there, and on from it: the recording is equal to what was executed on both sides.
set -u
here=$(cd "$(dirname "$0")" && pwd)
boot=$here/../../../selftests/boot
qemu=$(realpath "$1")
hwflow=$(realpath "$2")
dir=$(realpath -m "$3")
mkdir -p "$dir"
. "$here/tap.bash"
. "$here/recording.bash"
# a machine that ended before it was told to leave
trap "" PIPE

aarch64-linux-gnu-gcc -O1 -static -o "$dir/works" "$here/guest/works.c" || exit 1
cp "$here/guest/migrate-linux.sh" "$dir/test"
modules=()
for module in configfs coresight coresight-etm4x coresight-trbe virtio_pci_modern_dev \
	virtio_pci_legacy_dev virtio_pci virtio_blk; do
	modules+=(--module $module)
done
"$boot/make-image" -o "$dir" "${modules[@]}" --program linux-perf:usr/bin/perf "$dir/test" \
	"$dir/works" || exit 1

# run CPU-OPTIONS OUTPUT [OPTION]...
run() {
	local cpu=$1 output=$2

	shift 2
	"$boot/boot" "$dir" 200 "$qemu" -M virt,gic-version=3 -m 512 -smp 2 \
		-cpu "max,ete=on,trbe=on,trace-log=truth$cpu" \
		-drive file=disk,format=raw,if=virtio "$@" >"$output"
}

# leave CPU-OPTIONS: when the program says that it works, the machine goes to the file "state".
# $made: bytes of trace until then
leave() {
	local reader running

	# the monitor is a pair of pipes
	rm -f monitor.in monitor.out
	mkfifo monitor.in monitor.out
	cat monitor.out >monitor.log &
	reader=$!
	run "$1" first -chardev pipe,id=monitor,path=monitor -mon monitor &
	running=$!
	exec 7>monitor.in
	for _ in $(seq 900); do
		grep -qs working "$dir/console" && break
		sleep 0.2
	done
	# faster than the program fills memory
	printf 'migrate_set_parameter max-bandwidth 4G\nmigrate "exec:cat >state"\n' >&7
	printf 'qom-get /machine/unattached/device[%u] trace-bytes-accepted\n' 0 1 >&7
	echo quit >&7
	wait $running
	exec 7>&-
	wait $reader
	made=$(tr -d '\r' <monitor.log | grep -E '^[0-9]+$' | paste -sd +)
	made=$((${made:-0}))
	[ -s state ]
}

# move NAME CPU-OPTIONS
move() {
	local name=$1 at=$dir/$1 made result

	rm -rf "$at" "$dir/console"
	mkdir -p "$at"
	cd "$at" || exit 1
	truncate -s 256M disk
	leave "$2"
	ok $? "$name: the machine leaves"
	grep -q working first && ! grep -q recorded first
	ok $? "$name: it leaves in the middle" first
	printf moved | dd of=disk conv=notrunc 2>/dev/null
	run "$2" second -incoming "exec:cat state"
	ok $? "$name: the machine that arrives comes to its end" second
	grep '^#' second
	rm -f state
	grep -q '^recorded 0$' second
	ok $? "$name: perf record" second
	grep -q '^complaints 0$' second
	ok $? "$name: the kernel complains of nothing" second
	tar xf disk
	rm -f disk
	echo "# $name: $made bytes of trace before, recording of $(stat -c %s recording)"
	[ "$made" -gt 100000 ] && [ "$(stat -c %s recording)" -gt $((made + 100000)) ]
	ok $? "$name: there is trace from before and from behind"
	result=$("$hwflow" verify --symfs="$dir/root" --truth=truth --tid="$(tid_of recording)" \
		recording 2>&1)
	ok $? "$name: equal to what was executed"
	echo "$result" | head -n 20 | sed 's/^/# /'
	! echo "$result" | grep -q 'more lost'
	ok $? "$name: nothing is lost"
	cd "$dir" || exit 1
}

move relaxed ""
move strict ,trace-sync=strict
done_testing
