# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: trace is corrupted, and nothing helps. Where that is known, no CPU is traced.
. /record.sh
refused force_errata=32
said | grep -q 'its trace is corrupt (erratum 1902691)'
ok $? "the reason is said"
leaves_nothing
# it is as bad as that
insmod $module
ok $? "where that is not known it is loaded"
mount --bind /dev/null /proc/kallsyms
record corrupted wrong -e cs_etm//u --per-thread -- /work 1 4
umount /proc/kallsyms
done_testing
