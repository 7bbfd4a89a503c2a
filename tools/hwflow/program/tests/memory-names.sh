#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# memory-names.sh BUILD - code that a program made at run time is decoded and named, whatever the kernel calls the
# memory that has it; a file that is missing has a message of its own. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/budget.bash"

# make_jit KIND NAME: a recording "jit" of code in a mapping of this name, named by the program in a file of this kind
make_jit() {
	rm -rf jit
	mkdir jit
	"$made/make_jit" "$1" 8 jit "$2" || exit 1
}

made_at_run_time() { # NAME
	make_jit name "$1"
	"$san" report jit/data >out 2>err
	grep -q 'nnnnnnnn  (jit-7.dump)' out
	ok $? "jitdump in $1" err
	make_jit map "$1"
	printf '\0\0\0\24' >code
	"$san" report --image=code@0x10000000 jit/data >out 2>err
	grep -q 'nnnnnnnn  (perf-7.map)' out
	ok $? "perf-PID.map in $1" err
}

for name in '//anon' '[anon:dalvik-jit-code-cache]' '[heap]' '[stack]' '[stack:7]' 'anon_inode:[code]' '/anon_hugepage' \
	'/anon_hugepage (deleted)' '/SYSV00000000 (deleted)' '/SYSV0001e240 (deleted)' '/memfd:code (deleted)' \
	'/memfd:doublemapper' '/dev/zero (deleted)' '/dev/zero' '/dev/ashmem/dalvik-jit (deleted)' '/dev/ashmem' \
	'/dev/shm/code' '/dev/shm/code (deleted)' '/dev/hugepages/code' '/secretmem (deleted)' '/i915 (deleted)' \
	'/drm mm object (deleted)' '/dmabuf:code' '/dev/mali0' '/[aio] (deleted)' '/tmp/code-7Xw2 (deleted)'; do
	made_at_run_time "$name"
done

for name in /anon_hugepages /i915x /memfd /lib/dev/zero '/lib/memfd:x' /deleted '/x(deleted)'; do
	make_jit name "$name"
	"$san" report jit/data >out 2>err
	grep -q "$name: no code: .*No such file" err && ! grep -q nnnnnnnn out
	ok $? "no memory: $name" err
done

rm -f jit/jit-7.dump
for name in '/SYSV00000000 (deleted)' '/dev/ashmem/x' '[heap]'; do
	make_jit name "$name"
	rm jit/jit-7.dump
	"$san" report jit/data >out 2>err
	grep -qF "$name: no code: memory without a file" err
	ok $? "without a jitdump the message about $name says that it is memory" err
done
done_testing
