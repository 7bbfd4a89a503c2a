# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: two instances of perf that want the same trace units. One of a thread and one of CPUs
# exclude each other, and so do two of one CPU: the second is told, and the first misses nothing. Two of
# different threads share.
. /record.sh
mount --bind /dev/null /proc/kallsyms

# busy NAME OPTION...: perf is refused
busy() {
	local name=$1

	shift
	! perf record -N -o busy "$@" -- busybox true >log 2>&1
	ok $? "$name: refused"
	grep -qi 'busy' log
	ok $? "$name: perf says that it is busy"
	grep -qi 'busy' log || sed 's/^/# /' log
}

# first NAME KIND SECOND OPTION...: of the two perfs the first
first() {
	local name=$1 kind=$2 second=$3 before

	shift 3
	rm -f stop
	before=$(stat sessions)
	begin "$name" "$@" -- /work $cpus >/dev/null
	grows "$before" stat sessions
	ok $? "$name: is recorded"
	busy "$name, then $second" -e cs_etm//u $second
	touch stop
	wait $perf
	give "$name" "$kind" $?
}
first cpus-first cpus,lossy,user --per-thread -a -e cs_etm//u
first cpus-twice cpus,lossy,user -a -a -e cs_etm//u
first thread-first lossy,user -a --per-thread -e cs_etm//u

# two of threads, at once
perf record -N -o /tmp/one -e cs_etm//u -m ,16M --per-thread -- /work 1 20 >/tmp/one.log 2>&1 &
one=$!
perf record -N -o /tmp/two -e cs_etm//u -m ,16M --per-thread -- /work 1 20 >/tmp/two.log 2>&1
status=$?
wait $one
give one exact,user $?
give two exact,user $status
umount /proc/kallsyms
done_testing
