#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# syscalls.sh BUILD - hwflow emulate --syscalls records the system calls that QEMU's own -strace lists, as tracepoints that
# perf reads, too; script names them, and calls --syscalls measures them. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1

# calls_of NAME: each beginning of a call, thread and name, in the order of each thread
calls_of() {
	"$san" script "$1" 2>/dev/null | sed -nE 's/^\S+ +([0-9]+) .*EVENT: raw_syscalls:sys_enter .* \((.*)\)$/\1 \2/p' | sort -s -n -k1,1
}

# check MACHINE COMPILER: all of it for programs of a machine
check() {
	"$2" -O1 -static -pthread -o "program.$1" "$here/syscalls.c" 2>err &&
		"$hwflow" emulate --quiet --syscalls --qemu-option=-strace -o "$1.data" -- "./program.$1" >out 2>strace
	ok $? "$1: a program is recorded" strace
	calls_of "$1.data" >calls
	# lines of threads may be mixed; a number without a name has none there either
	grep -oE '[0-9]+ [a-z_0-9]+\(' strace | tr -d '(' | sort -s -n -k1,1 | grep -vE ' [0-9]+$' >want
	[ "$(wc -l <calls)" -gt 30 ] && [ "$(cut -d' ' -f1 calls | sort -u | wc -l)" = 2 ] && diff want calls >diff
	ok $? "$1: $(wc -l <calls) calls of 2 threads, as QEMU lists them" diff
	[ "$(grep -c ' getppid$' calls)" = 12 ] && [ "$(grep -c ' write$' calls)" = 3 ]
	ok $? "$1: each is there" calls
	"$san" script "$1.data" 2>err | grep 'EVENT: raw_syscalls' >lines
	grep -q 'sys_enter id=64 args=0100000000000000.\{16\}0600000000000000.* (write)$' lines && grep -q 'sys_exit id=64 ret=6 (write)$' lines &&
		grep -q 'sys_exit id=64 ret=-9 (write)$' lines && grep -q 'sys_enter id=9999 args=[0-9a-f]*$' lines
	ok $? "$1: arguments and results, and a number without a name" lines
	"$hwflow" verify --quiet "$1.data" >out 2>&1
	ok $? "$1: the trace is that of the log" out
	"$san" calls --syscalls --width=0 "$1.data" >table 2>err
	awk '$NF == "getppid" && $3 == 12 { n++ } $NF == "write" && $3 == 3 { n++ } $NF == "[9999]" && $3 == 1 { n++ }
		$NF == "clock_nanosleep" && $2 == "ms" && $1 >= 20 && $3 == 1 { n++ } END { exit n != 4 }' table
	ok $? "$1: durations of calls" table
	grep -q '^ *0  *exit_group$' table && grep -Eq '^[12] calls? (is|are) not measured' table
	ok $? "$1: a call that does not return is counted, and not measured" table
}
check arm64 "$CC"
check riscv64 "${RISCV_CC:-riscv64-linux-gnu-gcc}"

# the log has an exception for each call
[ "$("$hwflow" emulate --show-log=arm64.data.truth | grep -c ' EXC call ')" = "$("$san" script arm64.data 2>/dev/null | grep -c 'EVENT: raw_syscalls:sys_enter')" ]
ok $? "there is a sample for each system call of the log"
perf script -f -i arm64.data -F tid,event,trace 2>err | sed -nE 's/^ *([0-9]+) +raw_syscalls:sys_(enter|exit): NR ([0-9]+).*/\1 \2 \3/p' >perf
"$san" script arm64.data 2>/dev/null | sed -nE 's/^\S+ +([0-9]+) .*raw_syscalls:sys_(enter|exit) id=([0-9]+) .*/\1 \2 \3/p' | diff - perf >diff && [ -s perf ]
ok $? "perf script has the same $(wc -l <perf) samples" diff
"$hwflow" emulate --quiet --syscalls --limit=6000 -o part.data -- ./program.arm64 >out 2>err
count=$(calls_of part.data | wc -l)
[ "$count" -gt 3 ] && [ "$count" -lt 30 ] && [ "$count" = "$("$hwflow" emulate --show-log=part.data.truth | grep -c ' EXC call ')" ]
ok $? "--limit: what is not recorded has no samples" err
"$hwflow" emulate --quiet -o plain.data -- ./program.arm64 >out 2>err && ! "$san" script plain.data 2>/dev/null | grep -q raw_syscalls
ok $? "without --syscalls there are none" err

