# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, whose trace units another driver uses as well: bound.ko, which has the name of the kernel's own driver
# and claims them, and then coresight-etm4x itself. Neither loses what it has.
. /tap.sh
rmmod coresight-etm4x && rmmod coresight
ok $? "the kernel's own modules are unloaded"
insmod /power.ko
ok $? "power.ko is loaded"

# state CPU: claim and trace filter, as power.ko prints them
state() {
	dmesg -c >/dev/null
	echo "state $1" >/proc/power
	dmesg | sed -n "s/.*power: cpu$1: \(filter \)*state: \(.*claim \)*//p" | tr '\n' ' '
}

# event NAME: an event of the first CPU leaves the other driver's claim and filter as they are
event() {
	dmesg -c >/dev/null
	/attempt "$(cat $pmu/type)" 0 0 0 uk 0 >/dev/null
	dmesg | grep -q 'cpu0: not traced: another driver has claimed the trace unit'
	ok $? "$1, an event: the reason is reported"
	same "$1, an event: claim and filter" "0x2 0x23 " "$(state 0)"
}

# the other driver comes after ours
dmesg -c >/dev/null
insmod $module && said | grep -q ': CPUs 0-'
ok $? "ours is loaded"
insmod /bound.ko
ok $? "later: bound.ko is loaded"
event later
# it claims the trace unit of a CPU that comes online, before ours sees the CPU
echo 0 >/sys/devices/system/cpu/cpu1/online && echo 1 >/sys/devices/system/cpu/cpu1/online
ok $? "later: CPU 1 was offline"
same "later, online: claim and filter" "0x2 0x23 " "$(state 1)"
rmmod bound
ok $? "later: bound.ko is unloaded"
same "later: claim and filter at the end" "0x0 0x0 " "$(state 0)"

# it is there before ours
rmmod arm_ete_pmu
insmod /bound.ko
ok $? "before: bound.ko is loaded"
dmesg -c >/dev/null
insmod $module && said | grep -q ': CPUs 0-'
ok $? "before: ours is loaded"
same "before, loaded: claim and filter" "0x2 0x23 " "$(state 0)"
event before
rmmod arm_ete_pmu bound

# coresight-etm4x is loaded after ours: it restores the trace filter when a CPU wakes, and ours opens it after that
insmod $module pmu_name=other
ok $? "idle: ours is loaded"
insmod /modules/*-coresight.ko && insmod /modules/*-coresight-etm4x.ko
ok $? "idle: coresight-etm4x is loaded"
/hold "$(cat /sys/bus/event_source/devices/other/type)" 0 >held &
hold=$!
wait_for 30 $hold grep -q held held
ok $? "idle: an event is enabled"
dmesg -c >/dev/null
for turn in 1 2 3 4 5; do
	echo "keep 0" >/proc/power
done
dmesg | sed -n 's/.*\(power: cpu0\)/# \1/p'
same "idle: the trace unit and the filter are open after each time" 5 \
	"$(dmesg | grep 'power: cpu0: \(filter \)*on' | tr '\n' ' ' | grep -o 'trace unit 1 claim 0x2 [^:]*: cpu0: filter on: 0x[0-9a-f]*[3b] ' | wc -l)"
kill $hold
wait $hold
rmmod coresight-etm4x && rmmod coresight && rmmod arm_ete_pmu power
ok $? "idle: all of them are unloaded"
done_testing
