# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: what /phases says, with the kernel's log of each phase in /host/log.PHASE.

# phase NAME COMMAND...: the log of it, and its exit status
phase() {
	name=$1
	shift
	start=$(cut -d . -f 1 /proc/uptime)
	"$@" >"/tmp/$name.out" 2>&1
	echo "phase $name $?"
	echo "# $name: $(($(cut -d . -f 1 /proc/uptime) - start)) s"
	cp "/tmp/$name.out" "/host/out.$name"
	dmesg -c >"/host/log.$name"
}

# leaks: kmemleak says in the log what it finds; it looks at nothing younger than 5 seconds
leaks() {
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	sleep 1
	echo scan >/sys/kernel/debug/kmemleak
	cat /sys/kernel/debug/kmemleak
	echo clear >/sys/kernel/debug/kmemleak
}

# splat KIND: the module that does wrong
wrong=/sys/module/splat/parameters/kind
splat() {
	[ -e $wrong ] || insmod /splat.ko || return
	echo "$1" >$wrong
}

# failing COMMAND...: allocations may fail, those that may sleep as well
failing() {
	for attribute in failslab fail_page_alloc; do
		echo N >/sys/kernel/debug/$attribute/ignore-gfp-wait
		echo 1 >/sys/kernel/debug/$attribute/verbose
		# each of them is said
		echo 0 >/sys/kernel/debug/$attribute/verbose_ratelimit_interval_ms
	done
	echo N >/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem
	echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
	"$@"
}

# once ATTRIBUTE COMMAND...: one allocation of marked processes fails that ATTRIBUTE is about
once() {
	attribute=/sys/kernel/debug/$1
	shift
	echo 1 >"$attribute/task-filter"
	echo 1 >"$attribute/times"
	echo 100 >"$attribute/probability"
	"$@"
	echo 0 >"$attribute/probability"
}

# marked COMMAND...: its allocations may fail
marked() {
	sh -c 'echo 1 >/proc/self/make-it-fail; exec "$@"' sh "$@"
}

mkdir -p /host
mount -t 9p -o trans=virtio,version=9p2000.L host /host || exit 1
mount -t debugfs debugfs /sys/kernel/debug || exit 1
# an emulated processor on a busy host stands still for seconds
echo 60 >/proc/sys/kernel/watchdog_thresh
zcat /proc/config.gz >/host/config
. /phases
grep debug_locks /proc/lockdep_stats