# from the end of a call on: its beginning is missing
"$hwflow" emulate --quiet --syscalls --timestamps -o timed.data -- ./program.arm64 >out 2>err
time=$("$san" script timed.data 2>/dev/null | awk '/EVENT: raw_syscalls:sys_exit/ && n++ == 4 { print $3 }')
partial() { "$san" calls --syscalls "$@" timed.data 2>err | sed -n 's/^\([0-9]*\) calls* .* not measured.*/\1/p'; }
[ "$(partial "--time=$time,")" = "$(($(partial) + 1))" ]
ok $? "a call that began before the part that is selected is not measured" err
python3 - arm64.data <<'END'
import sys
data = open(sys.argv[1], "rb").read()
open("other.data", "wb").write(data.replace(b"aarch64\0", b"armv8l\0\0"))
END
"$san" script other.data 2>/dev/null | grep 'EVENT: raw_syscalls:sys_enter id=64' >lines
[ "$(wc -l <lines)" = 3 ] && ! grep -q '(write)' lines
ok $? "numbers of another machine have no names" lines

# slices of the timeline: name, beginning and end
"$san" timeline --for=chrome -o timeline.json timed.data 2>err && "$san" script timed.data 2>/dev/null | grep 'EVENT: raw_syscalls' >lines
python3 - timeline.json lines <<'END' >out 2>&1
import collections
import json
import re
import sys
events = json.load(open(sys.argv[1]))
events = events["traceEvents"] if isinstance(events, dict) else events
tracks = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
have, want, begun = collections.defaultdict(list), collections.defaultdict(list), {}
for event in events:
    track = tracks.get((event["pid"], event.get("tid")), "")
    if "system calls" not in track or event["name"].startswith("["):
        continue
    if event["ph"] == "B":
        begun[track] = event
    elif event["ph"] == "E":
        have[track].append((event["name"], round(begun[track]["ts"] * 1000), round(event["ts"] * 1000)))
for line in open(sys.argv[2]):
    comm, tid, time, kind, name = re.match(r"(\S+) +(\d+) +([0-9.]+) .*raw_syscalls:sys_(enter|exit) id=9?\d+ [^(]*(?:\((.*)\))?$", line).groups()
    if not name:
        continue
    time = int(time.replace(".", ""))
    calls = want[f"{comm} {tid}: system calls"]
    if kind == "enter":
        calls.append((name, time, None))
    else:
        calls[-1] = (name, calls[-1][1], time)
last = max(call[1] for calls in want.values() for call in calls)
assert len(want) == 2 and sum(map(len, want.values())) > 30
for track, calls in want.items():
    got = have[track]
    for call in calls:
        # calls that do not return end with the last sample, which is the beginning of exit_group: no slice is shorter than 1 ns
        if call[1] == last:
            continue
        call = call[0], call[1], call[2] or last
        found = [one for one in got if one[0] == call[0] and abs(one[1] - call[1]) < 2 and abs(one[2] - call[2]) < 2]
        assert len(found) == 1, (track, call, got)
    assert len(got) in (len(calls), len(calls) - 1), (track, len(got), len(calls))
END
ok $? "timeline: a slice for each system call, with its name and times" out

# sorted COLUMN [UNIT]: the numbers of a column do not rise; the unit is in the next one
sorted() {
	awk -v at="$1" -v unit="${2:-0}" 'BEGIN { size["ns"] = 1; size["us"] = 1e3; size["ms"] = 1e6; size["s"] = 1e9 }
		/ system call$/ { table = 1; next } !table || NF < 12 { next }
		{ value = $at * (unit ? size[$unit] : 1) } n++ && value > last { bad = 1 } { last = value } END { exit bad || n < 10 }' table
}
for column in 'total 1 2' 'calls 3' 'mean 4 5' 'longest 10 11'; do
	read -r name at unit <<<"$column"
	"$san" calls --syscalls --limit=0 --sort="$name" arm64.data >table 2>err && sorted "$at" "$unit"
	ok $? "--sort=$name" table
done
"$san" calls --syscalls --sort=name arm64.data 2>err | sed -nE '/[a-z]s +[a-z_0-9]+$/s/.* //p' >names
[ "$(wc -l <names)" -gt 10 ] && LC_ALL=C sort names | diff - names >diff
ok $? "--sort=name" names
"$san" calls --syscalls --limit=2 arm64.data 2>err | grep -q ' in [0-9]* more: --limit=0 shows all$'
ok $? "--limit" err
"$san" calls --syscalls --tid="$(calls_of arm64.data | tail -1 | cut -d' ' -f1)" arm64.data 2>err | grep -q ' 5 .* getppid$'
ok $? "--tid" err
"$san" calls --syscalls plain.data >out 2>err
[ $? = 1 ] && [ ! -s out ] && grep -q "plain.data: --syscalls: there are no samples.*hwflow emulate --syscalls" err
ok $? "a recording without samples of system calls" err
for option in --function=main --between=a,b --over=1 --measure=time --function=main\ --show=1; do
	# shellcheck disable=SC2086 # two options
	"$san" calls --syscalls $option arm64.data >out 2>err
	[ $? = 1 ] && grep -q -- '--syscalls excludes' err
	ok $? "$option is refused" err
done
done_testing
