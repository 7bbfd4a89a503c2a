# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: CPUs, threads that are there already, and all that a program starts.
. /record.sh
mount --bind /dev/null /proc/kallsyms
dd if=/bin/busybox of=in bs=1k count=16 2>/dev/null
pipeline='busybox cat in | busybox gzip | busybox gunzip | busybox md5sum'

record all cpus,exact,user,perf -a -e cs_etm//u -- sh -c "$pipeline"
# perf is told of programs that begin on that CPU, and of no others
last=$((cpus - 1))
run="taskset $(printf %x $((1 << last)))"
record one cpus,exact,user,perf -C $last -e cs_etm//u -- sh -c "$pipeline; $pipeline"
run=
record inherit cpus,exact,user,perf -e cs_etm//u -- sh -c "$pipeline"
record storm cpus,exact,user -e cs_etm//u -- sh -c 'i=0
	while [ $i -lt 12 ]; do busybox true & (busybox echo $i >/dev/null); i=$((i + 1)); done
	wait'
# what root's perf records may do less than root, and begins others nevertheless
mkdir -p /etc
echo nobody:x:65534:65534::/:/bin/sh >/etc/passwd
record drops cpus,exact,user -e cs_etm//u -- start-stop-daemon -S -c nobody -n nothing -x /bin/sh -- \
	-c 'busybox true && (busybox echo) && busybox true'
record pool cpus,exact,user -e cs_etm//u -- /work 8 5

# attached to each thread of a pool that runs
rm -f stop
/work 4 >count &
work=$!
wait_for 30 $work test -s count
before=$(stat sessions)
begin attach -e cs_etm//u -p $work
grows $((before + 20)) stat sessions
kill -INT $perf
wait $perf
touch stop
wait $work
# perf says by which signal it ended
give attach cpus,exact,user,perf 0
umount /proc/kallsyms
done_testing
