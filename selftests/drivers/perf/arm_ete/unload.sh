#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# unload.sh [-d coresight] - the module cannot be removed while its events are in use, goes when they are closed, leaves
# nothing, and comes back. ARM_ETE_MODULE is the module's file, if modprobe does not find it.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
echo "TAP version 13"
need_root
# Do firmware's tables describe trace buffers? A GICC entry of the MADT (type 11) has the interrupt at 80 (ACPI 6.5,
# 5.2.12.14).
has_trace_buffers() {
	grep -qs arm,trace-buffer-extension /proc/device-tree/*/compatible && return
	[ -r /sys/firmware/acpi/tables/APIC ] || return
	od -A n -v -t u1 /sys/firmware/acpi/tables/APIC | awk '
		{ for (i = 1; i <= NF; i++) byte[count++] = $i }
		END {
			for (at = 44; at + 1 < count && byte[at + 1]; at += byte[at + 1])
				if (byte[at] == 11 && byte[at + 1] >= 82 && byte[at + 80] + byte[at + 81])
					exit 0
			exit 1
		}'
}
# our driver is loaded, and firmware describes a trace buffer: then it has a PMU, or its reason is in the kernel's log
if [ "$driver" = arm_ete_pmu ] && [ -d /sys/module/arm_ete_pmu ] && [ ! -d "$pmu" ] && has_trace_buffers; then
	echo "not ok 1 the module is loaded, and there is no PMU: see dmesg"
	echo "1..1"
	exit 1
fi
need_pmu
[ "$driver" = arm_ete_pmu ] || skip_all "the in-tree driver is several modules: see modprobe -r coresight_trbe"
grep -q '^arm_ete_pmu ' /proc/modules || skip_all "the driver is not a module"

load() { # [PARAMETER]...
	if [ -n "${ARM_ETE_MODULE-}" ]; then
		insmod "$ARM_ETE_MODULE" "$@"
	else
		modprobe arm_ete_pmu "$@"
	fi
}
if [ -n "${ARM_ETE_MODULE-}" ]; then
	[ -r "$ARM_ETE_MODULE" ] || skip_all "ARM_ETE_MODULE: there is no $ARM_ETE_MODULE"
elif ! modprobe -n arm_ete_pmu >/dev/null 2>&1; then
	skip_all "modprobe does not find arm_ete_pmu, and ARM_ETE_MODULE is not set"
fi

# newer VERSION: is the kernel of that version, or a later one?
newer() {
	uname -r | awk -F '[.-]' -v wanted="$1" '{ split(wanted, w, "."); exit !($1 > w[1] || ($1 == w[1] && $2 >= w[2])) }'
}

# users: the reference count of the module
users() {
	awk '$1 == "arm_ete_pmu" { print $3 }' /proc/modules
}

if [ -x ./hwflow ]; then
	make_work
	./hwflow record -q -o "$work/data" --per-thread -- sleep 100 >/dev/null 2>&1 &
	recorder=$!
	tries=0
	until [ "$(users)" -gt 0 ] || [ $tries -gt 100 ]; do
		usleep 100000 2>/dev/null || sleep 1
		tries=$((tries + 1))
	done
	[ "$(users)" -gt 0 ]
	ok $? "an event holds a reference"
	! rmmod arm_ete_pmu 2>/dev/null
	ok $? "the module is not removed while an event is open"
	[ -d $pmu ]
	ok $? "the PMU stays"
	kill -INT $recorder
	wait $recorder
	tries=0
	until [ "$(users)" = 0 ] || [ $tries -gt 100 ]; do
		usleep 100000 2>/dev/null || sleep 1
		tries=$((tries + 1))
	done
else
	skip "the module is not removed while an event is open" "there is no command hwflow here"
fi
for turn in first second third; do
	rmmod arm_ete_pmu
	ok $? "the module is removed, $turn time"
	[ ! -e $pmu ] && [ ! -e $stats ]
	ok $? "the PMU is gone, $turn time"
	! grep -q arm_ete_pmu /proc/interrupts /proc/modules
	ok $? "its interrupt is free, $turn time"
	# Linux 6.7 and later make the device of ACPI's trace buffers themselves
	if [ -d /proc/device-tree/cpus ] || newer 6.7; then
		skip "its device is gone, $turn time" "the kernel makes the device"
	else
		[ ! -e "/sys/bus/platform/devices/arm,trbe" ]
		ok $? "its device is gone, $turn time"
	fi
	load
	ok $? "the module is loaded again, $turn time"
	[ -d $pmu ]
	ok $? "the PMU is there, $turn time"
	dmesg | grep arm_ete_pmu | tail -n 1 | grep -q ': CPUs [0-9]'
	ok $? "the log has the CPUs, $turn time"
done
./spinner 10
ok $? "programs run"
# CPUs would lose their trace buffer under events
[ -d /sys/bus/platform/drivers/arm_ete_pmu ] && [ ! -e /sys/bus/platform/drivers/arm_ete_pmu/unbind ]
ok $? "the device cannot be taken from the driver"

# each CPU but the first leaves and comes back: what was registered for CPUs and is left behind is called then
all_leave() {
	for online in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[ "$(cat "$online" 2>/dev/null)" = 1 ] || continue
		echo 0 >"$online" 2>/dev/null && echo 1 >"$online"
	done
}
# a name that another PMU has: no PMU of ours, and nothing left behind
rmmod arm_ete_pmu
load pmu_name=software 2>/dev/null
[ ! -e $pmu ]
ok $? "with the name of another PMU there is none"
dmesg | grep arm_ete_pmu | tail -n 3 | grep -q 'a PMU named software exists'
ok $? "the log has the reason"
[ ! -e $stats ] && ! grep -q arm_ete_pmu /proc/interrupts
ok $? "nothing of it is left"
all_leave
! grep -q '^arm_ete_pmu ' /proc/modules || rmmod arm_ete_pmu
ok $? "the module is removed after that"
all_leave
load
ok $? "the module is loaded again after that"
[ -d $pmu ]
ok $? "the PMU is there after that"
done_testing
