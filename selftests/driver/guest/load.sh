# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: the module is loaded, and finds the trace units and the buffers' interrupt.
. /tap.sh

insmod $module
ok $? "the module is loaded"
said | sed 's/^/# /'
[ -d $pmu ]
ok $? "the PMU is there"
# INTID 31, level, on each CPU
grep -Eq '^ *[0-9]+:( +[0-9]+)+ +GIC(v3|-0|v2)? +31 +Level +arm_ete_pmu$' /proc/interrupts
ok $? "the buffers' interrupt is PPI 15"
# a second one has no place
insmod $module 2>/dev/null
[ $? -ne 0 ]
ok $? "it is not loaded twice"
done_testing
