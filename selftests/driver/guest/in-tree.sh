# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: `hwflow record` with the kernel's own driver, which is loaded.
. /record.sh
mount --bind /dev/null /proc/kallsyms
dd if=/bin/busybox of=in bs=1k count=16 2>/dev/null
ls $pmu/sinks | sed 's/^/# sink /'
hwflow list >list
grep -q 'driver .*coresight' list
ok $? "list: the driver"
record thread exact,user -m ,4M -e cs_etm//u --per-thread -- busybox md5sum in
record all cpus,exact,user -m ,4M -a -e cs_etm//u -- busybox md5sum in
record inherit cpus,exact,user -m ,4M -- sh -c 'busybox cat in | busybox md5sum'
sink=$(ls $pmu/sinks | grep -m 1 trbe)
# the program begins on another CPU than the one that is recorded
run="taskset 2"
record sink cpus,exact,user -m ,4M -C 0 -e cs_etm/@$sink/u -- taskset 1 busybox md5sum in
run=
# a reader that is too slow at times
/recorder -o /tmp/small -m ,32K -a -e cs_etm//u -- /work 2 20 2>small.log >/dev/null
status=$?
sed 's/^/# /' small.log
same "small: the loss is reported" 124 $status
grep -qE 'trace was lost [1-9][0-9]* times?:' small.log
ok $? "small: its number is reported"
give small cpus,lossy,user,theirs 0
umount /proc/kallsyms
done_testing
