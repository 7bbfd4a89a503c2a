# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: the installed kselftests, as Documentation/testing.rst says to run them on hardware.
# hwflow.ksft=coresight of the kernel's command line: with the in-tree driver, which is loaded.
# hwflow.ksft_tests=NAME,...: only these tests.
mount -t debugfs debugfs /sys/kernel/debug
# a device that run_kselftest.sh writes to, and that nobody has made here
[ -e /dev/stdout ] || ln -s /proc/self/fd/1 /dev/stdout
if grep -q hwflow.ksft=coresight /proc/cmdline; then
	export ARM_ETE_DRIVER=coresight
else
	export ARM_ETE_MODULE=/arm_ete_pmu.ko
	insmod $ARM_ETE_MODULE
fi
tests=$(sed -n 's/.*hwflow\.ksft_tests=\([^ ]*\).*/\1/p' /proc/cmdline | tr , ' ')
options=
for test in $tests; do
	options="$options -t drivers/perf/arm_ete:$test"
done
# shellcheck disable=SC2086 # words
/kselftest/run_kselftest.sh $options | grep -vE '^# # ( RUN|           OK)|^# TAP version'
dmesg | grep -E 'arm_ete|coresight' | tail -n 20 | sed 's/^/# /'
