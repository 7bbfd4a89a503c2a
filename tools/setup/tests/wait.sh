#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# wait.sh - the helpers of wait.bash and monitor.bash: a wait ends as soon as its process does, and time limits grow with the
# slowness of the machine. Speaks TAP.
set -u
cd "$(dirname "$0")/../../.." || exit 1
top=$PWD
export HWFLOW_SLOWNESS=100
. tools/setup/tests/tap.bash
. tools/setup/tests/wait.bash
. tools/qemu/tests/monitor.bash
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# within SECONDS STATUS COMMAND...: the command ends with this status, and in time
within() {
	local begun=$SECONDS seconds=$1 want=$2 status

	shift 2
	"$@"
	status=$?
	[ $status -eq "$want" ] && [ $((SECONDS - begun)) -le "$seconds" ]
}

sleep 0.3 &
within 20 1 wait_for 100 $! false
ok $? "a wait for a process that ends is over at once, and fails"
{ sleep 0.3 && touch made; } &
within 20 0 wait_for 100 $! test -e made
ok $? "a wait is over when its condition is true"
# becomes true between the first look at it and the look at the process
second_time() {
	looks=$((looks + 1))
	[ $looks -ge 2 ]
}
true &
ended=$!
wait $ended
looks=0
within 20 0 wait_for 100 $ended second_time
ok $? "the last act of a process counts"
# the caller's variable of this name, as of a test that waits for its own process
pid=own
pid_is_own() {
	[ "$pid" = own ]
}
HWFLOW_SLOWNESS=34 within 20 0 wait_for 1 0 pid_is_own
ok $? "a condition sees the variables of its caller"
HWFLOW_SLOWNESS=34 within 20 124 wait_for 1 0 false
ok $? "a wait ends at its time limit"
HWFLOW_SLOWNESS=34 within 20 124 guarded 1 sleep 100
ok $? "a command ends at its time limit"
[ "$(limit 10)" -eq 30 ] && [ "$(HWFLOW_SLOWNESS=250 limit 10)" -eq 75 ]
ok $? "a time limit grows with the slowness of the machine"
slowness=$(measure_slowness)
echo "# slowness $slowness %"
[ "$slowness" -ge 100 ]
ok $? "no machine is faster than one that is idle"
seq 100 >log
[ "$(show_end log | head -n 1)" = "# 71" ] && [ "$(show_end log | wc -l)" -eq 30 ]
ok $? "the last 30 lines of a log are shown"
(
	n=0 failed=0
	must_end 3 "machine" log
	echo "not reached"
) >ended
[ $? -eq 1 ] && [ "$(grep -c '^not ok' ended)" -eq 1 ] && grep -qx '# 100' ended && ! grep -q 'not reached' ended
ok $? "a test whose machine did not come to its end fails once, and ends" ended

# machine SCRIPT: a monitor whose machine is a shell script; what it is told is `quit`
machine() {
	begin_monitor answers
	bash -c "$1" &
	running=$!
	open_monitor
	echo quit >&7
	finish_machine
}
# shellcheck disable=SC2016 # of the script
within 20 0 machine 'exec 3<>monitor.in 4<>monitor.out; read -r line <&3; echo "told $line" >&4'
told=$?
[ $told -eq 0 ] && [ "$(cat answers)" = "told quit" ]
ok $? "a monitor reads commands, and answers"
within 20 5 machine 'exit 5'
ok $? "a machine that never opens its monitor is noticed"
# shellcheck disable=SC2016 # of the script
within 20 137 machine 'exec 4>monitor.out; kill -9 $$'
ok $? "a machine that is killed is noticed"

# boot, with a QEMU that dies, or prints what a whole test prints
printf '#!/bin/bash\n%s\n' 'echo "machine: test ended"' 'kill -9 $$' >killed
printf '#!/bin/bash\n%s\n' 'echo "machine: test ended"' >whole
chmod +x killed whole
within 20 137 "$top/selftests/boot/boot" . 100 ./killed >output
status=$?
[ $status -eq 0 ] && grep -q '^# QEMU ended with status 137$' output
ok $? "boot: a machine that was killed is a failure" output
within 20 0 "$top/selftests/boot/boot" . 100 ./whole >output
ok $? "boot: a test that came to its end is none" output
done_testing
