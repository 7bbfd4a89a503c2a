# SPDX-License-Identifier: GPL-2.0-only
#
# For tests of `hwflow doctor` and `hwflow list`: files of a machine below a directory, as sysfs and procfs have
# them. Sourced.

# put PATH TEXT: a file of the machine below $tree; \n in TEXT is an end of line
put() {
	[ -d "$tree/${1%/*}" ] || mkdir -p "$tree/${1%/*}"
	printf '%b' "$2" >"$tree/$1"
}

# link PATH TARGET
link() {
	mkdir -p "$tree/${1%/*}"
	ln -sfn "$2" "$tree/$1"
}

# good_tree DIR: an arm64 machine with two CPUs whose trace buffers arm_ete_pmu drives; sets tree
good_tree() {
	tree=$1
	rm -rf "$tree"
	put proc/sys/kernel/arch 'aarch64\n'
	put proc/sys/kernel/osrelease '6.1.0-44-arm64\n'
	put proc/sys/kernel/perf_event_paranoid '2\n'
	put proc/sys/kernel/perf_event_mlock_kb '516\n'
	put proc/self/status 'Name:\thwflow\nCapEff:\t0000000000000000\n'
	put proc/self/limits 'Limit  Soft Limit  Hard Limit  Units\nMax locked memory  8388608  8388608  bytes\n'
	put proc/self/mounts 'tracefs /sys/kernel/tracing tracefs rw 0 0\n'
	put proc/cmdline 'root=/dev/vda1\n'
	put boot/config-6.1.0-44-arm64 'CONFIG_PERF_EVENTS=y\nCONFIG_PID_IN_CONTEXTIDR=y\n'
	put lib/modules/6.1.0-44-arm64/modules.dep 'updates/dkms/arm_ete_pmu.ko:\n'
	put sys/kernel/security/lockdown '[none] integrity confidentiality\n'
	processors 0x00000000410fd4f1 # Neoverse-V2 r0p1
	put sys/devices/system/cpu/vulnerabilities/meltdown 'Not affected\n'
	put sys/firmware/devicetree/base/compatible 'linux,dummy-virt\0'
	put sys/firmware/devicetree/base/ete-0/compatible 'arm,embedded-trace-extension\0'
	node 'arm,trace-buffer-extension\0'
	put sys/firmware/devicetree/base/trbe/interrupts '\0\0\0\001\0\0\0\017\0\0\0\004'
	put sys/bus/platform/devices/trbe/modalias 'of:NtrbeT(null)Carm,trace-buffer-extension\n'
	mkdir -p "$tree/sys/bus/platform/drivers/arm_ete_pmu" "$tree/sys/module/arm_ete_pmu"
	link sys/bus/platform/devices/trbe/driver ../../../../bus/platform/drivers/arm_ete_pmu
	put var/log/dmesg '[    2.000000] arm_ete_pmu trbe: cs_etm: CPUs 0-1\n'
	our_pmu
}

# processors MIDR: of both CPUs
processors() {
	local cpu

	put sys/devices/system/cpu/present '0-1\n'
	put sys/devices/system/cpu/online '0-1\n'
	for cpu in 0 1; do
		put sys/devices/system/cpu/cpu$cpu/regs/identification/midr_el1 "$1\n"
	done
}

# node COMPATIBLE: the node of the trace buffer
node() {
	put sys/firmware/devicetree/base/trbe/compatible "$1"
}

pmu=sys/bus/event_source/devices/cs_etm

# The PMU of arm_ete_pmu
our_pmu() {
	local cpu field

	put $pmu/type '9\n'
	put $pmu/nr_addr_filters '4\n'
	for field in branch_broadcast=config:8 cycacc=config:12 contextid=config:14 contextid1=config:14 \
		contextid2=config:15 timestamp=config:4-7 retstack=config:29 event=config1:16-31 \
		strobe_on=config1:32-47 strobe_off=config1:48-63 physical=config1:12 \
		instrumentation=config1:13; do
		put "$pmu/format/${field%%=*}" "${field#*=}\n"
	done
	for cpu in 0 1; do
		unit $cpu 0x47705a13
		put $pmu/cpu$cpu/ts_source '1\n'
	done
}

# unit CPU TRCDEVARCH
unit() {
	local values=(0x68000ea1 0x4100fff0 0xd0001088 0xc10f0004 0x11170004 0x280709ff 0x0 0x0 0x0) n

	for n in "${!values[@]}"; do
		put "$pmu/cpu$1/trcidr/trcidr$n" "${values[n]}\n"
	done
	put "$pmu/cpu$1/mgmt/trcdevarch" "$2\n"
	put "$pmu/cpu$1/mgmt/trcauthstatus" '0xc\n'
}

# no_pmu: the driver is loaded, and found nothing that it can drive
no_pmu() {
	rm -rf "${tree:?}/$pmu"
	rm -f "$tree/sys/bus/platform/devices/trbe/driver"
	put var/log/dmesg ''
}

# in_tree_pmu: coresight's, with a trace unit and a trace buffer of each CPU
in_tree_pmu() {
	local cpu

	rm -rf "${tree:?}/$pmu"
	put $pmu/type '9\n'
	put $pmu/format/cycacc 'config:12\n'
	put $pmu/format/contextid 'config:14\n'
	for cpu in 0 1; do
		unit $cpu 0x47705a13
		put $pmu/sinks/trbe$cpu '0x1\n'
	done
	mkdir -p "$tree/sys/module/coresight" "$tree/sys/bus/platform/drivers/arm_trbe"
	link sys/bus/platform/devices/trbe/driver ../../../../bus/platform/drivers/arm_trbe
}

# logs TEXT: another line of the kernel's log
logs() {
	printf '[    3.141592] %s\n' "$1" >>"$tree/var/log/dmesg"
}
