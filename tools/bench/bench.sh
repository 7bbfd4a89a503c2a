#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh BUILD - make the inputs, run the benchmarks, print their results and write them to
# BUILD/bench.json: decoding, the commands beside perf and their memory (commands), profiles (profile.sh), call stacks (stacks.sh), emulate (emulate.sh), the emulated machine (tools/qemu/bench.sh), and the driver (driver).
#
# Inputs are traces of Debian's busybox at work, made by 'hwflow emulate', one a configuration of
# the trace unit: more than 200 MB in all. They stay in the cache until what makes them changes.
# PAIRS=n measures so often, the commands three times at most.
set -euo pipefail
build=$(realpath "$1")
top=$(cd "$(dirname "$0")/../.." && pwd)
pairs=${PAIRS:-5}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/hwflow/bench

# NAME  INSTRUCTIONS-OF-EACH-THREAD  OPTIONS; cycle counts in commit mode 1, as the peer misreads
# the other one (see known_fault() in bench_explain.c). speculation is what a processor that predicts
# well would trace, wrong-paths the worst that the trace unit can do. A quarter of strobed is traced.
configurations() {
	cat <<-'TABLE'
		plain             20M
		return-stack      20M   --return-stack
		branch-broadcast  15M   --branch-broadcast
		cycle-counts      15M   --cycle-counts=4 --commit-mode=1 --vary-cycles=5
		timestamps        20M   --timestamps=1000
		context-id        20M   --context-id --sync-period=1024
		context-times     20M   --context-id --timestamps=1000
		context-times-cc  15M   --context-id --timestamps=1000 --cycle-counts=4 --commit-mode=1 --vary-cycles=5
		strobed           50M   --strobe=10000,30000
		events            20M   --events=1000
		source-addresses  20M   --source-addresses
		q-elements        20M   --q-elements
		everything        20M   --return-stack --timestamps=1000 --context-id --events=1000 --cycle-counts=4 --commit-mode=1 --vary-cycles=5
		speculation       10M   --speculation=7 --max-spec=32 --wrong-paths=30
		wrong-paths       10M   --speculation=7 --max-spec=32
		speculation-cc    10M   --speculation=7 --max-spec=32 --wrong-paths=30 --cycle-counts=4 --commit-mode=1 --vary-cycles=5
		speculation-deep  10M   --speculation=7 --max-spec=255 --wrong-paths=30
	TABLE
}

# shellcheck disable=SC2016
work='gzip -c "$1" | md5sum; bzip2 -c "$1" | md5sum
awk "{ n[\$1 % 997] += \$4 } END { for (i in n) print i, n[i] }" "$1" | sort -k2,2nr | md5sum
sort -k4,4n "$1" | md5sum; grep -c "[0-9]*77[0-9]* line .*1\$" "$1"'

