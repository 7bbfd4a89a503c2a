#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# doctor.sh BUILD - `hwflow doctor` names each fault of a machine and its remedy, and no other fault; `hwflow
# list` prints what a machine can trace. The machines are files below a directory. Speaks TAP.
set -u
build=$(realpath "$1")
hwflow=$build/hwflow
[ ! -x "$build/san/hwflow" ] || hwflow=$build/san/hwflow
top=$(cd "$(dirname "$0")/../../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$top/tools/setup/tests/tap.bash"
. "$top/tools/hwflow/doctor/tests/doctor.bash"

examine() {
	"$hwflow" doctor --root="$tree" >"$work/out" 2>"$work/err"
	status=$?
}

# healthy NAME: no fault
healthy() {
	examine
	[ $status = 0 ] && [ ! -s "$work/err" ] && ! grep -q '^FAULT' "$work/out" &&
		grep -q '^This machine can record program flow trace' "$work/out"
	ok $? "$1: no fault" "$work/out"
}

# faulty NAME CHECK TEXT REMEDY: this fault with this remedy, and no other fault
faulty() {
	examine
	[ $status = 3 ] && [ ! -s "$work/err" ] && [ "$(grep -c '^FAULT' "$work/out")" = 1 ] &&
		grep -q "^FAULT    $2 .*$3" "$work/out" &&
		grep -q '^This machine cannot record .*: 1 fault\.' "$work/out"
	ok $? "$1: one fault, of $2" "$work/out"
	# the lines of the remedy are joined: a command may be broken
	awk '/^FAULT/ { on = 1; next } !/^ / { on = 0 } on { printf "%s ", $0 }' "$work/out" |
		tr -s ' ' | grep -qF -- "$4"
	ok $? "$1: the remedy" "$work/out"
}

# warned NAME CHECK TEXT REMEDY: a warning, and no fault
warned() {
	healthy "$1"
	grep -q "^warning  $2 .*$3" "$work/out" && tr -s ' \n' ' ' <"$work/out" | grep -qF -- "$4"
	ok $? "$1: a warning, of $2" "$work/out"
}

good_tree "$work/good"
new() {
	tree=$work/tree
	rm -rf "$tree"
	cp -a "$work/good" "$tree"
}

new
healthy "good"
! grep -q '^warning' "$work/out"
ok $? "good: no warning" "$work/out"
grep -q '^-        attempt .*--root' "$work/out"
ok $? "good: another machine is not traced" "$work/out"

new
put proc/sys/kernel/arch 'x86_64\n'
faulty "not arm64" architecture x86_64 "hwflow emulate"
[ "$(grep -cE '^(ok|-|warning|FAULT) ' "$work/out")" -eq 1 ]
ok $? "not arm64: nothing else is checked" "$work/out"

new
rm "$tree/proc/sys/kernel/arch"
healthy "arm64 without /proc/sys/kernel/arch"

new
no_pmu
put proc/sys/kernel/osrelease '5.10.0-30-arm64\n'
faulty "old kernel" kernel "6\.1 or later.*5\.10\.0-30-arm64" "Boot Linux 6.1 or later"
new
no_pmu
rm "$tree"/proc/sys/kernel/perf_event_*
faulty "no perf events" kernel "no perf events" "CONFIG_PERF_EVENTS=y"
new
put boot/config-6.1.0-44-arm64 '# CONFIG_PID_IN_CONTEXTIDR is not set\n'
warned "no thread numbers" kernel CONFIG_PID_IN_CONTEXTIDR "record threads"

new
no_pmu
processors 0x00000000413fd0c1
rm -r "$tree/sys/firmware/devicetree/base/trbe" "$tree/sys/bus/platform/devices/trbe"
examine
grep -q '^FAULT    processor .*Neoverse-N1 r3p1: Armv8 has neither FEAT_ETE nor FEAT_TRBE' "$work/out"
ok $? "Armv8: a fault, of processor" "$work/out"

# what the kernel's log says of a driver that is loaded: FAULT CHECK MESSAGE REMEDY
while IFS='|' read -r name check message remedy; do
	new
	no_pmu
	logs "$message"
	logs "arm_ete_pmu trbe: no CPU can be traced"
	text=${message#*: }
	text=${text#cpu0 cannot be traced: }
	escaped=$(printf '%s' "${text%: boot with kpti=0}" | sed 's/[].*^$[]/\\&/g')
	faulty "$name" "$check" "$escaped" "$remedy"
done <<-'TABLE'
	EL2|owner|arm_ete_pmu: cpu0 cannot be traced: its trace buffer belongs to EL2, EL3 or Secure state (TRBIDR_EL1.P)|MDCR_EL2.E2TB = 0b11
	EL3|owner|arm_ete_pmu: cpu0 cannot be traced: its trace buffer belongs to EL3 or Secure state (TRBIDR_EL1.P)|ENABLE_TRBE_FOR_NS=1
	pKVM|owner|arm_ete_pmu trbe: pKVM owns the trace buffers and does not trust the host|without kvm-arm.mode=protected
	debugger|owner|arm_ete_pmu: cpu0 cannot be traced: an external debugger uses its trace buffer (TRBLIMITR_EL1.XE)|End the session
	no FEAT_TRBE|processor|arm_ete_pmu: cpu0 cannot be traced: it has no trace buffer (ID_AA64DFR0_EL1.TraceBuffer is 0)|FEAT_ETE and FEAT_TRBE
	no FEAT_ETE|processor|arm_ete_pmu: cpu0 cannot be traced: its trace unit is no ETE|FEAT_ETE and FEAT_TRBE
	KPTI in the log|KPTI|arm_ete_pmu trbe: the kernel is not mapped while user code runs (KPTI): boot with kpti=0|Boot with kpti=0
	erratum in the log|errata|arm_ete_pmu: cpu0 cannot be traced: its trace is corrupt (erratum 1902691)|no workaround
TABLE

new
no_pmu
rm -r "$tree/sys/firmware/devicetree/base/trbe" "$tree/sys/bus/platform/devices/trbe"
logs "arm_ete_pmu: firmware describes no trace buffers (device tree: arm,trace-buffer-extension; ACPI: TRBE interrupt in the MADT)"
faulty "no node" firmware "no node arm,trace-buffer-extension" 'compatible = "arm,trace-buffer-extension"'
new
no_pmu
put sys/firmware/devicetree/base/trbe/status 'disabled\0'
faulty "disabled node" firmware "disabled in the device tree: /.*/trbe" 'status = "okay"'
new
no_pmu
rm "$tree/sys/firmware/devicetree/base/trbe/interrupts"
logs "arm_ete_pmu trbe: error -ENXIO: no interrupt of each CPU"
faulty "no interrupt" interrupt "no interrupt: the property interrupts is missing in /.*/trbe" "interrupts = <GIC_PPI N"
new
no_pmu
put sys/firmware/devicetree/base/trbe/interrupts '\0\0\0\0\0\0\0\017\0\0\0\004'
faulty "shared interrupt" interrupt "not an interrupt of each CPU (PPI)" "GIC_PPI"

# madt INTERRUPT...: a MADT with a GICC entry for each CPU, and no device tree; interrupts as two octal bytes
madt() {
	local interrupt entries=

	rm -r "$tree/sys/firmware/devicetree"
	for interrupt in "$@"; do
		entries+="\013\122\0\0$(printf '\\0%.0s' {1..8})\001\0\0\0$(printf '\\0%.0s' {1..64})$interrupt"
	done
	put sys/firmware/acpi/tables/APIC "APIC$(printf '\\0%.0s' {1..40})$entries"
}
new
madt '\037\0' '\037\0'
healthy "ACPI"
new
no_pmu
rm -r "$tree/sys/bus/platform/devices/trbe"
madt '\0\0' '\0\0'
faulty "ACPI without interrupts" firmware "no GICC entry" "TRBE interrupt"
new
no_pmu
madt '\037\0' '\036\0'
faulty "ACPI with two interrupts" interrupt "different trace buffer interrupts" "name the same TRBE interrupt"
for size in 0 1 44 45 46 100; do
	new
	no_pmu
	madt '\037\0' '\037\0'
	truncate -s $size "$tree/sys/firmware/acpi/tables/APIC"
	faulty "MADT of $size bytes" firmware "no GICC entry" "TRBE interrupt"
done

new
no_pmu
put sys/devices/system/cpu/vulnerabilities/meltdown 'Mitigation: PTI\n'
faulty "KPTI" KPTI "Mitigation: PTI" "Boot with kpti=0"

new
no_pmu
put proc/cmdline 'root=/dev/vda1 kpti=1\n'
faulty "kpti=1" KPTI "(kpti=1)" "Boot with kpti=0"

new
no_pmu
processors 0x00000000411fd460
examine
! grep -q '^FAULT    errata' "$work/out"
ok $? "Cortex-A510 r1p0 is not corrupt" "$work/out"
new
no_pmu
processors 0x00000000410fd461
faulty "erratum" errata "Cortex-A510 r0p1.* is corrupt (erratum 1902691)" "no workaround"
new
processors 0x00000000410fd490
healthy "errata with workarounds"
grep -q '^ok       errata .*2139208, 2253138, 2067961' "$work/out"
ok $? "errata with workarounds are named" "$work/out"

new
in_tree_pmu
logs "arm_ete_pmu: the trace buffers are in use by arm_trbe: unload it (modprobe -r coresight-trbe coresight-etm4x) and load this module again; see modprobe.d/arm_ete_pmu.conf"
faulty "coresight bound" "in-tree driver" "arm_trbe is bound to the trace buffers" \
	"modprobe -r coresight-trbe coresight-etm4x coresight; modprobe arm_ete_pmu"
new
in_tree_pmu
rm -r "$tree/sys/module/arm_ete_pmu"
warned "coresight records" "in-tree driver" "the in-tree driver records" "modprobe arm_ete_pmu"
new
in_tree_pmu
rm -r "$tree/$pmu/sinks" "$tree/sys/bus/platform/devices/trbe/driver"
faulty "coresight without a sink" "in-tree driver" "no sink: coresight-trbe is not loaded" "modprobe -r"
new
in_tree_pmu
rm -r "$tree/$pmu"/{sinks,cpu*} "$tree/sys/bus/platform/devices/trbe/driver"
faulty "coresight's PMU remains" "in-tree driver" "has the PMU cs_etm, but no trace unit" "modprobe -r"

new
no_pmu
rm -r "$tree/sys/module/arm_ete_pmu"
faulty "module not loaded" driver "installed, but not loaded" "modprobe arm_ete_pmu"
rm -r "$tree/lib/modules"
faulty "module missing" driver "neither .* is installed" "make install-module; dkms install"
put lib/modules/6.1.0-40-arm64/modules.dep 'updates/dkms/arm_ete_pmu.ko:\n'
faulty "module of another kernel" driver "for Linux 6.1.0-40-arm64, and Linux 6.1.0-44-arm64 runs" \
	"make modules KDIR="
logs "arm_ete_pmu: version magic '6.1.0-40-arm64 SMP' should be '6.1.0-44-arm64 SMP'"
faulty "version magic" driver "version magic" "KDIR=/lib/modules"
new
no_pmu
rm -r "$tree/sys/module/arm_ete_pmu"
put sys/kernel/security/lockdown 'none [integrity] confidentiality\n'
put lib/modules/6.1.0-44-arm64/updates/dkms/arm_ete_pmu.ko 'ELF'
faulty "lockdown" lockdown "integrity.*is not signed" "mokutil --import"
put lib/modules/6.1.0-44-arm64/updates/dkms/arm_ete_pmu.ko 'ELF~Module signature appended~\n'
faulty "lockdown, and a signed module" driver "installed, but not loaded" "modprobe arm_ete_pmu"
new
put sys/kernel/security/lockdown 'none integrity [confidentiality]\n'
warned "confidentiality" lockdown kcore "lockdown=integrity"

new
no_pmu
faulty "no PMU for an unknown reason" PMU "no reason that is known" "dmesg"
rm "$tree/var/log/dmesg"
faulty "no PMU and no log" PMU "log cannot be read" "dmesg"

new
put proc/sys/kernel/perf_event_paranoid '3\n'
faulty "paranoid 3" permission "perf_event_paranoid is 3" "sysctl kernel.perf_event_paranoid=2"
put proc/self/status 'CapEff\nCapEff:\t0000004000000000\n'
healthy "paranoid 3 with CAP_PERFMON"
put proc/self/uid_map '         0          0 4294967295\n'
healthy "paranoid 3 with CAP_PERFMON in the first user namespace"
# the kernel does not accept capabilities of another one
put proc/self/uid_map '         0     100000      65536\n'
faulty "paranoid 3 with CAP_PERFMON in a user namespace" permission "perf_event_paranoid is 3" \
	"sysctl kernel.perf_event_paranoid=2"
new
put proc/sys/kernel/perf_event_mlock_kb '0\n'
put proc/self/limits 'Max locked memory         65536                65536                bytes     \n'
faulty "mlock 0" memory "64 KB may be locked (perf_event_mlock_kb 0" "sysctl kernel.perf_event_mlock_kb=516"
put proc/self/limits 'Max locked memory         unlimited            unlimited            bytes     \n'
healthy "mlock 0 without a limit"
put proc/self/limits 'Max locked memory         65536                65536                bytes     \n'
put proc/sys/kernel/perf_event_paranoid '-1\n'
healthy "mlock 0 and paranoid -1"

new
put proc/self/mounts 'proc /proc proc rw 0 0\n'
warned "no tracefs" tracefs "not mounted" "mount -t tracefs tracefs /sys/kernel/tracing"
new
put sys/devices/system/cpu/online '0\n'
warned "offline CPU" CPUs "offline: CPU 1" "echo 1 >/sys/devices/system/cpu/cpuN/online"
new
logs "arm_ete_pmu: cpu1 cannot be traced: its trace unit is no ETE"
warned "one CPU is refused" processor "CPU 1: its trace unit is no ETE" "perf record -C CPUS"

# whatever is in a file
for file in $pmu/type $pmu/cpu0/trcidr/trcidr0 proc/sys/kernel/osrelease sys/devices/system/cpu/online \
	sys/devices/system/cpu/present proc/self/limits proc/self/status proc/self/mounts \
	sys/firmware/devicetree/base/trbe/compatible sys/firmware/devicetree/base/trbe/interrupts \
	sys/kernel/security/lockdown sys/devices/system/cpu/cpu0/regs/identification/midr_el1 var/log/dmesg; do
	new
	for text in '' '\0' '999999999999999999999999' '4-1' '[' "$(printf 'x%.0s' {1..9000})"; do
		put "$file" "$text"
		examine
		[[ $file == sys/[bd]* ]] && "$hwflow" list --root="$tree" >/dev/null 2>>"$work/err"
		[ $status = 0 ] || [ $status = 3 ] || echo "$file: ${text:0:20}: $status" >>"$work/wrong"
		cat "$work/err" >>"$work/wrong"
	done
done
touch "$work/wrong"
[ ! -s "$work/wrong" ]
ok $? "no content of a file is an error of the command" "$work/wrong"
new
link sys/firmware/devicetree/base/trbe/loop ..
: >"$work/outside"
rm "$tree/var/log/dmesg"
link var/log/dmesg "$work/outside"
examine
grep -q '^-        owner .*log cannot be read' "$work/out"
ok $? "links are followed within the directory" "$work/out"

# the command line
fails() { # STATUS TEXT COMMAND...
	local want=$1 text=$2 got

	shift 2
	"$hwflow" "$@" >"$work/out" 2>"$work/err"
	got=$?
	[ $got = "$want" ] && grep -qF -- "$text" "$work/err" && [ ! -s "$work/out" ]
	ok $? "$*" "$work/err"
}
for verb in list doctor; do
	fails 2 "hwflow $verb: $work/none: No such file or directory; --root names a directory" $verb \
		--root="$work/none"
	fails 1 "unrecognized option '--bad'" $verb --bad
	fails 1 "hwflow $verb: 'file' is not an option" $verb file
	"$hwflow" $verb --help >"$work/out" && grep -q "^usage: hwflow $verb " "$work/out"
	ok $? "$verb --help" "$work/out"
done

# list
new
"$hwflow" list --root="$tree" >"$work/out"
ok $? "list" "$work/out"
while read -r line; do
	tr -s ' ' <"$work/out" | sed 's/^ //' | grep -qxF -- "$line"
	ok $? "list: $line" "$work/out"
done <<-'TABLE'
	PMU cs_etm, type 9
	driver arm_ete_pmu
	traced CPUs 0-1
	buffer trace buffer of each CPU (TRBE)
	address filters 4 for each event
	CPUs 0-1: ETE 1.0
	clock of timestamps the kernel's clock
	cycle counts yes
	bits of a cycle count 20
	least cycles between two counts 4
	bits of a timestamp 64
	bits of context identifiers (CONTEXTIDR_EL1) 32
	branch broadcast yes
	return stack yes
	pairs of address comparators 4
	single-shot comparator controls 1
	counters 2
	cycacc config:12 cycle counts
	instrumentation config1:13 values that software writes with TRCIT
	contextid2 config:15 not possible: requires a kernel at EL2
TABLE
put $pmu/cpu0/trcidr/trcidr5 '0x180709ff\n'
put $pmu/cpu1/trcidr/trcidr0 '0x68000e21\n'
"$hwflow" list --root="$tree" >"$work/out"
grep -q '^CPU 0: ETE 1.0$' "$work/out" && grep -q '^CPU 1: ETE 1.0$' "$work/out" &&
	grep -q '^  cycacc .*not possible: the trace unit cannot count cycles$' "$work/out" &&
	grep -q '^  strobe_on .*not possible: requires two counters' "$work/out"
ok $? "list: trace units that differ" "$work/out"
"$hwflow" list --json --root="$tree" >"$work/json" && python3 - "$work/json" >"$work/out" 2>&1 <<-'END'
	import json, sys
	pmu, = json.load(open(sys.argv[1]))
	assert (pmu["name"], pmu["type"], pmu["driver"], pmu["cpus"]) == ("cs_etm", 9, "arm_ete_pmu", [0, 1])
	first, second = pmu["units"]
	assert first["cpus"] == [0] and first["cycle_counts"] is True and first["counters"] == 1
	assert second["cpus"] == [1] and second["cycle_counts"] is False and second["timestamp_bits"] == 64
	options = {option["name"]: option for option in pmu["options"]}
	assert not options["cycacc"]["possible"] and options["cycacc"]["obstacle"]
	assert options["retstack"]["possible"] and options["retstack"]["bits"] == "config:29"
END
ok $? "list --json" "$work/out"
new
in_tree_pmu
"$hwflow" list --root="$tree" >"$work/out" && grep -q 'driver  *coresight' "$work/out" &&
	grep -q 'buffer  *sinks: trbe0 trbe1$' "$work/out"
ok $? "list: the in-tree driver" "$work/out"
no_pmu
"$hwflow" list --root="$tree" >"$work/out"
[ $? = 3 ] && grep -q "'hwflow doctor'" "$work/out" && grep -q "'hwflow emulate" "$work/out"
ok $? "list: no PMU" "$work/out"

# facts that the driver has, too
sed -n 's/^\t{ TRBE_ERRATUM_\([A-Z_]*\), TRBE_PE_\([A-Z0-9_]*\), \(0x[0-9a-f]*\), \([0-9]*\) },$/E(\1, \2, \3, \4)/p' \
	"$top/drivers/perf/ete_caps.c" >"$work/driver"
sed -n 's/^#define TRBE_PE_\([A-Z0-9_]*\)\t*TRBE_PE(\(0x[0-9a-f]*\)U, \(0x[0-9a-f]*\)U)$/P(\1, \2, \3/p' \
	"$top/drivers/perf/ete_caps.c" >>"$work/driver"
grep '^E(' "$top/tools/hwflow/doctor/machine_errata.def" >"$work/own"
sed -n 's/^\(P(.*\), ".*")$/\1/p' "$top/tools/hwflow/doctor/machine_errata.def" >>"$work/own"
[ -s "$work/driver" ] && diff "$work/driver" "$work/own" >"$work/out"
ok $? "the errata are those of the driver" "$work/out"

# messages of the driver: each that is known here is printed there, and each reason there is known here
cat "$top"/drivers/perf/*.c >"$work/driver"
{
	sed -n 's/^M([A-Z_]*, OURS, "\([^"]*\)".*/\1/p' "$top/tools/hwflow/doctor/doctor_messages.def"
	sed -n '/^M([A-Z_]*, OURS,$/{n;s/^  "\([^"]*\)".*/\1/p}' "$top/tools/hwflow/doctor/doctor_messages.def"
} >"$work/texts"
[ "$(grep -c '^M([A-Z_]*, OURS,' "$top/tools/hwflow/doctor/doctor_messages.def")" -eq "$(wc -l <"$work/texts")" ]
ok $? "messages of the driver: $(wc -l <"$work/texts")"
while read -r text; do
	grep -qF -- "$text" "$work/driver"
	ok $? "the driver prints: $text"
done <"$work/texts"
awk '/^(static )?const char \*(ete_refusal|ete_cpu_features|ete_cpu_identify_buffer|ete_unit_identify|ete_unit_claim|trbe_caps_init)\(/ {
	on = 1
	functions++
}
/^}/ { on = 0 }
on
END { exit functions != 6 }' "$work/driver" >"$work/functions"
ok $? "the functions that refuse a CPU or a machine"
grep -o '"[^"]*"' "$work/functions" | tr -d '"' >"$work/reasons"
while read -r reason; do
	awk -v reason="$reason" 'index(reason, $0) { found = 1 } END { exit !found }' "$work/texts"
	ok $? "known: $reason"
done <"$work/reasons"
done_testing
