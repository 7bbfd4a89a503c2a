# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: hwflow record --control enables and disables a recording from outside, and --delay enables it later.
# What is executed during a pause is not traced; a program that begins during a pause is known when it is traced later.
. /record.sh
mount --bind /dev/null /proc/kallsyms
mkfifo requests answers

# ask REQUEST: write it to the recorder, and read the acknowledgement
ask() {
	local answer=

	echo "$1" >requests
	read -r answer <answers
	same "$name: answer to $1" ack "$answer"
}

# enabled: the trace buffers are used after the recording was enabled
enabled() {
	local before

	before=$(stat sessions)
	ask enable
	grows "$before" stat sessions
	ok $? "$name: trace is enabled"
}

lines() {
	wc -l <count
}

# works: /work executes some rounds more
works() {
	grows $(($(lines) + 5)) lines
	ok $? "$name: the program goes on"
}

# paused PROGRAM...: the program runs without trace
paused() {
	local before

	before=$(stat sessions)
	"$@" >/dev/null
	same "$name: trace buffers are not used" "$before" "$(stat sessions)"
}

# goes_on: begin /work in the background, and wait until it has begun
goes_on() {
	rm -f stop
	: >count
	/work 2 >count &
	work=$!
	wait_for 30 $work test -s count
}

# all CPUs: disabled from the beginning; the second program begins and ends without trace, the third begins in a pause
name=control
begin $name -D -1 -a -m ,4M -e cs_etm//u --control=fifo:requests,answers
ask ping
paused /work 2 5
enabled
/work 2 3 >/dev/null
ask disable
paused /request 100
paused goes_on
enabled
works
touch stop
wait $work
ask stop
wait $perf
give $name cpus,exact,user,perf,has=even $?

# a program, by descriptors
name=control-fd
rm -f stop
: >count
exec 5<>requests 6<>answers
begin $name -D -1 -m ,4M -e cs_etm//u --control=fd:5,6 -- /work >count
exec 5>&- 6>&-
enabled
works
ask disable
paused usleep 500000
enabled
works
touch stop
wait $perf
give $name cpus,exact,user,has=even $?

# a request that is not known has no acknowledgement, and the recording goes on
name=control-wrong
rm -f stop
begin $name -e cs_etm//u --per-thread --control=fifo:requests,answers -- /work >/dev/null
grows 100000 bytes /tmp/$name
echo restart >requests
ask ping
grep -q "^hwflow record: --control: 'restart' is not a request" /tmp/$name.log
ok $? "$name: the request is reported"
touch stop
wait $perf
give $name exact,user $?

# without a program, the delay begins with the recorder
name=delay
goes_on
before=$(stat sessions)
begin $name -D 2000 -a -m ,4M -e cs_etm//u
sleep 1
same "$name: trace buffers are not used" "$before" "$(stat sessions)"
grows "$before" stat sessions
ok $? "$name: trace is enabled"
works
touch stop
wait $work
kill -INT $perf
wait $perf
give $name cpus,exact,user,has=even $?

# a signal ends a delay, and so does the end of the program
began=$(cut -d. -f1 /proc/uptime)
begin delay-signal -D 100000 -e cs_etm//u --per-thread -- sleep 100
wait_for 30 $perf pidof sleep >/dev/null
kill -INT $perf
wait $perf
same "delay-signal: exit status" 143 $?
begin delay-end -D 100000 -e cs_etm//u --per-thread -- busybox true
wait $perf
same "delay-end: exit status" 0 $?
[ $(($(cut -d. -f1 /proc/uptime) - began)) -lt 60 ]
ok $? "neither waits for the end of the delay"
umount /proc/kallsyms
done_testing
