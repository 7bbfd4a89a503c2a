#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# untrusted-jit.sh BUILD - jitdump files whose records ask for more time than their number explains stay within the
# budget. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/budget.bash"

# make KIND COUNT: a recording "jit"; $bytes is its size
make_jit() {
	rm -rf jit
	mkdir jit
	"$made/make_jit" "$1" "$2" jit || exit 1
	bytes=$(du -s --apparent-size --block-size=1 jit | cut -f 1)
}

# check KIND SMALL LARGE: a recording of each size within the budget, and how time grows
check() {
	local count first_bytes='' first_ms=''

	for count in "$2" "$3"; do
		make_jit "$1" "$count"
		within "$bytes" 3 "$1 $count" report jit/data
		[ -n "$first_bytes" ] || first_bytes=$bytes first_ms=$milliseconds
	done
	grows "$first_bytes" "$first_ms" "$bytes" "$milliseconds" "$1: time grows with the size"
}

check mappings 2000 100000
check moves 20000 200000

# names of more bytes than the limit are not used, and the option is named
for kind in name map; do
	make_jit $kind 131073
	image=()
	if [ $kind = map ]; then
		printf '\0\0\0\24' >code
		image=(--image=code@0x10000000)
	fi
	within "$bytes" 0,3 "$kind of 128 KB and a byte" report "${image[@]}" --width=0 jit/data
	grep -q -- "--max=name=N" err && ! grep -q nnnnnn out
	ok $? "$kind: a name beyond the limit is not used" err
	within "$bytes" 0,3 "$kind of 128 KB and a byte" report --max=name=131073 "${image[@]}" --width=0 jit/data
	! grep -q -- "--max=name=N" err && [ "$(grep -o 'nn*' out | awk '{ print length }' | sort -n | tail -n 1)" = 131073 ]
	ok $? "$kind: --max=name raises the limit" err
done

for kind in mappings moves; do
	make_jit $kind 100
	"$san" report jit/data >out 2>err
	[ $? -eq 3 ]
	ok $? "$kind: under sanitizers" err
done
done_testing
