# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, of which only the first CPU has a trace buffer with an interrupt: events of the other
# one are refused; a thread is traced while it is on the first, and its record says if it was not.
. /tap.sh

insmod $module
ok $? "the module is loaded"
said | sed 's/^/# /'
said | grep -qE ': CPUs 0$'
ok $? "it traces the first CPU"
mount --bind /dev/null /proc/kallsyms
perf record -o one -e cs_etm//u -C 1 -- busybox true >log 2>&1
[ $? -ne 0 ]
ok $? "an event on the second CPU is refused"
grep -qi 'no such device' log
ok $? "with ENODEV"
[ "$(grep -ciE 'no such device' log)" -gt 0 ] || sed 's/^/# /' log
perf record -o zero -e cs_etm//u -C 0 -- busybox true >log 2>&1
ok $? "one on the first CPU is opened"

# Linux 7.2 maps the ring buffer by page frame numbers; 9p cannot write from such a mapping (EFAULT).
dd if=/bin/busybox of=in bs=1k count=16 2>/dev/null
taskset 1 perf record -N -o stays -e cs_etm//u --per-thread -- busybox md5sum in >log 2>&1
ok $? "perf record: a thread on the first CPU"
cp stays /host/
echo "== recording stays exact"
perf record -N -o moves -e cs_etm//u --per-thread -- busybox sh -c \
	'taskset -p 1 $$; taskset -p 2 $$; echo | busybox cat; taskset -p 1 $$; echo' >log 2>&1
ok $? "perf record: a thread that goes to the second CPU and comes back"
cp moves /host/
echo "== recording moves partial"
# no other record comes that could say so
perf record -N -o ends -e cs_etm//u --per-thread -- busybox sh -c \
	'taskset -p 1 $$; taskset -p 2 $$; echo' >log 2>&1
ok $? "perf record: a thread that ends on the second CPU"
cp ends /host/
echo "== recording ends partial"
taskset 2 perf record -N -o never -e cs_etm//u --per-thread -- busybox md5sum in >log 2>&1
ok $? "perf record: a thread that is on the second CPU all the time"
cp never /host/
echo "== recording never partial"
umount /proc/kallsyms
done_testing
