# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: what cannot be is refused when the event is opened, with an error and the reason.
. /tap.sh
type=$(cat $pmu/type)

# refused NAME ERROR REASON CONFIG CONFIG1 CONFIG2 WHAT [CPU [UID]]
refused() {
	local name=$1 error=$2 reason=$3 before found

	shift 3
	before=$(dmesg | wc -l)
	same "$name: $error" "$error" "$(/attempt "$type" "$@")"
	[ "$reason" ] || return
	found=$(dmesg | tail -n +$((before + 1)))
	case $found in
	*"$reason"*) ok 0 "$name: the reason is said" ;;
	*)
		echo "# $found"
		ok 1 "$name: the reason is said"
		;;
	esac
}

# said: lines of the driver in the log; other parts of the kernel write there, too
said() {
	dmesg | grep -c arm_ete_pmu
}

# any user can have an event refused: nothing is said unless the administrator asks for it
before=$(said)
same "silent: EINVAL" EINVAL "$(/attempt "$type" 0x200 0 0 u)"
same "silent: lines in the log" "$before" "$(said)"
explain
same "not silent: EINVAL" EINVAL "$(/attempt "$type" 0x200 0 0 u)"
same "not silent: lines in the log" $((before + 1)) "$(said)"

refused "plain" ok '' 0 0 0 u
refused "reserved bit 9 of config" EINVAL 'reserved' 0x200 0 0 u
refused "reserved bit 63 of config" EINVAL 'reserved' 0x8000000000000000 0 0 u
refused "reserved bit 14 of config1" EINVAL 'reserved' 0 0x4000 0 u
refused "instrumentation" EOPNOTSUPP 'instrumentation requires' 0 0x2000 0 u
refused "preset" EINVAL 'system configurations' 1 0 0 u
refused "configid" EINVAL 'system configurations' 0 0 0x100000000 u
refused "sink" EINVAL 'sink' 0 0 1 u
refused "neither user nor kernel" EINVAL 'excludes both' 0 0 0 x
refused "threshold without cycles" EINVAL 'cycacc' 0 0x100 0 u
refused "threshold too low" EINVAL 'below the minimum' 0x1000 1 0 u
refused "strobe_on alone" EINVAL 'both be 0' 0 0x100000000 0 u
refused "strobe_off alone" EINVAL 'both be 0' 0 0x1000000000000 0 u
if dmesg | grep -q 'VHE mode initialized'; then
	refused "contextid2" ok '' 0x8000 0 0 u
else
	refused "contextid2" EINVAL 'EL2' 0x8000 0 0 u
fi
refused "the guest only" EOPNOTSUPP '' 0 0 0 uh
refused "a CPU that there is not" EINVAL '' 0 0 0 u 4000
refused "contextid1" ok '' 0x4000 0 0 u
refused "kernel" ok '' 0 0 0 k

# One who may not watch the whole system
nobody=65534
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
for level in 2 1 -1; do
	echo $level >/proc/sys/kernel/perf_event_paranoid
	refused "unprivileged, $level: user" ok '' 0 0 0 u -1 $nobody
	# as for any event of the kernel, the level decides
	kernel=ok
	[ $level -lt 2 ] || kernel=EACCES
	refused "unprivileged, $level: kernel" $kernel '' 0 0 0 k -1 $nobody
	refused "unprivileged, $level: user and kernel" $kernel '' 0 0 0 uk -1 $nobody
	# perf asks for them by itself: they are left out where they are not allowed
	refused "unprivileged, $level: contextid1" ok '' 0x4000 0 0 u -1 $nobody
	if dmesg | grep -q 'VHE mode initialized'; then
		refused "unprivileged, $level: contextid2" ok '' 0x8000 0 0 u -1 $nobody
	fi
	# that is for who has set the level to say
	[ $level -lt 1 ] || refused "unprivileged, $level: a CPU" EACCES '' 0 0 0 u 0 $nobody
done
echo "$paranoid" >/proc/sys/kernel/perf_event_paranoid
done_testing
