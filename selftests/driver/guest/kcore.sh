# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: a copy of the kernel's code, and of the vdso, for the recordings that come after.
. /record.sh
cat /proc/kallsyms >kallsyms
mount --bind kallsyms /proc/kallsyms
perf record -N --kcore -o /tmp/k -e cs_etm//u --per-thread -- busybox true >log 2>&1
ok $? "perf record --kcore"
(cd /tmp && find k -type d) | while read -r d; do mkdir -p "/host/$d"; done
(cd /tmp && find k -type f) | while read -r f; do dd if="/tmp/$f" of="/host/$f" bs=512k 2>/dev/null; done
rm -rf k
umount /proc/kallsyms
done_testing
