# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine of machine.sh: the driver, and a shell.
mkdir -p /host /root /dev/shm /tmp
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000 host /host || exit 1
mount -t tracefs tracefs /sys/kernel/tracing
dmesg -n 1
insmod /arm_ete_pmu.ko || exit 1
export HOME=/root PATH=/bin:/usr/bin:/ PERF_BUILDID_DIR=/tmp/buildid
cd /host || exit 1
if [ -f commands ]; then
	# a pipe, because progress is for terminals
	mkfifo /tmp/output
	cat /tmp/output &
	while IFS= read -r command; do
		echo "machine# $command"
		[ "$command" != exit ] || break
		eval "$command" </dev/null
	done <commands >/tmp/output 2>&1
	wait
	exit 0
fi
size=$(sed -n 's/.*hwflow\.size=\([^ ]*\).*/\1/p' /proc/cmdline)
stty rows "${size%x*}" cols "${size#*x}" 2>/dev/null
export PS1='machine# ' TERM=linux
setsid cttyhack sh
true
