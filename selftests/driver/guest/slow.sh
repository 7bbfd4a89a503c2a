# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: one who reads stops for a while, on each CPU trace is refused, and recording goes on
# on each after that.
. /record.sh
mount --bind /dev/null /proc/kallsyms

# grown NAME OLD...: is the counter larger than OLD on each CPU?
grown() {
	local name=$1 cpu=0 old

	shift
	for old in "$@"; do
		[ "$(cat $stats/cpu$cpu/$name)" -gt "$old" ] || return
		cpu=$((cpu + 1))
	done
}

# all_grow NAME OLD...: the counter grows on each CPU while the recorder runs
all_grow() {
	wait_for 20 $perf grown "$@"
}

values() {
	cat $stats/cpu*/"$1"
}

slow() { # NAME KIND OPTION...
	local name=$1 kind=$2 old

	shift 2
	rm -f stop
	old=$(values sessions)
	begin "$name" "$@" -- /work $cpus >/dev/null
	all_grow early_warnings $(values early_warnings)
	ok $? "$name: each CPU traces"
	for round in 1 2; do
		old=$(values refusals)
		kill -STOP $perf
		all_grow refusals $old
		ok $? "$name: round $round: there is no room on each CPU"
		# The timer of each CPU tries again, less and less often: about 16 times a second in the end. A thread
		# that is switched to tries at once; where threads switch more often, the timer has nothing to do.
		tries=$(stat retries)
		switches=$(stat refusals)
		from=$(cut -d . -f 1 /proc/uptime)
		sleep 3
		tries=$(($(stat retries) - tries))
		passed=$(($(cut -d . -f 1 /proc/uptime) - from + 1))
		switches=$(($(stat refusals) - switches))
		echo "# $tries attempts of $cpus CPUs by timers in $passed s, $switches where a thread began"
		[ $((tries + switches)) -gt 0 ] && [ $tries -le $((cpus * (20 * passed + 10))) ]
		ok $? "$name: round $round: attempts become rare"
		old=$(values early_warnings)
		kill -CONT $perf
		all_grow early_warnings $old
		ok $? "$name: round $round: each CPU goes on"
	done
	touch stop
	wait $perf
	give "$name" "$kind" $?
	grep -H . $stats/cpu*/* | grep -v ':0$' | sed 's/^/# /'
}
mount -t tracefs tracefs /sys/kernel/tracing
echo 1 >/sys/kernel/tracing/events/arm_ete/enable
slow slow cpus,lossy,user -a -m ,64K -e cs_etm//u
slow slow-thread cpus,lossy,user -m ,64K -e cs_etm//u
echo 0 >/sys/kernel/tracing/events/arm_ete/enable
for event in session_begin session_end interrupt refusal; do
	grep -q " arm_ete_$event: cpu=" /sys/kernel/tracing/trace
	ok $? "tracepoint $event"
done
umount /proc/kallsyms
done_testing
