#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# autofdo-gcc.sh BUILD - profiles for GCC have the counts of the ground-truth log, with those of clones and parts of
# functions, and the order in which functions begin to run; GCC reads them, and its functions, blocks and indirect calls
# have these counts; another count is another count for GCC, and an empty file is none. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS
version=$("$CC" -dumpversion)

# compile NAME FLAG...: the program NAME
compile() {
	local name=$1

	shift
	"$CC" -O2 -fipa-cp-clone "$@" -o "$name" "$here/clones.c" 2>err
}
# dumped FILE [NUMBER]: how often functions are entered, or another number, in a dump of GCC: NAME NUMBER. The counts of
# GCC 16 are multiplied by a number; main is entered once.
dumped() {
	awk -v number="${2-count}" '/^[^ ]+\/[0-9]+ \(/ { name = $1; gsub(/^[*]|\/.*/, "", name) }
		/Function flags: .*count:[0-9]+ \(auto FDO/ && name !~ /\./ && !/split_part/ { sub(".*[ :]" number ":", ""); numbers[name] = $1 }
		END { for (name in numbers) print name, number == "count" ? numbers[name] / numbers["main"] : numbers[name] }' "$1" | sort
}

compile clones -g && "$hwflow" emulate --quiet --sysroot=/usr/aarch64-linux-gnu -o clones.data -- ./clones >want 2>>err
ok $? "a program is recorded" err
"${CC%gcc}nm" clones >symbols && grep -q 'scale\.constprop' symbols && { [ "${version%%.*}" -gt 15 ] || grep -q 'outside\.part\.' symbols; }
ok $? "GCC $version has made clones of its functions, and before version 16 parts" symbols
"$san" profile -o clones.hwprof clones.data 2>err && "$hwflow" emulate --show-log=clones.data.truth >log &&
	"$hwflow" script --mappings clones.data >maps
ok $? "profile" err
for format in gcc gcc16; do
	"$san" profile --for="$format" --dso=clones -o "$format.afdo" clones.hwprof 2>err
	ok $? "$format: profile" err
	python3 "$here/profile_gcc.py" log maps clones "$format.afdo" >"$format.entries" 2>err
	ok $? "$format: $(wc -l <"$format.entries") functions, as in the log" "$format.entries"
	grep -qx 'nested 21' "$format.entries" && grep -qx 'loop 1' "$format.entries" && grep -qx 'often 270' "$format.entries" &&
		grep -qx 'outside 10' "$format.entries" && grep -qx '_ZL6seldomj 30' "$format.entries"
	ok $? "$format: functions are entered as often as they are called" "$format.entries"
done
grep -qx 'within 1' gcc.entries && grep -qx 'within.0 1' gcc16.entries
ok $? "GCC 16 compares the names of functions in functions with their numbers" gcc16.entries

format=$([ "${version%%.*}" -lt 16 ] && echo gcc || echo gcc16)
compile faster -fauto-profile="$format.afdo" -fno-ipa-cp -fdump-ipa-inline=dump &&
	"$hwflow" emulate --quiet --sysroot=/usr/aarch64-linux-gnu -o faster.data -- ./faster >out 2>>err && cmp want out
ok $? "GCC reads $format, and makes the same program" err
dumped dump >counts && [ "$(wc -l <counts)" -ge 6 ] && comm -13 "$format.entries" counts >out && [ ! -s out ]
ok $? "its functions are entered as often: $(paste -sd, counts)" out
if [ $format = gcc ]; then
	grep -q 'Called by:.*main.*(speculative) (270 (auto FDO' dump
	ok $? "the target of the indirect call is promoted" dump
	grep -q 'count: 300\]' dump && grep -q "count: $(sed -n 's/^scale //p' gcc.entries)\]" dump
	ok $? "its blocks have the counts of the lines" dump
else
	# GCC takes the calls of outside() that are inlined in main() for the first ones
	dumped dump first_run | grep -v '^outside' | sort -k 2n | awk '{ print $1 }' >order
	[ "$(paste -sd' ' order)" = "main scale _ZL6seldomj often nested loop" ]
	ok $? "its functions begin to run in this order: $(paste -sd, order)" dump
fi
# the same profile, but the function is entered once more
python3 - $format <<-'END'
	import struct
	import sys
	data = open(sys.argv[1] + ".afdo", "rb").read()
	old = struct.pack("<Q", 21)
	assert data.count(old) >= 1
	open("more.afdo", "wb").write(data.replace(old, struct.pack("<Q", 22)))
END
compile other -fauto-profile=more.afdo -fno-ipa-cp -fdump-ipa-inline=dump && dumped dump | grep -qx 'nested 22'
ok $? "another count is another count for GCC" err
: >empty.afdo
! compile other -fauto-profile=empty.afdo && grep -q 'magic number does not match' err
ok $? "GCC refuses an empty file" err
"${CC%gcc}objcopy" --strip-debug clones && "$san" profile --for=$format --dso=clones -o stripped.afdo clones.hwprof 2>err
[ $? = 2 ] && [ ! -e stripped.afdo ] && grep -q "/clones: it has no DWARF.*--debug-dir=DIR" err
ok $? "a program without DWARF is refused" err
script -qec "$san profile --for=gcc --dso=clones clones.hwprof" /dev/null </dev/null >tty 2>&1
[ $? = 1 ] && grep -q "gcc is not for a terminal" tty
ok $? "bytes are not printed to a terminal" tty
done_testing
