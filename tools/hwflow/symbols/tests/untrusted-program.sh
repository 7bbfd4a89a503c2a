#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# untrusted-program.sh BUILD - programs whose names, sections or DWARF ask for more than the size of the file explains:
# names and source lines stay within the budget, and where a limit is reached the message names it. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/budget.bash"

# check KIND SMALL LARGE VERB [ARG...]: a program of each size within the budget, and how time grows
check() {
	local kind=$1 count bytes first_bytes='' first_ms=''

	for count in "$2" "$3"; do
		"$made/make_program" "$kind" "$count" . || exit 1
		bytes=$(($(stat -c %s data) + $(stat -c %s program)))
		within "$bytes" 0 "$kind $count" "${@:4}" data
		[ -n "$first_bytes" ] || first_bytes=$bytes first_ms=$milliseconds
	done
	grows "$first_bytes" "$first_ms" "$bytes" "$milliseconds" "$kind: time grows with the size"
}

# has TEXT FILE WHAT: a file has this text
has() {
	grep -qF -- "$1" "$2"
	ok $? "$3" "$2"
}

# hasnt TEXT FILE WHAT: a file does not have this text
hasnt() {
	! grep -qF -- "$1" "$2"
	ok $? "$3" "$2"
}

check plain 200 20000 script
has ' f7 (program)' out "a sound program has names"
has ' f:1 ' out "a sound program has source lines"
hasnt hwflow err "a sound program reaches no limit"

check tripled 10 1000 report
has 'C++ names take too long' err "names that take too long are reported"
check silent 1 200 report
check overlap 5000 40000 report
has 'names of symbols overlap' err "names that overlap are reported"
check stubs 2500 20000 report
check segments 5000 60000 report

check notes 2000 9000 report
has 'sections overlap' err "sections that overlap are reported"
check relocations 1000 9000 report
has 'sections overlap' err "relocations that overlap are reported"

for kind in zlib zdebug; do
	check $kind 500 20000 script
	has '--max=elfratio=N raises it' err "$kind: the limit is named"
	"$hwflow" script --max=elfratio=1000 data >out 2>err
	has '--max=lines=N raises it' err "$kind: with a higher ratio another limit is reached"
	"$hwflow" script --max=elfratio=1000 --max=lines=100M data >out 2>err
	has ' f:1 ' out "$kind: with higher limits there are source lines"
done
check lines 50000 4000000 script
has '--max=lines=N raises it' err "the limit of rows is named"
check units 5000 400000 script
has '--max=lines=N raises it' err "units count as rows"
check expanded 600 6000 report --limit=0
has '--max=names=N raises it' err "the limit of names is named"

# MiniDebugInfo of zeros: sound xz, but no ELF file
for count in 1 60; do
	head -c ${count}M /dev/zero | xz -c >zeros.xz
	"$made/make_program" plain 10 . zeros.xz || exit 1
	within "$(stat -c %s program)" 0 "xz of $count MB" report data
	has '--max=elfratio=N raises it' err "xz of $count MB: the limit is named"
done
head -c 100 /dev/urandom >zeros.xz
"$made/make_program" plain 10 . zeros.xz || exit 1
within "$(stat -c %s program)" 0 "xz that is none" report data

# --max=name
"$made/make_program" plain 1000 . || exit 1
"$hwflow" report --max=name=2 --limit=0 data >out 2>err
has '--max=name=N raises it' err "the limit of one name is named"
has ' f1' out "shorter names are there"
hasnt ' f999' out "longer names are not"

for kind in plain tripled silent overlap stubs segments notes relocations zlib zdebug lines units expanded; do
	"$made/make_program" $kind 200 . || exit 1
	"$san" script data >out 2>err
	ok $? "$kind: under sanitizers" err
done
done_testing
