# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: nothing that was in an AUX area before is in a record of a user who may do nothing, and
# nothing of the kernel.
. /record.sh
insmod /pattern.ko
ok $? "AUX areas hold a pattern first"
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
echo 2 >/proc/sys/kernel/perf_event_paranoid
for pages in 1 2 4 16; do
	/stale "$(cat $pmu/type)" $pages
	ok $? "an area of $pages pages"
	/stale "$(cat $pmu/type)" $pages snapshot
	ok $? "an area of $pages pages, written over and over"
done
# and stock perf, for the same user, who may not see context identifiers: the trace has none
mount --bind /dev/null /proc/kallsyms
chmod 777 /tmp
mkdir -p /etc
echo nobody:x:65534:65534::/:/bin/sh >/etc/passwd
start-stop-daemon -S -c nobody -x /bin/perf -- record -N -o /tmp/nobody -m ,32K -e cs_etm/contextid=1/u \
	--per-thread -- /work 1 20 >/tmp/nobody.log 2>&1
give nobody lossy,user,clean $?
umount /proc/kallsyms
echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
rmmod pattern
ok $? "the pattern's module is unloaded"
done_testing
