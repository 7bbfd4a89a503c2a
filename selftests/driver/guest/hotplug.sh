# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: processors leave and come back while threads are recorded that run on them.
. /record.sh
mount --bind /dev/null /proc/kallsyms

# follows NAME: the thread that is recorded is, on each CPU that it is sent to
follows() {
	local cpu=0 sessions before

	while [ $cpu -lt $cpus ]; do
		sessions=$stats/cpu$cpu/sessions
		before=$(cat $sessions)
		taskset -p $(printf %x $((1 << cpu))) "$(pidof work)" >/dev/null
		grows "$before" cat $sessions
		ok $? "$1: is recorded on processor $cpu again"
		cpu=$((cpu + 1))
	done
}

# a thread that a processor takes along is missed for a moment at most, and its record says so
for name in plug plug-small; do
	size=16M
	[ $name = plug ] || size=32K
	rm -f stop
	before=$(stat sessions)
	begin $name -m ,$size -e cs_etm//u --per-thread -- /work >/dev/null
	grows "$before" stat sessions
	ok $? "$name: is recorded"
	turns=0
	status=0
	while [ $turns -lt 10 ]; do
		for cpu in 1 0; do
			online=/sys/devices/system/cpu/cpu$cpu/online
			{ echo 0 >$online && usleep 100000 && echo 1 >$online; } || status=1
		done
		turns=$((turns + 1))
	done
	ok $status "$name: processors left and came back ten times"
	follows $name
	touch stop
	wait $perf
	give $name lossy,user $?
done
umount /proc/kallsyms
done_testing
