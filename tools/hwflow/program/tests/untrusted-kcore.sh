#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# untrusted-kcore.sh BUILD - copies of the kernel's memory that ask for more than their size explains stay within the
# budget: the vdso in them, holes, segments and symbols. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/budget.bash"

# make KIND COUNT: a recording "copy"; $bytes is its size, in which holes do not count
make_copy() {
	rm -rf copy
	mkdir copy
	"$made/make_kcore" "$1" "$2" copy || exit 1
	bytes=$(du -s --block-size=1 copy | cut -f 1)
}

# check KIND SMALL LARGE: a copy of each size within the budget, and how time grows
check() {
	local count first_bytes='' first_ms=''

	for count in "$2" "$3"; do
		make_copy "$1" "$count"
		within "$bytes" 3 "$1 $count" report copy
		[ -n "$first_bytes" ] || first_bytes=$bytes first_ms=$milliseconds
	done
	grows "$first_bytes" "$first_ms" "$bytes" "$milliseconds" "$1: time grows with the size"
}

check pages 64 1024
# holes take no time: the bytes of both are the same
check sparse 1 900
check segments 5000 60000
check overlap 500 6000
grep -q 'segments overlap' err
ok $? "segments that overlap are reported" err
check symbols 20000 400000
check mappings 1000 10000

for kind in pages sparse segments overlap symbols mappings; do
	make_copy $kind 100
	"$san" report copy >out 2>err
	[ $? -eq 3 ]
	ok $? "$kind: under sanitizers" err
done
done_testing
