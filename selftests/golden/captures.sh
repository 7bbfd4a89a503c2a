#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# captures.sh HWFLOW - decode every ETE, ETMv4 and ETMv3 capture and compare with its expected results.
#
# Captures are in HWFLOW_CAPTURES (default ../shared/data). hwflow works on a copy without the
# expected results. What differs must be listed, hunk by hunk, in the file `differences`;
# one that is not listed fails, and so does one listed that no longer occurs.
set -u
hwflow=$(realpath "$1")
top=$(cd "$(dirname "$0")/../.." && pwd)
captures=${HWFLOW_CAPTURES:-$top/../shared/data}
listed=$top/selftests/golden/differences
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
. "$top/tools/setup/tests/tap.bash"

if [ ! -d "$captures/ete" ] || [ ! -d "$captures/etmv4" ]; then
	if [ "${CI-}" = true ]; then
		echo "not ok 1 - captures: $captures/ete or $captures/etmv4 is missing"
		exit 1
	fi
	echo "ok 1 - captures # SKIP no captures in HWFLOW_CAPTURES"
	exit 0
fi

# hunks of a diff, one a line: place and a checksum of what differs
hunks() { # EXPECTED OURS
	diff "$1" "$2" | awk '
		BEGIN { for (i = 32; i < 127; i++) ord[sprintf("%c", i)] = i }
		function done() { if (place != "") print place, sum }
		/^[0-9]/ { done(); place = $0; sum = 0; next }
		{ for (i = 1; i <= length($0); i++)
			sum = (sum * 31 + ord[substr($0, i, 1)]) % 2147483647 }
		END { done() }'
}

compare() { # CAPTURE SOURCE WHAT EXPECTED OURS
	hunks "$4" "$5" | sed "s/^/$1 $2 $3 /" | sort >"$tmp/found"
	grep "^$1 $2 $3 " "$listed" | cut -d' ' -f1-5 | sort >"$tmp/known"
	if cmp -s "$tmp/found" "$tmp/known"; then
		ok 0 "$1 $2 $3"
	else
		ok 1 "$1 $2 $3"
		comm -23 "$tmp/found" "$tmp/known" | sed 's/^/# not listed: /' | head -n "${SHOW:-20}"
		comm -13 "$tmp/found" "$tmp/known" | sed 's/^/# listed, but does not occur: /' | head -20
		diff "$4" "$5" | head -20 | sed 's/^/#   /'
	fi
}

# The order and content of flow lines count, not the packet they were produced at.
flow_lines() { grep -v '^#' | cut -d' ' -f2-; }

check() { # STATUS ALLOWED...: no crash, and one of the contract's exit statuses
	case $1 in 0 | 3) ;; *) ok 1 "exit status $1" ;; esac
}

run_source() { # CAPTURE SOURCE EXPECTED-DIR SRC
	"$hwflow" dump --format=ref --source="$2" "$4" >"$tmp/packets" 2>"$tmp/err"
	check $?
	compare "$1" "$2" packets "$3/packets.txt" "$tmp/packets"
	"$hwflow" flow --format=ref --source="$2" "$4" 2>"$tmp/err" | flow_lines >"$tmp/flow"
	check "${PIPESTATUS[0]}"
	flow_lines <"$3/flow.txt" >"$tmp/expected"
	compare "$1" "$2" flow "$tmp/expected" "$tmp/flow"
	if [ -f "$3/flow_src_addr_n.txt" ]; then
		"$hwflow" flow --format=ref --split-source --source="$2" "$4" 2>"$tmp/err" |
			flow_lines >"$tmp/flow"
		flow_lines <"$3/flow_src_addr_n.txt" >"$tmp/expected"
		compare "$1" "$2" flow_src_addr_n "$tmp/expected" "$tmp/flow"
	fi
}

