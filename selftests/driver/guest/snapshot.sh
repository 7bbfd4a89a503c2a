# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: snapshots, taken when perf gets SIGUSR2 and at its end, of rings that are written
# over many times in between.
. /record.sh
mount --bind /dev/null /proc/kallsyms

# more: wait until the work was done thirty rounds more
more() {
	local until=$(($(wc -l <count) + 30)) tries=0

	while [ "$(wc -l <count)" -lt $until ] && [ $tries -lt 300 ] &&
		kill -0 $perf; do
		usleep 100000
		tries=$((tries + 1))
	done
	[ "$(wc -l <count)" -ge $until ]
}

record snap-end snapshot -Se -m ,16K -e cs_etm//u --per-thread -- /work 1 40

# snapshots NAME KIND OPTION...: four, each of another round of the ring
snapshots() {
	local name=$1 kind=$2 status=0

	shift 2
	rm -f stop
	: >count
	begin "$name" "$@" -- /work >count
	for i in 1 2 3 4; do
		more || status=1
		kill -USR2 $perf || status=1
	done
	more || status=1
	ok $status "$name: the rings go on"
	touch stop
	wait $perf
	give "$name" $kind $?
}

snapshots snap-thread snapshot,user,perf -S -m ,16K -e cs_etm//u --per-thread
snapshots snap-size snapshot -S8192 -m ,16K -e cs_etm//u --per-thread
snapshots snap-page snapshot -Se -m ,1 -e cs_etm//u --per-thread
snapshots snap-all cpus,snapshot -Se -a -m ,32K -e cs_etm//u
snapshots snap-physical snapshot -Se -m ,16K -e cs_etm/physical=1/u --per-thread
umount /proc/kallsyms
done_testing
