# SPDX-License-Identifier: GPL-2.0-only
#
# For the tests in the machine that record, by /recorder: the files go to /host, where `== recording NAME KIND`
# tells the host to hold them against what was executed.
. /tap.sh

# give NAME KIND STATUS: what perf has written to /tmp/NAME, with what it said in NAME.log
give() {
	[ "$3" -eq 0 ] || {
		echo "# $1: exit status $3"
		sed 's/^/# /' "/tmp/$1.log"
	}
	ok "$3" "perf record: $1"
	dd if="/tmp/$1" of="/host/$1" bs=512k 2>/dev/null
	rm -f "/tmp/$1"
	echo "== recording $1 $2"
}

# by_hwflow: is /recorder hwflow? If trace was lost it ends with status 124, or 3 without a program.
by_hwflow() {
	grep -q hwflow.recorder=hwflow /proc/cmdline
}

# record NAME KIND OPTION...: by $run, if it is set
record() {
	local name=$1 kind=$2 status

	shift 2
	${run-} /recorder -o "/tmp/$name" "$@" >"/tmp/$name.log" 2>&1
	status=$?
	# on a busy machine trace may be lost
	case $status,$kind, in
	124,*lossy,* | 3,*lossy,*) ! by_hwflow || status=0 ;;
	esac
	give "$name" "$kind" $status
}

# directory NAME: of /tmp, to /host
directory() {
	(cd /tmp && find "$1" -type d) | while read -r d; do mkdir -p "/host/$d"; done
	(cd /tmp && find "$1" -type f) | while read -r f; do
		dd if="/tmp/$f" of="/host/$f" bs=512k 2>/dev/null
	done
	rm -rf "/tmp/$1"
}

# large_pages on, large_pages off: counts allocations of 64 pages or more for AUX areas in between, and prints their number
large_pages() {
	local tracing=/sys/kernel/debug/tracing

	if [ "$1" = on ]; then
		echo 'order >= 6' >$tracing/events/kmem/mm_page_alloc/filter
		echo >$tracing/trace
		echo 1 >$tracing/events/kmem/mm_page_alloc/enable
	else
		echo 0 >$tracing/events/kmem/mm_page_alloc/enable
		grep -c 'mm_page_alloc: .*GFP_KERNEL|.*__GFP_NORETRY' $tracing/trace
	fi
}

# copy_kernel: the kernel's code, and the vdso, for the recordings that come after
copy_kernel() {
	cat /proc/kallsyms >kallsyms
	mount --bind kallsyms /proc/kallsyms
	perf record -N --kcore -o /tmp/k -e cs_etm//u --per-thread -- busybox true >log 2>&1
	ok $? "perf record --kcore"
	directory k
	umount /proc/kallsyms
}

# record_kernel NAME KIND OPTION...: likewise; with --kcore it is a directory
record_kernel() {
	local name=$1 kind=$2 status

	shift 2
	/recorder -o "/tmp/$name" "$@" >"/tmp/$name.log" 2>&1
	status=$?
	# the host finds the loss
	[ $status -ne 124 ] || ! by_hwflow || status=0
	[ $status -eq 0 ] || sed 's/^/# /' "/tmp/$name.log"
	ok $status "record: $name"
	directory "$name"
	echo "== recording $name $kind"
}

# begin NAME OPTION...: perf goes on in the background, by $run if it is set, as process $perf; what it
# and its program say on standard output is the caller's
begin() {
	local name=$1

	shift
	${run-} /recorder -o "/tmp/$name" "$@" 2>"/tmp/$name.log" &
	perf=$!
}

# begin_all NAME PROGRAM...: as begin, of all CPUs' user code; waits until the first is recorded, for
# perf on a busy host takes its time
begin_all() {
	local name=$1 before

	shift
	before=$(cat $stats/cpu0/sessions)
	begin "$name" -a -m ",${size-4M}" -e cs_etm//${what-u} -- "$@" >/dev/null
	grows "$before" cat $stats/cpu0/sessions
	ok $? "$name: is recorded"
}

# stat FILE: a counter, of all CPUs
stat() {
	cat $stats/cpu*/"$1" | awk '{ n += $1 } END { print n }'
}

# bytes FILE: its size; wc would read a file that grows as fast as it reads, because it is recorded, too
bytes() {
	busybox stat -c %s "$1" 2>/dev/null || echo 0
}

# above BEFORE COMMAND...: does the command print a larger number than BEFORE?
above() {
	local before=$1

	shift
	[ "$("$@")" -gt "$before" ]
}

# grows BEFORE COMMAND...: the number that the command prints grows while the recorder $perf runs
grows() {
	wait_for 30 $perf above "$@"
}
