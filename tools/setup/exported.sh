#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# exported.sh DIRECTORY HEADER... - the functions that the headers in DIRECTORY/hwflow declare, one a line, by the
# compiler's own list of declarations (gcc -aux-info).
set -eu
include=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for header; do
	echo "#include <hwflow/${header##*/}>"
done >"$tmp/all.c"
gcc -std=c11 -I"$include" -aux-info "$tmp/declarations" -fsyntax-only "$tmp/all.c"
sed -nE 's,^/\* [^ ]*/hwflow/[a-z0-9_]*\.h:[^(]*\*/ extern [^(]*[ *](hwf_[a-z0-9_]+) \(.*,\1,p' "$tmp/declarations" | sort -u
