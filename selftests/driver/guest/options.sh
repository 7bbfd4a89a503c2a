# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: each option, and what it makes the trace have. Stock perf knows all names from
# sysfs.
. /record.sh
mount --bind /dev/null /proc/kallsyms
own="--per-thread -- /work 1 3"

record none exact,user,CYCLE_COUNT_F1=0,CYCLE_COUNT_F2=0,CYCLE_COUNT_F3=0,TIMESTAMP=0,EVENT=0 -e cs_etm//u $own
record cycacc exact,cycles=0x100 -e cs_etm/cycacc=1/u $own
# perf 6.1 does not know config3, where kernels from 6.3 on have cc_threshold; its old place is accepted
threshold=cc_threshold
[ "$(cat $pmu/format/cc_threshold)" = config1:0-11 ] || threshold=config1
record threshold exact,cycles=0x800 -e cs_etm/cycacc=1,$threshold=0x800/u $own
record timestamp exact,TIMESTAMP=1 -e cs_etm/timestamp=1/u $own
record contextid exact,cid -e cs_etm/contextid=1/u $own
# the one that the kernel, where it is, keeps the thread's number in
if [ "$(cat $pmu/format/contextid)" = config:15 ]; then
	record contextid2 exact,cid -e cs_etm/contextid2=1/u $own
else
	record contextid1 exact,cid -e cs_etm/contextid1=1/u $own
fi
record retstack exact,perf,returns -e cs_etm/retstack=1/u $own
record broadcast exact,perf -e cs_etm/branch_broadcast=1/u $own
record many exact,cid,cycles=0x100,TIMESTAMP=1 -e cs_etm/cycacc=1,timestamp=1,contextid=1,retstack=1,branch_broadcast=1/u $own
# CPU_CYCLES, which is there in each cycle
record event exact,EVENT=50 -e cs_etm/event=0x11/u $own
# PMU_OVFS, of a counter beside
record overflow-event exact,EVENT=3 -e cs_etm/event=0x400d/u -e cycles:u -c 1000000 $own
# which needs three counters: the caller's machine has them, or has not
record strobe filtered,user -e cs_etm/strobe_on=2000,strobe_off=6000/u $own
record physical lossy -m ,1 -e cs_etm/physical=1/u --per-thread -- /work 1 1
umount /proc/kallsyms
done_testing
