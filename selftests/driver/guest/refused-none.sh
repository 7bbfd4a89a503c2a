# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, which has no trace: the module says so, and is not loaded.
. /tap.sh

insmod $module >log 2>&1
[ $? -ne 0 ]
ok $? "the module is refused"
sed 's/^/# /' log
grep -qi 'no such device' log
ok $? "with ENODEV"
said | sed 's/^/# /'
[ "$(said | wc -l)" -eq 1 ]
ok $? "it says one line"
[ ! -e $pmu ] && ! grep -q arm_ete_pmu /proc/modules
ok $? "nothing of it stays"
done_testing
