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
rmmod bound
ok $? "later: bound.ko is unloaded"
same "later: claim and filter at the end" "0x0 0x0 " "$(state 0)"
rmmod arm_ete_pmu power
done_testing