# The instruction list of another decoder: addresses, which failed their condition code check, and
# cycles. In our flow the cycles before an instruction have lines of their own.
compare_ds5() { # CAPTURE LIST SOURCE SRC
	awk -F'\t' '$1 == "Instruction" {
		print tolower(substr($3, 3)), $8 == "fail" ? "N" : "E", $5 }' "$2" >"$tmp/expected"
	"$hwflow" flow --format=ref --source="$3" "$4" 2>"$tmp/err" | awk '
		function value(name, i) {
			for (i = 3; i <= NF; i++)
				if (index($i, name "=") == 1) return substr($i, length(name) + 2)
		}
		$2 == "TRACE_ON" { cycles = 0 }
		$2 == "CYCLE_COUNT" { cycles += value("cc") }
		$2 == "RANGE" {
			print value("start"), value("last"), cycles + value("cc")
			cycles = 0
		}' >"$tmp/ours"
	if [ -s "$tmp/expected" ] && cmp -s "$tmp/expected" "$tmp/ours"; then
		ok 0 "$1 $3 is the list of DS-5, $(wc -l <"$tmp/ours") instructions"
	else
		ok 1 "$1 $3 is the list of DS-5"
		diff "$tmp/expected" "$tmp/ours" | head -20 | sed 's/^/#   /'
	fi
}

for dir in "$captures"/{ete,etmv4,etmv3}/*/; do
	name=$(basename "$dir")
	mkdir "$tmp/$name"
	tar -C "$dir" --exclude=./expected -cf - . | tar -C "$tmp/$name" -xf -
	for expected in "$dir"expected/*/; do
		run_source "$name" "$(basename "$expected")" "$expected" "$tmp/$name"
	done
	for list in "$dir"ds5-dumps/etmv3_0x*.txt; do
		source=$(basename "$list" .txt)
		[ ! -f "$list" ] ||
			compare_ds5 "$name" "$list" "cstrace-id${source#etmv3_0x}" "$tmp/$name"
	done
	rm -rf "${tmp:?}/$name"
done

# a perf.data made by another recorder; its AUX records are numbered in comments
run_perf() { # NAME SOURCE
	local perf=$captures/perf/$1 what expected
	mkdir "$tmp/perf"
	cp "$perf"/*.data "$perf"/etm_test_loop "$tmp/perf"
	for what in dump flow; do
		expected=packets
		[ $what = dump ] || expected=flow
		"$hwflow" $what --format=ref --symfs="$tmp/perf" "$tmp"/perf/*.data >"$tmp/$what"
		check $?
		grep -v '^#' "$tmp/$what" >"$tmp/ours"
		grep -v '^#' "$perf/expected/$expected.txt" >"$tmp/expected"
		compare "$1" "$2" $expected "$tmp/expected" "$tmp/ours"
	done
	"$hwflow" flow --format=pc --symfs="$tmp/perf" "$tmp"/perf/*.data >"$tmp/pc"
	[ "$(wc -l <"$tmp/pc")" = 944 ]
	ok $? "$1 has 944 instructions"
	# simpleperf's own list: the branch of the loop
	[ "$(grep -c ' end=0x[0-9a-f]*070 .* last=E .* cond=1' "$tmp/flow")" = 100 ]
	ok $? "$1: 0x106c to 0x1074 is taken 100 times"
	"$hwflow" report --symfs="$tmp/perf" "$tmp"/perf/*.data >"$tmp/report"
	grep -q '944 instructions in 208 ranges' "$tmp/report"
	ok $? "$1: report"
	rm -rf "${tmp:?}/perf"
}
run_perf perf_with_unformatted_trace aux6-cpu0
run_perf perf_etm cpu7

# no line for a capture that is not there
while read -r capture rest; do
	[ -d "$captures/ete/$capture" ] || [ -d "$captures/etmv4/$capture" ] ||
		[ -d "$captures/etmv3/$capture" ] || ok 1 "listed capture $capture is missing"
done < <(grep -v '^#' "$listed" | cut -d' ' -f1 | sort -u)
done_testing
