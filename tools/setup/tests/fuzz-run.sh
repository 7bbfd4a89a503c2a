#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# fuzz-run.sh DIRECTORY SECONDS FOLDER:NAME:LIMIT... - run fuzz targets one after the other.
#
# DIRECTORY has the targets, and receives logs, what was found, and the inputs that reached
# something new (new-NAME). FOLDER/tests/fuzz/corpus/NAME is the corpus in the tree, LIMIT the
# longest input. One line a target; the exit status is 0 only if nothing was found.
set -u
dir=$1
seconds=$2
shift 2
failed=0

stat_of() { # NAME LOG
	sed -n "s/^stat::$1: *//p" "$2"
}

for target in "$@"; do
	IFS=: read -r folder name limit <<<"$target"
	log=$dir/$name.log
	mkdir -p "$dir/new-$name"
	rm -f "$dir/$name"-{crash,leak,oom,timeout,slow-unit}-*
	# one second is the most that an input may take; more where the machine is busy
	"$dir/fuzz_$name" -max_total_time="$seconds" -max_len="$limit" -timeout=10 \
		-report_slow_units=2 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$dir/$name-" "$dir/new-$name" \
		"$folder/tests/fuzz/corpus/$name" >"$log" 2>&1 </dev/null
	status=$?
	found=$(find "$dir" -maxdepth 1 -name "$name-*-*" ! -name '*.log' | wc -l)
	[ $status -eq 0 ] || [ "$found" -gt 0 ] || found=1
	coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
	echo "fuzz: $name: $(stat_of number_of_executed_units "$log") runs," \
		"${coverage:-0} edges reached, $found findings"
	[ "$found" -eq 0 ] && continue
	failed=1
	{ grep -E 'ERROR|SUMMARY|Test unit written|Slow' "$log" || tail -n 3 "$log"; } | sed 's/^/# /'
done
exit $failed
