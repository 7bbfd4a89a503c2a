#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# options.sh BUILD - a short option means the same in all verbs, each verb accepts the short form of each of its
# options, and no verb lacks a common option. The options are read from --help. Speaks TAP.
set -u
build=$(realpath "$1")
hwflow=$build/hwflow
top=$(cd "$(dirname "$0")/../../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$top/tools/setup/tests/tap.bash"
cd "$work" || exit 1

mapfile -t verbs < <("$hwflow" --help | sed -nE 's/^  ([a-z]+) .*/\1/p')
[ ${#verbs[@]} -ge 14 ]
ok $? "verbs are found in --help: ${#verbs[@]}"

# VERB LETTER LONG, with - in place of a letter that there is not
for verb in "${verbs[@]}"; do
	"$hwflow" "$verb" --help |
		sed -nE -e "s/^  -([a-zA-Z]), --([a-z-]+).*/$verb \1 \2/p" -e "s/^  --([a-z-]+).*/$verb - \1/p" \
			-e "s/^  -([a-zA-Z]) .*/$verb \1 -/p"
done >"$work/options"
[ "$(wc -l <"$work/options")" -ge 150 ]
ok $? "options are found in --help: $(wc -l <"$work/options")"

awk '$2 != "-" { print $2, $3 }' "$work/options" | sort -u >"$work/letters"
awk 'long[$1] { print "-" $1 " is --" long[$1] " and --" $2 } { long[$1] = $2 }' "$work/letters" >"$work/wrong"
[ ! -s "$work/wrong" ]
ok $? "a letter stands for one long option in all verbs" "$work/wrong"

awk 'letter[$2] { print "--" $2 " is -" letter[$2] " and -" $1 } { letter[$2] = $1 }' "$work/letters" >"$work/wrong"
awk 'NR == FNR { letter[$2] = $1; next } $2 == "-" && letter[$3] { print $1, "--" $3 ": --help has no -" letter[$3] }' \
	"$work/letters" "$work/options" >>"$work/wrong"
[ ! -s "$work/wrong" ]
ok $? "a long option has the same letter in all verbs" "$work/wrong"

sed -nE "s/^L\('(.)', \"(.*)\"\)/\1 \2/p" "$top/tools/hwflow/base/letters.def" | sort >"$work/table"
diff "$work/table" "$work/letters" >"$work/wrong"
ok $? "--help has the letters of letters.def" "$work/wrong"

: >"$work/wrong"
while read -r verb letter _; do
	[ "$letter" != - ] || continue
	"$hwflow" "$verb" "-$letter" 1 --bad </dev/null 2>&1 | grep -F "invalid option" >>"$work/wrong"
done <"$work/options"
[ ! -s "$work/wrong" ]
ok $? "verbs accept the letters of their --help" "$work/wrong"

# has OPTION VERB...: the verbs have the option
has() {
	local option=$1 verb

	shift
	: >"$work/wrong"
	for verb in "$@"; do
		grep -q "^$verb . $option\$" "$work/options" || echo "$verb has no --$option" >>"$work/wrong"
	done
	[ ! -s "$work/wrong" ]
	ok $? "--$option: $*" "$work/wrong"
}
has help "${verbs[@]}"
decoding=(dump flow script report timeline html annotate diff verify)
has quiet "${decoding[@]}" record emulate archive
has jobs "${decoding[@]}"
has cpu "${decoding[@]}" record
has tid "${decoding[@]}" record emulate encode
has output record stat emulate archive encode

for verb in "${verbs[@]}"; do
	"$hwflow" "$verb" --help >"$work/long" 2>&1
	"$hwflow" "$verb" -h 2>&1 | cmp -s - "$work/long"
	ok $? "$verb -h"
done
done_testing
