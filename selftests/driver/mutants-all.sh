#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants-all.sh QEMU HWFLOW MODULES DIR [PART]... - do the tests notice faults of the driver and of the device model? Four
# parts, each with its log in DIR, and a table at the end:
#
#   unit     each operator, constant and statement of the files of the driver that are built on a host: mutants-unit.sh
#   cells    the faults of mutants.table, by the machines of `cells`: mutants.sh
#   random   40 changes of the driver, by the installed kselftests alone: mutants-random.sh; SEED=n repeats a choice
#   model    the faults of the device model, by its register tests: tools/qemu/tests/mutants.sh
#
# All parts if none is given. Status 1 if a fault was not noticed that is not proved to make no difference. Hours; `make
# mutants` runs it, `make test` does not.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$1
hwflow=$2
modules=$3
mkdir -p "$4"
dir=$(cd "$4" && pwd)
shift 4
parts=("$@")
[ $# -gt 0 ] || parts=(unit cells random model)

part() { # NAME: run a part
	case $1 in
	unit) "$here/mutants-unit.sh" "$dir/unit" ;;
	cells) "$here/mutants.sh" "$qemu" "$hwflow" "$dir/cells" ;;
	random) "$here/mutants-random.sh" "$qemu" "$hwflow" "$modules" "$dir/random" ;;
	model) "$here/../../tools/qemu/tests/mutants.sh" "$hwflow" "$dir/model" ;;
	*)
		echo "mutants-all: no part $1; there are unit, cells, random and model" >&2
		exit 2
		;;
	esac
}

# row NAME: of the table: how many faults were noticed, make no difference, and were not noticed
row() {
	local log=$dir/$1.log

	case $1 in
	unit) awk '/^# .* noticed .* not noticed$/ { noticed += $3; equal += $5; left += $(NF - 2) }
		END { print noticed + 0, equal + 0, left + 0 }' "$log" ;;
	cells) echo "$(grep -c '^ok .* notices$' "$log") 0 $(grep -c '^not ok' "$log")" ;;
	random) sed -nE 's/^# seed [0-9]+: ([0-9]+) noticed, ([0-9]+) equal, ([0-9]+) not noticed.*/\1 \2 \3/p' "$log" ;;
	model) echo "$(grep -c '^ok' "$log") 0 $(grep -c '^not ok' "$log")" ;;
	esac
}

failed=0
for name in "${parts[@]}"; do
	part "$name" 2>&1 | tee "$dir/$name.log"
	[ "${PIPESTATUS[0]}" -eq 0 ] || failed=1
done
printf '\n%-8s %8s %14s %12s\n' part noticed 'no difference' 'not noticed'
for name in "${parts[@]}"; do
	read -r noticed equal left < <(row "$name")
	# no numbers: the part did not come to its end
	printf '%-8s %8s %14s %12s\n' "$name" "${noticed:--}" "${equal:--}" "${left:--}"
done
exit $failed
