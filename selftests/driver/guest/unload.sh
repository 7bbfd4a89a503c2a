# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: the module goes, and comes back.
. /tap.sh

for time in first second; do
	rmmod arm_ete_pmu
	ok $? "the module is unloaded, $time time"
	[ ! -e $pmu ]
	ok $? "the PMU is gone, $time time"
	! grep -q arm_ete_pmu /proc/interrupts
	ok $? "the interrupt is free, $time time"
	insmod $module
	ok $? "the module is loaded again, $time time"
done
perf record -o again -e cs_etm//u --per-thread -- busybox true >log 2>&1
status=$?
[ $status -eq 0 ] || sed 's/^/# /' log
ok $status "perf records after that"
done_testing
