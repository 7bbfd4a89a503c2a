# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, whose trace buffers a hypervisor keeps: the module says so.
. /tap.sh

refused
said | grep -q 'TRBIDR_EL1.P'
ok $? "it says that the buffer is not the kernel's"
said | grep -q "EL2"
ok $? "it says whose it can be"
leaves_nothing
done_testing
