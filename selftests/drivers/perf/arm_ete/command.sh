#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# command.sh [-d coresight] - the command hwflow of this directory records and decodes here, without perf.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
echo "TAP version 13"
need_pmu
need_hwflow
make_work

$hwflow list >"$work/list" 2>&1
ok $? "hwflow list"
sed 's/^/# /' "$work/list"
case $driver in
coresight) grep -q 'driver .*coresight' "$work/list" ;;
*) grep -q 'driver .*arm_ete_pmu' "$work/list" ;;
esac
ok $? "hwflow list has the driver"

# records NAME OPTION...: it is recorded and decoded, without a loss or a gap
records() {
	name=$1
	shift
	$hwflow record -q --fail-on-loss -o "$work/data" "$@" >"$work/out" 2>&1
	status=$?
	[ $status -eq 0 ] || sed 's/^/# /' "$work/out"
	ok $status "$name is recorded"
	$hwflow report --quiet "$work/data" >"$work/report" 2>"$work/err"
	status=$?
	[ $status -eq 0 ] || sed 's/^/# /' "$work/err"
	ok $status "$name is decoded without a gap"
	grep -q ' spin_step ' "$work/report"
	status=$?
	[ $status -eq 0 ] || head -n 20 "$work/report" | sed 's/^/# /'
	ok $status "the report of $name has its function"
	rm -f "$work/data"
}
records "a thread" -m ,4M --per-thread -- ./spinner 5000
records "a program" -m ,4M -- ./spinner 5000
if [ "$(id -u)" = 0 ]; then
	records "a machine" -a -m ,4M -- ./spinner 5000
else
	skip "a machine is recorded" "not root"
fi
done_testing
