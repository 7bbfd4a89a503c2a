#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# torture.sh QEMU DIR debug|kcsan SECONDS [MACHINE]... - torture of the driver for so many seconds on each machine, on
# the debug kernel or on the one that finds data races (KCSAN): events are opened, mapped, enabled, read and
# closed at random while CPUs leave and come back, programs migrate, fork, exec and are debugged, the module is
# reloaded and allocations fail. The kernel's log has no complaint, and the module can be unloaded at the end.
#
# SEED decides what is done; it is chosen by chance and printed if it is not given. The machines are vhe, and el1, whose
# trace buffers sometimes cannot write; both if not said.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$1
dir=$2
kind=$3
seconds=$4
shift 4
seed=${SEED-$((RANDOM * 32768 + RANDOM + 1))}
tests=$here/../drivers/perf/arm_ete
mkdir -p "$dir"
. "$here/../../tools/setup/tests/tap.bash"
. "$here/debug.bash"
case $kind in
debug) build_debug_kernel ;;
kcsan) build_debug_kernel kcsan ;;
*)
	echo "usage: torture.sh QEMU DIR debug|kcsan SECONDS [MACHINE]..." >&2
	exit 2
	;;
esac
"$here/../../tools/setup/build-module" "$kernel/build" "$dir/module" || exit 1
harness=$("$here/../../tools/setup/fetch-kernel-source" tools/testing/selftests/kselftest.h)/tools/testing/selftests ||
	exit 1
aarch64-linux-gnu-gcc -O1 -Wall -Wextra -Wshadow -Werror -static -D_GNU_SOURCE -I"$harness" \
	-I"$here/../../include/uapi" -o "$dir/torture" "$tests"/torture*.c || exit 1

# complaints FILE: what the log has that it must not have. Where allocations fail, the kernel itself warns that it has
# no memory for the fields of a tracepoint, or for files of an interrupt in /proc.
complaints() {
	if [ "$kind" = kcsan ]; then
		races "$1"
		splats "$1" 'event_define_fields[.a-z0-9]*|remove_proc_entry' | grep -v 'BUG: KCSAN'
	else
		splats "$1" 'event_define_fields[.a-z0-9]*|remove_proc_entry'
	fi
}

# torture NAME MACHINE-OPTIONS CPU-OPTIONS
torture() {
	local name=$1 at=$dir/$1 log found

	# what is executed in an hour would fill the disk
	LOG=off machine "$name" $((10 * seconds + 900)) "$2" "$3" 4 "$dir/module/arm_ete_pmu.ko" "$dir/torture" <<-END || return
		phase load insmod /arm_ete_pmu.ko
		phase torture /torture -s $seed -t $seconds -m /arm_ete_pmu.ko -H -f
		phase unload rmmod arm_ete_pmu
		$([ "$kind" = kcsan ] || echo phase leaks leaks)
		$([ "$kind" = kcsan ] && echo phase race splat race || echo phase slab splat slab)
	END
	sed 's/^[^#]/# &/' "$at/host/out.torture"
	passed "$name" load
	passed "$name" torture
	grep -q '^ok .* there was trace' "$at/host/out.torture"
	ok $? "$name: there was trace" "$at/host/out.torture"
	passed "$name" unload
	for log in "$at"/host/log.{load,torture,unload,leaks}; do
		[ -f "$log" ] || continue
		found=$(complaints "$log")
		[ -z "$found" ]
		ok $? "$name: ${log##*.}: the kernel complains of nothing" <(echo "$found")
	done
	# up to the end somebody has looked
	case $kind in
	kcsan) found "$name" race "BUG: KCSAN: .*splat" ;;
	debug) found "$name" slab "KASAN: slab-out-of-bounds" ;;
	esac
}

wanted() {
	[ -z "$machines" ] || case " $machines " in *" $1 "*) ;; *) return 1 ;; esac
}

machines=$*
echo "# SEED=$seed"
wanted vhe && torture vhe ",virtualization=on" ",trace-sync=strict"
wanted el1 && torture el1 "" ",trace-sync=strict,trace-sync-seed=1,trbe-fault-after=40009"
done_testing
