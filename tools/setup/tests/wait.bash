# SPDX-License-Identifier: GPL-2.0-only
#
# Waiting in tests. To be sourced.
#
# A time limit guards against a hang and nothing else: it is four times the time that is given, and grows with the
# slowness of the machine. Waiting for a process ends as soon as the process does.

# measure_slowness: prints how many times longer than on a machine of 2020 with nothing else to do a fixed computation
# takes here and now, in percent, 100 at least
measure_slowness() {
	local begun=${EPOCHREALTIME/[.,]/} i sum=0 elapsed

	for ((i = 0; i < 200000; i++)); do
		sum=$(((sum * 31 + i) % 65521))
	done
	# the computation takes 0.8 s there
	elapsed=$((${EPOCHREALTIME/[.,]/} - begun))
	elapsed=$((elapsed / 8000))
	echo $((elapsed > 100 ? elapsed : 100))
}

# run-tests measures it once for all tests; a test by itself measures it here
[ -n "${HWFLOW_SLOWNESS-}" ] || HWFLOW_SLOWNESS=$(measure_slowness)
export HWFLOW_SLOWNESS

# limit SECONDS: prints the time limit, in seconds, of a step that takes at most SECONDS on an idle machine
limit() {
	echo $(($1 * 4 * HWFLOW_SLOWNESS / 100))
}

# limited SECONDS COMMAND...: COMMAND, killed at its time limit; the status is 124 then
limited() {
	timeout -k 10 "$(limit "$1")" "${@:2}"
}

# wait_for SECONDS PID COMMAND...: repeat COMMAND until it is true. Status 1 if the process PID ended first, 124 at the
# time limit.
wait_for() {
	local end=$((SECONDS + $(limit "$1"))) pid=$2

	shift 2
	until "$@"; do
		if ! kill -0 "$pid" 2>/dev/null; then
			# its last act may have made the condition true
			"$@" && return
			return 1
		fi
		[ "$SECONDS" -lt "$end" ] || return 124
		sleep 0.1
	done
}

# show_end FILE: the last lines of a log, as comments of TAP
show_end() {
	tail -n 30 "$1" 2>/dev/null | tr -d '\r' | sed 's/^/# /'
}
