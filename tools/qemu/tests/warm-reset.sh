#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# warm-reset.sh QEMU DIR - the machine is reset while it traces, and the reset is a Warm one: what the
# trace unit keeps, and where the trace says that it was.
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

# reset NAME CPU-OPTIONS ARGUMENTS: a machine that has printed "waiting" is reset
reset() {
	local name=$1 cpu=$2 arguments=$3 reader running

	rm -f output
	begin_monitor monitor.log
	guarded 120 "$qemu" -M virt,gic-version=3 -cpu "max,ete=on,trbe=on,trace-warm-reset=on$cpu" -m 128 \
		-nic none -display none -serial none -chardev file,id=console,path=output \
		-semihosting-config "enable=on,target=native,chardev=console,arg=registers,arg=warm=1$arguments" \
		-kernel registers.elf -chardev pipe,id=monitor,path=monitor -mon monitor </dev/null &
	running=$!
	open_monitor
	wait_for 30 $running grep -qs waiting output
	# it waits after that line
	sleep 0.5
	echo system_reset >&7
	finish_machine
	status=$?
	[ $status -lt 124 ] || must_end $status "$name: came to its end" output
	while read -r line; do
		case $line in
		"ok "* | "not ok "*)
			[ "${line#ok}" != "$line" ]
			ok $? "$name: ${line#* - }"
			;;
		"# "*) echo "$line" ;;
		esac
	done <output
	grep -q '^1\.\.' output || show_end output
	grep -q '^1\.\.' output
	ok $? "$name: came to its end"
}

reset "EL1 traced" "" ,arg=warm-view=0,arg=warm-reset=1
reset "left out" "" ,arg=warm-view=1,arg=warm-reset=0
reset "left out, TRCRESET" "" ,arg=warm-view=2,arg=warm-reset=2
reset "prohibited, TRCRESET" "" ,arg=warm-view=2,arg=warm-trfcr=0,arg=warm-reset=0
reset "unknown values" ,trace-unknown=7 ,arg=warm-view=2,arg=warm-reset=2
reset strict ,trace-sync=strict ,arg=warm-view=2,arg=warm-reset=3
done_testing
