# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: stock perf records user code with the modules of the kernel, to /host.
record() { # NAME OPTION...
	name=$1
	shift
	perf record -o "/tmp/$name" "$@" >"/tmp/$name.log" 2>&1
	echo "recorded $name $?"
	sed 's/^/# /' "/tmp/$name.log" | grep -v '^# *$' | tail -n 2
	cp "/tmp/$name" /host/
}

mkdir -p /host /dev/shm
mount -t 9p -o trans=virtio,version=9p2000.L host /host || exit 1
# user code only: the names of the kernel's functions take perf seconds to read
mount --bind /dev/null /proc/kallsyms
export PERF_BUILDID_DIR=/tmp/buildid
cd /tmp || exit 1
dd if=/bin/busybox of=in bs=1k count=64 2>/dev/null

# offsets in the file: what of the program is traced, and what is not
record plain -e cs_etm//u --per-thread -- busybox gzip -k in
record small -m ,32K -e cs_etm//u --per-thread -- busybox sha256sum in
record cycles -e cs_etm/cycacc=1/u --per-thread -- busybox md5sum in
record time -e cs_etm/timestamp=1/u --per-thread -- busybox md5sum in
record context -e cs_etm/contextid=1/u --per-thread -- busybox md5sum in
record filter -e cs_etm//u --filter 'filter 0x100000/0x100000@/bin/busybox' --per-thread -- \
	busybox md5sum in
record moves -e cs_etm//u --per-thread -- /moves
dmesg | grep -E 'BUG|WARNING|Oops' | sed 's/^/# /'
echo "complaints $(dmesg | grep -cE 'BUG|WARNING|Oops')"
