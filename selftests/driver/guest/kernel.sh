# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: kernel code.
. /record.sh
dd if=/bin/busybox of=in bs=1k count=8 2>/dev/null
cat /proc/kallsyms >kallsyms
mount --bind kallsyms /proc/kallsyms
directory() {
	(cd /tmp && find "$1" -type d) | while read -r d; do mkdir -p "/host/$d"; done
	(cd /tmp && find "$1" -type f) | while read -r f; do dd if="/tmp/$f" of="/host/$f" bs=512k 2>/dev/null; done
	rm -rf "/tmp/$1"
}
record_kernel() { # NAME KIND OPTION...
	local name=$1 kind=$2 status
	shift 2
	perf record -N -o "/tmp/$name" "$@" >"/tmp/$name.log" 2>&1
	status=$?
	[ $status -eq 0 ] || sed 's/^/# /' "/tmp/$name.log"
	ok $status "perf record: $name"
	directory "$name"
	echo "== recording $name $kind"
}
record_kernel k cpus,exact,perf --kcore -e cs_etm//k -a -- busybox md5sum in
record_kernel uk cpus,exact -e cs_etm// -a -- sh -c 'busybox cat in | busybox md5sum'
record_kernel uk-small cpus,lossy -m ,64K -e cs_etm// -a -- busybox md5sum in
record_kernel uk-filter filtered -e cs_etm//k --filter 'filter ksys_read' --per-thread -- busybox md5sum in
record_kernel uk-thread exact,perf --kcore -e cs_etm// --per-thread -- busybox md5sum in
umount /proc/kallsyms
done_testing
