# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: kernel code.
. /record.sh
dd if=/bin/busybox of=in bs=1k count=8 2>/dev/null
cat /proc/kallsyms >kallsyms
mount --bind kallsyms /proc/kallsyms
record_kernel k cpus,exact,perf --kcore -e cs_etm//k -a -- busybox md5sum in
record_kernel uk cpus,exact -e cs_etm// -a -- sh -c 'busybox cat in | busybox md5sum'
record_kernel uk-gzip cpus,exact -e cs_etm// -a -- sh -c 'busybox gzip -c in | busybox gunzip'
record_kernel uk-pool cpus,exact -e cs_etm// -a -- /work 4 2
record_kernel uk-storm cpus,exact -e cs_etm// -a -- sh -c 'i=0
	while [ $i -lt 6 ]; do busybox true & (busybox echo $i >/dev/null); i=$((i + 1)); done
	wait'
record_kernel uk-small cpus,lossy -m ,64K -e cs_etm// -a -- busybox md5sum in
record_kernel uk-filter filtered -e cs_etm//k --filter 'filter ksys_read' --per-thread -- busybox md5sum in
record_kernel uk-thread exact,perf --kcore -e cs_etm// --per-thread -- busybox md5sum in
umount /proc/kallsyms
done_testing
