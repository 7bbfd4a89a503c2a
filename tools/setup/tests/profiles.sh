#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# profiles.sh BUILD - the commands of Documentation/profiles.rst succeed and print what the page shows: compilers and BOLT
# take the profiles, and the programs that they make do the same with fewer branches; a second run reaches all lines. Speaks
# TAP.
set -u
. "$(dirname "$0")/../../hwflow/tests/emulated.bash"
. "$top/tools/setup/tests/examples.bash"
example_shown=$work/shown
example_printed=$work/printed
mkdir "$work/page" && cp "$top/Documentation/hello.c" "$work/page" && cd "$work/page" || exit 1
PATH=$build:$PATH
examples_of_readme "$top/Documentation/profiles.rst" >"$work/examples"
run_examples profiles.rst "$work/examples"
[ "$example_blocks" -ge 5 ]
ok $? "the page has five examples, or more: $example_blocks"

# taken FILE: instructions and branches taken
counts() {
	hwflow report --by=dso "$1" 2>"$work/err" | awk '$1 == "100.00%" { print $2, $4 }'
}
read -r instructions taken <<<"$(counts hello.data)"
read -r _ fewer <<<"$(counts bolt.data)"
[ "$instructions" -gt 0 ] && [ "$fewer" -le "$taken" ]
ok $? "BOLT: $taken branches taken before, $fewer after" "$work/err"

read -r instructions taken <<<"$(counts mapped.data)"
read -r _ fewer <<<"$(counts laid.data)"
[ "$instructions" -gt 0 ] && [ "$fewer" -le "$taken" ]
ok $? "Propeller: $taken branches taken before, $fewer after" "$work/err"

# pages RECORDING: pages of 4 KB that have code that was executed
pages() {
	hwflow profile --for=json "$1" 2>"$work/err" | sed -n 's/.*"start":\([0-9]*\),.*/\1/p' |
		awk '{ page[int($1 / 4096)] } END { print length(page) }'
}
before=$(pages start.data)
after=$(pages sooner.data)
[ "$after" -gt 0 ] && [ "$after" -lt "$before" ]
ok $? "order: $before pages of code before, $after after" "$work/err"
hwflow profile --for=order --dso=sooner -o sooner.order sooner.data 2>"$work/err" && diff start.order sooner.order >"$work/err"
ok $? "order: the program begins as before" "$work/err"
grep -q '^DA:' tested.info && ! grep -q '^DA:.*,0$' tested.info && grep -q 'href.*hello.c' -r tested.html
ok $? "what never ran: the second run has reached all lines, and genhtml has a page of them" tested.info
done_testing
