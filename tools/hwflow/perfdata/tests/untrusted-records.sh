#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# untrusted-records.sh BUILD [TIMES] - recordings whose records ask for more time or memory than their number explains,
# with every verb. TIMES makes them larger than they are in the test.
. "$(dirname "$0")/../../tests/budget.bash"
times=${2:-1}

# of KIND COUNT: make the recording KIND.COUNT; sets $bytes
of() {
	"$made/make_records" "$1" "$2" "$1.$2" || echo "not ok - make_records $1 $2"
	bytes=$(stat -c %s "$1.$2")
}

# kind COUNT STATUSES NAME: at two sizes with 'report', and the small one with each verb
kind() {
	local count=$1 statuses=$2 name=$3 small_bytes small verb

	of "$name" "$count"
	small_bytes=$bytes
	within "$bytes" "$statuses" "$name $count" report "$name.$count"
	small=$milliseconds
	for verb in flow script dump annotate; do
		within "$bytes" "0,$statuses" "$name $count" "$verb" "$name.$count"
	done
	# two inputs are open at the same time, with 64 MB each
	within $((2 * bytes + (64 << 20) / 16)) "0,$statuses" "$name $count" diff "$name.$count" "$name.$count"
	within "$bytes" "0,$statuses" "$name $count" archive --output="$name.archive" "$name.$count"
	of "$name" $((8 * count))
	within "$bytes" "$statuses" "$name $((8 * count))" report "$name.$((8 * count))"
	grows "$small_bytes" "$small" "$bytes" "$milliseconds" "$name"
	rm -f "$name".*
}

mkdir home
kind $((5000 * times)) 3 forks
kind $((5000 * times)) 3 descending
kind $((5000 * times)) 3 nested
kind $((5000 * times)) 3 paths
kind $((500 * times)) 3 attrs
kind $((1000 * times)) 3 cpus
kind $((1000 * times)) 3 exec-cpus
kind $((1000 * times)) 3 threads
kind $((1000 * times)) 3 mappings
kind $((4000 * times)) 3 sessions
kind $((10000 * times)) 3 execs
kind $((10000 * times)) 3 programs
kind $((10000 * times)) 3 processes
kind $((100000 * times)) 3 switches
kind $((2000 * times)) 3 dumps
kind $((10000 * times)) 3 samples
kind $((10000 * times)) 2,3 unknown
kind $((1000 * times)) 3 snapshots
kind $((1000 * times)) 3 cpu-snapshots
kind $((1000 * times)) 3 exec-snapshots

# a message for each session: what is printed does not grow with the file
of unknown 10000
within "$bytes" 2 "sessions of unknown trace units" report unknown.10000
(($(wc -l <err) < 40))
ok $? "they are not reported one by one" err

# Compressed records count with what they unpack to; these have a ratio of 10 and of 1500.
of forks 80000
unpacked=$bytes
of packed-forks 80000
within "$unpacked" 3 "80000 records in $bytes compressed bytes" report packed-forks.80000
of bomb 1000000
within "$bytes" 3 "a million records in $bytes compressed bytes" report bomb.1000000
grep -q -- "--max=ratio=N" err
ok $? "a ratio that no recording has is a limit" err
within $((48 * 1000000)) 3 "a million records in $bytes compressed bytes" report --max=ratio=1M bomb.1000000
! grep -q -- "--max=ratio=N" err
ok $? "--max=ratio raises it" err
within $((48 * 1000000)) 3 "a million records in $bytes compressed bytes" report --max=ratio=1M --max=records=1M \
	bomb.1000000
grep -q -- "--max=records=N" err
ok $? "what they unpack to is a limit" err

# once under sanitizers, without limits
for name in forks descending nested paths attrs cpus exec-cpus threads mappings sessions execs programs processes dumps \
	samples unknown packed-forks snapshots cpu-snapshots exec-snapshots; do
	of "$name" 300
	for verb in report flow script dump annotate; do
		"$san" "$verb" "$name.300" >out 2>err </dev/null
		status=$?
		[[ $status == [023] ]] && ! grep -q "Sanitizer\|runtime error" err
		ok $? "$name: $verb under sanitizers" err
	done
done
done_testing
