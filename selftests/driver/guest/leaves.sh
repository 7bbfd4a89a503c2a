# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: a processor leaves that is recorded itself. Its trace buffer is off before it does:
# power.ko, loaded before the driver, looks behind it, and perf takes its events off later still.
. /record.sh
mount --bind /dev/null /proc/kallsyms
last=$((cpus - 1))
# perf's last event may be there for a moment
wait_for 10 0 rmmod arm_ete_pmu 2>/dev/null
insmod /power.ko && insmod $module
ok $? "power.ko is loaded, and the driver after it"

# little is executed: it does not come to the end of its room
begin_all leaves sleep 1000
grows 0 cat $stats/cpu$last/sessions
ok $? "a processor is recorded"
dmesg -c >/dev/null
echo "state $last" >/proc/power
dmesg | grep -q "power: cpu$last: state: buffer 1 trace unit 1 claim 0x2$"
ok $? "its trace buffer and its trace unit are on"
echo 0 >/sys/devices/system/cpu/cpu$last/online
ok $? "it leaves"
dmesg | sed -n 's/.*power: /# power: /p'
dmesg | grep -q "power: cpu$last: leaves: buffer 0 trace unit 0 claim 0x0$"
ok $? "they are off, and nobody's"
echo 1 >/sys/devices/system/cpu/cpu$last/online
ok $? "it comes back"
kill -INT $perf
wait $perf
# perf says by which signal it ended
give leaves cpus,lossy,user 0
# the event of a processor that leaves: execution on it goes on, and the record says that it was cut
before=$(cat $stats/cpu$last/sessions)
begin gone -C $last -e cs_etm//u -- sleep 1000
grows "$before" cat $stats/cpu$last/sessions
ok $? "gone: its processor is recorded"
usleep 500000
echo 0 >/sys/devices/system/cpu/cpu$last/online
ok $? "gone: it leaves"
kill -INT $perf
wait $perf
echo 1 >/sys/devices/system/cpu/cpu$last/online
give gone partial 0
umount /proc/kallsyms
done_testing
