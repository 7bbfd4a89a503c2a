#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#
# freestanding.sh BUILD - the core of the library needs no libc but memcpy and its like, and has no
# variable data: it can be linked into a kernel, a device model or firmware.
set -u
shopt -s nullglob
build=$1
core=(core codec/ete codec/etmv3 codec/riscv code/insn decode fast encode text)
objects=()
for dir in "${core[@]}"; do
	objects+=("$build"/obj/tools/lib/hwflow/"$dir"/*.o)
done

wanted=$(mktemp)
trap 'rm -f "$wanted" "$wanted.o"' EXIT
ld -r -o "$wanted.o" "${objects[@]}" || exit 1
undefined=$(nm -u "$wanted.o" | awk '{print $2}' | grep -vE '^(mem(cpy|set|move|cmp)|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail)$')
if [ -z "$undefined" ]; then
	echo "ok 1 - the core needs nothing but mem*"
else
	echo "not ok 1 - the core needs nothing but mem*"
	echo "$undefined" | sed 's/^/# needs /'
fi
# constants that hold addresses are relocated, and so not in a read-only section
writable=$(objdump -t "$wanted.o" | awk '$0 ~ / O \.(data|bss)/ && $0 !~ /\.data\.rel\.ro/ {print $NF}')
if [ -z "$writable" ]; then
	echo "ok 2 - the core has no variables"
else
	echo "not ok 2 - the core has no variables"
	echo "$writable" | sed 's/^/# variable /'
fi
