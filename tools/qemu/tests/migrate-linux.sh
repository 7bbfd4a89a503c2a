#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# migrate-linux.sh QEMU HWFLOW DIR - a machine with Debian's kernel goes to a file while stock perf
# records there, and on from it, twice: the recording is equal to what was executed in all three.
set -u
here=$(cd "$(dirname "$0")" && pwd)
boot=$here/../../../selftests/boot
qemu=$(realpath "$1")
hwflow=$(realpath "$2")
dir=$(realpath -m "$3")
mkdir -p "$dir"
. "$here/tap.bash"
. "$here/monitor.bash"
. "$here/recording.bash"

# where no other program is
aarch64-linux-gnu-gcc -O1 -static -Wl,-Ttext-segment=0x7000000 -o "$dir/works" \
	"$here/guest/works.c" || exit 1
program=' PC=0000000007'
cp "$here/guest/migrate-linux.sh" "$dir/test"
modules=()
for module in configfs coresight coresight-etm4x coresight-trbe virtio_pci_modern_dev \
	virtio_pci_legacy_dev virtio_pci virtio_blk; do
	modules+=(--module $module)
done
"$boot/make-image" -o "$dir" "${modules[@]}" --program linux-perf:usr/bin/perf "$dir/test" \
	"$dir/works" || exit 1

# start OUTPUT CPU-OPTIONS [OPTION]...: a machine, which is $running; its monitor reads file descriptor 7, and
# answers into the file "monitor"
start() {
	local output=$1 cpu=$2

	shift 2
	begin_monitor monitor
	"$boot/boot" "$dir" 200 "$qemu" -M virt,gic-version=3 -m 512 -smp 2 \
		-cpu "max,pauth-impdef=on,ete=on,trbe=on,trace-log=truth$cpu" \
		-drive file=disk,format=raw,if=virtio \
		-chardev pipe,id=monitor,path=monitor -mon monitor "$@" >"$output" &
	running=$!
	open_monitor
}

# leave FILE: the machine is migrated to FILE, and is switched off; $made: bytes of trace so far
leave() {
	local left

	rm -f "$1"
	# faster than the program fills memory
	echo 'migrate_set_parameter max-bandwidth 4G' >&7
	migrate_to "file:$1"
	left=$?
	printf 'qom-get /machine/unattached/device[%u] trace-bytes-accepted\n' 0 1 >&7
	echo quit >&7
	finish_machine
	made=$(tr -d '\r' <monitor | grep -aE '^[0-9]+$' | paste -sd +)
	made=$((${made:-0}))
	[ $left -eq 0 ]
}

# answered TIMES: so often the registers of both CPUs were printed
answered() {
	[ "$(grep -ac ' PC=' monitor)" -eq $((2 * $1)) ]
}

# stop: the machine stops while one of its CPUs executes the program
stop() {
	local asked

	for asked in $(seq 200); do
		printf 'stop\ninfo registers -a\n' >&7
		wait_for 10 $running answered "$asked" || return
		grep -a ' PC=' monitor | tail -n 2 | grep -q "$program" && return
		echo cont >&7
		sleep 0.02
	done
	return 1
}

# step STATUS NAME: of a machine. If it failed, the machine is ended, and nothing else is checked.
step() {
	if [ "$1" -ne 0 ]; then
		! kill -0 "$running" 2>/dev/null || echo quit >&7
		finish_machine
	fi
	must_end "$1" "$2" "$dir/console"
}

# move NAME CPU-OPTIONS: twice; as it runs, and in the middle of the program
move() {
	local name=$1 at=$dir/$1 cpu=$2 running reader made result

	rm -rf "$at" "$dir/console"
	mkdir -p "$at"
	cd "$at" || exit 1
	truncate -s 256M disk
	start first "$cpu"
	wait_for 180 $running grep -qs working "$dir/console" && leave state
	step $? "$name: the machine leaves"
	[ "$made" -gt 100000 ]
	ok $? "$name: in the middle of trace"
	start second "$cpu" -incoming "exec:cat state"
	stop
	step $? "$name: it stops in the program"
	leave state2
	step $? "$name: and leaves"
	printf moved | dd of=disk conv=notrunc 2>/dev/null
	start third "$cpu" -incoming "exec:cat state2"
	while kill -0 $running 2>/dev/null; do
		echo cont >&7
		sleep 0.5
	done
	finish_machine
	step $? "$name: the machine comes to its end"
	rm -f state state2
	grep '^#' third
	! grep -q recorded first second && grep -q '^recorded 0$' third
	ok $? "$name: the recording comes to its end where the machine is last" third
	grep -q '^complaints 0$' third
	ok $? "$name: the kernel complains of nothing" third
	tar xf disk
	rm -f disk
	echo "# $name: $made bytes of trace before, recording of $(stat -c %s recording)"
	[ "$(stat -c %s recording)" -gt $((made + 100000)) ]
	ok $? "$name: there is trace from behind, too"
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
