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

# a processor that cannot leave after the driver has left it: its event is recorded again. All processors are recorded,
# because the processor that forks records the fork, and the child may run on another one.
state=$(sed -n 's/^ *\([0-9]*\): perf:online$/\1/p' /sys/devices/system/cpu/hotplug/states)
before=$(cat $stats/cpu$last/sessions)
begin_all stays sleep 1000
grows "$before" cat $stats/cpu$last/sessions
ok $? "stays: its processor is recorded"
echo "$state" >/sys/devices/system/cpu/cpu$last/hotplug/fail
ok $? "stays: state $state is to fail"
before=$(cat $stats/cpu$last/sessions)
! echo 0 >/sys/devices/system/cpu/cpu$last/online 2>/dev/null
ok $? "stays: it does not leave"
same "stays: it is online" 1 "$(cat /sys/devices/system/cpu/cpu$last/online)"
grows "$before" cat $stats/cpu$last/sessions
ok $? "stays: it is recorded again"
kill -INT $perf
wait $perf
give stays lossy,cpus,user 0

# an event waits for a debugger while its processor leaves: no attempt is made after the driver has left it
tracing=/sys/kernel/debug/tracing
mount -t tracefs tracefs $tracing 2>/dev/null
echo 1 >$tracing/events/cpuhp/enable && echo 1 >$tracing/events/timer/hrtimer_expire_entry/enable
ok $? "waits: attempts are seen"
turn=0
status=0
while [ $turn -lt 5 ]; do
	echo "claim $last" >/proc/power
	/hold "$(cat $pmu/type)" $last >held &
	hold=$!
	wait_for 30 $hold above "$(cat $stats/cpu$last/retries)" cat $stats/cpu$last/retries || status=1
	echo 0 >/sys/devices/system/cpu/cpu$last/online || status=1
	echo 1 >/sys/devices/system/cpu/cpu$last/online || status=1
	kill $hold
	wait $hold
	turn=$((turn + 1))
done
ok $status "waits: the processor left five times while an event waited"
echo 0 >$tracing/tracing_on
attempts=$(awk '/cpuhp_enter.*\(power_leaves/ { left = 1 } /cpuhp_enter.*\(ete_cpu_online/ { left = 0 }
	/trbe_retry_expired/ { n[left]++ } END { print n[1] + 0, (n[0] > 0) }' $tracing/trace)
same "waits: attempts after that, and whether there were any before" "0 1" "$attempts"
echo "unclaim $last" >/proc/power
umount /proc/kallsyms
done_testing
