# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, whose kernel at EL1 is not mapped while user code runs: the module says so.
. /tap.sh

dmesg | grep -qi 'page table isolation forced ON'
ok $? "the kernel is not mapped while user code runs"
refused
said | grep -q 'KPTI'
ok $? "it says that it is for KPTI"
said | grep -q 'kpti=0'
ok $? "it says what to do"
leaves_nothing
done_testing
