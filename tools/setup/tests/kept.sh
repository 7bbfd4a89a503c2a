#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kept.sh - a long run that was stopped is continued: what has passed is printed and not run again, until the tree
# changes or FRESH=1. Speaks TAP.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tools/setup/tests/tap.bash
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# a tree with a run of three steps, which notes what it does; STOP ends it after a step
mkdir -p "$work"/{drivers,include,selftests,Documentation} "$work/tools/setup/tests"
cp tools/setup/tests/{kept,tap}.bash "$work/tools/setup/tests"
cd "$work" || exit 1
touch Kbuild Makefile drivers/driver.c Documentation/page.rst
cat >tools/run <<'END'
#!/bin/bash
. tools/setup/tests/tap.bash
. tools/setup/tests/kept.bash
open_kept build
for step in first second third; do
	print_kept "step $step" && continue
	before=$failed
	{ echo "$step" >>ran && [ "$step" != "${BAD-}" ]; }
	ok $? "$step: the step" >result
	echo "# $step" >>result
	cat result
	[ "$failed" -ne "$before" ] || keep "step $step" <result
	[ "$step" != "${STOP-}" ] || exit 9
done
done_testing
END
chmod +x tools/run

# run [VARIABLE=VALUE]...: $ran are the steps that were run
run() {
	: >ran
	env -u FRESH -u STOP -u BAD "$@" tools/run >out 2>&1
	status=$?
	ran=$(xargs <ran)
}

run STOP=second
[ $status -eq 9 ] && [ "$ran" = "first second" ]
ok $? "a run is stopped" out
run
[ $status -eq 0 ] && [ "$ran" = third ]
ok $? "it is continued" out
[ "$(sed -n 1,2p out | xargs)" = "ok 1 - first: the step # kept # first # kept" ] && grep -qx 'ok 3 - third: the step' out &&
	grep -qx '1..3' out
ok $? "results that were kept are printed, marked and numbered" out
echo changed >Documentation/page.rst
run
[ "$ran" = "" ]
ok $? "documentation changes nothing" out
run FRESH=1
[ "$ran" = "first second third" ]
ok $? "FRESH=1 begins anew" out
echo changed >drivers/driver.c
run BAD=second
[ $status -eq 1 ] && [ "$ran" = "first second third" ]
ok $? "a tree that has changed begins anew" out
run
[ $status -eq 0 ] && [ "$ran" = second ]
ok $? "a step that failed is run again" out
: >drivers/driver.c
run
[ "$ran" = "" ]
ok $? "what passed with a former tree is still there" out
done_testing
