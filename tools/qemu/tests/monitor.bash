# SPDX-License-Identifier: GPL-2.0-only
#
# A machine with a monitor: -chardev pipe,id=monitor,path=monitor -mon monitor, in the current directory. To be sourced.
#
#   begin_monitor FILE
#   QEMU ... & running=$!
#   open_monitor           printf 'COMMAND\n' >&7 is read by the monitor, which answers into FILE
#   wait_for_arrival       the machine, which was started with -incoming, runs
#   migrate_to URI         the machine's state has gone to URI
#   finish_machine         waits for the machine; its status
#
# None of them blocks if the machine has ended, or never opened the pipes. The two that wait need wait.bash.

begin_monitor() {
	answers=$1
	rm -f monitor.in monitor.out
	mkfifo monitor.in monitor.out
	# as long as this shell has the pipe open to write, the reader waits for no other writer
	exec 6<>monitor.out 5<monitor.out
	cat <&5 >"$1" 6>&- &
	reader=$!
	exec 5<&-
}

open_monitor() {
	# a pipe that is opened to read and write has a reader at all times
	exec 7<>monitor.in
}

answered_with() { # QUESTION WORDS
	echo "$1" >&7
	grep -aqs "$2" "$answers"
}

# a machine that has not arrived refuses to leave
wait_for_arrival() {
	wait_for 30 "$running" answered_with 'info status' 'status: running'
}

# The monitor of QEMU 10.0 reads the next command when only the state of the devices is missing: quit would cut it off
migrate_to() {
	echo "migrate \"$1\"" >&7
	wait_for 60 "$running" answered_with 'info migrate' 'status: completed'
}

# shellcheck disable=SC2154 # the test sets running
finish_machine() {
	local status

	wait "$running"
	status=$?
	exec 6>&- 7>&-
	wait "$reader"
	return $status
}
