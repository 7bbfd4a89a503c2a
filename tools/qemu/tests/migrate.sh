#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# migrate.sh QEMU HWFLOW DIR - the machine goes to a file and back: all trace registers are the same
# after it, and trace that is under way goes on, with its log, as if nothing had been.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$(realpath "$1")
hwflow=$(realpath "$2")
dir=$(realpath -m "$3")
mkdir -p "$dir"
. "$here/tap.bash"
. "$here/../../setup/tests/wait.bash"
. "$here/monitor.bash"
make -s -C "$here/bare" OUT="$dir/registers.elf" || exit 1
cd "$dir" || exit 1

# machine OUTPUT CPU-OPTIONS ARGUMENTS OPTION...
machine() {
	local output=$1 cpu=$2 arguments=$3

	shift 3
	guarded 120 "$qemu" -M virt,gic-version=3,virtualization=on -cpu "max,ete=on,trbe=on,$cpu" \
		-m 128 -nic none -display none -serial none -chardev "file,id=console,path=$output" \
		-semihosting-config "enable=on,target=native,chardev=console,arg=registers,$arguments" \
		-kernel registers.elf "$@" </dev/null
}

# leave OUTPUT CPU-OPTIONS ARGUMENTS SECONDS STATE [OPTION]...: a machine that has printed "waiting", or one that has
# arrived, is migrated to the file STATE, SECONDS later
leave() {
	local output=$1 cpu=$2 arguments=$3 seconds=$4 state=$5 left reader running

	shift 5
	rm -f "$output" "$state"
	begin_monitor monitor.log
	machine "$output" "$cpu" "$arguments" -chardev pipe,id=monitor,path=monitor -mon monitor "$@" &
	running=$!
	open_monitor
	if [ $# -gt 0 ]; then
		wait_for_arrival
	else
		wait_for 30 $running grep -qs waiting "$output"
	fi
	sleep "$seconds"
	migrate_to "file:$state"
	left=$?
	echo quit >&7
	finish_machine && [ $left -eq 0 ]
}

registers() {
	local cpu=ete-counters=4,ete-instrumentation=on,trace-unknown=3

	leave first $cpu arg=migration=1 0 state
	must_end $? "registers: the machine leaves" first
	machine second $cpu arg=migration=1 -monitor none -incoming "exec:cat state"
	must_end $? "registers: the machine that arrives comes to its end" second
	sed 's/^/# /' first second
	! grep -q '^ok' first && grep -q '^ok' second
	ok $? "registers: all are as they were, where it arrived"
}

# trace NAME CPU-OPTIONS ARGUMENTS: EL0 and EL2 are traced, without a stop; the machine moves twice
# meanwhile, at places that no one has chosen
trace() {
	local name=$1 cpu=$2,trace-log=truth,trace-log-threads=off config moved stayed
	# the program does not end before its machine has moved twice
	local arguments=arg=load=8,arg=load-trace=2,arg=load-keep=1,arg=load-wait=200,arg=load-stay=1$3

	rm -f trace truth
	touch moved
	machine stayed "$cpu" "$arguments" -monitor none
	must_end $? "$name: the program comes to its end where it began" stayed
	mv trace trace.stayed
	rm -f truth moved
	leave first "$cpu" "$arguments" 0 state
	must_end $? "$name: the machine leaves" first
	leave second "$cpu" "$arguments" 0.6 state2 -incoming "exec:cat state"
	must_end $? "$name: and leaves where it arrived" second
	touch moved
	machine third "$cpu" "$arguments" -monitor none -incoming "exec:cat state2"
	must_end $? "$name: the program comes to its end elsewhere" third
	sed 's/^/# /' third
	! grep -q sum first second && [ "$(grep sum stayed)" = "$(grep sum third)" ]
	ok $? "$name: it left in the middle, and what it computes is the same"
	config=$(sed -n 's/^# config //p' third)
	"$hwflow" verify --protocol=ete --config="$config" --image=registers.elf --truth=truth trace \
		>verify.log 2>&1
	ok $? "$name: trace and log are equal"
	sed 's/^/# /' verify.log
	moved=$("$hwflow" dump --protocol=ete --config="$config" trace | grep -ci 'trace.on')
	stayed=$("$hwflow" dump --protocol=ete --config="$config" trace.stayed | grep -ci 'trace.on')
	echo "# Trace On: $moved, and $stayed in the machine that stayed"
	[ "$stayed" -gt 0 ] && [ "$moved" -eq "$stayed" ]
	ok $? "$name: no gap where it moved"
}

registers
trace plain trace-unknown=0 ""
# cycle counts, context identifiers, timestamps, return stack
trace rich ete-maxspec=16 ,arg=load-config=$((1 << 4 | 1 << 6 | 1 << 11 | 1 << 12))
done_testing
