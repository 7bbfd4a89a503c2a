# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine of demo.sh: the driver, and what stock perf records with it. Lines that begin with
# `| ` are for whoever watches.
mkdir -p /host /dev/shm
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000 host /host || exit 1
export PERF_BUILDID_DIR=/tmp/buildid
cd /tmp || exit 1

# run COMMAND...: shown, with what it says
run() {
	echo "| # $*"
	"$@" >log 2>&1
	status=$?
	sed 's/^/|   /' log
	return $status
}

# keep NAME: perf's file or directory goes to the host, in large pieces
keep() {
	find "$1" -type d | while read -r at; do mkdir -p "/host/$at"; done
	find "$1" -type f | while read -r at; do dd if="$at" of="/host/$at" bs=512k 2>/dev/null; done
	rm -rf "$1"
}

run uname -srm
run insmod /arm_ete_pmu.ko || exit 1
dmesg | sed -n 's/^\[ *[0-9.]*\] \(arm_ete_pmu .*\)/|   \1/p'
# perf reads it several times, and it is made anew each time
cat /proc/kallsyms >kallsyms
mount --bind kallsyms /proc/kallsyms
cp /input .
run perf record -o threads -e cs_etm//u -- pigz -p 4 -b 128 -k input || exit 1
keep threads
run perf record -o system --kcore -a -e cs_etm// -- sh -c 'head -c 100000 input | gzip -c | md5sum' || exit 1
keep system
cp input.gz /host
