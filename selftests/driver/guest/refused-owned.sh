# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, whose trace buffers a hypervisor keeps: the module says so, and is not loaded.
. /tap.sh

insmod $module >log 2>&1
[ $? -ne 0 ]
ok $? "the module is refused"
sed 's/^/# /' log
grep -qi 'no such device' log
ok $? "with ENODEV"
said | sed 's/^/# /'
said | grep -q 'TRBIDR_EL1.P'
ok $? "it says that the buffer is not the kernel's"
said | grep -q "EL2"
ok $? "it says whose it can be"
[ ! -e $pmu ] && ! grep -q arm_ete_pmu /proc/modules /proc/interrupts
ok $? "nothing of it stays"
done_testing
