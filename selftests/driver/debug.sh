#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# debug.sh QEMU DIR - the debug kernel on the emulated machine: it has all of its checkers, it
# complains of nothing by itself, and each checker finds what is wrong on purpose.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$1
dir=$2
mkdir -p "$dir"
. "$here/../../tools/setup/tests/tap.bash"
. "$here/debug.bash"
build_debug_kernel

# KIND TEXT: what splat.ko does wrong, and what the kernel says. After a lock's fault lockdep
# looks no more, and after one of memory does not either: in this order.
kinds() {
	cat <<-END
		preempt	BUG: using smp_processor_id() in preemptible
		sleep	BUG: sleeping function called from invalid context
		shift	UBSAN: shift-out-of-bounds
		bounds	UBSAN: array-index-out-of-bounds
		list	list_del corruption
		object	ODEBUG: free active
		twice	possible recursive locking detected
		slab	KASAN: slab-out-of-bounds
		freed	KASAN: use-after-free
		vmalloc	KASAN: vmalloc-out-of-bounds
	END
}

phases() {
	local kind

	echo "phase boot true"
	echo "phase fails failing once failslab marked cat /proc/modules"
	echo "phase right splat right"
	echo 'phase nth failing /failnth write $wrong unwind'
	echo "phase leak splat leak"
	echo "phase leaks leaks"
	kinds | while read -r kind _; do
		echo "phase $kind splat $kind"
	done
}

MEMORY=256 machine checkers 900 "" "" 2 < <(phases) || {
	done_testing
	exit
}
at=$dir/checkers

missing=$(grep '^CONFIG' "$here/../boot/debug-kernel.config" | grep -vxFf "$at/host/config")
[ -s "$at/host/config" ] && [ -z "$missing" ]
ok $? "the kernel has each option of debug-kernel.config" <(echo "$missing")
clean checkers boot
passed checkers right
clean checkers right

grep -q " name failslab," "$at/host/log.fails"
ok $? "checkers: an allocation of a marked process fails" "$at/host/log.fails"
passed checkers nth
grep -Eq '^failnth: [1-9][0-9]* of [1-9][0-9]* failures made it fail$' "$at/host/out.nth"
ok $? "checkers: each allocation fails once" "$at/host/out.nth"
grep -q " name failslab," "$at/host/log.nth" && grep -q " name fail_page_alloc," "$at/host/log.nth"
ok $? "checkers: those of objects, and of pages" "$at/host/log.nth"
# a scan takes a minute: one for what is leaked on purpose, and for the kernel by itself
found checkers leaks "new suspected memory leaks"
for leak in splat_leak splat_unwind; do
	grep -q "$leak" "$at/host/out.leaks"
	ok $? "checkers: leaks: that of $leak" "$at/host/out.leaks"
done
all=$(grep -c 'unreferenced object' "$at/host/out.leaks")
[ "$all" -eq "$(grep -c splat_set "$at/host/out.leaks")" ]
ok $? "checkers: leaks: no other" "$at/host/out.leaks"
while read -r kind text; do
	passed checkers "$kind"
	found checkers "$kind" "$text"
done < <(kinds)

done_testing
