#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kexec.sh [-d coresight] [-k KERNEL -i INITRD [-a COMMAND-LINE]] - another kernel takes over while all CPUs are recorded.
# Only with -k, or ARM_ETE_KEXEC='-k ...': this machine is rebooted without its firmware. The kernel that
# follows has to start, and this tree has to pass in it.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
echo "TAP version 13"
# shellcheck disable=SC2086 # words
[ $# -gt 0 ] || set -- ${ARM_ETE_KEXEC-}
[ $# -gt 0 ] || skip_all "another kernel is booted only where -k KERNEL asks for it"
need_root
need_pmu
need_hwflow
kernel=
initrd=
append=$(cat /proc/cmdline)
while getopts k:i:a: option; do
	case $option in
	k) kernel=$OPTARG ;;
	i) initrd=$OPTARG ;;
	a) append=$OPTARG ;;
	*) exit 2 ;;
	esac
done
command -v kexec >/dev/null || skip_all "there is no command kexec (kexec-tools)"
[ -r "$kernel" ] || skip_all "there is no kernel $kernel"
kexec -l "$kernel" ${initrd:+"--initrd=$initrd"} "--command-line=$append"
ok $? "the kernel is loaded"
[ $failed = 0 ] || done_testing
$hwflow record -q -o /tmp/kexec.data -a -- sleep 1000 &
sleep 3
echo "# the next kernel takes over now: run the tests again there"
sync
kexec -e
ok 1 "the kernel takes over"
done_testing
