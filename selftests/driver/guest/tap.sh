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
# how slow the host is, in percent, as tools/setup/tests/wait.bash has measured it
slowness=$(sed -n 's/.*hwflow\.slowness=\([0-9]*\).*/\1/p' /proc/cmdline)
slowness=${slowness:-100}

# wait_for SECONDS PID COMMAND...: repeat COMMAND until it is true. False if the process PID (0: none) ends before that,
# or at a time limit: three times SECONDS, which are ample on an idle host, and more on a slow host.
wait_for() {
	local end now rest pid=$2

	read -r now rest </proc/uptime
	end=$((${now%.*} + $1 * 3 * slowness / 100))
	shift 2
	until "$@"; do
		if [ "$pid" -ne 0 ] && ! kill -0 "$pid" 2>/dev/null; then
			# the last act of the process may have made it true
			"$@"
			return
		fi
		read -r now rest </proc/uptime
		[ "${now%.*}" -lt "$end" ] || return 1
		usleep 100000
	done
}

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

# explain: from here on the driver's debug messages, with the reason of each refusal, are in the log
explain() {
	echo 'module arm_ete_pmu +p' >/proc/dynamic_debug/control
	ok $? "the driver's debug messages are switched on"
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
