#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf-kernel.sh QEMU HWFLOW DIR [NAME]... - stock perf in the machine records the kernel, threads and
# CPUs, by the modules of Debian's kernel; stock perf decodes it, and hwflow finds it equal to what
# was executed. NAMEs are of machines: el1, vhe, nvhe, 6.12; all if none is given.
set -u
here=$(cd "$(dirname "$0")" && pwd)
boot=$here/../../../selftests/boot
qemu=$1
hwflow=$2
dir=$3
shift 3
wanted=" ${*:-el1 vhe nvhe 6.12} "
mkdir -p "$dir"
. "$here/tap.bash"
. "$here/recording.bash"

# verify FILE [OPTION]...: against what was executed
verify() {
	local file=$1

	shift
	guarded 300 "$hwflow" verify --quiet --symfs="$at/root" --truth="$at/host/truth" "$@" "$file" 2>&1
}

# equal FILE: to what was executed; all that was executed is in it. A recording of a thread needs
# the thread: the log has those of all recordings.
equal() {
	local file=$1 result tid
	local -a options=()

	tid=$(tid_of "$at/host/$file")
	case $file in thread*) options=(--tid="${tid:-0}") ;; esac
	result=$(verify "$at/host/$file" "${options[@]}")
	if [ $? -eq 0 ]; then
		echo "# $(echo "$result" | tail -n 1)"
		ok 0 "$name: $file: equal to what was executed"
	else
		echo "$result" | head -n 30 | sed 's/^/# /'
		ok 1 "$name: $file: equal to what was executed"
	fi
	case $file in
	*small) echo "$result" | grep -q 'more lost' ;;
	*) ! echo "$result" | grep -q 'more lost' ;;
	esac
	ok $? "$name: $file: what was lost is shown, where something was"
}

# names FILE FUNCTION: has it, with its module
names() {
	"$hwflow" script --quiet --symfs="$at/root" "$at/host/$1" 2>/dev/null | grep -qF "$2"
	ok $? "$name: $1: $2 is in it"
}

# stock_perf FILE: finds branches of the kernel in the trace
stock_perf() {
	local branches

	if ! command -v perf >/dev/null; then
		n=$((n + 1))
		echo "ok $n - $name: $1: stock perf decodes it # SKIP no perf here"
		return
	fi
	branches=$(guarded 300 perf script --symfs="$at/root" --itrace=b -F ip,addr -i "$at/host/$1" \
		2>/dev/null | grep -c ' ffff')
	echo "# $name: $1: $branches branches"
	[ "$branches" -gt 1000 ]
	ok $? "$name: $1: stock perf decodes it"
}

# share FILE FROM: FILE was recorded without --kcore, soon after FROM; puts it into a directory as
# if it had been with it
share() {
	mv "$at/host/$1" "$at/host/$1.data"
	mkdir "$at/host/$1"
	mv "$at/host/$1.data" "$at/host/$1/data"
	cp -r "$at/host/$2/kcore_dir" "$at/host/$1/"
}

# of KERNEL, with APPEND in its command line
machine() { # NAME MACHINE-OPTIONS CPU-OPTIONS CPUS
	local name=$1 at=$dir/$1 file

	case $wanted in *" $name "*) ;; *) return ;; esac
	run_machine "$name" perf-kernel.sh 400 "$2" "$3" "$4" || return
	share thread-kernel thread
	share thread-small thread
	share cpus-kernel cpus
	share cpus-user cpus
	for file in thread thread-kernel thread-small cpus cpus-kernel cpus-user; do
		grep -q "^recorded $file 0$" "$at/output"
		ok $? "$name: perf record: $file"
		equal "$file"
	done
	names thread " etm4_enable_hw+"
	names thread "([coresight_etm4x])"
	names thread " do_el0_svc+"
	names thread "([kernel.kallsyms])"
	names thread "(busybox)"
	stock_perf thread
	stock_perf cpus
}

machine el1 "" "" 2
machine vhe ",virtualization=on" "" 2
APPEND=kvm-arm.mode=nvhe machine nvhe ,virtualization=on "" 2
KERNEL=6.12 machine 6.12 ,virtualization=on "" 2
echo "1..$n"
[ "$failed" -eq 0 ]
