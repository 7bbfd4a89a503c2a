#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# untrusted-sandbox.sh BUILD - the verbs run in a sandbox, and so do the processes of -j; --sandbox=off does without.
# Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS

cp "$top/tools/hwflow/tests/stripped.c" .
"$CC" -O1 -g -static -o program stripped.c
"$hwflow" emulate --quiet --timestamps -o data -- ./program 2>err
ok $? "a recording" err

# a trace that several processes decode
cat >random.c <<'END'
int main(void)
{
	volatile unsigned int value = 1, sum = 0;

	for (int i = 0; i < 400000; i++) {
		value = value * 1103515245 + 12345;
		if (value & 0x10000)
			sum += 1;
		if (value & 0x20000)
			sum ^= 2;
	}
	return 0;
}
END
"$CC" -O1 -static -o random random.c && "$hwflow" emulate --quiet -o large -- ./random 2>err
ok $? "a recording of several 100 KB" err

for verb in dump flow script report annotate verify; do
	"$hwflow" $verb --sandbox=off data >off 2>err
	off=$?
	"$hwflow" $verb --sandbox data >required 2>err
	required=$?
	[ $required = $off ] && [ -s off ] && cmp -s off required && [ ! -s err ]
	ok $? "$verb prints the same in a sandbox" err
done
"$hwflow" diff --sandbox data data >out 2>err
ok $? "diff in a sandbox" err
"$hwflow" script --sandbox --sort=time data >out 2>err
ok $? "lines by time, in a temporary file" err
"$hwflow" archive -q -o archive data 2>err && "$hwflow" report --sandbox archive >out 2>err
ok $? "an archive" err
[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'hwflow-*' -user "$(id -u)" -newer archive)" ]
ok $? "its directory is removed" err
"$hwflow" report --sandbox=maybe data >out 2>err
[ $? = 1 ] && grep -q "use auto, require or off" err
ok $? "an unknown mode" err

# status MODE FIELD VALUE WHAT: of all processes of a verb that waits, since nobody reads its output
status() {
	local field=$2 value=$3 what=$4 pid children found

	mkfifo pipe
	sleep "$(limit 60)" <>pipe >/dev/null &
	reader=$!
	"$hwflow" script --insn -j 2 $1 large >pipe 2>err &
	pid=$!
	wait_for 10 $pid grep -q '^State:.*sleeping' /proc/$pid/status
	sleep 0.5
	children=$(cat /proc/$pid/task/$pid/children)
	found=$(for each in $pid $children; do sed -n "s/^$field:[[:space:]]*//p" "/proc/$each/status"; done | sort -u)
	[ "$found" = "$value" ] && [ "$(wc -w <<<"$children")" = 2 ]
	ok $? "$what: $field is $value in $(wc -w <<<"$pid $children") processes" err
	kill $pid $reader
	wait $pid $reader 2>/dev/null
	rm pipe
}
status "" NoNewPrivs 1 "by default"
status "" Seccomp 2 "by default"
status --sandbox=off Seccomp 0 "without a sandbox"
done_testing
