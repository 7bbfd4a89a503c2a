# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: kexec.sh of the installed kselftests, or, as ksft-crash.sh, crash.sh. At the first turn it has another
# kernel take over; in that one /host/turn exists, and the installed tree has to pass.
. /tap.sh
how=${how-kexec}
tests=/kselftest/drivers/perf/arm_ete
export ARM_ETE_MODULE=$module PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
[ -e /dev/stdout ] || ln -s /proc/self/fd/1 /dev/stdout
[ -e /dev/fd ] || ln -s /proc/self/fd /dev/fd

# run TEST: of the installed tree; each of its lines is in the output
run() {
	/kselftest/run_kselftest.sh -t drivers/perf/arm_ete:"$1" >/tmp/run 2>&1
	sed 's/^/# /' /tmp/run
	grep -q "^ok 1 selftests: drivers/perf/arm_ete: $1\$" /tmp/run
	ok $? "$how: $1 in the next kernel"
}

if [ ! -e /host/turn ]; then
	touch /host/turn
	$tests/$how.sh
	same "$how.sh: it is skipped unless it is asked for: exit status" 4 $?
	insmod $module
	ok $? "the module is loaded"
	if [ $how = kexec ]; then
		ARM_ETE_KEXEC='-k /host/kernel -i /host/initramfs' $tests/kexec.sh
	else
		ARM_ETE_CRASH=yes $tests/crash.sh
		same "crash.sh: it is skipped without a crash kernel: exit status" 4 $?
		kexec -p /host/kernel --initrd=/host/initramfs --command-line="$(cat /proc/cmdline) maxcpus=1"
		ok $? "the crash kernel is loaded"
		sync
		ARM_ETE_CRASH=yes $tests/crash.sh
	fi
	# it does not come here
	ok 1 "$how: the next kernel is booted"
	exit 1
fi
ok 0 "$how: the next kernel was booted"
if [ $how = crash ]; then
	ARM_ETE_CRASH=yes $tests/crash.sh >/tmp/crash
	ok $? "crash.sh: in the crash kernel"
	sed 's/^/# /' /tmp/crash
fi
insmod $module
ok $? "the module is loaded again"
run open
run data_workloads
done_testing
