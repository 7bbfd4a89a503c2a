# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, whose kernel at EL1 is not mapped while user code runs: the module says so, and is
# not loaded.
. /tap.sh

dmesg | grep -qi 'page table isolation forced ON'
ok $? "the kernel is not mapped while user code runs"
insmod $module >log 2>&1
[ $? -ne 0 ]
ok $? "the module is refused"
sed 's/^/# /' log
said | sed 's/^/# /'
said | grep -q 'KPTI'
ok $? "it says that it is for KPTI"
said | grep -q 'kpti=0'
ok $? "it says what to do"
[ ! -e $pmu ] && ! grep -q arm_ete_pmu /proc/modules /proc/interrupts
ok $? "nothing of it stays"
done_testing
