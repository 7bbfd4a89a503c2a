# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: `hwflow doctor` names the fault that the kernel's command line names (hwflow.fault=NAME) with its
# remedy, and no other fault; without a fault it records. What makes the fault is the
# machine, or is done here.
#
#   none          nothing
#   no-node       trace=off
#   no-interrupt  tree=no-interrupt
#   e2tb          owner=el2
#   kpti          append=kpti=1
#   coresight     modules=configfs,coresight,coresight-etm4x,coresight-trbe
#   erratum       here: the module is loaded with force_errata=32
#   unloaded      here: the module is not loaded
#   paranoid      here: perf_event_paranoid is 3, and the user has no privileges
#   mlock         here: no memory may be locked, and the user has no privileges
. /tap.sh
fault=$(sed -n 's/.*hwflow\.fault=\([^ ]*\).*/\1/p' /proc/cmdline)
mkdir -p /etc
echo nobody:x:65534:65534::/:/bin/sh >/etc/passwd
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null

# as_nobody COMMAND: without privileges
as_nobody() {
	start-stop-daemon -S -c nobody -n nothing -x /bin/sh -- -c "$1"
}

# examine [COMMAND-LINE]: the report is in /tmp/report
examine() {
	if [ "${1-}" ]; then
		as_nobody "$1" >/tmp/report 2>/tmp/errors
	else
		hwflow doctor >/tmp/report 2>/tmp/errors
	fi
	status=$?
	sed 's/^/# /' /tmp/report /tmp/errors
	[ ! -s /tmp/errors ]
	ok $? "doctor prints no error"
}

# names CHECK TEXT REMEDY: one fault with its remedy
names() {
	same "exit status" 3 "$status"
	same "faults" 1 "$(grep -c '^FAULT' /tmp/report)"
	grep -q "^FAULT    $1 .*$2" /tmp/report
	ok $? "the fault is named: $1: $2"
	tr -s ' \n' '  ' </tmp/report | grep -qF -- "$3"
	ok $? "the remedy is named: $3"
}

# mends: without the fault, doctor records
mends() {
	examine "${1-}"
	same "exit status without the fault" 0 "$status"
	grep -q '^ok       attempt .*[1-9][0-9]* bytes' /tmp/report
	ok $? "this thread was traced"
}

case $fault in
erratum) insmod $module force_errata=32 ;;
unloaded) ;;
*) insmod $module ;;
esac
case $fault in
none)
	mends
	hwflow list >/tmp/list
	ok $? "list"
	sed 's/^/# /' /tmp/list
	grep -q "traced  *CPUs\? .*$((cpus - 1))$" /tmp/list
	ok $? "list: the CPUs"
	;;
no-node)
	examine
	names firmware "describes no trace buffer" 'compatible = "arm,trace-buffer-extension"'
	;;
no-interrupt)
	examine
	names interrupt "the property interrupts is missing" "interrupts = <GIC_PPI N"
	;;
e2tb)
	examine
	names owner "TRBIDR_EL1.P" "MDCR_EL2.E2TB = 0b11"
	;;
kpti)
	examine
	names KPTI "the kernel is not mapped" "kpti=0"
	;;
coresight)
	examine
	names "in-tree driver" "is bound to the trace buffers" "modprobe -r coresight-trbe"
	rmmod arm_ete_pmu && rmmod coresight-trbe && rmmod coresight-etm4x && rmmod coresight
	ok $? "the commands of the remedy: the in-tree driver is unloaded"
	insmod $module
	mends
	;;
erratum)
	examine
	names errata "erratum 1902691" "no workaround"
	;;
unloaded)
	examine
	names driver "arm_ete_pmu" "arm_ete_pmu"
	insmod $module
	mends
	;;
paranoid)
	echo 3 >/proc/sys/kernel/perf_event_paranoid
	examine "hwflow doctor"
	names permission "perf_event_paranoid is 3" "sysctl kernel.perf_event_paranoid=2"
	sysctl -w kernel.perf_event_paranoid=2
	mends "hwflow doctor"
	;;
mlock)
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	echo 0 >/proc/sys/kernel/perf_event_mlock_kb
	examine "ulimit -l 0; exec hwflow doctor"
	names memory "perf_event_mlock_kb 0" "sysctl kernel.perf_event_mlock_kb=516"
	sysctl -w kernel.perf_event_mlock_kb=516
	mends "ulimit -l 0; exec hwflow doctor"
	;;
*)
	ok 1 "hwflow.fault=$fault is known"
	;;
esac
done_testing
