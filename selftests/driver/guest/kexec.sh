# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: another kernel takes over while trace is recorded, at the first turn by kexec, or, as
# crash.sh, by a panic. At the second turn we are in that kernel, and nobody has touched the trace
# units since: the trace buffer must be off, for what it was is another's memory now.
. /record.sh
how=${how-kexec}

# state TEXT: of each CPU
state() {
	local cpu=0

	dmesg -c >/dev/null
	while [ $cpu -lt "$cpus" ]; do
		echo "state $cpu" >/proc/power
		cpu=$((cpu + 1))
	done
	dmesg | sed -n 's/.*power: /# power: /p'
	[ "$(dmesg | grep -c "power: cpu[0-9]*: state: $1")" -eq "$cpus" ]
}

insmod /power.ko
ok $? "power.ko is loaded"
if grep -q hwflow.turn=1 /proc/cmdline; then
	mount --bind /dev/null /proc/kallsyms
	# all of it fits, whatever perf has read; and it goes on until the end
	size=64M
	what=
	begin_all taken sleep 1000
	usleep 200000
	state 'buffer 1 trace unit 1'
	ok $? "trace is recorded"
	dmesg | grep -qE 'BUG|WARNING|Oops'
	[ $? -ne 0 ]
	ok $? "the kernel complains of nothing so far"
	sync
	if [ $how = kexec ]; then
		/kexec /host/kernel /host/initramfs hwflow.turn=1 hwflow.turn=2
	else
		taskset 1 /kexec -p /host/kernel /host/initramfs 'hwflow.turn=1 maxcpus=8' \
			'hwflow.turn=2 maxcpus=1' && taskset 1 sh -c 'echo c >/proc/sysrq-trigger'
	fi
	# it does not come here
	ok 1 "$how: the next kernel is booted"
	exit 1
fi
ok 0 "$how: the next kernel was booted"
state 'buffer 0 trace unit 0 claim 0x0$'
ok $? "the trace buffer and the trace unit are off, and nobody's"
insmod $module
ok $? "the module is loaded again"
mount --bind /dev/null /proc/kallsyms
perf record -N -o again -e cs_etm//u --per-thread -- busybox true >log 2>&1
ok $? "perf records again"
umount /proc/kallsyms
done_testing
