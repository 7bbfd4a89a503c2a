#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# script-time.sh BUILD - times in the output of script: one unit, and the order of threads. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"

emulate() { # NAME OPTION...
	local name=$1

	shift
	"$hwflow" emulate --quiet "$@" -o "$work/$name" -- "$work/threads" >"$work/out" 2>"$work/err"
	ok $? "$name: emulate $*" "$work/err"
}

script() { # NAME OPTION...: to $work/out
	local name=$1

	shift
	"$san" script --no-lines "$@" "$work/$name" >"$work/out" 2>"$work/err"
}

# units PATTERN: all times fit
units() {
	! awk '$1 != "#" { print $3 }' "$work/out" | grep -Evm 1 "^($1|-)$"
}

# the times rise, over all threads
rises() {
	awk '$1 != "#" && $3 != "-" { if ($3 + 0 < last) wrong = 1; last = $3 + 0 } END { exit wrong }' "$work/out"
}

# threads_in_a_row: how often a line is of another thread than the line before
changes() {
	awk '$1 != "#" { print $2 }' "$work/out" | uniq | wc -l
}

"$CC" -O2 -static -pthread -o "$work/threads" "$top/tools/plugin/tests/threads.c"
emulate stamped --timestamps=500
emulate virtual --timestamps=500 --virtual-time
emulate plain

script stamped --sort=thread && units '[0-9]+\.[0-9]{9}'
ok $? "--sort=thread: seconds" "$work/err"
threads=$(changes)
[ "$threads" -eq "$(awk '{ print $2 }' "$work/out" | sort -u | wc -l)" ]
ok $? "--sort=thread: $threads threads, one after another"
cp "$work/out" "$work/by-thread"
script stamped && units '[0-9]+\.[0-9]{9}'
ok $? "seconds" "$work/err"
rises
ok $? "by time, which is the default"
[ "$(changes)" -gt $((10 * threads)) ]
ok $? "threads alternate $(changes) times"
cmp -s <(sort "$work/out") <(sort "$work/by-thread")
ok $? "the lines are the same in both orders"
for tid in $(awk '{ print $2 }' "$work/out" | sort -u | head -n 3); do
	cmp -s <(awk -v tid="$tid" '$2 == tid' "$work/out") \
		<(awk -v tid="$tid" '$2 == tid' "$work/by-thread")
	ok $? "a thread's lines are in the same order in both"
done
cp "$work/out" "$work/by-time"
script stamped --sort=time && cmp -s "$work/out" "$work/by-time"
ok $? "--sort=time is the same each time" "$work/err"

# the times are those of the machine's clock since its start
begin=$(awk '$3 != "-" { print int($3); exit }' "$work/by-time")
up=$(awk '{ print int($1) }' /proc/uptime)
[ "$begin" -le "$up" ] && [ "$begin" -gt $((up - 3600)) ]
ok $? "seconds since the start of the machine: $begin of $up"

# the temporary file does not take the place of a standard output that is closed
"$san" script --no-lines "$work/stamped" >&- 2>"$work/err"
[ $? = 2 ] && [ "$(cat "$work/err")" = 'hwflow: standard output: Bad file descriptor; the output is not complete' ]
ok $? "standard output is closed" "$work/err"

script virtual && [ "$(head -n 1 "$work/out")" = '# time: ticks of the timestamps in the trace' ] &&
	units '[0-9]+'
ok $? "ticks, with a line that says so" "$work/err"
rises
ok $? "ticks rise"
script plain && units '[0-9]+\.[0-9]{9}' && [ "$(changes)" -eq "$threads" ]
ok $? "without timestamps: seconds, one thread after another" "$work/err"
script plain --sort=time
[ $? = 1 ] && [ ! -s "$work/out" ] && grep -q 'plain: --sort=time: the trace of tid[0-9]* has no timestamps' "$work/err"
ok $? "--sort=time without timestamps" "$work/err"
script plain --sort=x
[ $? = 1 ] && grep -q -- '--sort=x: time or thread' "$work/err"
ok $? "--sort=x" "$work/err"

TMPDIR=$work/none script stamped
[ $? = 2 ] && grep -q "$work/none: no temporary file: No such file" "$work/err"
ok $? "no directory for a temporary file" "$work/err"
mkdir "$work/tmp"
(
	trap '' XFSZ
	ulimit -f 64
	TMPDIR=$work/tmp "$san" script --no-lines "$work/stamped" 2>"$work/err" | cat >/dev/null
	exit "${PIPESTATUS[0]}"
)
[ $? = 2 ] && grep -q "$work/tmp: temporary file: File too large; TMPDIR names another" "$work/err"
ok $? "no room in the temporary file" "$work/err"
TMPDIR=$work/tmp script stamped
[ -z "$(ls -A "$work/tmp")" ]
ok $? "the temporary file is gone"

# 150 MB of address space; the lines are several times as much
(
	ulimit -v 150000
	"$hwflow" script --no-lines --insn "$work/stamped" 2>"$work/err" | wc -c >"$work/count"
	exit "${PIPESTATUS[0]}"
) && [ "$(cat "$work/count")" -gt 400000000 ]
ok $? "--insn: $(cat "$work/count") bytes in 150 MB of memory" "$work/err"
done_testing
