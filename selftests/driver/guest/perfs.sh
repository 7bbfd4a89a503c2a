# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: each version of stock perf that is in it records in each of its ways. Programs are bound
# to CPUs, so that it is known which CPUs have trace: a version of perf may need that of all.
. /record.sh
mount --bind /dev/null /proc/kallsyms
dd if=/bin/busybox of=in bs=1k count=8 2>/dev/null
mkdir -p /tmp/version
PATH=/tmp/version:$PATH
last=$((cpus - 1))
first_cpu='taskset 1'
last_cpu="taskset $(printf %x $((1 << last)))"

# rounds NUMBER: wait until the work was done so often more
rounds() {
	wait_for 30 $perf above $(($(lines) + $1 - 1)) lines
}

lines() {
	wc -l <count
}

has_events() {
	ls -l /proc/$perf/fd 2>/dev/null | grep -q perf_event
}

# records: $perf has opened its events
records() {
	wait_for 30 $perf has_events
}

# a thread that goes from the first CPU to the last
moves() { # NAME KIND
	local work status=0

	rm -f stop
	: >count
	begin "$1" -e cs_etm//u --per-thread -- /work >count
	rounds 5 && work=$(pidof work) && taskset -p "$(printf %x $((1 << last)))" "$work" >/dev/null &&
		rounds 5 || status=1
	ok $status "$1: the thread moves"
	touch stop
	wait $perf
	give "$1" "$2" $?
}

# snapshot NAME: perf takes one more than it has taken. perf ignores the signal until it has started the program and
# while it writes a snapshot, so that the signal is sent until perf names a new snapshot in its log. (The size of
# the file says nothing: other records grow it, too.)
snapshot() {
	local before

	before=$(taken "$1")
	wait_for 30 $perf snapshot_taken "$1" "$before"
}

# Has perf taken more than BEFORE snapshots? If not, it gets the signal, and the caller asks again.
snapshot_taken() { # NAME BEFORE
	above "$2" taken "$1" || ! kill -USR2 $perf
}

# snapshots that perf -v has named
taken() { # NAME
	grep -c 'Recording AUX area tracing snapshot' "/tmp/$1.log"
}

snapshots() { # NAME KIND
	local status=0

	rm -f stop
	: >count
	begin "$1" -v -S -m ,16K -e cs_etm//u -- /work >count
	rounds 30 && snapshot "$1" && rounds 30 && snapshot "$1" && rounds 30 || status=1
	ok $status "$1: snapshots are taken"
	touch stop
	wait $perf
	give "$1" "$2" $?
}

# threads that are there already, one on each of two CPUs
attach() { # NAME KIND
	local work status=0 tid

	rm -f stop
	: >count
	/work 2 >count &
	work=$!
	# the recorder before has ended
	perf=$work
	rounds 2 || status=1
	for tid in /proc/$work/task/*; do
		if [ "${tid##*/}" = "$work" ]; then
			taskset -p 1 "$work" >/dev/null
		else
			taskset -p "$(printf %x $((1 << last)))" "${tid##*/}" >/dev/null
		fi
	done
	begin "$1" -e cs_etm//u -p $work
	records && rounds 40 || status=1
	ok $status "$1: the threads go on"
	kill -INT $perf
	wait $perf
	touch stop
	wait $work
	# perf says by which signal it ended
	give "$1" "$2" 0
}

for version in /perf-*/run; do
	version=${version%/run}
	version=${version#/perf-}
	printf '#!/bin/sh\nexec /perf-%s/run "$@"\n' "$version" >/tmp/version/perf
	chmod +x /tmp/version/perf
	same "perf of $version is there" 0 "$(perf --version >/dev/null 2>&1; echo $?)"
	run=$first_cpu
	record "$version-default" "cpus,exact,user,perfs" -e cs_etm//u -- busybox md5sum in
	record "$version-thread" "exact,user,perfs" -e cs_etm//u --per-thread -- busybox md5sum in
	run=
	record "$version-all" "cpus,exact,user,perfs" -a -e cs_etm//u -- busybox md5sum in
	run=$last_cpu
	record "$version-cpu" "cpus,exact,user,perfs" -C $last -e cs_etm//u -- busybox md5sum in
	run=$first_cpu
	moves "$version-moves" "exact,user,perfs"
	snapshots "$version-snapshot" "cpus,snapshot,user,perfs"
	run=
	attach "$version-attach" "cpus,exact,user,perfs"
done
umount /proc/kallsyms
done_testing
