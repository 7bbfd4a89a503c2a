#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# untrusted-snapshot.sh BUILD [COUNT] - capture directories that name a file many times, or have many sections: dump and
# flow end within the budget. COUNT: the larger of two numbers of names and sections. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/budget.bash"

declare -A small
large=${2:-20000}
for kind in named dumps cores buffers units keys; do
	# a file for each core or trace unit
	case $kind in cores | units) counts="$((large / 40)) $((large / 10))" ;; *) counts="$((large / 4)) $large" ;; esac
	read -r few many <<<"$counts"
	for count in $few $many; do
		rm -rf capture
		bytes=$("$made/make_snapshot" $kind "$count" capture)
		for verb in dump flow; do
			within "$bytes" 0,2,3 "$kind, $count" $verb capture
			[ "$count" = "$few" ] && small[$verb]=$milliseconds small_bytes=$bytes
			[ "$count" = "$many" ] && grows "$small_bytes" "${small[$verb]}" "$bytes" "$milliseconds" "$kind: $verb"
		done
	done
	rm -rf capture
	"$made/make_snapshot" $kind 50 capture >bytes
	"$san" flow capture >out 2>err
	case $? in 0 | 2 | 3) ok 0 "$kind under sanitizers" ;; *) ok 1 "$kind under sanitizers" err ;; esac
done

# sources are left out with a message
rm -rf capture
"$made/make_snapshot" units 3 capture >bytes
"$hwflow" dump capture >out 2>err
[ $? != 0 ] && [ "$(grep -c "which is that of another trace unit; left out" err)" = 2 ]
ok $? "one buffer, three trace units" err
rm -rf capture
"$made/make_snapshot" buffers 3 capture >bytes
"$hwflow" dump capture >out 2>err
[ $? != 0 ] && [ "$(grep -c "trace.ini names this file for two buffers" err)" = 2 ]
ok $? "one file, three buffers" err
done_testing
