# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: trace buffers with the errata that the command line says, hwflow.errata=NUMBER, bits as
# in trbe_errata.h. With all of them worked around recordings are as they should be; with all but
# one they are not. 0: the kernel knows by the CPU's ID which they are.
. /record.sh
errata=$(sed -n 's/.*hwflow\.errata=\([^ ]*\).*/\1/p' /proc/cmdline)
insmod /mask.ko
ok $? "the module that masks interrupts is loaded"

# Each step is some bytes of trace; a buffer that is empty when they begin is full before they end. What
# comes after one that was full begins where a page does, and if it is full, too, what is behind its end
# is its own beginning. On the last CPU, so that perf reads on another.
last=$((cpus - 1))
export fills=$pmu/cpu$last/stats/fills
masks='exec 3>/proc/mask_steps
	tries=0
	while read n <$fills && [ $n -lt 6 ] && [ $tries -lt 300 ]; do
		echo 20000 >&3
		tries=$((tries + 1))
	done'

# round NAME FORCED USER FULL: with the errata FORCED worked around; what kind the recordings are of user
# code, if there is to be one, and of kernel code while interrupts are masked, so that a buffer is full
round() {
	insmod $module force_errata=$2
	ok $? "$1: the module is loaded, to work around $2"
	cat /proc/kallsyms >kallsyms
	mount --bind kallsyms /proc/kallsyms
	[ "$3" = none ] || record "user-$1" "$3" -e cs_etm//u --per-thread -- /work 1 4
	record_kernel "full-$1" "$4" --kcore -m ,32K -e cs_etm//k --per-thread -- \
		taskset $(printf %x $((1 << last))) sh -c "$masks"
	grep -H . $pmu/cpu*/stats/* | grep -v ':0$' | sed 's/^/# /'
	# a buffer whose registers were not written may be anything
	[ "$1" = without-8 ] || {
		[ "$(cat $fills)" -ge 2 ]
		ok $? "$1: buffers were full"
	}
	umount /proc/kallsyms
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
