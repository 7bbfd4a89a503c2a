#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# driver-debug.sh QEMU HWFLOW DIR - the driver on the debug kernel: it is loaded, records, and is
# unloaded, allocations of it fail one by one, processors leave under it; the kernel's log has no
# complaint.
#
# Each STEPth allocation of insmod fails, 23 if not said, from FIRST on, which is chosen by chance
# and printed if it is not given. The module is loaded, records and is unloaded TURNS times, 10 if not
# said. STEP=1 takes many minutes: a machine may take LIMIT seconds, 1500 if not said.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$1
hwflow=$2
dir=$3
step=${STEP-23}
first=${FIRST-$((RANDOM % step + 1))}
# where no failure of those made insmod fail, which is so one time in twenty, others do
second=$(((first + step / 2) % step + 1))
turns=${TURNS-10}
mkdir -p "$dir"
. "$here/../../tools/setup/tests/tap.bash"
. "$here/debug.bash"
build_debug_kernel

"$here/../../tools/setup/build-module" "$kernel/build" "$dir/module" || exit 1

# driver NAME MACHINE-OPTIONS CPU-OPTIONS FAULTS: `faults` if buffers sometimes cannot write, else `true`
driver() {
	local name=$1 at=$dir/$1 faults=$4 phase result

	machine "$name" "${LIMIT-1500}" "$2" "$3" 2 --program linux-perf:usr/bin/perf "$here/guest/driver.sh" \
		"$dir/module/arm_ete_pmu.ko" <<-END || return
		. /driver.sh
		fail_load() {
			failing /failnth -s \$1 insmod /arm_ete_pmu.ko >/tmp/failed
			status=\$?
			cat /tmp/failed
			[ \$status = 0 ] || return \$status
			! grep -q '^failnth: 0 of' /tmp/failed || [ -z "\$2" ] || fail_load \$2
		}
		phase load load
		phase thread record thread -e cs_etm//u --per-thread -- busybox md5sum /driver.sh
		phase events events
		phase full full
		phase faults $faults
		phase hotplug-threads hotplug 10 -1 "-1 k"
		phase hotplug-cpus hotplug 10 "0 k" "1 o"
		phase fail-thread failing /failnth perf cs_etm
		phase fail-cpu failing /failnth perf cs_etm 1 ko
		phase unload unload
		phase again again $turns
		phase fail-load fail_load $step,$first $step,$second
		phase leaks leaks
		phase order splat order
		phase slab splat slab
	END
	for phase in load thread events full faults hotplug-threads hotplug-cpus fail-thread fail-cpu unload \
		again fail-load leaks; do
		passed "$name" $phase
		# the kernel itself has no memory for fields of tracepoints, and warns; or for files
		# of an interrupt in /proc, says nothing, and warns where it removes them
		case $phase in
		fail-load) clean "$name" $phase 'event_define_fields[.a-z0-9]*|remove_proc_entry' ;;
		*) clean "$name" $phase ;;
		esac
	done
	echo "# $name: FIRST=$first STEP=$step TURNS=$turns"
	sed -n 's/^again:/# '"$name"': again:/p' "$at/host/out.again"
	for phase in fail-load fail-thread fail-cpu; do
		sed -n 's/^failnth:/# '$phase':/p' "$at/host/out.$phase"
		grep -Eq '^failnth: [1-9][0-9]* of [1-9][0-9]* failures made it fail$' "$at/host/out.$phase"
		ok $? "$name: $phase: allocations have failed"
	done
	# what perf's core holds where the buffer is full, or cannot write, is seen by lockdep
	grep -Eq '^early_warnings [1-9]' "$at/host/out.full"
	ok $? "$name: full: there were early warnings" "$at/host/out.full"
	[ "$faults" = true ] || grep -Eq '^faults_stage1 [1-9]' "$at/host/out.faults"
	ok $? "$name: faults: there were some" "$at/host/out.faults"
	# up to the end somebody has looked
	found "$name" order "possible circular locking dependency detected"
	found "$name" slab "KASAN: slab-out-of-bounds"

	result=$(guarded 300 "$hwflow" verify --symfs="$at/root" --truth="$at/host/truth" \
		--tid="$("$hwflow" dump "$at/host/thread.data" 2>/dev/null |
			sed -n 's/^# aux record .* tid //p' | head -n 1)" "$at/host/thread.data" 2>&1)
	ok $? "$name: what was recorded is what was executed" <(echo "$result")
}

# MACHINES names those to run, all if not said.
wanted() {
	case " ${MACHINES-$1} " in *" $1 "*) ;; *) return 1 ;; esac
}

wanted vhe && driver vhe ",virtualization=on" ",trace-sync=strict" true
wanted el1 && driver el1 "" ",trace-sync=strict,trace-sync-seed=1,trbe-fault-after=40009" faults
done_testing
