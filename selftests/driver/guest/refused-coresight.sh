# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, where the kernel's own modules have the trace units: ours is refused, says who has
# them and what to do; theirs work as before.
. /tap.sh

insmod $module >log 2>&1
[ $? -ne 0 ]
ok $? "the module is refused"
sed 's/^/# /' log
grep -qiE 'resource busy' log
ok $? "with EBUSY"
said | sed 's/^/# /'
said | grep -q coresight
ok $? "it says who has the trace units"
said | grep -q modprobe
ok $? "it says what to do"
! grep -q arm_ete_pmu /proc/modules
ok $? "nothing of it stays"
mount --bind /dev/null /proc/kallsyms
perf record -o theirs -e cs_etm//u --per-thread -- busybox true >log 2>&1
ok $? "perf records with the kernel's own modules"

# the name of the PMU is that of the last of them
rmmod coresight-trbe && rmmod coresight-etm4x
insmod $module 2>/dev/null
[ $? -ne 0 ]
ok $? "the module is refused while the PMU is theirs"
said | tail -n +2 | sed 's/^/# /'
said | grep -q 'a PMU named cs_etm'
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
