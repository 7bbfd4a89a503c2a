#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants-unit.sh DIR [FILE]... - do the unit tests of the driver notice faults in what they test? Each operator, constant
# and statement of the files in drivers/perf that are built on a host is changed by itself, and the unit tests
# drivers/perf/tests/test_*.c are run: one of them has to fail. mutants-unit.equal has the changes that
# make no difference, with the reason; one that a test notices nevertheless is an error. A line for each fault that no
# test noticed, and a table at the end. A fault that was noticed is not tried again, see kept.bash. Not part of `make test`: a second or two each.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
mkdir -p "$1"
dir=$(cd "$1" && pwd)
shift
. "$top/tools/setup/tests/kept.bash"
open_kept "$dir"
driver=$top/drivers/perf
tested=(trbe_window trbe_event ete_caps ete_config)
files=("$@")
[ $# -gt 0 ] || files=("${tested[@]}")
read -ra flags <<<"-I$driver/tests/include -I$top/include -I$driver -std=gnu11 -O1 -w -fsanitize=undefined,bounds"
flags+=(-fno-sanitize-recover=all)

# one text for a change, as mutants-unit.equal has it: FILE, what the line is, and what it becomes
line_of() { # FILE LINE COLUMN LENGTH REPLACEMENT
	awk -v n="$2" -v at="$3" -v size="$4" -v by="$5" 'NR == n {
		good = $0
		bad = substr($0, 1, at - 1) by substr($0, at + size)
		gsub(/^[ \t]+/, "", good)
		gsub(/^[ \t]+/, "", bad)
		print good "\t" bad
	}' "$1"
}

# build the tests once, and the files as they are
build() {
	local file

	for file in "$driver"/tests/*.c; do
		gcc "${flags[@]}" -c "$file" -o "$dir/$(basename "$file" .c).o" || exit 1
	done
	for file in "${tested[@]}"; do
		gcc "${flags[@]}" -c "$driver/$file.c" -o "$dir/good-$file.o" || exit 1
	done
}

# run TEST OBJECT NAME: does it pass, with OBJECT in place of NAME?
run() {
	local file objects=()

	for file in "${tested[@]}"; do
		[ "$file" = "$3" ] && objects+=("$2") || objects+=("$dir/good-$file.o")
	done
	gcc "${flags[@]}" -o "$dir/test" "$1" "$dir/ete_test.o" "${objects[@]}" -lcmocka 2>>"$dir/link.log" || return 2
	# a loop without end: CPU time, which is the same on a busy machine; the slowest test needs 11 seconds
	(ulimit -t 60 && "$dir/test" || exit 1) >"$dir/test.log" 2>&1
}

# tests OBJECT NAME: do all pass, with OBJECT in place of NAME?
tests() {
	local test

	for test in "${order[@]}"; do
		run "$test" "$@" || return 1
	done
}

# the tests, those that take long behind the others: most faults need only the short ones
find_order() {
	local test begun

	for test in "$dir"/test_*.o; do
		if ! run "$test" "$dir/good-trbe_window.o" trbe_window; then
			echo "mutants-unit: $(basename "$test" .o) does not pass as it is, see $dir" >&2
			exit 1
		fi
		begun=$(date +%s%N)
		"$dir/test" >/dev/null 2>&1
		printf '%s\t%s\n' $(($(date +%s%N) - begun)) "$test"
	done | sort -n | cut -f 2
}

build
mapfile -t order < <(find_order)
[ "${#order[@]}" -eq "$(find "$dir" -name 'test_*.o' | wc -l)" ] || exit 1
survived=0
for name in "${files[@]}"; do
	noticed=0 left=0 equal=0 unbuilt=0 again=0
	while IFS=$'\t' read -r line column size by; do
		change="$name $line $column $size $by"
		if [ -e "$(kept_file "$change")" ]; then
			noticed=$((noticed + 1))
			again=$((again + 1))
			continue
		fi
		awk -v n="$line" -v at="$column" -v size="$size" -v by="$by" '
			NR == n { $0 = substr($0, 1, at - 1) by substr($0, at + size) }
			{ print }' "$driver/$name.c" >"$dir/$name.c"
		text=$(line_of "$driver/$name.c" "$line" "$column" "$size" "$by")
		known=$(awk -F '\t' -v key="$name.c	$text" '$1 "\t" $2 "\t" $3 == key { print 1 }' "$here/mutants-unit.equal")
		if ! gcc "${flags[@]}" -c "$dir/$name.c" -o "$dir/bad.o" 2>/dev/null; then
			unbuilt=$((unbuilt + 1))
		elif ! tests "$dir/bad.o" "$name"; then
			noticed=$((noticed + 1))
			[ -n "$known" ] || keep "$change" <<<noticed
			[ -z "$known" ] || echo "$name.c:$line: is in mutants-unit.equal, and a test notices it: $text"
		elif [ -n "$known" ]; then
			equal=$((equal + 1))
		else
			left=$((left + 1))
			printf '%s.c:%s: no test notices: %s\n' "$name" "$line" "$text"
		fi
	done < <(awk -f "$here/mutations.awk" "$driver/$name.c")
	[ $again -eq 0 ] || echo "# $name.c: $again of those that were noticed are kept from a run before"
	printf '# %-14s %4d noticed %4d equal %4d not built %4d not noticed\n' "$name.c" $noticed $equal $unbuilt $left
	survived=$((survived + left))
done
[ $survived -eq 0 ]
