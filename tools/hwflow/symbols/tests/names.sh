#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# names.sh BUILD - C++ names in report and script: as in the source, as symbols have them, and where
# there is no C++ library. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
# $san may be linked with the C++ library itself

# names WHAT VERB HWFLOW...: it has these names for the functions of the program, and no others
names() {
	local what=$1 status=0

	# shellcheck disable=SC2086 # the verb and its options
	"${@:3}" $2 "$work/data" >"$work/out" 2>"$work/err" || status=1
	sed 's/ => /\n/' "$work/out" | grep -oE '_Z[A-Za-z0-9_]*|space::[^ +]*|Pair<.*first\(\)' |
		sort -u | cmp - "$work/$what" 2>>"$work/err" || status=1
	[ ! -s "$work/err" ] || status=1
	ok $status "$2: $what${4:+, without the library}" "$work/err"
}

"$CC" -O1 -static -o "$work/program" "$here/names.c" &&
	"$hwflow" emulate --quiet -o "$work/data" -- "$work/program" 2>"$work/err"
ok $? "a program with symbols as of C++" "$work/err"
printf '%s\n' _ZN5space3addEi _ZN4PairIS_IicES0_E5firstEv _Zero | sort >"$work/symbols"
printf '%s\n' 'space::add(int)' 'Pair<Pair<int, char>, Pair<int, char> >::first()' _Zero |
	sort >"$work/names"
mkdir "$work/none"
: >"$work/none/libstdc++.so.6"
for verb in "report --limit=0" script "script --insn"; do
	names names "$verb" "$san"
	names symbols "$verb --no-demangle" "$san"
	names symbols "$verb" env LD_LIBRARY_PATH="$work/none" "$hwflow"
done
done_testing
