#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# loss.sh [--kernel SERIES] [--patched PATCHED] QEMU MODULE DIR - what is lost of a recording of the
# kernel while interrupts are masked for a stated time, by our driver, MODULE, by the in-tree driver of
# kernel SERIES (6.1 if not said) and, with --patched, by the patched in-tree driver, whose modules are in
# PATCHED.
#
# Bytes are counted by the device model: accepted, and rejected because the buffer was full. Prints a
# row a time. Fails if our driver or the patched one lost any while there was room in reserve, or if a loss
# is not flagged, or if recording did not go on. perf reads on another processor, and has read what there
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
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$("$top/tools/setup/fetch-headers" "$series")" M="$at" \
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
[ -z "$patched" ] || record patched patched
drivers="ours intree${patched:+ patched}"
echo "masked us; bytes accepted, bytes lost, records flagged, records after: ${drivers// /, }"
rows ours | sort >"$dir/rows"
for name in ${drivers#ours }; do
	join "$dir/rows" <(rows "$name" | sort) >"$dir/rows.joined"
	mv "$dir/rows.joined" "$dir/rows"
done
sort -n -o "$dir/rows" "$dir/rows"
column -t "$dir/rows"
# The rate is what is made in the longest time beyond what is made without.
awk -v reserve=$reserve -v drivers="$drivers" '
	function fail(what, driver, time) {
		print driver ": " what ": " time " us"
		bad = 1
	}
	function check(driver, first,   i, rate) {
		rate = (made[NR, first] - made[1, first]) / time[NR]
		printf "%s: %.0f bytes a microsecond, %d in reserve: %.0f us\n", driver, rate,
			reserve, reserve / rate
		for (i = 1; i <= NR; i++) {
			if (!lost[i, first])
				continue
			if (time[i] * rate < reserve)
				fail("lost with room in reserve", driver, time[i])
			if (!flagged[i, first])
				fail("not flagged", driver, time[i])
			if (!after[i, first])
				fail("did not go on", driver, time[i])
		}
	}
	{
		time[NR] = $1
		for (at = 2; at < NF; at += 4) {
			made[NR, at] = $at + $(at + 1)
			lost[NR, at] = $(at + 1)
			flagged[NR, at] = $(at + 2)
			after[NR, at] = $(at + 3)
			total[at] += lost[NR, at]
		}
	}
	END {
		n = split(drivers, name, " ")
		for (d = 1; d <= n; d++)
			if (name[d] != "intree")
				check(name[d], d * 4 - 2)
		for (d = 1; d <= n; d++)
			printf "bench: loss_%s %d bytes\n",
				name[d] == "intree" ? "coresight" : name[d], total[d * 4 - 2]
		exit bad
	}' "$dir/rows"