# all that the bytes of a trace depend on
key() {
	{
		cat "$top"/tools/plugin/*.[ch] "$top"/tools/hwflow/emulate/*.[ch] \
			"$top"/tools/lib/hwflow/{encode,codec/ete,code/insn}/*.[ch] "$program"
		configurations
		echo "$work"
	} | sha256sum | cut -c 1-16
}

# A recording has the path of its file of code in it, so it is written to its place at once, and another file says
# that it is whole.
make_input() { # NAME LIMIT OPTION...
	local name=$1
	local limit=$2

	shift 2
	[ ! -e "$inputs/$name.made" ] || return 0
	echo "bench.sh: making the input $name" >&2
	"$build/hwflow" emulate --quiet --no-truth --fixed-addresses --virtual-time --limit="$limit" \
		"$@" -o "$inputs/$name" -- "$program" sh -c "$work" sh "$inputs/text" \
		>"$inputs/output" </dev/null
	: >"$inputs/$name.made"
}

# NAME, and NAME.part with a twentieth of the instructions of each thread, for commands that print much
make_inputs() {
	local name limit options

	mkdir -p "$inputs"
	[ -s "$inputs/text" ] || {
		seq 1 50000 | awk '{ print $1 * 7919 % 100003, "line", $1, $1 * $1 % 65537 }' \
			>"$inputs/text.new"
		mv "$inputs/text.new" "$inputs/text"
	}
	while read -r name limit options; do
		# shellcheck disable=SC2086
		make_input "$name" "$limit" $options
		# shellcheck disable=SC2086
		make_input "$name.part" "$((50 * ${limit%M}))K" $options
	done < <(configurations)
	# those of other keys are of no use any more
	find "$cache" -mindepth 1 -maxdepth 1 ! -path "$inputs" -exec rm -rf {} +
}

# the lines of the benchmarks as JSON: numbers with their unit, what was skipped with its reason
to_json() {
	awk '
		BEGIN { printf "{" }
		$1 == "bench:" {
			printf "%s\n  \"%s\": ", separator, $2
			separator = ","
			if ($3 == "skipped") {
				reason = substr($0, index($0, " skipped ") + 9)
				gsub(/[\\"]/, "", reason)
				printf "{ \"skipped\": \"%s\" }", reason
			} else if ($3 ~ /^[0-9]+(\.[0-9]+)?$/) {
				printf "{ \"value\": %s, \"unit\": \"%s\" }", $3, $4
			} else {
				printf "{ \"value\": \"%s\", \"unit\": \"%s\" }", $3, $4
			}
		}
		END { print "\n}" }'
}

program=$("$top/tools/setup/fetch-arm64" busybox-static)/usr/bin/busybox
inputs=$cache/$(key)
make_inputs
arguments=()
while read -r name rest; do
	arguments+=("$name=$inputs/$name")
done < <(configurations)
status=0
"$build/bench/bench_ete" --quiet --pairs="$pairs" "${arguments[@]}" |
	tee "$build/bench.txt" || status=$?
# what an ETMv4 would trace of the same programs is the same, where an ETE has nothing of its own
arguments=()
for name in plain return-stack branch-broadcast cycle-counts context-id speculation; do
	arguments+=("$name=$inputs/$name")
done
"$build/bench/bench_ete" --as=etmv4 --quiet --pairs="$pairs" "${arguments[@]}" |
	grep -v opencsd_version | tee -a "$build/bench.txt" || status=$?
"$build/bench/bench_etm3" "$pairs" | tee -a "$build/bench.txt" || status=$?
"$build/bench/bench_riscv" "$pairs" | tee -a "$build/bench.txt" || status=$?
names=()
while read -r name rest; do
	names+=("$name")
done < <(configurations)
"$top/tools/bench/commands/compare.sh" "$build/bench/measure" "$build/hwflow" "$inputs" \
	"$((pairs < 3 ? pairs : 3))" "${names[@]}" | tee -a "$build/bench.txt" || status=$?
"$top/tools/bench/commands/large.sh" "$build/bench/measure" "$build/hwflow" "$program" "$inputs/text" |
	tee -a "$build/bench.txt" || status=$?
"$top/tools/bench/realtime.sh" "$build/bench/measure" "$build/hwflow" "$program" "$inputs/text" "$pairs" |
	tee -a "$build/bench.txt" || status=$?
"$top/tools/bench/profile.sh" "$build/bench/measure" "$build/hwflow" "$pairs" |
	tee -a "$build/bench.txt" || status=$?
"$top/tools/bench/stacks.sh" "$build/bench/measure" "$build/hwflow" "$pairs" |
	tee -a "$build/bench.txt" || status=$?
"$top/tools/bench/emulate.sh" "$build/hwflow" "$program" "$inputs/text" "$pairs" |
	tee -a "$build/bench.txt" || status=$?
"$top/tools/qemu/bench.sh" "$build/qemu/qemu-stock" "$build/qemu/qemu-system-aarch64" \
	"$build/bench/qemu" "$pairs" | tee -a "$build/bench.txt" || status=$?
"$top/tools/bench/driver/bench.sh" "$build" 6.1 | tee -a "$build/bench.txt" || status=$?
to_json <"$build/bench.txt" >"$build/bench.json"
exit "$status"
