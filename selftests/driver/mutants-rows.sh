#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants-rows.sh [TREE] - the tables of mutants.sh, mutants-random.sh and mutants-unit.sh are about lines that drivers/perf
# has: each fault of mutants.table stands in one line, and each line of the two lists of equal changes exists, in its
# function if the list names one. These scripts take hours and are not part of `make test`. TREE: the directory to check,
# instead of this tree. Speaks TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
. "tools/setup/tests/tap.bash"
cd "${1:-.}" || exit 1
tables=selftests/driver
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# rows FILE...: without comments
rows() {
	grep -hvE '^(#|$)' "$@"
}

# count FILE TEXT [FUNCTION]: lines of the file, or of its function, that have the text
count() {
	text=$2 awk -v function_name="${3-}" '
		/^[a-z].*\(/ { head = $0; sub(/\(.*/, "", head); sub(/.*[ *]/, "", head) }
		index($0, ENVIRON["text"]) && (function_name == "" || head == function_name) { n++ }
		END { print n + 0 }' "drivers/perf/$1" 2>/dev/null
}

# a tab more than once is a column that is empty
rows $tables/mutants.table | while IFS= read -r row; do
	mapfile -t -d $'\t' column <<<"$row"
	[ "$(count "${column[0]}" "${column[1]}")" = 1 ] || echo "${column[0]}: ${column[1]}"
done >"$log"
[ ! -s "$log" ]
ok $? "mutants.table: each fault stands in one line" "$log"

rows $tables/mutants-random.equal | while IFS= read -r row; do
	file=${row%%: *}
	text=${row#*: }
	function_name=
	if [[ $text =~ ^([a-z][a-z0-9_]*)\(\):\ (.*) ]]; then
		function_name=${BASH_REMATCH[1]}
		text=${BASH_REMATCH[2]}
	fi
	text=${text%%$'\t'*}
	# ' -> ' is in no line of the driver
	text=${text%% -> *}
	[ "$(count "$file" "$text" "$function_name")" -gt 0 ] 2>/dev/null || echo "$file: $function_name $text"
done >"$log"
[ ! -s "$log" ]
ok $? "mutants-random.equal: each line exists" "$log"

rows $tables/mutants-unit.equal | while IFS=$'\t' read -r file good _; do
	[ "$(count "$file" "$good")" -gt 0 ] 2>/dev/null || echo "$file: $good"
done >"$log"
[ ! -s "$log" ]
ok $? "mutants-unit.equal: each line exists" "$log"
[ "$(rows $tables/mutants.table $tables/mutants-random.equal $tables/mutants-unit.equal | wc -l)" -gt 40 ]
ok $? "the tables have rows"
done_testing
