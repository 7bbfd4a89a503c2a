#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kselftest.sh DIR - the tests of selftests/drivers/perf/arm_ete build inside of a kernel source tree, by the kernel's
# own commands and without a warning, in Linux 6.1 and 6.12; what is installed is complete and linked statically.
# Their sources and scripts are in the kernel's style.
set -u
top=$(cd "$(dirname "$0")/../../.." && pwd)
. "$top/tools/setup/tests/tap.bash"
rm -rf "$1"
mkdir -p "$1"
dir=$(cd "$1" && pwd)
tests=$top/selftests/drivers/perf/arm_ete
log=$dir/log

# build SERIES: in a tree of this series, and install it in DIR/SERIES
build() {
	local series=$1 tree=$dir/tree-$1 from

	from=$("$top/tools/setup/fetch-kernel-source" --series "$series" tools/testing/selftests/Makefile \
		tools/testing/selftests/lib.mk tools/testing/selftests/run_kselftest.sh \
		tools/testing/selftests/kselftest.h tools/testing/selftests/kselftest_harness.h \
		tools/testing/selftests/kselftest/ scripts/subarch.include scripts/Makefile.compiler) || return 1
	mkdir -p "$tree"
	cp -r "$from/scripts" "$from/tools" "$tree/"
	"$top/tools/setup/kselftest-copy" "$tree" >"$log" || return 1
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -C "$tree/tools/testing/selftests" \
		TARGETS=drivers/perf/arm_ete ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- FORCE_TARGETS=1 \
		install KSFT_INSTALL_PATH="$dir/$series" >"$log" 2>&1
}

# complete SERIES: each test of the list is there, and no program needs a library
complete() {
	local at=$dir/$1 test program

	[ -s "$at/kselftest-list.txt" ] || return 1
	while IFS=: read -r collection test; do
		[ -x "$at/$collection/$test" ] || { echo "$test is not installed" && return 1; }
	done <"$at/kselftest-list.txt"
	[ -f "$at/drivers/perf/arm_ete/settings" ] && [ -f "$at/drivers/perf/arm_ete/config" ] || return 1
	for program in "$at"/drivers/perf/arm_ete/*; do
		! aarch64-linux-gnu-readelf -l "$program" 2>/dev/null | grep INTERP || {
			echo "$program is not linked statically"
			return 1
		}
	done
}

for series in 6.1 6.12; do
	build $series
	ok $? "Linux $series: the tests are built and installed" "$log"
	grep -E 'warning:|error:' "$log" >"$dir/warnings"
	[ ! -s "$dir/warnings" ]
	ok $? "Linux $series: no warning" "$dir/warnings"
	complete $series >"$log"
	ok $? "Linux $series: all is installed, and linked statically" "$log"
done

# each test of the directory is in its Makefile
for file in "$tests"/*.sh; do
	name=$(basename "$file")
	[ "$name" = lib.sh ] || grep -q ":$name\$" "$dir/6.12/kselftest-list.txt" || echo "$name is not run"
done >"$log"
[ ! -s "$log" ]
ok $? "each script is run" "$log"

# hwflow-hwcheck: it is installed; its errata are the driver's; its questions and options are in the documentation
[ -x "$dir/6.12/drivers/perf/arm_ete/hwflow-hwcheck" ]
ok $? "hwflow-hwcheck is installed"
numbers() { # FILE: rows of an erratum's table, by its number
	grep -oE '\b(1[89]|2[0-9])[0-9]{5}\b' "$1" | sort | uniq -c
}
sed -n '/trbe_errata\[\] = {/,/^};/p' "$top/drivers/perf/ete_caps.c" >"$dir/driver-errata"
sed -n '/} errata\[\] = {/,/^};/p' "$tests/hwcheck_machine.c" >"$dir/hwcheck-errata"
diff <(numbers "$dir/driver-errata") <(numbers "$dir/hwcheck-errata") >"$log" && [ -s "$dir/hwcheck-errata" ]
ok $? "hwflow-hwcheck has the errata of the driver" "$log"
for question in $(grep -ohE '"H[0-9]+"' "$tests"/hwcheck_*.c | tr -d '"' | sort -u); do
	grep -q "^$question " "$top/Documentation/open-questions.rst" || echo "$question is no row of open-questions.rst"
done >"$log"
for option in $(grep -oE '^	"  -[a-zA-Z], --[a-z]+' "$tests/hwflow-hwcheck.c" | grep -oE '\-\-[a-z]+'); do
	grep -q -e "\`\`$option" -e " $option " "$top/Documentation/testing.rst" || echo "$option is not in testing.rst"
done >>"$log"
[ ! -s "$log" ]
ok $? "questions and options of hwflow-hwcheck are documented" "$log"

checkpatch=$("$top/tools/setup/fetch-kernel-source" scripts/checkpatch.pl scripts/spelling.txt \
	scripts/const_structs.checkpatch)/scripts/checkpatch.pl
# programs of user space have the types of C and their own tables; macros of the harness return, and declare variants
ignored=PREFER_KERNEL_TYPES,BIT_MACRO,CAMELCASE,VOLATILE,AVOID_EXTERNS,MACRO_WITH_FLOW_CONTROL
ignored+=,PREFER_DEFINED_ATTRIBUTE_MACRO,MULTIPLE_ASSIGNMENTS,MACRO_ARG_REUSE,ARRAY_SIZE,COMPLEX_MACRO,LEADING_SPACE
ignored+=,SPACING,FUNCTION_ARGUMENTS,SPLIT_STRING,REPEATED_WORD,MULTISTATEMENT_MACRO_USE_DO_WHILE,NAKED_SSCANF
# it leaves a file of names in the directory where it is run
(cd "$dir" && "$checkpatch" --no-tree --terse --strict --max-line-length=120 --show-types --ignore "$ignored" \
	-f "$tests"/*.[ch]) 2>&1 | grep -E '(ERROR|WARNING|CHECK):' >"$log"
[ ! -s "$log" ]
ok $? "checkpatch.pl finds nothing" "$log"
if command -v shellcheck >/dev/null; then
	shellcheck -x -P "$tests" -s sh -e SC2154 "$tests"/*.sh >"$log"
	ok $? "shellcheck finds nothing" "$log"
fi
done_testing
