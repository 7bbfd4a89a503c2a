#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# compilers.sh BUILD [ends|COMPILER...] - each compiler compiles the command, the library, the plugin, their unit
# tests and benchmarks, and the tested part of the driver, without a warning. Speaks TAP: one test for each compiler.
#
# By default these are all of gcc-N and clang-N that are installed; with "ends" the oldest and the newest clang-N. With
# "ends", the clang of clang-tidy's version compiles the driver's part alone: clang-tidy has its warnings for all other
# files, in lint.sh.
# Clang checks the files without generating code; GCC generates code, because some of its warnings come from the
# optimiser.
set -u
build=$1
shift
cd "$(dirname "$0")/../../.." || exit 1
. tools/setup/tests/tap.bash
# the flags of the make that runs this test must not reach the other one
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL BUILD CFLAGS SANITIZE

# installed NAME: NAME-N of each version N, the oldest first
installed() {
	compgen -c "$1-" | grep -xE "$1-[0-9]+" | sort -t - -k 2 -n -u
}

tidy=
case ${1-} in
'') mapfile -t compilers < <(installed gcc && installed clang) ;;
ends)
	tidy=clang-$(clang-tidy --version | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
	mapfile -t compilers < <(installed clang | sed -n '1p;$p' | uniq)
	;;
*) compilers=("$@") ;;
esac

for compiler in "${compilers[@]}"; do
	dir=$build/compilers/$compiler
	log=$dir.log
	rm -rf "$dir"
	mkdir -p "$dir"
	target=compiled
	[ "$compiler" != "$tidy" ] || target=compiled-driver
	flags=()
	[[ $compiler != clang* ]] || flags=(CFLAGS='-O2 -g -fsyntax-only -Wno-unused-command-line-argument'
		SANITIZE='-fsyntax-only -Wno-unused-command-line-argument')
	make -k -s -Otarget -j"$(nproc)" --no-print-directory $target WERROR=1 BUILD="$dir" CC="$compiler" ${flags[@]+"${flags[@]}"} \
		>"$log" 2>&1
	status=$?
	ok $status "$compiler compiles $(find "$dir" -name '*.d' | wc -l) files without a warning" "$log"
	rm -rf "$dir"
done
[ "$n" -gt 0 ] || ok 1 "no compiler gcc-N or clang-N is installed"
done_testing
