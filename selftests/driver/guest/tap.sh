# SPDX-License-Identifier: GPL-2.0-only
#
# For the tests in the machine, which end with `done_testing`.
n=0
failed=0
[ -d /sys/kernel/debug/tracing ] || mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
pmu=/sys/bus/event_source/devices/cs_etm
stats=/sys/kernel/debug/arm_ete_pmu
module=/arm_ete_pmu.ko
cpus=$(grep -c ^processor /proc/cpuinfo)

ok() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		failed=$((failed + 1))
		echo "not ok $n - $2"
	fi
}

# same NAME EXPECTED FOUND
same() {
	[ "$2" = "$3" ] || echo "# $1: $3, not $2"
	[ "$2" = "$3" ]
	ok $? "$1"
}

# What our module has said. insmod tries twice where it is refused: each message once.
said() {
	dmesg | sed -n 's/^\[ *[0-9.]*\] \(arm_ete_pmu.*\)/\1/p' | awk '!seen[$0]++' |
		grep -vE 'taints kernel|tainting kernel'
}

# refused [OPTION...]: the module is loaded but finds no device that it can use; a device may be probed later
refused() {
	insmod $module "$@"
	ok $? "the module is loaded"
	said | sed 's/^/# /'
	[ ! -e $pmu ] && ! grep -q arm_ete_pmu /proc/interrupts
	ok $? "there is no PMU, and no interrupt is taken"
}

# leaves_nothing: the module can be removed
leaves_nothing() {
	rmmod arm_ete_pmu
	ok $? "the module is unloaded"
	[ ! -e $pmu ] && ! grep -q arm_ete_pmu /proc/modules /proc/interrupts
	ok $? "no trace of it is left"
}

done_testing() {
	echo "1..$n"
	[ "$failed" -eq 0 ]
}
