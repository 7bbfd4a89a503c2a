#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# loss.sh QEMU MODULE DIR - what is lost of a recording of the kernel while interrupts are
# masked for a stated time, by our driver, MODULE, and by the kernel's own.
#
# Bytes are counted by the device model: accepted, and rejected because the buffer was full. Prints a
# row a time, and fails if ours lost any while there was room in reserve, or if what it lost is
# not flagged, or if recording did not go on. perf reads on another processor, and has read what there
# was when the mask begins: with one processor, or a busy reader, it is the reader that is measured.
set -euo pipefail
counts="trace-bytes-accepted trace-bytes-rejected"
. "$(dirname "$0")/machine.bash"
ring=64K
# half of the ring is in reserve, if the reader keeps up
reserve=32768
times="0 50 100 150 200 300 400 600"
printf 'RING=%s\nTIMES="%s"\n' $ring "$times" >"$dir/times"

# the module that masks interrupts
make_mask() {
	local at=$dir/mask

	rm -rf "$at"
	mkdir -p "$at"
	ln -s "$top/selftests/driver/mask.c" "$at"
	echo 'obj-m := mask.o' >"$at/Kbuild"
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$("$top/tools/setup/fetch-headers" 6.1)" M="$at" \
		ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- CONFIG_DEBUG_INFO_BTF_MODULES= modules
}

record() { # NAME MODULE
	local stops=begin time

	for time in $times; do
		stops="$stops t$time"
	done
	measure "$1" guest-loss.sh "" "$stops" "$2" "$dir/times" "$dir/mask/mask.ko" -- \
		-icount shift=1 -smp 2
	[ "$(grep -c '^recorded .* 0' "$dir/$1/console")" -eq "$(wc -w <<<"$times")" ]
}

# records FILE: AUX records that say that trace may be missing, and those with trace that come after
# the first of them
records() {
	local size flags flagged=0 after=0

	while read -r size flags; do
		[ "$flagged" -eq 0 ] || [ $((size)) -eq 0 ] || after=$((after + 1))
		# TRUNCATED, PARTIAL, COLLISION
		[ $((flags & 13)) -eq 0 ] || flagged=$((flagged + 1))
	done < <(perf report -D -i "$1" 2>/dev/null |
		sed -n 's/.*PERF_RECORD_AUX offset: .* size: \([^ ]*\) flags: \([^ ]*\).*/\1 \2/p')
	echo $flagged $after
}

# rows NAME: time, bytes accepted, bytes rejected, flagged records, records after
rows() {
	answers "$dir/$1" | awk -v times="$times" '
		NR % 2 { accepted[int((NR - 1) / 2)] = $1 }
		NR % 2 == 0 { rejected[int((NR - 1) / 2)] = $1 }
		END {
			n = split(times, time, " ")
			for (i = 1; i <= n; i++)
				print time[i], accepted[i] - accepted[i - 1],
					rejected[i] - rejected[i - 1]
		}' | while read -r time accepted rejected; do
		echo "$time $accepted $rejected $(records "$dir/$1/host/data-$time")"
	done
}

make_mask
record ours "$module"
record intree coresight
echo "masked us, ours: bytes made, lost, records flagged, records after; in-tree: the same"
join <(rows ours | sort) <(rows intree | sort) | sort -n | tee "$dir/rows" | column -t
# The rate is what is made in the longest time beyond what is made without.
awk -v reserve=$reserve '
	function fail(what, time) {
		print what ": " time " us"
		bad = 1
	}
	{ time[NR] = $1; made[NR] = $2 + $3; lost[NR] = $3; flagged[NR] = $4; after[NR] = $5 }
	{ ours += $3; theirs += $7 }
	END {
		rate = (made[NR] - made[1]) / time[NR]
		printf "%.0f bytes a microsecond, %d in reserve: %.0f us\n", rate, reserve,
			reserve / rate
		for (i = 1; i <= NR; i++) {
			if (lost[i] && time[i] * rate < reserve)
				fail("lost with room in reserve", time[i])
			if (lost[i] && !flagged[i])
				fail("not flagged", time[i])
			if (lost[i] && !after[i])
				fail("did not go on", time[i])
		}
		printf "bench: loss_ours %d bytes\nbench: loss_coresight %d bytes\n", ours, theirs
		exit bad
	}' "$dir/rows"
