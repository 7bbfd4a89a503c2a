# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: trace buffers that cannot write, each so many bytes, for all reasons that there are, and
# interrupts for none. What is missing is said to be, each reason is counted and reported, and recording
# goes on.
. /record.sh
mount -t tracefs tracefs /sys/kernel/tracing
echo 1 >/sys/kernel/tracing/events/arm_ete/arm_ete_loss/enable
mount --bind /dev/null /proc/kallsyms
record fault-thread lossy,user -m ,64K -e cs_etm//u --per-thread -- /work 1 160
record fault-cpus cpus,lossy,user -m ,64K -e cs_etm//u -a -- /work $cpus 80
umount /proc/kallsyms
# an event that is turned on once; of a CPU no switch has it begin anew
for where in -1 0 1 "-1 snapshot" "1 snapshot"; do
	/fault $where
	ok $? "an event goes on by itself: $where"
done
grep -H . $stats/cpu*/* | grep -v ':0$' | sed 's/^/# /'

# reason COUNTER WORDS: it was counted, and it was reported, with registers
total=0
reason() {
	local count

	count=$(stat "$1")
	[ "$count" -gt 0 ]
	ok $? "$2: counted"
	said | grep -qE "trace stopped: $2 \(TRBSR 0x[0-9a-f]+ TRBPTR 0x[0-9a-f]+ TRBBASER .* TRBLIMITR .* TRBTRG .* TRBMAR .*\)"
	ok $? "$2: reported"
	total=$((total + count))
}
reason faults_stage1 "stage 1 fault"
reason faults_stage2 "stage 2 fault"
reason external_aborts "external abort"
reason impdef_events "implementation defined event"
reason unknown_events "unknown event"
# each comes after so many bytes more
[ $total -ge 10 ]
ok $? "recording goes on"
# interrupts for nothing; and what was found where an event was stopped is a loss, and no interrupt
[ "$(stat early_warnings)" -gt 0 ] && [ "$(stat losses)" -ge $total ]
ok $? "each is a loss"
[ "$(said | grep -c 'trace stopped')" -le "$(stat losses)" ]
ok $? "each is reported once"
grep -q ' arm_ete_loss: cpu=' /sys/kernel/tracing/trace
ok $? "tracepoint loss"
done_testing
