#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# opens.sh [TREE] - input files are opened in tools/hwflow/base/input_file.c alone. Every other call in tools/ of a function
# that opens a file by its path is in opens.known, with its file, the number of calls and the reason; a row without such
# calls is an error as well. TREE: the directory to check, instead of this tree. Speaks TAP.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. "tools/setup/tests/tap.bash"
. "tools/setup/tests/code.bash"
known=$PWD/tools/setup/tests/opens.known
cd "${1:-.}" || exit 1
found=$(mktemp)
listed=$(mktemp)
log=$(mktemp)
trap 'rm -f "$found" "$listed" "$log"' EXIT

# functions that open a file by its path; dwfl_report_elf() does so without a descriptor
functions='open|open64|openat|openat64|openat2|creat|fopen|fopen64|freopen|popen|dwfl_report_elf|dwfl_report_offline'
functions+='|dwfl_standard_find_debuginfo|dwfl_linux_proc_report|dwfl_linux_kernel_report|dwarf_begin_path|SYS_open[a-z0-9]*'
calls() { # FILE...: "FILE FUNCTION CALLS" for each file and function; comments and strings have none
	code_of "$@" | awk -v functions="$functions" '
		{
			file = $1
			line = substr($0, length(file) + 2)
			while (match(line, "(^|[^A-Za-z0-9_>.])(" functions ")[(,]")) {
				name = substr(line, RSTART, RLENGTH - 1)
				sub(/^[^A-Za-z0-9_]/, "", name)
				print file, name
				line = substr(line, RSTART + RLENGTH)
			}
		}' | sort | uniq -c | awk '{ print $2, $3, $1 }' | sort
}
mapfile -t sources < <(find tools/hwflow tools/lib tools/plugin \( -name '*.c' -o -name '*.h' \) -not -path '*/tests/*' | sort)
calls "${sources[@]}" >"$found"
grep -v '^#' "$known" | awk 'NF { print $1, $2, $3 }' | sort -u >"$listed"

comm -23 "$found" "$listed" | sed 's/$/ calls: use input_file_open() or own_file_open(), or change the row of opens.known/' >"$log"
[ ! -s "$log" ]
ok $? "input files are opened by one function" "$log"
comm -13 "$found" "$listed" | sed 's/$/: not so many calls, or more/' >"$log"
[ ! -s "$log" ]
ok $? "each row of opens.known has a call" "$log"
awk '!/^#/ && NF && NF < 5' "$known" >"$log"
[ ! -s "$log" ]
ok $? "each row of opens.known has a reason" "$log"
# the check itself: it finds a call, and no comment or string
printf 'x = fopen(path, "re"); /* open(path) */\n/* open(\n open( */\nputs("popen(a)");\nfd = openat(d, "a");\n' >"$log"
[ "$(calls "$log" | cut -d' ' -f2,3 | tr '\n' ' ')" = "fopen 1 openat 1 " ]
ok $? "the check finds calls, and neither comments nor strings" "$log"
done_testing
