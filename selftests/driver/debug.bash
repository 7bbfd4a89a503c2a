# SPDX-License-Identifier: GPL-2.0-only
#
# Machines with the debug kernel. To be sourced, with here, qemu and dir set, and tap.bash sourced.

. "$here/../../tools/setup/tests/wait.bash"

# splats FILE [FUNCTIONS]: lines of a kernel's log that say that something is wrong, or that a checker
# has stopped to look; but for warnings of these functions, a regular expression.
splats() {
	grep -vE "WARNING: .* (${2-none})\+" "$1" |
		grep -E 'BUG|WARNING|Oops|Internal error|Unable to handle|Kernel panic|KASAN|UBSAN|'`
		`'ODEBUG|INFO: |corruption|suspected memory leaks|kmemleak_object|'`
		`'leak detector disabled|Memory pool empty|'`
		`'rcu_.* (stall|kthread)|blocked for more than|lockup|turning off|Disabling lock debugging|'`
		`'stack-protector|scheduling while atomic|bad page'
}

# races FILE: data races that a kernel's log reports in which code of ours has a part, a line each. Races of the
# kernel with itself are not ours to mend.
races() {
	grep -E 'BUG: KCSAN: .*\[arm_ete_pmu\]' "$1"
}

# build_debug_kernel [kcsan]: the directory of the kernel, and our programs for it in DIR
build_debug_kernel() {
	series=${1-debug}
	kernel=$("$here/../../tools/setup/build-debug-kernel" "$@") || exit 1
	rm -rf "$dir/splat"
	mkdir -p "$dir/splat"
	cp "$here/splat.c" "$dir/splat/"
	echo 'obj-m := splat.o' >"$dir/splat/Kbuild"
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$kernel/build" "M=$(realpath "$dir/splat")" ARCH=arm64 \
		CROSS_COMPILE=aarch64-linux-gnu- modules || exit 1
	aarch64-linux-gnu-gcc -O1 -Wall -Wextra -Wshadow -Wconversion -Werror -static \
		-o "$dir/failnth" "$here/../drivers/perf/arm_ete/failnth.c" || exit 1
	aarch64-linux-gnu-gcc -O1 -Wall -Wextra -Wshadow -Wconversion -Werror -static \
		-D_GNU_SOURCE -I"$here/../../include/uapi" -o "$dir/fault" "$here/../drivers/perf/arm_ete/fault.c" || exit 1
}

# machine NAME SECONDS MACHINE-OPTIONS CPU-OPTIONS CPUS [IMAGE-ARGUMENT]...: phases on standard
# input, see guest/debug.sh, with MEMORY megabytes. Logs are in DIR/NAME/host then, and DIR/NAME/host/truth is what
# was executed, unless LOG is off. False if it did not come to its end.
machine() {
	local name=$1 seconds=$2 options=$3 cpu=$4 cpus=$5 at=$dir/$1 status

	shift 5
	[ "${LOG-on}" = off ] || cpu=,trace-log=$at/host/truth$cpu
	rm -rf "$at"
	mkdir -p "$at/host"
	cat >"$at/phases"
	cp "$here/guest/debug.sh" "$at/test"
	"$here/../boot/make-image" -o "$at" --kernel "$series" "$@" "$at/test" "$at/phases" \
		"$dir/splat/splat.ko" "$dir/failnth" "$dir/fault" || exit 1
	APPEND="loglevel=5 kasan_multi_shot workqueue.watchdog_thresh=300 ${APPEND-}" \
		"$here/../boot/boot" "$at" "$seconds" "$qemu" -M "virt,gic-version=3$options" \
		-cpu "max,pauth-impdef=on,ete=on,trbe=on$cpu" -smp "$cpus" -m "${MEMORY-512}" \
		-virtfs "local,path=$at/host,mount_tag=host,security_model=none" >"$at/output"
	status=$?
	grep -E '^# ' "$at/output"
	[ $status -le 1 ] || must_end $status "$name: the machine came to its end" "$at/output"
	[ $status -eq 0 ] || show_end "$at/output"
	ok $status "$name: the machine came to its end"
	return $status
}

# passed MACHINE PHASE: with exit status 0
passed() {
	grep -qx "phase $2 0" "$dir/$1/output"
	ok $? "$1: $2: goes as it should" "$dir/$1/host/out.$2"
}

# clean MACHINE PHASE [FUNCTIONS]: nothing is wrong in its log
clean() {
	local found=

	[ -f "$dir/$1/host/log.$2" ] && ! found=$(splats "$dir/$1/host/log.$2" "${3-none}")
	ok $? "$1: $2: the kernel complains of nothing" <(echo "$found")
}

# found MACHINE PHASE TEXT: its log has TEXT, and would not pass for one without complaints
found() {
	grep -q -- "$3" "$dir/$1/host/log.$2" && splats "$dir/$1/host/log.$2" >/dev/null
	ok $? "$1: $2: $3" "$dir/$1/host/log.$2"
}
