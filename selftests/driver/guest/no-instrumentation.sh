# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: the module is told that firmware allows access to TRCITECR_EL1, and does not access it nevertheless:
# the CPUs have no FEAT_ITE, or EL2 would trap the access (nVHE).
. /record.sh
mount --bind /dev/null /proc/kallsyms
reason='a CPU has no FEAT_ITE'
grep -q kvm-arm.mode=nvhe /proc/cmdline && reason='EL2 may trap TRCITECR_EL1'
insmod $module instrumentation=1
ok $? "the module is loaded with its parameter"
said | sed 's/^/# /'
same "messages that it is ignored" 1 "$(dmesg | grep -c "arm_ete_pmu: instrumentation=1 is ignored: $reason")"
[ -d $pmu ] && [ ! -e $pmu/format/instrumentation ]
ok $? "it has no such field"
same "an event with the field" EOPNOTSUPP "$(/attempt "$(cat $pmu/type)" 0 0x2000 0 u)"
record plain exact,user -e cs_etm//u --per-thread -- /work 1 3
rmmod arm_ete_pmu
ok $? "the module is unloaded"
umount /proc/kallsyms
done_testing
