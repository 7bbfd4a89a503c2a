# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: hwflow records the kernel while the kernel changes its code.
. /record.sh
dd if=/bin/busybox of=in bs=1k count=8 2>/dev/null
tracing=/sys/kernel/debug/tracing
echo 1 >/proc/sys/net/core/bpf_jit_enable

record_kernel module-loaded cpus,changes,most,has=mask_step --kcore -m ,16M -e cs_etm//k -a -- \
	sh -c 'insmod /mask.ko; sleep 1; echo 400 >/proc/mask_steps'
record_kernel module-removed cpus,changes,most,has=mask_step --kcore -m ,16M -e cs_etm//k -a -- \
	sh -c 'echo 400 >/proc/mask_steps; rmmod mask'
record_kernel module-both cpus,changes,most --kcore -m ,16M -e cs_etm//k -a -- \
	sh -c 'insmod /mask.ko; sleep 1; echo 400 >/proc/mask_steps; rmmod mask'
record_kernel module-other cpus,changes,most --kcore -m ,16M -e cs_etm//k -a -- \
	sh -c 'insmod /mask.ko; echo 400 >/proc/mask_steps; rmmod mask; insmod /power.ko; rmmod power'
record_kernel probe-set cpus,changes,most --kcore -m ,16M -e cs_etm//k -a -- sh -c "busybox md5sum in
	echo p:probe ksys_read >$tracing/kprobe_events
	echo 1 >$tracing/events/kprobes/probe/enable
	busybox md5sum in"
record_kernel probe-removed cpus,changes,most --kcore -m ,16M -e cs_etm//k -a -- sh -c "busybox md5sum in
	echo 0 >$tracing/events/kprobes/probe/enable
	echo >$tracing/kprobe_events
	busybox md5sum in"
record_kernel program cpus,changes,most,has=hwflow_even --kcore -m ,16M -e cs_etm//k -a -- /bpf 4 2000
record_kernel program-short cpus,changes,most --kcore -m ,16M -e cs_etm//k -a -- /bpf 4
done_testing
