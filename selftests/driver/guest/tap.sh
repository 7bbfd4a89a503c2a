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

done_testing() {
	echo "1..$n"
	[ "$failed" -eq 0 ]
}
