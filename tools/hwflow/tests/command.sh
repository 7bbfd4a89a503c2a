#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# command.sh BUILD - the command lines of the verbs that decode, and what they say of files that
# they cannot decode. Speaks TAP.
set -u

build=$(realpath "$1")
hwflow=$build/hwflow
[ ! -x "$build/san/hwflow" ] || hwflow=$build/san/hwflow
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0
failed=0

# says STATUS TEXT COMMAND...: ends with this status, and a message that has TEXT
says() {
	local want=$1 text=$2 status

	shift 2
	"$hwflow" "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	n=$((n + 1))
	if [ $status = "$want" ] && grep -qF -- "$text" "$work/err" && [ ! -s "$work/out" ]; then
		echo "ok $n - $*"
	else
		echo "not ok $n - $*"
		echo "# status $status"
		head -n 5 "$work/out" "$work/err" | sed 's/^/# /'
		failed=1
	fi
}

helps() { # VERB
	n=$((n + 1))
	if "$hwflow" "$1" --cpu=1 --help --bad >"$work/out" 2>"$work/err" && [ ! -s "$work/err" ] &&
		grep -q "^usage: hwflow $1 " "$work/out" && grep -q "^  --symfs=DIR" "$work/out"; then
		echo "ok $n - $1 --help"
	else
		echo "not ok $n - $1 --help"
		failed=1
	fi
}

for verb in dump flow script report verify; do
	what=SRC
	[ $verb != verify ] || what=FILE
	helps $verb
	says 1 "hwflow $verb: want one $what; try --help" $verb
	says 1 "hwflow $verb: want one $what; try --help" $verb one two
	says 1 "unrecognized option '--bad'" $verb --bad one
	says 1 "requires an argument" $verb --cpu
	says 1 "--tid=-1: not a number" $verb --tid=-1 one
	says 1 "--framing=x: unknown" $verb --framing=x one
	says 2 "No such file" $verb --cpu=1 "$work/none"
done
says 1 "hwflow dump: --format=pc: human or ref" dump --format=pc one
says 1 "hwflow flow: --format=x: human, ref or pc" flow --format=x one
says 1 "hwflow report: --by=x: unknown" report --by=x one
says 1 "hwflow report: --sort=x: unknown" report --sort=x one
says 1 "hwflow report: --limit=-1: not a number" report --limit=-1 one
says 2 "log: No such file" verify --truth="$work/log" "$work/none"

# perf.data it is, but none that is understood: of the other byte order, and of before 2010
head -c 200 /dev/zero >"$work/zeros"
for magic in 2ELIFREP PERFFILE; do
	{ printf %s $magic && cat "$work/zeros"; } >"$work/$magic"
	says 2 "perf.data" flow "$work/$magic"
	n=$((n + 1))
	if grep -q "neither a perf.data file nor" "$work/err"; then
		echo "not ok $n - $magic is taken for perf.data"
		failed=1
	else
		echo "ok $n - $magic is taken for perf.data"
	fi
done
says 2 "neither a perf.data file nor" flow "$work/zeros"
echo "1..$n"
exit $failed
