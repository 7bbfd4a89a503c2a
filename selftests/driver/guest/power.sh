# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: power of a CPU goes while its trace is recorded, and comes back. What drivers are told
# is told by power.ko, which changes the registers, too: the firmware that QEMU plays has no state in
# which a CPU loses its power, and does not wake from one that a device tree promises.
. /record.sh
mount --bind /dev/null /proc/kallsyms
insmod /power.ko
ok $? "power.ko is loaded"

# told ACT NUMBER: the first CPU is, so often, while trace is recorded
told() {
	local turn=0 status=0

	while [ $turn -lt "$2" ]; do
		echo "$1 0" >/proc/power || status=1
		turn=$((turn + 1))
		usleep 20000
	done
	return $status
}

# states WHEN TEXT: all that power.ko has printed of it
states() {
	dmesg | sed -n "s/.*power: cpu0: $1: //p" | sort | uniq -c | sed 's/^/# /'
	! dmesg | grep "power: cpu0: $1:" | grep -qv -- "$2" && dmesg | grep -q "power: cpu0: $1: $2"
	ok $? "$1: $2"
}

# the CPU's own power, while it has a record open
for act in keep lose; do
	dmesg -c >/dev/null
	rm -f stop
	begin_all "$act" taskset 1 /work
	before=$(cat $stats/cpu0/sessions)
	told $act 20
	ok $? "$act: twenty times"
	[ "$(cat $stats/cpu0/sessions)" -ge $((before + 20)) ]
	ok $? "$act: each time a record ends"
	touch stop
	wait $perf
	give "$act" cpus,exact,user $?
	states off 'buffer 0 trace unit 0'
	states on 'buffer . trace unit .'
	[ "$(dmesg | grep -c 'on: buffer 1 trace unit 1 claim 0x2$')" -gt 10 ]
	ok $? "$act: trace goes on"
	said | sed 's/^/# /'
done

# a debugger has claimed the trace unit meanwhile: it is left alone, and the record says so
dmesg -c >/dev/null
rm -f stop
begin_all debugger taskset 1 /work
losses=$(stat losses)
told claim 1
states off 'buffer 0 trace unit 0'
states on 'buffer 0 trace unit 0 claim 0x[13]$'
dmesg | grep -q 'cpu0: not traced: an external debugger'
ok $? "debugger: it is said"
[ "$(stat losses)" -gt "$losses" ]
ok $? "debugger: the loss is counted"
usleep 200000
touch stop
wait $perf
give debugger cpus,lossy,user $?
dmesg -c >/dev/null
told unclaim 1
states on 'buffer 0 trace unit 0 claim 0x0$'
run="taskset 1"
record again exact,user -e cs_etm//u --per-thread -- /work 1 3
run=

# the OS Lock is locked while the driver owns the trace unit, which then does not start: it is not used
# until its CPU has lost its power
dmesg -c >/dev/null
losses=$(stat losses)
echo "lock 0" >/proc/power
run="taskset 1"
# the event of a CPU begins once: no other record could say it
record locked partial,each -C 0 -e cs_etm//u -- /work 1 3
[ "$(stat losses)" -gt "$losses" ]
ok $? "locked: the loss is counted"
dmesg | grep -q 'cpu0: the trace unit does not start; it is not used any more'
ok $? "locked: it is said"
record given-up partial,each -e cs_etm//u --per-thread -- /work 1 3
told keep 1
record unlocked exact,user -e cs_etm//u --per-thread -- /work 1 3
run=

# interrupts: times that the trace buffer's interrupt was taken; events: of these, with an event of the trace buffer
interrupts() {
	awk -v cpus="$cpus" '/ 31 +Level +arm_ete_pmu$/ { for (i = 2; i < 2 + cpus; i++) n += $i } END { print n + 0 }' \
		/proc/interrupts
}
events() {
	local name sum=0

	for name in early_warnings wraps fills triggers faults_stage1 faults_stage2 external_aborts impdef_events \
		unknown_events; do
		sum=$((sum + $(stat $name)))
	done
	echo $sum
}

