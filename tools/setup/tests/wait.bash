# SPDX-License-Identifier: GPL-2.0-only
#
# Waiting in tests. To be sourced.
#
# A time limit guards against a hang and nothing else: it is three times what is ample on an idle machine, and grows with
# the slowness of the machine. Waiting for a process ends as soon as the process does.

# measure_slowness: prints how long a fixed computation takes here and now, in percent of its time on a machine of
# 2020 with nothing else to do; 100 at least
measure_slowness() {
	local begun=${EPOCHREALTIME/[.,]/} i sum=0 percent

	for ((i = 0; i < 200000; i++)); do
		sum=$(((sum * 31 + i) % 65521))
	done
	# 0.8 s there
	percent=$(((${EPOCHREALTIME/[.,]/} - begun) / 8000))
	echo $((percent > 100 ? percent : 100))
}

# run-tests measures it once for all tests; a test by itself measures it here
[ -n "${HWFLOW_SLOWNESS-}" ] || HWFLOW_SLOWNESS=$(measure_slowness)
export HWFLOW_SLOWNESS

# limit SECONDS: prints the time limit, in seconds, of a step for which SECONDS are ample on an idle machine
limit() {
	echo $(($1 * 3 * HWFLOW_SLOWNESS / 100))
}

# guarded SECONDS COMMAND...: COMMAND, killed at its time limit; the status is 124 or 137 then
guarded() {
	timeout -k 10 "$(limit "$1")" "${@:2}"
}

# wait_for SECONDS PID COMMAND...: repeat COMMAND until it is true. Status 1 if the process PID (0: none) ended first, 124
# at the time limit. COMMAND can be a function, which sees the variables of this one: their names are not used elsewhere.
wait_for() {
	local wait_end=$((SECONDS + $(limit "$1"))) wait_process=$2

	shift 2
	until "$@"; do
		if [ "$wait_process" -ne 0 ] && ! kill -0 "$wait_process" 2>/dev/null; then
			# the last act of the process may have made it true
			"$@" && return
			return 1
		fi
		[ "$SECONDS" -lt "$wait_end" ] || return 124
		sleep 0.1
	done
}

# show_end FILE: the last lines of a log, as comments of TAP
show_end() {
	tail -n 30 "$1" 2>/dev/null | tr -d '\r' | sed 's/^/# /'
}

# must_end STATUS NAME LOG: the test that a machine came to its end, with tap.bash. If it did not, nothing else can be
# checked: the end of LOG is shown, and the script ends.
must_end() {
	[ "$1" -eq 0 ] || show_end "$3"
	ok "$1" "$2"
	[ "$1" -eq 0 ] || {
		done_testing
		exit 1
	}
}
