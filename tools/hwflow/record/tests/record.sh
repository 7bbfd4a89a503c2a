#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# record.sh BUILD - hwflow record and hwflow stat without trace hardware: wrong command lines and their messages, and the way to
# hwflow emulate. Recordings are tests of the emulated machine (cells hwrecord-*). Speaks TAP.
set -u
build=$(realpath "$1")
cd "$(dirname "$0")" || exit 1
hwflow=$build/san/hwflow
[ -x "$hwflow" ] || hwflow=$build/hwflow
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. ../../../setup/tests/tap.bash
cd "$work" || exit 1

# refused STATUS TEXT OPTION...: ends with this status, the message has the text, and no file is made
refused() {
	local want=$1 text=$2 status

	shift 2
	"$hwflow" record "$@" >out 2>err </dev/null
	status=$?
	[ $status = "$want" ] && grep -qF -- "$text" err && [ ! -s out ] && [ ! -e perf.data ] && [ ! -e perf.hwprof ]
	ok $? "record $*: status $status" err
}

refused 1 'no COMMAND to record'
refused 1 '-a and -C: use one of them' -a -C 0 true
refused 1 'use one of them' -a -p 1
refused 1 '--per-thread: not with -a or -C' --per-thread -a true
refused 1 'omit the command, or the options' -p 1 true
refused 1 'requires --control' -D -1 true
refused 1 'requires --control' -D -1 -a
refused 1 '-D soon: milliseconds expected' -D soon true
refused 1 '-m 3: [RINGS][,TRACE] expected' -m 3 true
refused 1 '-m ,5K: [RINGS][,TRACE] expected' -m ,5K true
refused 1 '-m 64K,x: [RINGS]' -m 64K,x true
refused 1 '--snapshot 12q: [e][SIZE] expected' --snapshot=12q true
refused 1 '-z 23: a level from 1 to 22 expected' -z23 true
refused 1 '-z fast: a level from 1 to 22 expected' --compression-level=fast true
refused 1 '--trigger: only with --snapshot' --trigger=main true
refused 1 '--trigger-tail: only with --trigger' -S --trigger-tail=5ms true
refused 1 '--multi-snapshot: only with --trigger' -S --multi-snapshot true
refused 1 'a recording has one trigger only' -S --trigger=main --trigger=exit true
refused 1 '--strobe 5: ON/PERIOD' --strobe=5 true
refused 1 '--strobe 5/5: ON/PERIOD' --strobe=5/5 true
refused 1 '--snapshot: not where the trace is decoded' -S --profile true
refused 1 '-o and --profile: name two files' -o counts --profile=counts true
refused 1 '-j and --profile-memory: only with --profile' -j2 true
refused 1 '-j and --profile-memory: only with --profile' --profile-memory=1M true
refused 1 '-j 0: a number of processes' --profile -j0 true
refused 1 '--profile-memory 63K: a number of bytes' --profile --profile-memory=63K true
refused 1 '--profile-memory lots: a number of bytes' --profile --profile-memory=lots true
refused 1 "try 'hwflow record --help'" --none true
refused 1 "try 'hwflow record --help'" -r 3 true
"$hwflow" record --help >out 2>err
[ $? = 0 ] && grep -q '^usage: hwflow record' out && [ ! -s err ]
ok $? "record --help" err


# hwflow stat has the same options, and -r
stat_refused() { # STATUS TEXT OPTION...
	local want=$1 text=$2 status

	shift 2
	"$hwflow" stat "$@" >out 2>err </dev/null
	status=$?
	[ $status = "$want" ] && grep -qF -- "hwflow stat: $text" err && [ ! -s out ]
	ok $? "stat $*: status $status" err
}
stat_refused 1 'no COMMAND to record'
stat_refused 1 '-r 0: a number of runs from 1 to 1000' -r 0 true
stat_refused 1 '-r 1001: a number of runs' -r 1001 true
stat_refused 1 '-r 2x: a number of runs' -r 2x true
stat_refused 1 '-a and -C select CPUs' -r 3 -a -p 1
stat_refused 1 '--profile: an option of hwflow record' --profile true
"$hwflow" stat --help >out 2>err
[ $? = 0 ] && grep -q '^usage: hwflow stat' out && [ ! -s err ]
ok $? "stat --help" err
if [ ! -e /sys/bus/event_source/devices/cs_etm ] && "$hwflow" record true 2>&1 | grep -q 'built without'; then
	echo "# hwflow record is not built"
else
	refused 1 "--trigger f+: '+': a number of bytes expected" -S --trigger=f+ true
	refused 1 "--trigger latency(a,b)>5: '5': a time expected" -S '--trigger=latency(a,b)>5' true
	refused 1 "--trigger signal:USR3: 'USR3': a signal expected" -S --trigger=signal:USR3 true
	refused 1 "--trigger-tail: '5': a time expected" -S --trigger=main --trigger-tail=5 true
	refused 1 "--trigger-tail: '5m': a time expected" -S --trigger=main --trigger-tail=5m true
	refused 1 '--trigger sched:: a tracepoint expected' -S --trigger=sched: true
fi

if [ -e /sys/bus/event_source/devices/cs_etm ]; then
	echo "# this machine has trace hardware"
else
	refused 125 "'hwflow doctor' finds the reason" -- true
	refused 125 "'hwflow emulate -- ./program ...' records" -- ./program -x
	refused 125 'the kernel has no PMU cs_etm' --fail-on-loss -a -- true
	refused 2 'the kernel has no PMU cs_etm' -a
	stat_refused 2 'this machine cannot record program flow' -a
	stat_refused 125 'this machine cannot record program flow' -- sh -c 'echo the program runs'
fi
done_testing
