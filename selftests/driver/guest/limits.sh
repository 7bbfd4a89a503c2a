# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, whose trace buffers say that they have to translate and are of 16 KB at most, as those
# of a virtual machine may: what that leaves is used, and what it does not is refused with the reason.
. /record.sh
mount -t tracefs tracefs /sys/kernel/tracing
mount --bind /dev/null /proc/kallsyms

# refused NAME TEXT OPTION...: perf does not record, and the log says why
refused() {
	local name=$1 text=$2

	shift 2
	dmesg -c >/dev/null
	! perf record -o refused "$@" -- busybox true >log 2>&1
	ok $? "$name: refused"
	dmesg | grep -q "arm_ete_pmu: .*$text"
	ok $? "$name: the reason is said"
}
explain
refused physical 'always translates addresses' -e cs_etm/physical=1/u --per-thread
refused large-snapshot 'larger than the trace buffer can be' -S -m ,32K -e cs_etm//u --per-thread
events=/sys/kernel/tracing/events/arm_ete/arm_ete_session_begin
echo 1 >$events/enable
record large exact,user -m ,256K -e cs_etm//u --per-thread -- /work 1 10
record snapshot snapshot -Se -m ,16K -e cs_etm//u --per-thread -- /work 1 40
echo 0 >$events/enable
sed -n 's/.* room=\([0-9]*\) .*/\1/p' /sys/kernel/tracing/trace >rooms
same "the largest trace buffer, in bytes" 16384 "$(sort -n rooms | tail -n 1)"
# what the counters say is what perf has got; and a switch, to the same event, writes no register
before=$(stat bytes)
sessions=$(stat sessions)
writes=$(stat register_writes)
perf record -N -o switches -e cs_etm//u --per-thread -- sh -c \
	'i=0; while [ $i -lt 40 ]; do usleep 1000; i=$((i + 1)); done' >log 2>&1
ok $? "perf record: switches"
bytes=0
for size in $(perf report -D -i switches 2>/dev/null |
	sed -n 's/.*PERF_RECORD_AUX offset: .* size: \([^ ]*\) .*/\1/p'); do
	bytes=$((bytes + size))
done
same "bytes, counted" $bytes $(($(stat bytes) - before))
echo "# $(($(stat sessions) - sessions)) records, $(($(stat register_writes) - writes)) registers written"
[ $(($(stat sessions) - sessions)) -ge 40 ]
ok $? "each switch has a record"
# an event's registers, once on each CPU
[ $(($(stat register_writes) - writes)) -le $((30 * cpus)) ]
ok $? "registers are written once"
umount /proc/kallsyms

# trace buffers that write a page beyond their limit: a ring of one page is of no use
rmmod arm_ete_pmu && insmod $module force_errata=2
ok $? "the module is loaded with an erratum to work around"
mount --bind /dev/null /proc/kallsyms
explain
refused page 'too small' -m ,1 -e cs_etm//u --per-thread
refused page-snapshot 'too small' -S -m ,1 -e cs_etm//u --per-thread
record two-pages lossy,user -m ,2 -e cs_etm//u --per-thread -- /work 1 10
umount /proc/kallsyms
done_testing
