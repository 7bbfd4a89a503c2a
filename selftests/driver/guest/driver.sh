# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: what is done with the driver. To be sourced by /phases.

load() {
	insmod /arm_ete_pmu.ko
}

unload() {
	rmmod arm_ete_pmu
}

# record NAME OPTION... [-- COMMAND]: perf's recording in /host
record() {
	name=$1
	shift
	perf record -o "/tmp/$name.data" "$@" || return
	cp "/tmp/$name.data" "/host/$name.data"
	rm -f "/tmp/$name.data"
}

# events: of a thread and of a processor, of user code and of all, in rings of both kinds
events() {
	for cpu in -1 0 1; do
		for options in "" k o ko; do
			/failnth -t 1 perf cs_etm $cpu $options || return
		done
	done
}

# full: a ring that is full again and again, of a thread's and the kernel's trace
full() {
	perf record -N -o full.data -m ,32K -e cs_etm// --per-thread -- busybox md5sum /arm_ete_pmu.ko || return
	rm -f full.data
	counted early_warnings
}

# counted NAME: a counter, of all CPUs
counted() {
	cat /sys/kernel/debug/arm_ete_pmu/cpu*/"$1" |
		awk -v name="$1" '{ n += $1 } END { print name, n }'
}

# faults: a buffer cannot write, and recording goes on
faults() {
	/fault -1 && counted faults_stage1
}

# used: kilobytes that the kernel has for itself, but for what it may give back
used() {
	awk '/^(SUnreclaim|VmallocUsed|Percpu|PageTables):/ { n += $2 } END { print n }' /proc/meminfo
}

# again NUMBER: load, record, unload. What the first five leave is there for good; how much the others
# leave is said.
again() {
	turn=0
	while [ $turn -lt "$1" ]; do
		load && /failnth -t 1 perf cs_etm && unload || return
		turn=$((turn + 1))
		[ $turn -ne 5 ] || before=$(used)
	done
	[ $turn -gt 5 ] || return 0
	grown=$(($(used) - before))
	echo "again: $turn times; the kernel's memory grew by $grown KB since the fifth, from $before KB"
}

# hotplug SECONDS EVENT...: processors leave and come back while all EVENTs are recorded, each a CPU
# and options as failnth has them. perf has one of a processor, and none of threads with it.
hotplug() {
	seconds=$1
	shift
	workers=
	for event; do
		/failnth -t "$seconds" perf cs_etm $event &
		workers="$workers $!"
	done
	end=$(($(cut -d . -f 1 /proc/uptime) + seconds))
	result=0
	turns=0
	while [ "$(cut -d . -f 1 /proc/uptime)" -lt $end ]; do
		for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
			{ echo 0 >"$cpu/online" && echo 1 >"$cpu/online"; } || result=1
		done
		turns=$((turns + 1))
	done
	echo "turns $turns"
	for worker in $workers; do
		wait "$worker" || result=1
	done
	return $result
}

export PERF_BUILDID_DIR=/tmp/buildid
mkdir -p /dev/shm
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
# user code only: the names of the kernel's functions take perf seconds to read
mount --bind /dev/null /proc/kallsyms
cd /tmp || exit 1
