# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: stock perf records kernel code with the modules of the kernel, to /host.
record() { # NAME OPTION...
	name=$1
	shift
	# -N: no copies for later
	perf record -N -o "/tmp/$name" "$@" >"/tmp/$name.log" 2>&1
	echo "recorded $name $?"
	sed 's/^/# /' "/tmp/$name.log" | grep -v '^# *$' | tail -n 2
	# a directory with --kcore; files of 20 MB, which cp gives away in small pieces
	(cd /tmp && find "$name" -type d) | while read -r directory; do
		mkdir -p "/host/$directory"
	done
	(cd /tmp && find "$name" -type f) | while read -r file; do
		dd if="/tmp/$file" of="/host/$file" bs=512k 2>/dev/null
	done
	rm -rf "/tmp/$name"
	echo "# $(cut -d ' ' -f 1 /proc/uptime) seconds"
}

mkdir -p /host /dev/shm
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000 host /host || exit 1
export PERF_BUILDID_DIR=/tmp/buildid
cd /tmp || exit 1
dd if=/bin/busybox of=in bs=1k count=8 2>/dev/null
echo "# $(cut -d ' ' -f 1 /proc/uptime) seconds"

# perf reads it often, and byte by byte when it is not a file
cat /proc/kallsyms >kallsyms
mount --bind kallsyms /proc/kallsyms
# The kernel changes its code when events of threads are there: a kcore for these, and one for
# events of CPUs.
record thread --kcore -e cs_etm// --per-thread -- busybox md5sum in
record thread-kernel -e cs_etm//k --per-thread -- busybox md5sum in
record thread-small -m ,32K -e cs_etm//k --per-thread -- busybox md5sum in
record cpus --kcore -e cs_etm// -a -- busybox md5sum in
record cpus-kernel -e cs_etm//k -a -- busybox md5sum in
record cpus-user -e cs_etm//u -a -- busybox md5sum in
dmesg | grep -E 'BUG|WARNING|Oops' | sed 's/^/# /'
echo "complaints $(dmesg | grep -cE 'BUG|WARNING|Oops')"
