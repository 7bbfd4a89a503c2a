# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: the installed kselftests, by the commands of Documentation/testing.rst for hardware: in the root
# directory of Debian, if the machine has one, else with busybox alone.
# hwflow.ksft=coresight of the kernel's command line: with the in-tree driver, which is loaded.
# hwflow.ksft_tests=NAME,...: only these tests.
if [ -d /debian ]; then
	root=/debian
	mv /kselftest /arm_ete_pmu.ko /debian/root
	for dir in proc sys dev; do
		mount --bind /$dir /debian/$dir
	done
	at=/root
else
	root=/
	at=
fi
# `settings` of the tests has the same 300 s, for an idle machine
slowness=$(sed -n 's/.*hwflow\.slowness=\([0-9]*\).*/\1/p' /proc/cmdline)
options="-o $((300 * 3 * ${slowness:-100} / 100))"
for test in $(sed -n 's/.*hwflow\.ksft_tests=\([^ ]*\).*/\1/p' /proc/cmdline | tr , ' '); do
	options="$options -t drivers/perf/arm_ete:$test"
done
if grep -q hwflow.ksft=coresight /proc/cmdline; then
	driver='export ARM_ETE_DRIVER=coresight'
else
	driver="export ARM_ETE_MODULE=$at/arm_ete_pmu.ko; insmod $at/arm_ete_pmu.ko"
fi
# devices that udev makes elsewhere; run_kselftest.sh writes to one
[ -e /dev/stdout ] || ln -s /proc/self/fd/1 /dev/stdout
[ -e /dev/fd ] || ln -s /proc/self/fd /dev/fd
chroot $root /bin/sh -c "export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
	mount -t debugfs debugfs /sys/kernel/debug
	$driver
	[ ! -d /sys/module/arm_ete_pmu ] || echo '# the module is loaded'
	$at/kselftest/run_kselftest.sh $options" | grep -vE '^# # ( RUN|           OK)|^# TAP version'
