# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, of which only the first CPU and the last one can be traced: each of the others has an
# ID register, or a trace buffer, that is refused. The log has the reason, and what can be traced is.
. /record.sh
insmod $module
ok $? "the module is loaded"
copy_kernel
mount --bind /dev/null /proc/kallsyms
said | sed 's/^/# /'

# refused CPU REASON
refused() {
	said | grep -qF "cpu$1 cannot be traced: $2"
	ok $? "cpu$1: $2"
	perf record -o none -e cs_etm//u -C "$1" -- busybox true >log 2>&1
	[ $? -ne 0 ] && grep -qi 'no such device' log
	ok $? "cpu$1: an event on it is refused with ENODEV"
}

refused 1 'it has no trace buffer (ID_AA64DFR0_EL1.TraceBuffer is 0)'
refused 2 'it has no trace filter (ID_AA64DFR0_EL1.TraceFilt is 0)'
refused 3 'its trace unit has no System registers (ID_AA64DFR0_EL1.TraceVer is not 1)'
refused 4 'its trace unit is no ETE'
refused 5 'an external debugger uses its trace buffer (TRBLIMITR_EL1.XE)'
refused 6 'TRBIDR_EL1.AddrMode is reserved'
same "CPUs that are not traced" 6 "$(said | grep -c 'cannot be traced')"

# the last CPU can do more than the first: events have what both can do
same "TRCIDR5 of the first CPU: counters" 2 $(($(cat $pmu/cpu0/trcidr/trcidr5) >> 28 & 7))
same "TRCIDR5 of the last CPU: counters" 4 $(($(cat $pmu/cpu7/trcidr/trcidr5) >> 28 & 7))
for cpu in 0 7; do
	run="taskset -c $cpu"
	record "cpu$cpu" cpus,exact,user -C $cpu -e cs_etm//u -- /work 1 2
done
run=
record moves exact,user -e cs_etm//u --per-thread -- busybox sh -c \
	'taskset -pc 0 $$; taskset -pc 7 $$; echo; taskset -pc 0 $$; echo'
umount /proc/kallsyms
done_testing
