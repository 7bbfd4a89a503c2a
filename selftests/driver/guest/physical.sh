# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, whose trace buffers do not translate addresses: each event needs physical=1, and its AUX area is of
# contiguous pages.
. /record.sh
mount --bind /dev/null /proc/kallsyms
explain
! perf record -o none -e cs_etm//u --per-thread -- busybox true >log 2>&1
ok $? "without physical=1: refused"
dmesg | grep -q 'arm_ete_pmu: .*physical=1 is required'
ok $? "without physical=1: the reason is said"
large_pages on
# the kernel makes one piece of the whole area in snapshot mode only
record large latest -Se -m ,256K -e cs_etm/physical=1/u --per-thread -- /work 1 40
[ "$(large_pages off)" -gt 0 ]
ok $? "large: large pages are allocated"
umount /proc/kallsyms
done_testing
