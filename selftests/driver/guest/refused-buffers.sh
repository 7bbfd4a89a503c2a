# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, none of whose CPUs has a trace buffer by its ID register: the log says so of each, and
# there is no PMU.
. /tap.sh

insmod $module >log 2>&1
sed 's/^/# /' log
said | sed 's/^/# /'
same "CPUs that are not traced" "$cpus" \
	"$(said | grep -c 'is not traced: it has no trace buffer (ID_AA64DFR0_EL1.TraceBuffer is 0)')"
said | grep -q 'no CPU can be traced'
ok $? "it says that no CPU can be traced"
[ ! -e $pmu ]
ok $? "there is no PMU"
! grep -q arm_ete_pmu /proc/interrupts
ok $? "the interrupt is free"
# where the module is loaded all the same
rmmod arm_ete_pmu 2>/dev/null
leaves_nothing
done_testing
