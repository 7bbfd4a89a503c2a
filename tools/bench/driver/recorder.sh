#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# recorder.sh [--kernel SERIES] QEMU MODULE DIR - what recording costs with hwflow record and with stock perf record,
# with our driver, which is MODULE: instructions that the whole machine executes, less those of the same programs
# without a recording. Both write the same records and the same trace into memory. DIR/../../hwflow is the command.
#
# Fails if hwflow record costs more than perf record. Instructions are counted, not time: it does not matter
# what else the host does.
set -euo pipefail
counts="trace-bytes-accepted"
. "$(dirname "$0")/machine.bash"

build=$(realpath "$dir/../..")
gcc -std=c11 -O2 -Wall -Wextra -Werror -fPIC -shared -o "$dir/count.so" "$here/count.c" \
	-I"$("$top/tools/setup/fetch-source" --suite trixie qemu)/include/qemu" $(pkg-config --cflags glib-2.0)
aarch64-linux-gnu-gcc -static -O2 -Wall -Wextra -Werror -o "$dir/pingpong" "$here/pingpong.c"
libraries=$("$top/tools/setup/build-arm64" "$build")
image_options=(--linked "$build/cross/hwflow=$libraries")
measure recorder guest-recorder.sh "" end "$module" "$dir/pingpong" -- \
	-icount shift=1 -plugin "$dir/count.so,out=$dir/recorder.counts,all=on"

# the counts between the marks before and behind each name
tr -d '\r' <"$dir/recorder/console" | awk '
	FNR == NR && $1 == "counted" && $3 == 0 { name[++n] = $2 }
	FNR == NR { next }
	$1 == "mark" { mark++; next }
	mark % 2 == 0 { sum[mark / 2] += $2 }
	END {
		if (n != 5)
			exit 1
		for (i = 1; i <= n; i++)
			print name[i], sum[i]
	}' - "$dir/recorder.counts" >"$dir/sums"
awk '
	{ sum[$1] = $2 }
	END {
		for (kind in sum) {
			if (kind !~ /^perf/)
				continue
			ours = kind
			sub("perf", "hwflow", ours)
			print "recorder.sh: " kind ": " sum[kind] - sum["alone"] " instructions, " ours ": " \
				sum[ours] - sum["alone"] >"/dev/stderr"
			ratio = (sum[kind] - sum["alone"]) / (sum[ours] - sum["alone"])
			sub("perf", "record_instructions_vs_perf", kind)
			gsub("-", "_", kind)
			printf "bench: %s %.2f ratio\n", kind, ratio
		}
	}' "$dir/sums" | sort | tee "$dir/results"
awk '$3 < 1 { print "hwflow record costs more than perf record: " $0; bad = 1 }
	END { exit bad || NR != 2 }' "$dir/results"
