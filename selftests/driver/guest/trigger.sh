# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: hwflow record takes a snapshot when a trigger is hit. /request has one slow request among many. The
# limit and the duration of that request are far above the delays of an emulated machine on a busy host.
. /record.sh
mount --bind /dev/null /proc/kallsyms
slow=2000
latency='latency(request,request_done)>1s'
# newer kernels pause trace at the trigger
case $(uname -r) in
6.1.*) paused= ;;
*) paused=,ends=slow ;;
esac

# hit NAME: hwflow has reported that the trigger was hit
hit() {
	grep '^hwflow record: trigger' "/tmp/$1.log" | sed 's/^/# /'
	grep -q '^hwflow record: trigger .*: at [0-9.]*, thread [0-9]' "/tmp/$1.log"
	ok $? "$1: the trigger is hit"
}

# time_of NAME: the time at which the trigger was hit, as hwflow reports it
time_of() {
	sed -n 's/^hwflow record: trigger .*: at \([0-9.]*\),.*/\1/p' "/tmp/$1.log" | head -n 1
}

# timed NAME: script has the event of the trigger, with the same time and thread
timed() {
	local at

	at=$(sed -n 's/^hwflow record: trigger .*: at \([0-9.]*\), thread \([0-9]*\).*/\2 *\1 /p' "/tmp/$1.log")
	hwflow script --no-lines "/host/$1" 2>/dev/null | grep "EVENT" >events
	grep -q " $at" events
	ok $? "$1: script has the event of the trigger at ${at#*\*}"
	sed 's/^/# /' events
}

# after NAME: nanoseconds between the trigger and the last time that script prints
after() {
	hwflow script --no-lines "/host/$1" 2>/dev/null | awk -v at="$(time_of "$1")" '
		function nanoseconds(time) { split(time, part, "."); return part[1] * 1000000000 + part[2] }
		$3 ~ /^[0-9]+\.[0-9]+$/ { last = $3 }
		END { printf "%.0f", nanoseconds(last) - nanoseconds(at) }'
}

# fires NAME KIND OPTION... -- PROGRAM...
fires() {
	record "$@"
	hit "$1"
}

# refuses STATUS TEXT OPTION...: a message with the text, and no recording
refuses() {
	local status=$1 text=$2

	shift 2
	rm -f /tmp/none
	hwflow record -o /tmp/none -S "$@" -- /request 10 >log 2>&1
	[ $? -eq "$status" ] && grep -qF -- "$text" log && [ ! -e /tmp/none ]
	ok $? "$*: $text"
	sed 's/^/# /' log
}

# functions and addresses; on one CPU, because the kernel pauses trace on the CPU of the trigger
run="taskset 1"
# perf skips a record whose beginning was overwritten: rings of the recordings that perf reads are large enough
fires symbol cpus,latest,user,perf,slow$paused -S -m ,256K --trigger=slow -- /request 1500 $slow
fires thread latest,user,perf,slow$paused -S -m ,256K --per-thread --trigger=slow -- /request 1500 $slow
fires position cpus,latest,user,slow$paused -S -m ,64K --trigger=slow -- /request-pie 1500 $slow
address=$(/request 1 | sed 's/.* //')
fires address cpus,latest,user,slow$paused -S -m ,64K --trigger=$address -- /request 100 $slow
run=
fires offset cpus,latest,user,slow -S -m ,64K --trigger=slow+4@/request -- /request 100 $slow
rm -f now
taskset 1 /request 100000000 $slow 1 late >count &
request=$!
wait_for 30 $request test -s count
before=$(stat sessions)
begin attach -S -m ,64K -p $request --trigger=slow
grows "$before" stat sessions
touch now
wait $perf
give attach cpus,latest,user,slow$paused $?
kill $request

# uprobes. A kernel that does not pause trace executes the first instruction of the function in [uprobes].
fires uprobe uprobes,slow -a -S -m ,64K --trigger=slow@/request -- /request 100 $slow

# tracepoints
fires tracepoint cpus,latest,user,slow -S -m ,64K --trigger='raw_syscalls:sys_enter:id == 115' -- \
	/request 1500 $slow
