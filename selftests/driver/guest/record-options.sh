# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: options of hwflow record that stock perf does not have, the thread of -t, and the default file.
. /record.sh
mount --bind /dev/null /proc/kallsyms
own="--per-thread -- /work 1 3"

record user exact,user,perf,CYCLE_COUNT_F1=0,CYCLE_COUNT_F2=0,CYCLE_COUNT_F3=0,TIMESTAMP=0 --user $own
record cycles exact,user,perf,cycles=0x100 --cycles $own
record timestamps exact,user,perf,TIMESTAMP=1 --timestamps $own
record both exact,user,cycles=0x100,TIMESTAMP=1 --cycles --timestamps $own
record all cpus,exact,user,perf,TIMESTAMP=1 --cycles -a -- /work 3 3
record threshold exact,user,cycles=0x800 -e cs_etm/cycacc=1,cc_threshold=0x800/u $own
record many exact,cid,cycles=0x100,TIMESTAMP=1 -e cs_etm/contextid=1,retstack=1,branch_broadcast=1/u --cycles --timestamps $own
# three counters, which this machine has
record strobe filtered,user --strobe=2000/8000 $own

# a program that begins on another CPU than the one that is recorded
run="taskset 2"
record moved cpus,exact,user,perf -C 0 -- taskset 1 /work 1 1
record moved-last cpus,latest,user -C 0 -Se -- taskset 1 /work 1 1
run=

# one thread of a program that has four
rm -f stop
: >count
/work 4 >count &
work=$!
wait_for 30 $work above 3 sh -c "ls /proc/$work/task | wc -l"
last=$(ls /proc/$work/task | tail -n 1)
before=$(stat sessions)
begin thread -t "$last" -m ,256K
grows $((before + 2)) stat sessions
ok $? "thread: is recorded"
kill -INT $perf
wait $perf
status=$?
touch stop
wait $work
give thread cpus,exact,user,perf,has=even $status
# the host finds the threads of the records
same "thread: those in the recording" "$last" "$(hwflow script --no-lines /host/thread 2>/dev/null | awk '{ print $2 }' | sort -u)"

# perf.data is the default, and the one before becomes perf.data.old
rm -rf default
mkdir default
cd default || exit 1
hwflow record -q --per-thread -- /work 1 1 >/dev/null
mv perf.data first
hwflow record -q --per-thread -- /work 1 1 >/dev/null
cp perf.data second
hwflow record -q --per-thread -- /work 1 2 >/dev/null
same "the files" "first perf.data perf.data.old second" "$(echo *)"
cmp -s second perf.data.old
ok $? "the older recording is perf.data.old"
cd ..
mv default/perf.data /tmp/default-file
give default-file exact,user,perf 0
umount /proc/kallsyms

# the kernel; its code is copied without an option
cat /proc/kallsyms >kallsyms
mount --bind kallsyms /proc/kallsyms
dd if=/bin/busybox of=in bs=1k count=8 2>/dev/null
record_kernel kernel cpus,exact,perf --kcore --kernel -m ,16M -a -- busybox md5sum in
record_kernel user-kernel exact,perf --kcore --user --kernel -m ,16M --per-thread -- busybox md5sum in
umount /proc/kallsyms
done_testing
