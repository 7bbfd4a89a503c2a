# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, whose CPUs have FEAT_RME by ID_AA64PFR0_EL1: that is no reason to refuse anything.
. /record.sh
insmod $module
ok $? "the module is loaded"
said | sed 's/^/# /'
[ -d $pmu ]
ok $? "the PMU is there"
copy_kernel
mount --bind /dev/null /proc/kallsyms
record thread exact,user -e cs_etm//u --per-thread -- /work 1 2
record all cpus,exact,user -a -e cs_etm//u -- /work 2 2
umount /proc/kallsyms
done_testing
