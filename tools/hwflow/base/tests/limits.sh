#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# limits.sh BUILD - each limit of input_limits.def is reached by an input: the message names it and the option that raises it,
# the exit status is that of hwflow-limits(7), and a higher limit is not reached. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/budget.bash"
source_of_limits=$here/../input_limits.def
manual=$top/Documentation/man/hwflow-limits.7

# reaches WORD STATUS HIGH VERB [ARG...]: the command reaches this limit, and does not with --max=WORD=HIGH
reaches() {
	local word=$1 expected=$2 high=$3 status

	"$hwflow" "${@:4}" >out 2>err
	status=$?
	[ $status = "$expected" ]
	ok $? "$word: exit status $status, in the manual $expected" err
	grep -qE "the limit is [0-9]+[KMGT]? [^;]*; --max=$word=N raises it" err
	ok $? "$word: the message names the limit and the option" err
	# the last one is valid
	"$hwflow" "${@:4}" --max="$word=$high" >out 2>err
	! grep -q -- "--max=$word=N" err
	ok $? "$word: a higher limit is not reached" err
}

# input GENERATOR ARG...: what a test is about is there, or it does not begin
input() {
	"$made/$1" "${@:2}" && return
	ok 1 "$*"
	done_testing
	exit 1
}

# reach_WORD: makes an input, and calls reaches()
reach_input() {
	input make_program plain 10 .
	truncate -s $(((1 << 40) + 1)) data
	reaches input 2 2T report data
}

# archive_of FILE...: an archive with these files, and the recording `data`
archive_of() {
	printf 'hwflow archive 1\nrecording data\n' >hwflow-archive
	tar -c hwflow-archive data "$@" | zstd -q -f -o archive
}

reach_archive() {
	input make_program plain 10 .
	truncate -s 150M zeros
	archive_of zeros
	reaches archive 2 1M report archive
}

reach_files() {
	input make_program plain 10 .
	mkdir many
	(cd many && seq 101 | xargs touch)
	archive_of many/*
	reaches files 2 200K report --max=files=100 archive
}

reach_elfratio() {
	input make_program zlib 500 .
	reaches elfratio 0 1000 script data
}

reach_decompressed() {
	input make_program zlib 500 .
	reaches decompressed 0 1G script --max=elfratio=1000 --max=decompressed=1000 data
}

reach_name() {
	input make_jit name 131073 .
	reaches name 0 1M report data
}

reach_names() {
	input make_program expanded 6000 .
	reaches names 0 1T report --limit=0 data
}

reach_lines() {
	input make_program lines 4000000 .
	reaches lines 0 1G script data
}

reach_records() {
	input make_records bomb 100000 data
	reaches records 3 1G report --max=ratio=1M --max=records=1M data
}

reach_ratio() {
	input make_records bomb 10000 data
	reaches ratio 3 1M report data
}

reach_contexts() {
	input make_program plain 10 .
	reaches contexts 0 1000 profile --call-graph --max=contexts=0 -o profile data
}

reach_mappings() {
	input make_records many-mappings 2000 data
	reaches mappings 3 3000 report data
}

# number CONSTANT: of C, as the manual has it: powers of two in units
number() {
	local value=$((${1//ull/})) power=

	case $1 in
	*'<<'*) ;;
	*)
		echo "$value"
		return
		;;
	esac
	for power in '' K M G; do
		((value % 1024 || !value)) && break
		((value /= 1024))
		power=T
	done
	echo "$value$power"
}

words=0
while IFS=$'\t' read -r word value unit; do
	words=$((words + 1))
	declare -F "reach_$word" >/dev/null
	ok $? "$word has a test"
	grep -qF ".BR $word \" ($unit; default: $(number "$value"))\"" "$manual"
	ok $? "$word is in the manual: $unit, $(number "$value")"
	rm -rf "${work:?}"/*
	! declare -F "reach_$word" >/dev/null || "reach_$word"
done < <(sed -nE 's/^LIMIT\(([a-z]+), ([^,]+), "([a-z]+)".*/\1\t\2\t\3/p' "$source_of_limits")
[ "$words" = "$(grep -c '^LIMIT(' "$source_of_limits")" ] && [ "$words" -gt 0 ]
ok $? "all limits were tried: $words"
done_testing
