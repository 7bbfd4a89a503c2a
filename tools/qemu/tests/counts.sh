#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# counts.sh QEMU DIR - what the monitor can read of trace: accesses to registers, and what became of
# the trace, of a bare-metal program of which both are known.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$(realpath "$1")
dir=$(realpath -m "$2")
mkdir -p "$dir"
. "$here/tap.bash"
. "$here/../../setup/tests/wait.bash"
. "$here/monitor.bash"
make -s -C "$here/bare" OUT="$dir/registers.elf" || exit 1
cd "$dir" || exit 1
names="trace-unit-reads trace-unit-writes trace-buffer-reads trace-buffer-writes
trace-bytes-accepted trace-bytes-discarded trace-bytes-rejected"

# ask NAME ARGUMENTS: all counts, when the program has made its first round and waits
ask() {
	local name=$1 reader running property

	rm -f "$name"
	begin_monitor "$name.monitor"
	guarded 60 "$qemu" -M virt,gic-version=3 -cpu max,ete=on,trbe=on -m 128 -nic none \
		-display none -serial none -chardev "file,id=console,path=$name" \
		-chardev pipe,id=monitor,path=monitor -mon monitor \
		-semihosting-config "enable=on,chardev=console,arg=registers,arg=load=1,arg=load-wait=30000$2" \
		-kernel registers.elf </dev/null &
	running=$!
	open_monitor
	wait_for 30 $running grep -qs waiting "$name"
	for property in $names; do
		printf 'qom-get /machine/unattached/device[0] %s\n' "$property"
	done >&7
	echo quit >&7
	finish_machine
	must_end $? "$name: the machine came to its end" "$name.monitor"
	# an answer is a number by itself
	mapfile -t answers < <(tr -d '\r' <"$name.monitor" | grep -E '^[0-9]+$')
	set -- $names
	for i in "${!answers[@]}"; do
		echo "# $name: ${*:i+1:1} ${answers[i]}"
	done
	[ ${#answers[@]} -eq 7 ]
	ok $? "$name: all counts can be read"
}

# counts NAME EXPRESSION TEXT: of the answers: r w R W accepted discarded rejected
counts() {
	local r=${answers[0]--1} w=${answers[1]--1} R=${answers[2]--1} W=${answers[3]--1}
	local accepted=${answers[4]--1} discarded=${answers[5]--1} rejected=${answers[6]--1}

	((${2}))
	ok $? "$1: $3"
}

ask off ",arg=load-trace=0"
counts off "r == 0 && w == 0 && R == 0 && W == 0" "no register was accessed"
counts off "accepted == 0 && discarded == 0 && rejected == 0" "there was no trace"
# the writes of start_trace() in load.c, counted by hand: 9, 11 of its ranges, and the enable
ask circular ",arg=load-trace=2"
counts circular "r == 0 && w == 21 && R == 0 && W == 5" "accesses to registers, each of them"
counts circular "accepted > 65536 && discarded == 0 && rejected == 0" "all trace was accepted"
ask full ",arg=load-trace=2,arg=load-stop=1"
counts full "accepted == 65536 && discarded == 0 && rejected > 0" \
	"what the buffer holds was accepted, then trace was rejected"
ask disabled ",arg=load-trace=2,arg=load-off=1"
counts disabled "accepted == 0 && discarded > 65536 && rejected == 0" "all trace was discarded"
done_testing
