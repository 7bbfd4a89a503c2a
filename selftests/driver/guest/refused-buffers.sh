# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, none of whose CPUs has a trace buffer by its ID register: the log says so of each, and
# there is no PMU.
. /tap.sh

refused
same "CPUs that cannot be traced" "$cpus" \
	"$(said | grep -c 'cannot be traced: it has no trace buffer (ID_AA64DFR0_EL1.TraceBuffer is 0)')"
said | grep -q 'no CPU can be traced'
ok $? "it says that no CPU can be traced"
leaves_nothing
done_testing
