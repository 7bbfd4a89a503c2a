#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# paths.sh BUILD - a program has its names whatever its path is: with a newline, with the characters that stand for
# one in /proc/PID/maps, or nearly as long as a path may be. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1

echo 'int main(void) { for (volatile int i = 0; i < 1000; i++) ; return 0; }' >program.c
"$CC" -O1 -static -o program program.c
ok $? "a program"

# named WHAT DIRECTORY SHOWN: the program in the directory has its names, and script shows the directory so
named() {
	mkdir -p "$2" && cp program "$2/program" &&
		"$hwflow" emulate --quiet -o data -- "$2/program" 2>err
	ok $? "a recording of $1" err
	"$san" report --limit=0 data >out 2>err
	grep -q ' main  (program)' out && ! [ -s err ]
	ok $? "report has names: $1" err
	"$san" script --full-paths data >out 2>err
	grep -qF " main ($3/program)" out
	ok $? "script has the path: $1" err
}

named "a path with a newline" $'new\nline' "$work/new\\nline"
named "a path with two newlines" $'\na\n' "$work/\\na\\n"
named 'a path with \012' 'new\012line' "$work/new\\\\012line"
named "a path with other characters" $'tab\t \033\177"' "$work/tab\\t \\033\\177\""
directory=$work
while [ ${#directory} -lt 3900 ]; do
	directory+=/$(printf 'd%.0s' {1..100})
done
named "a long path" "$directory" "$directory"
done_testing
