#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kvm.sh [-d coresight] - a virtual machine runs while the host is recorded: the recording has the host's code, and none
# of the virtual machine's, which tries to be traced (vm.c).
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
echo "TAP version 13"
[ -e /dev/kvm ] || skip_all "there is no /dev/kvm"
[ -w /dev/kvm ] || skip_all "/dev/kvm cannot be opened by this user"
need_pmu
need_hwflow
make_work

# VM_BASE of vm.c begins with these digits
guest=5a5a
without() {
	$hwflow script --quiet --no-lines "$work/data" >"$work/branches" 2>"$work/err"
	[ -s "$work/branches" ]
	status=$?
	[ $status -eq 0 ] || sed 's/^/# /' "$work/err"
	ok $status "$1: the recording has branches of the host"
	! grep -qi "${guest}[0-9a-f]\{6\}\b" "$work/branches"
	ok $? "$1: no branch of the virtual machine is in it"
}
./vm 2 >"$work/out" 2>&1
status=$?
[ $status -eq 0 ] || sed 's/^/# /' "$work/out"
[ $status -eq 0 ] || skip_all "a virtual machine of one CPU cannot be run: $(head -n 1 "$work/out")"
ok 0 "a virtual machine runs"
$hwflow record -q -o "$work/data" -m ,4M --per-thread -- ./vm 20 >"$work/out" 2>&1
ok $? "its thread is recorded"
without "thread"
if [ "$(id -u)" = 0 ]; then
	$hwflow record -q -o "$work/data" -a -m ,4M -- ./vm 20 >"$work/out" 2>&1
	ok $? "its machine is recorded"
	without "machine"
else
	skip "its machine is recorded" "not root"
fi
done_testing
