# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: hwflow record --profile counts while it records. A recording of the same trace has the same counts.
. /record.sh
mount --bind /dev/null /proc/kallsyms
dd if=/bin/busybox of=in bs=1k count=16 2>/dev/null

# parts NAME: how many parts it was counted in
parts() {
	sed -n 's/.* of trace counted, in \([0-9]*\) parts\{0,1\}: .*/\1/p' "/tmp/$1.log"
}

# differences NAME: between its counts and those of its recording
differences() {
	hwflow profile --quiet --for=json "/tmp/$1.hwprof" >now 2>&1
	hwflow profile --quiet --for=json whole.hwprof >then 2>&1
	diff now then | head -n 20 | sed 's/^/# /'
}

# counted PARTS NAME KIND OPTION...: in so many parts at least. On a busy machine trace may be lost: the losses are the
# same, too.
counted() {
	local least=$1 name=$2 kind=$3 status

	shift 3
	record "$name" "$kind" --profile="/tmp/$name.hwprof" --profile-memory=$memory "$@"
	# the recording is in /host by now
	hwflow profile --quiet -o whole.hwprof "/host/$name" 2>log
	status=$?
	[ $status -eq 0 ] || [ $status -eq 3 ]
	ok $? "$name: is counted afterwards"
	! grep 'did not keep up' "/tmp/$name.log"
	ok $? "$name: no trace is dropped"
	cmp -s "/tmp/$name.hwprof" whole.hwprof || differences "$name"
	cmp "/tmp/$name.hwprof" whole.hwprof
	ok $? "$name: has the same counts as its recording"
	[ "$(parts "$name")" -ge "$least" ]
	ok $? "$name: $(parts "$name") parts"
	rm -f "/tmp/$name.hwprof" whole.hwprof
}

# there is memory for all of the trace: nothing is dropped
memory=2M
counted 2 counted-thread lossy,user -m ,256K --per-thread -- /work 1 150
memory=1M
counted 2 counted-threads cpus,lossy,user -m ,256K -- /work 3 30
# programs that begin and end: more records of mappings than trace
counted 2 counted-programs cpus,lossy,user -m ,64K -- sh -c '
	i=0
	while [ $i -lt 30 ]; do
		(busybox true; busybox md5sum /proc/version; busybox true) &
		busybox true
		wait
		i=$((i + 1))
	done'

# a CPU that executes no program, beside one where many begin: parts without trace
taskset 2 hwflow record -o /tmp/idle --profile=idle.hwprof --profile-memory=64K -C 0 -- sh -c '
	busybox taskset 1 /work 1 1
	i=0
	while [ $i -lt 40 ]; do
		busybox true
		busybox true
		busybox sleep 0.1
		i=$((i + 1))
	done' >log 2>&1
same "parts without trace: exit status" 0 $?
sed 's/^/# /' log
[ "$(sed -n 's/.*, in \([0-9]*\) part.*/\1/p' log)" -ge 3 ]
ok $? "parts without trace: there are several"
hwflow profile --quiet -o whole.hwprof /tmp/idle 2>/dev/null
cmp idle.hwprof whole.hwprof
ok $? "parts without trace: the counts are those of the recording"
rm -f /tmp/idle

# a disk that is full
mkdir full
mount -t tmpfs -o size=64k tmpfs full
dd if=/dev/zero of=full/rest bs=4k 2>/dev/null
hwflow record --profile=full/counts.hwprof --per-thread -- /work 1 3 >/dev/null 2>log
same "a full disk: exit status" 125 $?
grep -q "full/counts.hwprof: No space left on device" log
ok $? "a full disk: the reason is printed"
sed 's/^/# /' log
rm full/rest
hwflow record -o full/data --profile=kept.hwprof --per-thread -- /work 1 60 >/dev/null 2>log
same "a full disk for the recording: exit status" 125 $?
hwflow profile --for=json kept.hwprof 2>/dev/null | grep -q '^{"type":"profile"'
ok $? "a full disk for the recording: the counts so far are written"
sed 's/^/# /' log
umount full

# two_children: of the recorder $perf: $counter, which counts, and $program
two_children() {
	read -r counter program <"/proc/$perf/task/$perf/children"
	[ -n "$program" ]
}

# without a recording
hwflow record --profile=alone.hwprof --per-thread -- /work 1 3 >log 2>&1
same "without a recording: exit status" 0 $?
[ ! -e perf.data ]
ok $? "without a recording: none is made"
hwflow report alone.hwprof 2>/dev/null | grep -q '  even  (work)$'
ok $? "without a recording: the counts have the program's functions"

# a process that counts nothing for now
hwflow record --fail-on-loss --profile=dropped.hwprof --profile-memory=64K -m ,64K --per-thread -- /work 1 300 >/dev/null 2>log &
perf=$!
wait_for 30 $perf two_children
kill -STOP "$counter"
ok $? "the process that counts is stopped"
wait_for 60 $perf grep -q State:.Z "/proc/$program/status"
kill -CONT "$counter"
wait $perf
same "trace was dropped: exit status" 124 $?
sed 's/^/# /' log
grep -q "counting did not keep up: [1-9][0-9]* AUX records with [0-9.]* MB of trace dropped" log
ok $? "trace was dropped: how much is printed"
hwflow report --quiet dropped.hwprof >report 2>missing
same "trace was dropped: exit status of the report" 3 $?
grep -q "not counted: counting did not keep up with recording; [1-9][0-9]* times" missing
ok $? "trace was dropped: the counts say how much"
sed 's/^/# /' missing

# a process that counts and is killed
hwflow record --profile=killed.hwprof --per-thread -- /work 1 3000 >/dev/null 2>log &
perf=$!
wait_for 30 $perf two_children
kill -KILL "$counter"
wait $perf
same "the process that counts was killed: exit status" 125 $?
grep -q "the process that counts was ended by signal 9 (Killed): killed.hwprof is not written" log && [ ! -e killed.hwprof ]
ok $? "the process that counts was killed: no counts are written"
sed 's/^/# /' log

# hwflow top: a table each second
hwflow top --interval=1 --limit=3 -m ,256K -- sh -c '/work 1 1500 >/dev/null' >tables 2>log
same "hwflow top: exit status" 0 $?
awk '/^latest: [1-9][0-9]* instructions/ { tables++ } /  (even|odd|play|turn)  \(work\)$/ { rows++ }
	END { exit !(tables >= 2 && rows >= 3 * tables) }' tables
ok $? "hwflow top: two tables or more, with the functions of the program"
head -n 8 tables | sed 's/^/# /'
sed 's/^/# /' log
umount /proc/kallsyms
done_testing
