#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants-random.sh QEMU HWFLOW MODULES DIR - do the installed kselftests, without a log of what is executed, notice faults
# of the driver that are chosen at random? Of all changes that mutations.awk makes in drivers/perf, MUTANTS=40 are
# chosen by SEED, which is printed; a change that gives the same machine code is not counted. Each is one boot of the cell
# ksft-mutants: first the tests that are about the changed file, then all others, up to the first that fails.
#
# SEED.result has a line for each that was tried; those are not tried again: a run that was stopped goes on, with its
# SEED, as long as the tree is the same (kept.bash). To repeat one, delete its line. WHOLE=yes: also the tests that take minutes, on those that have survived. CELL=ksft-mutants-n2,
# CELL=ksft-mutants-acpi, CELL=ksft-mutants-acpi-6.1 (this kernel does not read the trace buffer's interrupt from ACPI by
# itself): those that have survived, in this cell; MATCH=REGEXP: only lines that match. mutants-random.equal has changes
# that no test can notice, with the proof. A table at the end.
# Not part of `make test`: a minute each, and several for one that is not noticed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
setup=$top/tools/setup
qemu=$(realpath "$1")
hwflow=$(realpath "$2")
modules=$(realpath "$3")
mkdir -p "$4"
dir=$(cd "$4" && pwd)
cell=${CELL:-ksft-mutants}
count=${MUTANTS:-40}
. "$setup/tests/kept.bash"
open_kept "$dir"
seed=${SEED:-$(cat "$kept/seed" 2>/dev/null)}
seed=${seed:-$((RANDOM * 32768 + RANDOM + 1))}
echo "$seed" >"$kept/seed"
result=$kept/$seed.result
all="open sysfs filters permissions buffers tasks compete pause_resume hotplug idle data_workloads unload.sh"
[ "${WHOLE-}" != yes ] || all="$all torture data_aarch32 data_random command.sh faults.sh kvm.sh"
set=$([ "${WHOLE-}" = yes ] && echo whole || echo quick)
touch "$result"
# two runs at a time, JOB=0 and JOB=1 with the same DIR and SEED, try every other change each
job=${JOB-}
work=$dir/job$job
mkdir -p "$work"
key() { # NAME: the value of a key of the cell
	sed -nE "s/^${cell}[[:blank:]].*[[:blank:]]$1=([^[:blank:]]*).*/\1/p" "$here/cells"
}
kernel=$(key kernel)
kernel=${kernel:-6.1}

# bytes that follow from the seed
random_bytes() {
	local i

	for ((i = 0; i < 400; i++)); do
		printf '%s %s' "$seed" "$i" | sha512sum
	done
}

