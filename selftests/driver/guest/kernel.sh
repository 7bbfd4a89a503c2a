# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: kernel code.
. /record.sh
# before the first copy of the kernel's code, which has it then
insmod /mask.ko
ok $? "the module that masks interrupts is loaded"
dd if=/bin/busybox of=in bs=1k count=8 2>/dev/null
cat /proc/kallsyms >kallsyms
mount --bind kallsyms /proc/kallsyms
record_kernel k cpus,exact,perf --kcore -e cs_etm//k -a -- busybox md5sum in
# on a busy host a reader may have to wait for long: these buffers are larger than the trace
record_kernel uk cpus,exact -m ,16M -e cs_etm// -a -- sh -c 'busybox cat in | busybox md5sum'
record_kernel uk-gzip cpus,exact -m ,16M -e cs_etm// -a -- sh -c 'busybox gzip -c in | busybox gunzip'
record_kernel uk-pool cpus,exact -m ,16M -e cs_etm// -a -- /work 4 2
record_kernel uk-storm cpus,exact -m ,16M -e cs_etm// -a -- sh -c 'i=0
	while [ $i -lt 6 ]; do busybox true & (busybox echo $i >/dev/null); i=$((i + 1)); done
	wait'
record_kernel uk-small cpus,lossy -m ,64K -e cs_etm// -a -- busybox md5sum in
record_kernel uk-filter filtered -e cs_etm//k --filter 'filter ksys_read' --per-thread -- busybox md5sum in
record_kernel uk-thread exact,perf --kcore -e cs_etm// --per-thread -- busybox md5sum in
# With interrupts masked, each time for 10 KB of trace, less than is kept in reserve, and with time to read
# it: the early warning comes in between, and nothing is lost. The time passes in user code, which
# makes no trace and leaves the record open. What comes before is of no matter: a reader may be
# slower than the kernel is.
mkfifo never
last=$((cpus - 1))
export losses=$stats/cpu$last/losses refusals=$stats/cpu$last/refusals
warnings=$(stat early_warnings)
record_kernel masked lossy -m ,256K -e cs_etm//k --per-thread -- \
	taskset $(printf %x $((1 << last))) sh -c 'exec 3>/proc/mask_steps 4<>never
	read -t 3 x <&4
	read lost <$losses
	read refused <$refusals
	n=0
	while [ $n -lt 30 ]; do
		echo 4000 >&3
		i=0
		while [ $i -lt 30000 ]; do i=$((i + 1)); done
		n=$((n + 1))
	done
	read l <$losses
	read r <$refusals
	[ "$l $r" = "$lost $refused" ]'
[ $(($(stat early_warnings) - warnings)) -ge 2 ]
ok $? "masked: there were early warnings"
umount /proc/kallsyms
rmmod mask
done_testing
