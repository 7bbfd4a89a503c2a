# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: hwflow record ends before its time, or what it records does. What is in the file is equal to what
# was executed, and what is not in it is reported.
. /record.sh
mount --bind /dev/null /proc/kallsyms

# going NAME OPTION...: begin, and wait for some trace in the file
going() {
	local name=$1

	rm -f stop
	begin "$@" >/dev/null
	grows 100000 bytes "/tmp/$name"
	ok $? "$name: is recorded"
}

no_work() {
	! pidof work >/dev/null
}

# is_over: no program of the recording before is left
is_over() {
	wait_for 30 0 no_work
}

# ended NAME KIND STATUS: the recorder ends with this status
ended() {
	local name=$1 kind=$2 want=$3 status

	wait $perf
	status=$?
	sed 's/^/# /' "/tmp/$name.log"
	same "$name: exit status" "$want" "$status"
	is_over
	ok $? "$name: the program has ended"
	give "$name" "$kind" 0
}

# described FILE: behind its data is the description of the machine, without which perf reads no trace. The recorder
# cuts it off while it writes the records of a round: then the head names no parts. After the records the head names
# the parts first, and the table of their places is written last: it is 0 until then.
described() {
	any_bytes "$1" 72 32 || return
	busybox od -An -td8 -j40 -N16 "$1" | {
		read -r at size
		any_bytes "$1" $((at + size)) 16
	}
}

# any_bytes FILE OFFSET SIZE: some of these bytes are there and not 0
any_bytes() {
	[ "$(busybox dd if="$1" bs=1 skip="$2" count="$3" 2>/dev/null | tr -d '\0' | busybox wc -c)" -gt 0 ]
}

# stopped FILE: stop the recorder; it goes on if FILE is not described
stopped() {
	kill -STOP $perf
	wait_for 10 $perf grep -q '^State:.T' /proc/$perf/status || return
	described "$1" && return
	kill -CONT $perf
	return 1
}

# rests FILE: the recorder is stopped between two rounds
rests() {
	wait_for 10 $perf stopped "$1"
}

# the recorder is killed: its program goes on, and is not recorded any more
going killed -m ,256K -e cs_etm//u --per-thread -- /work
rests /tmp/killed
ok $? "killed: the file describes the machine between two rounds"
kill -9 $perf
pidof work >/dev/null
ok $? "killed: the program goes on"
touch stop
ended killed cut,user,perf 137
going killed-all -m ,256K -a -e cs_etm//u -- /work 3
kill -9 $perf
touch stop
described /tmp/killed-all && also=,perf || also=
ended killed-all cpus,cut,user$also 137

# a full disk
mkdir -p full
mount -t tmpfs -o size=700k tmpfs full
rm -f stop
/recorder -o full/disk -m ,256K -e cs_etm//u --per-thread -- /work >/dev/null 2>disk.log
same "disk: exit status" 125 $?
sed 's/^/# /' disk.log
grep -q '^hwflow record: full/disk: No space left on device: .*; free space, or' disk.log
ok $? "disk: the error names the file, the cause and the remedy"
is_over
ok $? "disk: the program has ended"
mv full/disk /tmp/disk
umount full
give disk cut,user,perf 0

# named NAME TEXT: the recorder reports how the program ended
named() {
	grep -qxF "hwflow record: $2" "$1.log"
	ok $? "$1: the recorder reports: $2"
}

# the program is killed: its signal is named, and the exit status is its own
going target -e cs_etm//u --per-thread -- /work
kill -9 $(pidof work)
ended target exact,user,perf 137
named target '/work was ended by signal 9 (Killed)'
ulimit -c unlimited
going dumps -e cs_etm//u --per-thread -- /work
kill -SEGV $(pidof work)
ended dumps exact,user,perf 139
named dumps '/work was ended by signal 11 (Segmentation fault), core dumped'
rm -f core*
ulimit -c 0
# of all CPUs as well
going all -a -m ,4M -e cs_etm//u -- sh -c '/work 1 40; exit 125'
ended all cpus,user 125
named all 'sh exited with status 125'

# signals: one ends the recording and the program, and all is saved
for signal in INT TERM HUP; do
	going $signal -e cs_etm//u --per-thread -- /work
	kill -$signal $perf
	ended $signal exact,user 143
	named $signal '/work was ended by signal 15 (Terminated)'
done
# the first two are the terminal's ^C, which the program receives as well
going terminal -e cs_etm//u --per-thread -- /work
kill -INT $(pidof work)
kill -INT $perf
ended terminal exact,user 130
# a program that goes on is killed by the second
going twice -e cs_etm//u --per-thread -- sh -c 'trap "" INT TERM; exec /work'
kill -INT $perf
grows 0 grep -c 'goes on after SIGTERM' twice.log
ok $? "twice: the recorder reports that the program goes on"
pidof work >/dev/null && kill -0 $perf
ok $? "twice: the program and the recorder go on"
kill -INT $perf
ended twice exact,user 137

# the program is mapped before the recording begins
going delay -D 500 -e cs_etm//u --per-thread -- /work
touch stop
ended delay exact,user 0

# a processor leaves. Without its events, what begins there after it has come back would not be known.
last=$((cpus - 1))
going unplug -m ,4M -a -e cs_etm//u -- /work $((cpus + 1))
online=/sys/devices/system/cpu/cpu$last/online
echo 0 >$online
ok $? "unplug: processor $last left"
grows $(($(bytes unplug) + 100000)) bytes unplug
ok $? "unplug: the recording of the others goes on"
touch stop
ended unplug cpus,lossy,user 124
grep -q "CPU $last went offline: it is not recorded from here on" unplug.log
ok $? "unplug: the recorder reports it"
echo 1 >$online
ok $? "unplug: processor $last came back"
# no program is recorded: it is not there, or not one
for what in 127:/no/program 126:/tmp; do
	hwflow record -o /tmp/none --per-thread -- ${what#*:} >log 2>&1
	same "${what#*:}: exit status" ${what%:*} $?
	sed 's/^/# /' log
	[ "$(wc -l <log)" -eq 1 ] && grep -q "^hwflow record: ${what#*:}: " log && [ ! -e /tmp/none ]
	ok $? "${what#*:}: a message, and no file"
done
umount /proc/kallsyms
done_testing
