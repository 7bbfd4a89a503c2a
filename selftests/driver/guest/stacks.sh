# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: kernel code, and samples with the call stacks that the kernel finds by its frame records.
. /record.sh
dd if=/bin/busybox of=in bs=1k count=8 2>/dev/null
samples=
for event in kmem:kmem_cache_alloc kmem:kmem_cache_free sched:sched_switch irq:irq_handler_entry; do
	samples="$samples -e $event/call-graph=fp/k"
done
record_kernel stacks cpus,exact,stacks=kmem_cache_alloc+kmem_cache_free+sched_switch+irq_handler_entry \
	--kcore -m 4M,16M -e cs_etm//k $samples -a -- sh -c 'busybox cat in | busybox gzip | busybox md5sum
		busybox ls -l /proc/self >/dev/null
		sleep 100 & kill -TERM $!
		wait'
done_testing
