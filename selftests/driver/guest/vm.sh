# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: a virtual machine runs in it while the host is recorded.
. /record.sh
vhe=no
dmesg | grep -q ': VHE mode initialized' && vhe=yes

# allow: what a kernel before this one may have left behind; where KVM runs at EL2 by itself it sees
# to that each time
allow() {
	[ $vhe = yes ] || return
	insmod /leftover.ko && rmmod leftover
	ok $? "EL1 and EL0 of virtual machines may be traced"
}
allow
insmod $module
ok $? "the module is loaded"
# the kernel patches itself for the first virtual machine, and back after the last: that is not to be
# while it is traced
/vm 2 stay >stay &
stay=$!
wait_for 30 $stay test -s stay
same "a virtual machine runs" "2 rounds" "$(cat stay)"
cat /proc/kallsyms >kallsyms
mount --bind kallsyms /proc/kallsyms
# The checks of a debug kernel make more trace than perf can take away, whose own execution makes
# even more: the areas are full now and then.
kind=exact
[ ! -e /proc/lockdep ] || kind=lossy,most
# while a virtual machine is about to run, virtual time is its own: timestamps that were of it would
# not find the host's part of the log
record_kernel k cpus,$kind,host --kcore -e cs_etm//k -a -- /vm 4
record_kernel uk cpus,$kind,host -e cs_etm// -a -- /vm 8
record_kernel uk-host cpus,$kind,host -e cs_etm//H -a -- /vm 8
record_kernel uk-small cpus,lossy,host -m ,32K -e cs_etm// -a -- /vm 8
umount /proc/kallsyms
mount --bind /dev/null /proc/kallsyms
record u cpus,exact,host,user,perf -e cs_etm//u -a -- /vm 20
record u-host cpus,exact,host,user -e cs_etm//uH -a -- /vm 20
last=$((cpus - 1))
run="taskset $(printf %x $((1 << last)))"
record u-one cpus,exact,host,user -C $last -e cs_etm//u -- /vm 20
run=
record u-thread exact,host,user -e cs_etm//u --per-thread -- /vm 20
record u-small lossy,host,user -m ,16K -e cs_etm//u --per-thread -- /vm 20
# that it would be seen: what is undone here is what the module has done
allow
[ $vhe = no ] || record u-leak cpus,guest -e cs_etm//u -a -- /vm 4
kill $stay
umount /proc/kallsyms
done_testing
