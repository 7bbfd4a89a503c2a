# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, which counts accesses to registers of trace: CPUs wake up from idle, with no event
# open. The driver leaves their trace units alone, and records with them after that.
. /record.sh
mount --bind /dev/null /proc/kallsyms
insmod /power.ko
ok $? "power.ko is loaded"

# count NAME: accesses of all CPUs so far
count() {
	touch "/host/count-$1"
	wait_for 60 0 test -s "/host/counted-$1"
	cat "/host/counted-$1"
}

# idle NUMBER: each CPU, so often
idle() {
	local cpu=0 status=0

	while [ $cpu -lt "$cpus" ]; do
		echo "idle $cpu $1" >/proc/power || status=1
		cpu=$((cpu + 1))
	done
	return $status
}

# untouched NAME: 100 wake-ups of each CPU make no access
untouched() {
	local before after

	before=$(count "$1-before")
	idle 100
	ok $? "$1: each CPU sleeps and wakes up 100 times"
	after=$(count "$1-after")
	same "$1: accesses to registers" 0 $((after - before))
}

untouched unused
run="taskset 1"
record first exact,user -e cs_etm//u --per-thread -- /work 1 3
before=$(count open)
[ "$before" -gt "$(cat /host/counted-unused-after)" ]
ok $? "the accesses of a record are counted"
# the first sleep after an event may give the trace unit back
idle 1
untouched used
record again exact,user -e cs_etm//u --per-thread -- /work 1 3

# power is lost with no event open: what the registers hold now is not what the driver wrote
echo "lose 0" >/proc/power
ok $? "power of the first CPU is lost"
record lost exact,user -e cs_etm//u --per-thread -- /work 1 3
run=
umount /proc/kallsyms
done_testing
