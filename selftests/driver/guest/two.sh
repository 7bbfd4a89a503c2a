# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, which has two kinds of CPUs: the trace buffers of the first CPU and those of the others
# have a node of firmware, and an interrupt, each. All CPUs are traced.
. /record.sh
last=$((cpus - 1))

# interrupts: handlers of the driver; some kernels have the partitions of a PPI in one line
interrupts() {
	grep 'arm_ete_pmu$' /proc/interrupts | grep -o arm_ete_pmu | wc -l
}

# loads WHEN
loads() {
	insmod $module
	ok $? "$1: the module is loaded"
	said | sed 's/^/# /'
	same "$1: both interrupts are the driver's" 2 "$(interrupts)"
	! said | grep -q 'cannot be traced'
	ok $? "$1: no CPU is left out"
}

# came CPU: interrupts of trace buffers that came to it
came() {
	awk -v column=$(($1 + 2)) '/arm_ete_pmu$/ { n += $column } END { print n + 0 }' /proc/interrupts
}

loads first
copy_kernel
mount --bind /dev/null /proc/kallsyms
dd if=/bin/busybox of=in bs=1k count=16 2>/dev/null
cpu=0
while [ $cpu -lt "$cpus" ]; do
	before=$(came $cpu)
	run="taskset -c $cpu"
	record "cpu$cpu" cpus,user -C $cpu -m ,16K -e cs_etm//u -- /work 1 20
	[ "$(came $cpu)" -gt "$before" ]
	ok $? "cpu$cpu: the interrupt of its trace buffer came"
	cpu=$((cpu + 1))
done
run=
record all cpus,exact,user -a -e cs_etm//u -- \
	sh -c 'busybox cat in | busybox gzip | busybox gunzip | busybox md5sum'
record moves exact,user -e cs_etm//u --per-thread -- busybox sh -c \
	"taskset -pc 0 \$\$; taskset -pc $last \$\$; taskset -pc 0 \$\$; echo"
rmmod arm_ete_pmu
ok $? "the module is unloaded"
same "both interrupts are free" 0 "$(interrupts)"
dmesg -c >/dev/null
loads again
run="taskset -c $last"
record again cpus,exact,user -C "$last" -e cs_etm//u -- /work 1 2
run=
umount /proc/kallsyms
done_testing
