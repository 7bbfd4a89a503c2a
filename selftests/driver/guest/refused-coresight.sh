# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, where the kernel's own modules have the trace units: ours is refused, says who has
# them and what to do; theirs work as before.
. /tap.sh

insmod $module
ok $? "the module is loaded"
said | sed 's/^/# /'
said | grep -q coresight
ok $? "it says who has the trace units"
said | grep -q modprobe
ok $? "it says what to do"
rmmod arm_ete_pmu
ok $? "it is unloaded"
mount --bind /dev/null /proc/kallsyms
perf record -o theirs -e cs_etm//u --per-thread -- busybox true >log 2>&1
ok $? "perf records with the kernel's own modules"

# the name of the PMU is that of the last of them
rmmod coresight-trbe && rmmod coresight-etm4x
insmod $module
ok $? "the module is loaded while the PMU is theirs"
[ ! -e $pmu/cpu0/cpu ] && ! grep -q ' arm_ete_pmu$' /proc/interrupts
ok $? "it has no PMU"
said | tail -n +2 | sed 's/^/# /'
rmmod arm_ete_pmu
said | grep -q 'a PMU named cs_etm exists'
ok $? "it says that the PMU is theirs"
insmod $module pmu_name=other
ok $? "the module is loaded with another name"
[ -d /sys/bus/event_source/devices/other/cpu0 ]
ok $? "its PMU has that name"
rmmod arm_ete_pmu
ok $? "it is unloaded"
rmmod coresight
ok $? "the kernel's own modules are unloaded"
insmod $module
ok $? "the module is loaded then"
perf record -o ours -e cs_etm//u --per-thread -- busybox true >log 2>&1
ok $? "perf records with it"
umount /proc/kallsyms
done_testing