# all changes of all files, in the order of the seed: FILE and what mutations.awk says
chosen() {
	local file

	for file in "$top"/drivers/perf/*.[ch]; do
		awk -v OFS='\t' -f "$here/mutations.awk" "$file" | sed "s/^/$(basename "$file")\t/"
	done | shuf --random-source=<(random_bytes)
}

# the tests in the order for a changed file
tests_for() { # FILE
	local first

	case $1 in
	trbe_window.* | trbe_buffer.*) first="buffers" ;;
	trbe*) first="buffers compete" ;;
	ete_config.*) first="open filters data_workloads" ;;
	ete_caps.*) first="open sysfs" ;;
	arm_ete_pmu.c) first="open filters permissions" ;;
	arm_ete_sysfs.c) first="sysfs" ;;
	arm_ete_cpu.c) first="hotplug idle unload.sh" ;;
	arm_ete_probe.c) first="unload.sh sysfs" ;;
	*) first="open buffers" ;;
	esac
	# shellcheck disable=SC2086 # words
	awk 'BEGIN { for (i = 1; i < ARGC; i++) if (!seen[ARGV[i]]++) printf "%s%s", (n++ ? "," : ""), ARGV[i] }' $first $all
}

build() {
	"$work/tree/tools/setup/build-module" "$kdir" "$work/modules/$kernel" >"$work/build.log" 2>&1
}

# what the module does: all of it but the hash of its sources and debug data
code() { # FILE
	aarch64-linux-gnu-objcopy --strip-debug -R .modinfo -R .note.gnu.build-id -R .BTF "$work/modules/$kernel/arm_ete_pmu.ko" "$1"
}

# untried NAME KNOWN: whether a change is to be tried here; KNOWN are its lines in the result. In another cell than ksft-mutants
# what that has not noticed
untried() {
	[[ $1 =~ ${MATCH-} ]] || return 1
	[ "$cell" != ksft-mutants ] || [ "${WHOLE-}" = yes ] || [ -z "$2" ] || return 1
	[ "$cell" = ksft-mutants ] && [ "${WHOLE-}" != yes ] && return
	[[ $2 == *"	SURVIVED	"* && $2 != *"	noticed	"* && $2 != *"	$cell	$set"* ]]
}

prepare() {
	"$here/run" "$qemu" "$hwflow" "$modules" "$dir/base-$kernel" full "$cell" >"$dir/base-$kernel.log" 2>&1 || {
		echo "mutants-random: $cell does not pass without a fault, see $dir/base-$kernel.log" >&2
		exit 1
	}
}

# run_boot TESTS: boots the machine of the cell with the module, and stops it at the first failure
run_boot() {
	local at=$work/boot props=max,pauth-impdef=on,ete=on,trbe=on append="hwflow.tests=ksft" boot cpus machine cpu
	local -a options=()

	rm -rf "$at" "$work/overlay"
	mkdir -p "$at/host" "$work/overlay"
	cp -r "${KSELFTEST:-$dir/kselftest}" "$work/overlay/kselftest"
	cp "$work/modules/$kernel/arm_ete_pmu.ko" "$work/overlay/"
	aarch64-linux-gnu-strip --strip-debug "$work/overlay/arm_ete_pmu.ko"
	ln -s "$image/kernel" "$at"
	{
		cat "$image/initramfs"
		(cd "$work/overlay" && find kselftest arm_ete_pmu.ko | cpio -o -H newc -R 0:0 --quiet)
	} >"$at/initramfs"
	[ "$(key sync)" != strict ] || props=$props,trace-sync=strict
	machine=$(key machine)
	cpus=$(key cpus)
	cpu=$(key cpu)
	if [ "$(key firmware)" = acpi ]; then
		options+=(-bios /usr/share/qemu-efi-aarch64/QEMU_EFI.fd)
		append="acpi=force $append"
	fi
	APPEND="$append hwflow.ksft_tests=$1 ARM_ETE_SEED=1" setsid "$here/../boot/boot" "$at" "$(key seconds)" "$qemu" -accel tcg \
		-M "virt,gic-version=3${machine:+,$machine}" -cpu "$props${cpu:+,$cpu}" -smp "${cpus:-2}" "${options[@]}" \
		-virtfs "local,path=$at/host,mount_tag=host,security_model=none" >/dev/null 2>&1 &
	boot=$!
	while kill -0 "$boot" 2>/dev/null && ! failure >/dev/null; do
		sleep 1
	done
	kill -- "-$boot" 2>/dev/null
	wait "$boot" 2>/dev/null
}

# failure: the test that failed in the boot, or what the kernel complains of; false if nothing did
failure() {
	local log=$work/boot/console line

	[ -e "$log" ] || return 1
	if line=$(grep -m1 -aE '^# not ok|^not ok' "$log"); then
		echo "$line" | sed -E 's/^(# )?not ok [0-9]+ (selftests: )?//'
	elif line=$(grep -m1 -aE 'Oops|BUG:|WARNING:|Kernel panic|INFO: task|insmod: ' "$log"); then
		echo "$line"
	else
		return 1
	fi
}

# PREPARED=yes: the image of an earlier run is used
if [ "${PREPARED-}" != yes ] || [ ! -e "$dir/base-$kernel/image-$kernel-kselftest/.made" ]; then
	prepare
fi
image=$dir/base-$kernel/image-$kernel-kselftest
[ -n "$job" ] || {
	rm -rf "$dir/kselftest"
	"$setup/kselftest-install" "$(dirname "$hwflow")" "$dir/kselftest" >"$dir/kselftest.log" 2>&1
	rm -f "$dir/kselftest/drivers/perf/arm_ete/hwflow"
}
kdir=$("$setup/fetch-headers" "$kernel") || exit 1
rm -rf "$work/tree"
mkdir -p "$work/tree/tools"
cp -r "$top/Kbuild" "$top/drivers" "$top/include" "$work/tree"
ln -s "$setup" "$work/tree/tools/setup"
build || { cat "$work/build.log" >&2 && exit 1; }
code "$work/good.o"
# without a fault all of them pass
if [ -z "$job" ]; then
	run_boot "$(tests_for arm_ete_pmu.c)"
	if failure; then
		echo "mutants-random: the tests do not pass without a fault, see $work/boot/console" >&2
		exit 1
	fi
fi
echo "# seed $seed, $(chosen | wc -l) changes in all"
tried=0 number=0
while [ $tried -lt "$count" ] && IFS=$'\t' read -r file line column size by; do
	text=$(awk -v n="$line" -v at="$column" -v size="$size" -v by="$by" '
		NR == n {
			bad = substr($0, 1, at - 1) by substr($0, at + size)
			gsub(/^[ \t]+/, "")
			gsub(/^[ \t]+/, "", bad)
			print $0 " -> " bad
		}' "$top/drivers/perf/$file")
	name="$file:$line: $text"
	number=$((number + 1))
	[ -z "$job" ] || [ $((number % 2)) -eq "$job" ] || continue
	known=$(grep -F -- "$name	" "$result")
	if ! untried "$name" "$known"; then
		case $known in "" | *"	same code"* | *"	not built"*) ;; *) tried=$((tried + 1)) ;; esac
		continue
	fi
	awk -v n="$line" -v at="$column" -v size="$size" -v by="$by" '
		NR == n { $0 = substr($0, 1, at - 1) by substr($0, at + size) }
		{ print }' "$top/drivers/perf/$file" >"$work/tree/drivers/perf/$file"
	if ! build; then
		verdict="not built"
	else
		code "$work/bad.o"
		if cmp -s "$work/good.o" "$work/bad.o"; then
			verdict="same code"
		else
			tried=$((tried + 1))
			begun=$SECONDS
			run_boot "$(tests_for "$file")"
			if verdict=$(failure); then
				verdict="noticed	$verdict"
			elif grep -q '^machine: test ended$' "$work/boot/console"; then
				verdict="SURVIVED	"
			else
				verdict="noticed	the machine did not come to its end"
			fi
			verdict="$verdict	$cell	$set	$((SECONDS - begun)) s"
		fi
	fi
	cp "$top/drivers/perf/$file" "$work/tree/drivers/perf/$file"
	printf '%s\t%s\n' "$name" "$verdict" | tee -a "$result"
done < <(chosen)

# is_equal NAME: mutants-random.equal has the change, of any line of the file or of this function only
is_equal() {
	local file=${1%%:*} line=${1#*:} text function

	text=${line#*: }
	line=${line%%:*}
	function=$(awk -v n="$line" 'NR > n { exit } /^[a-z].*\(/ { sub(/\(.*/, ""); at = $NF; sub(/^\*/, "", at) } END { print at }' \
		"$top/drivers/perf/$file")
	grep -qF -e "$file: $text	" -e "$file: $function(): $text	" "$here/mutants-random.equal"
}

# the table: the last word about each change
noticed=0 equal=0 left=0
while IFS= read -r name; do
	if grep -qF -- "$name	noticed	" "$result"; then
		noticed=$((noticed + 1))
	elif is_equal "$name"; then
		equal=$((equal + 1))
	else
		left=$((left + 1))
		echo "not noticed: $name"
	fi
done < <(grep -E '	(noticed|SURVIVED)	' "$result" | cut -f 1 | sort -u)
echo "# seed $seed: $noticed noticed, $equal equal, $left not noticed; $(grep -c '	same code' "$result") more give the same code"
[ $left -eq 0 ]
