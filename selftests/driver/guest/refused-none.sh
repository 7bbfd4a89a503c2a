# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, which has no trace: the module says so.
. /tap.sh

refused
[ "$(said | wc -l)" -eq 1 ]
ok $? "it says one line"
leaves_nothing
done_testing