# the trace buffer's interrupt, while a record is open and while none is, and its status says nothing
irq=$(awk -F : '/ 31 +Level +arm_ete_pmu$/ { print $1 + 0 }' /proc/interrupts)
spurious=$(stat spurious)
taken=$(interrupts)
before=$(events)
rm -f stop
begin_all spurious taskset 1 /work
turn=0
while [ $turn -lt 20 ]; do
	echo "interrupt 0 $irq" >/proc/power || echo "# spurious: turn $turn: no interrupt is requested"
	turn=$((turn + 1))
	usleep 20000
done
touch stop
wait $perf
give spurious cpus,exact,user $?
# at the latest when its handler flushes the trace, an interrupt may find an event: it is not spurious then
taken=$(($(interrupts) - taken))
before=$(($(events) - before))
spurious=$(($(stat spurious) - spurious))
echo "# $taken interrupts, $before events, $spurious spurious"
same "each interrupt is spurious or has an event" $taken $((spurious + before))
[ $spurious -le 20 ] && [ $((spurious + before)) -ge 20 ]
ok $? "each interrupt that was requested was taken"
spurious=$(stat spurious)
echo "interrupt 0 $irq" >/proc/power
same "an interrupt while no record is open is spurious" $((spurious + 1)) "$(stat spurious)"

# suspend-to-idle, from which the clock wakes the machine; the driver of /host cannot be suspended
umount /host
driver=/sys/bus/virtio/drivers/9pnet_virtio
device=$(cd $driver && echo virtio*)
echo "$device" >$driver/unbind
rm -f stop
begin_all frozen taskset 1 /work
echo +2 >/sys/class/rtc/rtc0/wakealarm && echo freeze >/sys/power/state
ok $? "frozen: the machine is suspended"
echo "$device" >$driver/bind
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000 host /host
ok $? "frozen: /host is there again"
dmesg | grep -q 'PM: suspend exit'
ok $? "frozen: and comes back"
usleep 200000
touch stop
wait $perf
give frozen cpus,exact,user $?
umount /proc/kallsyms

# the debugger's claim comes before the driver: the CPU is traced as soon as the debugger has given it up
mount --bind /dev/null /proc/kallsyms
rmmod arm_ete_pmu
told claim 1
dmesg -c >/dev/null
insmod $module && said | grep -q ': CPUs 0-'
ok $? "the module is loaded again"
run="taskset 1"
record claimed partial,each -C 0 -e cs_etm//u -- /work 1 3
dmesg | grep -q 'cpu0: not traced: an external debugger has claimed the trace unit'
ok $? "claimed: the reason is reported"
told unclaim 1
record unclaimed exact,user -e cs_etm//u --per-thread -- /work 1 3
# the debugger gives it up in the middle of an event that waits for it
told claim 1
rm -f stop
begin waits -a -m ,4M -e cs_etm//u -- taskset 1 /work >/dev/null
grows "$(cat $stats/cpu0/retries)" cat $stats/cpu0/retries
ok $? "waits: the driver tries again"
told unclaim 1
grows "$(cat $stats/cpu0/sessions)" cat $stats/cpu0/sessions
ok $? "waits: the CPU is traced then"
touch stop
wait $perf
give waits cpus,lossy,user $?
run=
umount /proc/kallsyms

# a kernel that crashed has left its claim: the driver clears it as it is loaded
rmmod arm_ete_pmu
echo "stale 0" >/proc/power
dmesg -c >/dev/null
echo "state 0" >/proc/power
dmesg | grep -q 'power: cpu0: state: buffer 0 trace unit 0 claim 0x2$'
ok $? "stale: the claim tag is set"
insmod $module && said | grep -q ': CPUs 0-'
ok $? "stale: the module is loaded"
dmesg -c >/dev/null
echo "state 0" >/proc/power
dmesg | grep -q 'power: cpu0: state: buffer 0 trace unit 0 claim 0x0$'
ok $? "stale: the claim tag is cleared"
rmmod power
done_testing
