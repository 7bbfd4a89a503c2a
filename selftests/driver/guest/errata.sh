# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: trace buffers with the errata that the command line says, hwflow.errata=NUMBER, bits as
# in ete_caps.h. With all of them worked around recordings are as they should be; with all but
# one they are not. 0: the kernel knows by the CPU's ID which they are.
. /record.sh
errata=$(sed -n 's/.*hwflow\.errata=\([^ ]*\).*/\1/p' /proc/cmdline)
insmod /mask.ko
ok $? "the module that masks interrupts is loaded"
insmod /power.ko
ok $? "power.ko is loaded"

# Each step is some bytes of trace; a buffer that is empty when they begin is full before they end. On
# the last CPU, so that perf reads on another.
last=$((cpus - 1))
on_last="taskset $(printf %x $((1 << last)))"
export fills=$stats/cpu$last/fills sessions=$stats/cpu$last/sessions
masks='exec 3>/proc/mask_steps
	tries=0
	while read n <$fills && [ $n -lt 6 ] && [ $tries -lt 300 ]; do
		echo 20000 >&3
		tries=$((tries + 1))
	done'
# The same; what is behind the end of a buffer is its own beginning, and nobody has read that yet: perf
# stands still until there is no room, reads all, and stands still as soon as the next record has begun.
# The shell does all of it by itself, for a record ends where a process does not run.
held='exec 3>/proc/mask_steps
	tries=0
	while read n <$fills && [ $n -lt 12 ] && [ $tries -lt $limit ]; do
		kill -STOP $PPID
		echo 20000 >&3
		echo 20000 >&3
		echo 20000 >&3
		read before <$sessions
		kill -CONT $PPID
		spins=0
		while read now <$sessions && [ $now = $before ] && [ $spins -lt 20000 ]; do
			spins=$((spins + 1))
		done
		kill -STOP $PPID
		echo 20000 >&3
		kill -CONT $PPID
		tries=$((tries + 1))
	done'

# traces: a program is recorded on the last CPU; has that begun a record?
traces() {
	local before

	before=$(cat $sessions)
	perf record -N -o /tmp/traces -e cs_etm//u --per-thread -- \
		$on_last /work 1 1 >/dev/null 2>&1
	rm -f /tmp/traces
	[ "$(cat $sessions)" -gt "$before" ]
}

# stays NAME: the last CPU's interrupt could not be cleared while nobody read its records. It is not
# traced any more, not even when its power has gone and come; when it has left and come back, it is
stays() {
	local online=/sys/devices/system/cpu/cpu$last/online

	dmesg | grep -q "cpu$last: the trace buffer's interrupt cannot be deasserted"
	ok $? "$1: an interrupt that stays is masked, and it is said"
	! traces
	ok $? "$1: the CPU is not traced any more"
	record "masked-$1" partial -C $last -e cs_etm//u -- $on_last /work 1 1
	echo lose $last >/proc/power
	ok $? "$1: its power goes and comes"
	! traces
	ok $? "$1: it is not traced then"
	echo 0 >$online && echo 1 >$online && traces
	ok $? "$1: it leaves and comes back, and is traced"
}

# round NAME FORCED USER FULL: with the errata FORCED worked around; what kind the recordings are of user
# code, if there is to be one, and of kernel code while interrupts are masked, so that a buffer is full
round() {
	local how=$masks
	export limit=300

	case $1 in
	*-1 | *-2) how=$held ;;
	# its interrupt stays where nobody begins a record: the machine does not
	*-8) how=$held limit=3 ;;
	esac
	insmod $module force_errata=$2
	ok $? "$1: the module is loaded, to work around $2"
	cat /proc/kallsyms >kallsyms
	mount --bind kallsyms /proc/kallsyms
	[ "$3" = none ] || record "user-$1" "$3" -e cs_etm//u --per-thread -- /work 1 4
	[ "$1" != all ] || record snap-all snapshot,user -Se -m ,16K -e cs_etm//u --per-thread -- /work 1 40
	record_kernel "full-$1" "$4" --kcore -m ,32K -e cs_etm//k --per-thread -- \
		$on_last sh -c "$how"
	grep -H . $stats/cpu*/* | grep -v ':0$' | sed 's/^/# /'
	# a buffer whose registers were not written may be anything
	[ "$1" = without-8 ] || {
		[ "$(cat $fills)" -ge 2 ]
		ok $? "$1: buffers were full"
	}
	umount /proc/kallsyms
	[ "$1" != without-8 ] || stays "$1"
	rmmod arm_ete_pmu
	ok $? "$1: the module is unloaded"
}

# has BIT
has() {
	[ $((errata & $1)) -ne 0 ]
}
round all "$errata" exact,user lossy
has 1 && round without-1 $((errata & ~1)) exact wrong
# where the buffer's first bytes are padding, because of the one before, nothing is lost by this
has 2 && ! has 1 && round without-2 $((errata & ~2)) exact wrong
has 4 && round without-4 $((errata & ~4)) wrong wrong
# one record of user code may be in the right place
has 8 && round without-8 $((errata & ~8)) none wrong
# two exceptions are enough for user code
has 16 && round without-16 $((errata & ~16)) exact wrong
done_testing
