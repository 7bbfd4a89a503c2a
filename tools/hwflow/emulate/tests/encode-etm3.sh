#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# encode-etm3.sh BUILD - logs of A32 and T32 programs made into ETMv3 trace: decoding gives the addresses
# of the log, in every kind of trace. Speaks TAP.
set -u
build=$(realpath "$1")
top=$(cd "$(dirname "$0")/../../../.." && pwd)
captures=${HWFLOW_CAPTURES:-$top/../shared/data}
hwflow=$build/hwflow
[ ! -x "$build/san/hwflow" ] || hwflow=$build/san/hwflow
work=$(mktemp -d)
. "$top/tools/setup/tests/tap.bash"
. "$(dirname "$0")/encode.bash"
# shellcheck disable=SC2034 # of encode.bash
encode_with=("$hwflow" encode)
trap 'rm -rf "$work"' EXIT

# 8000: bl 8008; 8004: bne 8000; 8006: nop; 8008: blx 8010; 800c: nop; 800e: bx lr; 8010: bx lr (A32)
printf '\x00\xf0\x02\xf8\xfc\xd1\x00\xbf\x00\xf0\x02\xe8\x00\xbf\x70\x47\x1e\xff\x2f\xe1' \
	>"$work/code"

# 300 times round the loop; an interrupt now and then, and a gap
awk '
	function line(rest) { print ++seq, "-1 7", rest }
	BEGIN {
		for (i = 0; i < 300; i++) {
			line("0 T32 8000")
			line("0 T32 8008")
			line("0 A32 8010")
			line("0 T32 800c")
			if (i % 7 == 3) line("EXC IRQ 800e")
			line("0 T32 800e")
			if (i % 50 == 9) line("EXC data-fault 8004")
			line("0 T32 8004")
			if (i == 100) line("GAP left -")
		}
		line("0 T32 8006")
	}' >"$work/log"

addresses() { # LOG
	awk '$5 ~ /32$/ { print $6 }' "$1"
}

# encode, decode, compare; the log of the addresses
round() { # NAME LOG IMAGE OPTION...
	local name=$1 log=$2 image=$3 config
	shift 3
	"$hwflow" encode --protocol=etmv3 "$@" --image="$image" -o "$work/trace" "$log" \
		2>"$work/err" &&
		config=$("$hwflow" encode --protocol=etmv3 "$@" --print-config) &&
		# shellcheck disable=SC2086 # two options
		"$hwflow" flow $config --image="$image" --format=pc "$work/trace" >"$work/pc" &&
		addresses "$log" | cmp - "$work/pc"
	ok $? "$name"
}

for config in ETMIDR=0x410cf250 ETMIDR=0x411cf240 ETMIDR=0x410c0200,ETMCR=0x1000 \
	ETMIDR=0x410cf250,ETMCR=0x1000 ETMIDR=0x411cf250,ETMCR=0xd000,ETMCCER=0x34400000; do
	round "$config" "$work/log" "$work/code@0x8000" --config=$config
	size=$(stat -c %s "$work/trace")
	round "$config, one P-header a cycle" "$work/log" "$work/code@0x8000" --config=$config \
		--p-headers=cycle
	[ "$(stat -c %s "$work/trace")" -gt "$size" ]
	ok $? "$config: packed it is smaller"
done

# what was executed in a capture, with its gaps
capture=$captures/etmv3/TC2
if [ -d "$capture" ]; then
	for source in cstrace-id10 cstrace-id11 cstrace-id12; do
		"$hwflow" flow --format=ref --source=$source "$capture" | awk '
			function line(rest) { print ++seq, "-1 7", rest }
			$2 == "TRACE_ON" && seq { line("GAP left -") }
			$2 == "RANGE" {
				sub(/start=0x/, "", $3)
				sub(/isa=/, "", $6)
				line("0 " $6 " " $3)
			}' >"$work/$source"
		round "$source" "$work/$source" "$capture/kernel_dump.bin@0xc0008000" \
			--config=ETMIDR=0x410cf250,ETMCR=0x1000
	done
fi

etm3=--config=ETMIDR=0x410cf250
bad "no ETMIDR" 1 "required for ETMv3 trace, and not given: ETMIDR" --protocol=etmv3 "$work/log"
bad "a register that does not matter" 1 "TRCIDR0: not a register" --protocol=etmv3 --config=TRCIDR0=1 "$work/log"
bad "--p-headers of another protocol" 1 "requires --protocol=etmv3" --p-headers=cycle "$work/log"
bad "--p-headers that there are not" 1 "packed or cycle" --protocol=etmv3 --p-headers=x "$work/log"
bad "an option of another protocol" 1 ": --cycle-counts: not supported with" --protocol=etmv3 $etm3 --cycle-counts "$work/log"
bad "no code" 2 "no program code at" --protocol=etmv3 $etm3 "$work/log"
text() { # COMMAND...: a file with its output
	"$@" >"$work/text"
	echo "$work/text"
}
bad "A64" 2 "traces only A32 and T32" --protocol=etmv3 $etm3 --image="$work/code@0x8000" \
	"$(text echo "1 -1 7 0 A64 8000")"
bad "a line is missing" 2 "line 2: 0x800c follows" --protocol=etmv3 $etm3 \
	--image="$work/code@0x8000" "$(text printf '1 -1 7 0 T32 8000\n2 -1 7 0 T32 800c\n')"
bad "several threads" 1 "select one" --protocol=etmv3 $etm3 --image="$work/code@0x8000" \
	"$(text printf '1 -1 7 0 T32 8006\n1 -1 8 0 T32 8008\n')"
done_testing
