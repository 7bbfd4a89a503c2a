#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# killed.sh QEMU KILLED [--needs=TARGETS | NAME=COMMAND]... - a test whose machine is killed ends within two minutes, with
# one failure. Not part of `make test`: `make test-killed` runs it.
#
# KILLED becomes a program that runs QEMU, and kills the first machine that it has run for AFTER milliseconds, 50 if not
# said, and more on a slow host. Only the COMMANDs that name KILLED boot a machine; T='PATTERN...' chooses among their NAMEs. Speaks TAP.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$(realpath "$1")
mkdir -p "$(dirname "$2")"
killed=$2
shift 2
. "$here/tap.bash"
. "$here/wait.bash"
dir=$(realpath "$(dirname "$killed")")
cat >"$killed" <<END
#!/bin/bash
"$qemu" "\$@" &
machine=\$!
trap 'kill \$machine' TERM
# QEMU boots no machine where it writes a device tree; a machine that ends sooner is not killed
case \$* in *dumpdtb=*) wait \$machine; exit ;; esac
if [ ! -e "$dir/done" ] && sleep "\$AFTER" && kill -0 \$machine 2>/dev/null; then
	touch "$dir/done"
	kill -9 \$machine
fi
wait \$machine
END
chmod +x "$killed"
AFTER=$((${AFTER:-50} * HWFLOW_SLOWNESS / 100))
AFTER=$(printf '%d.%03d' $((AFTER / 1000)) $((AFTER % 1000)))
export AFTER

# chosen NAME
chosen() {
	local pattern

	[ -n "${T-}" ] || return 0
	for pattern in $T; do
		# shellcheck disable=SC2053 # a pattern
		[[ $1 != $pattern ]] || return 0
	done
	return 1
}

# seconds since the machine was killed; 0 if it was not
seconds_since() {
	[ -e "$dir/done" ] || { echo 0 && return; }
	echo $(($(date +%s) - $(stat -c %Y "$dir/done")))
}

# over PID: the test has ended, or two minutes after its machine
over() {
	! kill -0 "$1" 2>/dev/null || [ "$(seconds_since)" -gt 120 ]
}

set -f
for test in "$@"; do
	name=${test%%=*}
	command=${test#*=}
	case $test in --needs=*) continue ;; esac
	[[ $command == *"$killed"* ]] && chosen "$name" || continue
	rm -f "$dir/done"
	setsid bash -c "$command" >"$dir/$name.log" 2>&1 </dev/null &
	run=$!
	wait_for 3000 0 over $run
	took=$(seconds_since)
	[ -e "$dir/done" ]
	ok $? "$name: a machine was killed" "$dir/$name.log"
	! kill -0 $run 2>/dev/null
	ok $? "$name: ended $took s later"
	kill -- -$run 2>/dev/null
	wait $run
	[ $? -ne 0 ] && [ "$(grep -c '^not ok' "$dir/$name.log")" -eq 1 ]
	ok $? "$name: one failure" <(tail -n 40 "$dir/$name.log")
	echo "# $name: $(grep '^not ok' "$dir/$name.log")"
done
done_testing
