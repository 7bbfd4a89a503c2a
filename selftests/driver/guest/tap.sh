# SPDX-License-Identifier: GPL-2.0-only
#
# For the tests in the machine, which end with `done_testing`.
n=0
failed=0
pmu=/sys/bus/event_source/devices/cs_etm
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

# refused: the module is not loaded; what insmod says is in log then
refused() {
	insmod $module >log 2>&1
	[ $? -ne 0 ]
	ok $? "the module is refused"
	sed 's/^/# /' log
	said | sed 's/^/# /'
}

# leaves_nothing: as if it had never been tried
leaves_nothing() {
	[ ! -e $pmu ] && ! grep -q arm_ete_pmu /proc/modules /proc/interrupts
	ok $? "nothing of it stays"
}

done_testing() {
	echo "1..$n"
	[ "$failed" -eq 0 ]
}