fires syscall cpus,latest,user,perf,slow,ends=__clock_nanosleep -S -m ,256K --trigger=syscall:clock_nanosleep -- \
	/request 1500 $slow
fires signal cpus,latest,user,slow -S -m ,64K --trigger=signal:SIGUSR1 -- /request 100 $slow 1 signal
fires exit cpus,latest,user -S -m ,64K --trigger=exit -- /request 100

# the place in the recording
timed offset
timed signal

# with a tail, the trace goes on: slow() returns, and the program continues
fires tail cpus,latest,user -S -m ,4M --trigger=slow --trigger-tail=4s -- /request 100 $slow
after=$(after tail)
[ "$after" -ge 1900000000 ]
ok $? "tail: $after ns of trace after the trigger"
# the end of the program is the end of the tail
fires tail-end cpus,latest,user -S -m ,4M --trigger="$latency" --trigger-tail=10000s -- /request 100 $slow

# a snapshot each time
record multi cpus,latest,user -S -m ,64K --multi-snapshot --trigger=syscall:clock_nanosleep -- \
	sh -c 'for i in 1 2 3 4; do busybox usleep 700000; done'
hits=$(grep -c '^hwflow record: trigger' /tmp/multi.log)
[ "$hits" -eq 4 ]
ok $? "multi: $hits snapshots"

# latency
fires nested cpus,latest,user,slow -S -m ,64K --trigger="$latency" -- /request 100 $slow 1 nested
fires moving cpus,latest,user,slow -S -m ,64K --trigger="$latency" -- /request 100 $slow 1 moving
fires threads cpus,latest,user,perf,slow -S -m ,256K --trigger="$latency" -- /request 200 $slow 4
# what the request executed: slow(), and no time outside of it
hwflow script --no-lines --request /host/threads >request 2>log
hwflow script --no-lines /host/threads 2>/dev/null | sed -n 's/.* \([0-9]*\.[0-9]*\) .*EVENT: request-\([a-z]*\):.*/\2 \1/p' >marks
same "marks of the request" "begin end" "$(cut -d' ' -f1 marks | tr '\n' ' ' | sed 's/ $//')"
awk 'NR == FNR { mark[$1] = $2; next }
	match($0, /[0-9]+\.[0-9]+ /) {
		time = substr($0, RSTART, RLENGTH) + 0
		if (time < mark["begin"] - 1e-6 || time > mark["end"] + 1e-6)
			outside++
		lines++
	}
	END { exit outside || lines < 100 }' marks request
ok $? "--request: $(wc -l <request) lines, all of the time of the request"
grep -q 'slow' request
ok $? "--request: slow is executed"

# two programs, whose functions are found with uprobes
fires programs uprobes,slow -S -m ,64K --multi-snapshot \
	--trigger='latency(request@/request,request_done@/request)>1s' -- \
	sh -c "/request 50 $slow; /request 50 $slow"
hits=$(grep -c '^hwflow record: trigger' /tmp/programs.log)
[ "$hits" -eq 2 ]
ok $? "programs: $hits snapshots"
same "probes that are left" '' "$(cat /sys/kernel/debug/tracing/uprobe_events)"

# a trigger that is not hit
hwflow record -o /tmp/none -S --trigger=slow -- /request 10 >log 2>&1
[ $? -eq 125 ] && grep -q 'trigger slow: was not hit' log
ok $? "status 125 if the trigger is not hit"
hwflow record -o /tmp/none -S --trigger="$latency" -- /request 1000 >log 2>&1
[ $? -eq 125 ] && grep -qF "trigger $latency: was not hit" log
ok $? "no request is slow"

# triggers that do not exist
refuses 1 '/request has no function nothing' --trigger=nothing
refuses 1 '/nothing: No such file' --trigger=main@/nothing
refuses 1 'there is no such tracepoint' --trigger=sched:nothing
refuses 1 'there is no such tracepoint' --trigger=syscall:nothing
refuses 125 'the kernel refuses it' --trigger='sched:sched_switch:nothing == 3'
refuses 1 'no instruction is there' --trigger=0x10000001
refuses 1 'no instruction is there' --trigger=slow+2
umount /proc/kallsyms
done_testing
