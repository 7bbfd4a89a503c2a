#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# readme.sh [--here] - the commands of README and of Documentation/recording.rst succeed and print what these
# documents show.
#
# The commands are read out of the documents, and run in order in a copy of the files that are under
# version control, in which nothing has been built; with --here, in this tree, which has a recording. examples.bash has the rule by
# which output is compared.
set -u
top=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$top" || exit 1
. tools/setup/tests/tap.bash
. tools/setup/tests/examples.bash
. tools/setup/tests/recording.bash
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
example_shown=$tmp/shown
example_printed=$tmp/printed
# variables of the make that runs this test must not reach the commands
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL BUILD HWFLOW_CAPTURES

if [ "${1-}" != --here ]; then
	mkdir "$tmp/clone"
	# git refuses a repository of another user unless safe.directory names it
	git -c safe.directory="$PWD" ls-files -z | xargs -0 cp --parents --no-dereference -t "$tmp/clone" \
		>"$tmp/log" 2>&1
	ok $? "the files under version control are copied" "$tmp/log"
	make_recording build "$tmp" >"$tmp/log" 2>&1 && cp -r "$tmp"/perf.data* "$tmp/server" "$tmp/clone"
	ok $? "a recording is made" "$tmp/log"
	cd "$tmp/clone" || exit 1
fi
[ ! -e build ]
ok $? "nothing is built"

examples_of_readme README >"$tmp/examples"
grep -q 'hwflow report ' "$tmp/examples"
ok $? "README leads to a report"
run_examples README "$tmp/examples"
[ "$example_blocks" -ge 4 ]
ok $? "README has four examples, or more: $example_blocks"
examples_of_readme Documentation/recording.rst >"$tmp/examples"
run_examples recording.rst "$tmp/examples"
[ "$example_blocks" -eq 1 ]
ok $? "recording.rst has a session"
done_testing
