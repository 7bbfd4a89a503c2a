# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: snapshots, taken when perf gets SIGUSR2 and at its end, of rings that are written
# over many times in between.
. /record.sh
mount --bind /dev/null /proc/kallsyms

# more: wait until the work was done thirty rounds more
more() {
	grows $(($(lines) + 29)) lines
}

lines() {
	wc -l <count
}

# interrupts of the trace buffers
interrupts() {
	awk '/ 31 +Level +arm_ete_pmu$/ { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n }' \
		/proc/interrupts
}
before=$(interrupts)
record snap-end snapshot -Se -m ,16K -e cs_etm//u --per-thread -- /work 1 40

# snapshots TIMES NAME KIND OPTION...: so many, each of another round of the ring
snapshots() {
	local times=$1 name=$2 kind=$3 status=0 turn=0

	shift 3
	rm -f stop
	: >count
	begin "$name" "$@" -- /work >count
	while [ $turn -lt "$times" ]; do
		turn=$((turn + 1))
		more || status=1
		kill -USR2 $perf || status=1
	done
	more || status=1
	ok $status "$name: the rings go on"
	touch stop
	wait $perf
	give "$name" $kind $?
}

snapshots 4 snap-thread snapshot,user,perf -S -m ,16K -e cs_etm//u --per-thread
snapshots 4 snap-size snapshot -S8192 -m ,16K -e cs_etm//u --per-thread
# perf saves what the head has moved since the last time, less the rounds in between: of a ring that
# has one synchronisation in a round half of the snapshots may have none
snapshots 12 snap-page snapshot -Se -m ,1 -e cs_etm//u --per-thread
snapshots 4 snap-all cpus,snapshot -Se -a -m ,32K -e cs_etm//u
# since 6.12 an AUX area is of single pages
case $(uname -r) in
6.1.*) snapshots 4 snap-physical snapshot -Se -m ,16K -e cs_etm/physical=1/u --per-thread ;;
*) snapshots 12 snap-physical snapshot -Se -m ,1 -e cs_etm/physical=1/u --per-thread ;;
esac
if by_hwflow; then
	# a thousand requests, faster than snapshots can be written
	rm -f stop
	: >count
	begin snap-many -S -m ,16K -e cs_etm//u -- /work 2 >count
	more
	turn=0
	while [ $turn -lt 1000 ]; do
		kill -USR2 $perf || break
		turn=$((turn + 1))
	done
	same "requests for snapshots" 1000 $turn
	more
	touch stop
	wait $perf
	give snap-many cpus,snapshot,user,perf $?
	# a snapshot does not enable what --control has disabled
	rm -f stop
	: >count
	mkfifo requests answers
	begin snap-disabled -S -m ,16K -e cs_etm//u --per-thread --control=fifo:requests,answers -- /work >count
	more
	for request in disable snapshot ping; do
		echo $request >requests
		read -r answer <answers
		same "answer to $request" ack "$answer"
	done
	before_snapshot=$(stat sessions)
	more
	same "trace is still disabled after a snapshot" "$before_snapshot" "$(stat sessions)"
	touch stop
	wait $perf
	give snap-disabled snapshot,user $?
fi
same "interrupts of trace buffers" "$before" "$(interrupts)"
umount /proc/kallsyms
done_testing
