#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run-tests.sh - run-tests builds only what the chosen tests need, in the order of their groups, and adds up what they
# printed. Speaks TAP.
set -u
cd "$(dirname "$0")/../../.." || exit 1
setup=$PWD/tools/setup
. tools/setup/tests/tap.bash
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# `late` and `dir/%` note what was built; `late` wants two tests of the group before it to have begun
cat >Makefile <<'END'
early: ; touch early
late: ; test -e one.ran -a -e two.ran && touch late
broken: ; false
dir/%: ; mkdir -p dir && test $* != bad && touch $@
END
tests=(--needs=early
	"one=touch one.ran; echo ok 1; echo ok 2 '# SKIP no reason'" "two=touch two.ran; echo not ok 1"
	"three=echo ok 1; exit 3"
	--needs=late "four=echo ok 1" "five=true"
	--needs=broken "six=touch six.ran; echo ok 1"
	--needs='early dir/%' "good=echo ok 1" "bad=touch bad.ran; echo ok 1")

# run [VARIABLE=VALUE]...
run() {
	rm -rf build dir early late ./*.ran
	env -u T -u CI -u MAKE_VARIABLES JOBS=1 BUILD=build HWFLOW_SLOWNESS=100 "$@" "$setup/run-tests" "${tests[@]}" >out 2>&1
}

run
[ $? -eq 1 ] && [ "$(tail -n 1 out)" = "4 passed, 5 failed, 1 skipped" ]
ok $? "the last line is the sum, and the status tells of failures" out
grep -qE '^ok one: 1 passed, 1 skipped \([0-9]+s\)$' out && grep -qE '^FAILED two: 1 of 1 \([0-9]+s\)' out
ok $? "each result has its duration" out
grep -q '^not ok - three: exit status 3$' out && grep -q '^not ok - five: ran no test$' out
ok $? "an exit status and an empty test count as failures" out
[ -e late ] && grep -q '^ok four: ' out
ok $? "the second group is built when the tests of the first have begun" out
[ ! -e six.ran ] && [ ! -e bad.ran ] && grep -q '^not ok - six: what it needs was not built' out &&
	grep -q '^not ok - bad: what it needs was not built' out && grep -q '^ok good: ' out
ok $? "only tests whose targets cannot be built fail" out
[ "$(grep -c '^not ok - five' out)" -eq 2 ]
ok $? "failures are listed once more at the end" out

run T='fo?r good'
[ $? -eq 1 ] && ! grep -q '^ok one' out && [ ! -e one.ran ]
ok $? "T chooses tests by patterns" out
run T='good' && [ ! -e late ] && [ ! -e dir/bad ] && [ "$(tail -n 1 out)" = "1 passed, 0 failed, 0 skipped" ]
ok $? "only what a chosen test needs is built" out
run T='goood'
[ $? -eq 2 ] && grep -q '^    good$' out && ! grep -q '^    three$' out && [ ! -e early ]
ok $? "a T that matches nothing is an error, with names near it" out
run CI=true T=one
[ $? -eq 1 ] && [ "$(tail -n 1 out)" = "1 passed, 1 failed, 0 skipped" ]
ok $? "CI: a skip that is not listed is a failure" out

tests=()
for i in $(seq 12); do
	tests+=("t$i=echo ok 1$([ "$i" -ne 7 ] || echo '; sleep 2')")
done
run JOBS=4 && [ "$(grep -A 1 '^the ten slowest tests:$' out | tail -n 1 | awk '{ print $3 }')" = t7 ] &&
	[ "$(grep -cE '^ +[0-9]+ s  t' out)" -eq 10 ]
ok $? "the ten slowest tests are listed" out
done_testing
