#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# third-party.sh BUILD - programs of a third party: the examples are built outside of the tree by pkg-config alone,
# against an installed tree, and print what the verbs of hwflow print of the same recording. So does Python.
set -u
build=$(realpath "$1")
top=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$top" || exit 1
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL DESTDIR LD_LIBRARY_PATH PYTHONPATH
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
prefix=$tmp/usr
. tools/setup/tests/tap.bash

# A tree that was installed into DESTDIR and then moved to where it belongs
make --no-print-directory install BUILD="$build" DESTDIR="$tmp/stage" PREFIX="$prefix" >"$tmp/log" 2>&1 &&
	mv "$tmp/stage$prefix" "$prefix" && cp -r examples "$tmp/examples"
ok $? "install" "$tmp/log"
hwflow=$prefix/bin/hwflow
cd "$tmp/examples" || exit 1

PKG_CONFIG_PATH=$prefix/lib/pkgconfig make >"$tmp/log" 2>&1
ok $? "the examples are built by pkg-config alone" "$tmp/log"
! grep -rl "$top" "$tmp/examples" >"$tmp/log"
ok $? "nothing of them refers to the tree" "$tmp/log"

# A recording, and the same trace as raw bytes with its registers
prepare() {
	aarch64-linux-gnu-gcc -O1 -g -static -o program "$top/Documentation/hello.c" &&
		"$hwflow" emulate --quiet -o perf.data -- ./program one two >/dev/null &&
		"$hwflow" encode --speculation=0 -o raw perf.data.truth &&
		"$hwflow" encode --speculation=0 --print-config >options &&
		grep -oE 'TRC[A-Z0-9]+=[0-9a-fx]+' options >raw.config && cp program raw.elf
}
prepare >"$tmp/log" 2>&1
ok $? "a recording, and raw trace" "$tmp/log"
mapfile -t registers <raw.config
mapfile -t options < <(tr ' ' '\n' <options)
export LD_LIBRARY_PATH=$prefix/lib

# same NAME: $tmp/actual and $tmp/expected have the same lines, not few
same() {
	local status=0

	[ "$(wc -l <"$tmp/expected")" -gt 50 ] || status=1
	diff "$tmp/expected" "$tmp/actual" >"$tmp/log" || status=1
	ok $status "$1" "$tmp/log"
}

# As lines of the examples: listing, packets, ranges, edges
"$hwflow" dump --format=ref "${options[@]}" raw >listing.expected
awk '{ print $1, length($2) / 2, $3 }' listing.expected >packets.expected
"$hwflow" flow "${options[@]}" --image=program raw |
	sed -nE 's/^ *[0-9a-f]+ +0*([0-9a-f]+) \.\. 0*([0-9a-f]+) .* ([0-9]+) insns?.*/\1 \2 \3/p' >ranges.human
# the human layout has the address of the last instruction
while read -r first last count; do
	printf '%s %x %s\n' "$first" $((0x$last + 4)) "$count"
done <ranges.human >ranges.expected
"$hwflow" script perf.data | awk '$4 != "-" {
		for (i = 5; i < NF; i++) if ($i == "=>" && $(i + 1) ~ /^[0-9a-f]+$/) print $4, $(i + 1)
	}' | sort | uniq -c | awk '{ print $1, $2, $3 }' | sort >edges.expected

cp listing.expected "$tmp/expected"
./packets raw "${registers[@]}" >"$tmp/actual"
same "packets: as hwflow dump"
cp ranges.expected "$tmp/expected"
./ranges raw program "${registers[@]}" >"$tmp/actual"
same "ranges: as hwflow flow"
cp edges.expected "$tmp/expected"
./edges perf.data | sort >"$tmp/actual"
same "edges: as hwflow script"
! ./packets raw TRCIDR0=0 TRCDEVARCH=0x47704a13 >"$tmp/log" 2>&1 && grep -q 'contradict' "$tmp/log"
ok $? "an error has a text" "$tmp/log"

export PYTHONPATH=$prefix/share/hwflow/python
if ! python3 -c 'import cffi' 2>/dev/null; then
	[ "${CI-}" != true ]
	ok $? "Python # SKIP python3-cffi is not installed"
	done_testing
	exit
fi
for what in listing packets ranges edges; do
	cp $what.expected "$tmp/expected"
	python3 trace.py $what raw program "${registers[@]}" 2>"$tmp/err" | { [ $what != edges ] && cat || sort; } >"$tmp/actual"
	cat "$tmp/err" >>"$tmp/actual"
	same "Python: $what"
done
HWFLOW_INCLUDE=$prefix/include HWFLOW_RECORDING=$tmp/examples/raw \
	python3 "$top/tools/python/tests/test_hwflow.py" >"$tmp/log" 2>&1
ok $? "Python: unit tests" "$tmp/log"
done_testing
