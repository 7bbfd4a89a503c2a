#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# crash.sh [-d coresight] [-c] - the kernel crashes while all CPUs are recorded, and a crash kernel takes over. Only with
# -c, or ARM_ETE_CRASH=yes: this machine crashes. In the crash kernel the same command looks for
# /proc/vmcore.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
echo "TAP version 13"
[ "${1-}" = -c ] || [ "${ARM_ETE_CRASH-}" = yes ] || skip_all "the machine is crashed only where -c asks for it"
need_root
if [ -e /proc/vmcore ]; then
	head -c 4 /proc/vmcore | grep -q ELF
	ok $? "the crash kernel is there, with the memory of the one before it"
	done_testing
fi
need_pmu
need_hwflow
[ "$(cat /sys/kernel/kexec_crash_loaded 2>/dev/null)" = 1 ] ||
	skip_all "no crash kernel is loaded (kexec -p, crashkernel= on the command line)"
$hwflow record -q -o /tmp/crash.data -a -- sleep 1000 &
sleep 3
echo "# the kernel crashes now: run crash.sh -c again in the crash kernel"
sync
echo c >/proc/sysrq-trigger
sleep 10
ok 1 "the kernel crashes"
done_testing
