#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf-user.sh QEMU HWFLOW DIR - stock perf in the machine records user code by the modules of
# Debian's kernel; stock perf decodes it, and hwflow finds it equal to what was executed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
boot=$here/../../../selftests/boot
qemu=$1
hwflow=$2
dir=$3
mkdir -p "$dir"
. "$here/tap.bash"

# stock_perf FILE NAME INSTRUCTIONS: it finds branches in the trace, and reports a sample for each
# thousand of its instructions
stock_perf() {
	local branches reported

	if ! command -v perf >/dev/null; then
		n=$((n + 1))
		echo "ok $n - $2: stock perf decodes it # SKIP no perf here"
		return
	fi
	reported=$(timeout 300 perf report --symfs="$symfs" --itrace=i1000i --stdio --sort=comm,dso \
		-i "$1" 2>/dev/null | sed -n 's/^# Event count (approx.): //p')
	echo "# $2: perf report has some $reported instructions of $3"
	[ "${reported:-0}" -le "$3" ] && [ "${reported:-0}" -gt $(($3 - $3 / 100)) ]
	ok $? "$2: stock perf reports it"
	branches=$(timeout 300 perf script --symfs="$symfs" --itrace=b -F ip,addr -i "$1" 2>/dev/null |
		wc -l)
	echo "# $2: $branches branches"
	[ "$branches" -gt 1000 ]
	ok $? "$2: stock perf decodes it"
}

# equal FILE NAME [OPTION]...: to what was executed, so many instructions
instructions=0
equal() {
	local file=$1 name=$2 tid result

	shift 2
	tid=$("$hwflow" dump "$file" 2>/dev/null | sed -n 's/^# aux record .* tid //p' | head -n 1)
	result=$(timeout 300 "$hwflow" verify --symfs="$symfs" --truth="$at/host/truth" \
		--tid="${tid:-0}" "$@" "$file" 2>&1)
	if [ $? -eq 0 ]; then
		echo "# $(echo "$result" | head -n 1)"
		instructions=$(echo "$result" | sed -n '1s/.* equal: \([0-9]*\) instructions.*/\1/p')
		ok 0 "$name: equal to what was executed"
	else
		echo "$result" | head -n 20 | sed 's/^/# /'
		ok 1 "$name: equal to what was executed"
	fi
}

aarch64-linux-gnu-gcc -O1 -static -o "$dir/moves" "$here/guest/moves.c" || exit 1
# modules that the trace units, the buffers and 9p need; others are in the kernel
modules_6_1="configfs coresight coresight-etm4x coresight-trbe virtio_pci_modern_dev \
	virtio_pci_legacy_dev virtio_pci netfs fscache 9pnet 9pnet_virtio 9p"
modules_6_12="configfs coresight coresight-etm4x coresight-trbe netfs 9pnet 9pnet_virtio 9p"

# of KERNEL, with APPEND in its command line
machine() { # NAME MACHINE-OPTIONS CPU-OPTIONS CPUS [OPTION]...
	local name=$1 at=$dir/$1 kernel=${KERNEL-6.1} file modules module
	local -a options=()

	modules=modules_${kernel/./_}
	for module in ${!modules}; do
		options+=(--module "$module")
	done
	rm -rf "$at"
	mkdir -p "$at/host"
	cp "$here/guest/perf-user.sh" "$at/test"
	"$boot/make-image" -o "$at" --kernel "$kernel" "${options[@]}" \
		--program linux-perf:usr/bin/perf "$at/test" "$dir/moves" || exit 1
	symfs=$at/root
	"$boot/boot" "$at" 200 "$qemu" -M "virt,gic-version=3$2" \
		-cpu "max,ete=on,trbe=on,trace-log=$at/host/truth$3" -smp "$4" \
		-virtfs "local,path=$at/host,mount_tag=host,security_model=none" "${@:5}" \
		>"$at/output"
	if [ $? -ne 0 ]; then
		tail -n 30 "$at/output" | sed 's/^/# /'
		ok 1 "$name: the machine came to its end"
		return
	fi
	grep '^#' "$at/output"
	ok 0 "$name: the machine came to its end"
	grep -q '^complaints 0$' "$at/output"
	ok $? "$name: the kernel complains of nothing"
	for file in plain small cycles time context filter moves; do
		grep -q "^recorded $file 0$" "$at/output"
		ok $? "$name: perf record: $file"
		equal "$at/host/$file" "$name: $file" \
			$([ $file != filter ] || echo --filtered)
		[ $file != plain ] || stock_perf "$at/host/plain" "$name" "$instructions"
	done
	"$hwflow" verify --symfs="$symfs" --truth="$at/host/truth" "$at/host/small" \
		--tid="$("$hwflow" dump "$at/host/small" 2>/dev/null |
			sed -n 's/^# aux record .* tid //p' | head -n 1)" 2>&1 | grep -q 'more lost'
	ok $? "$name: what a small buffer lost is shown"
}

# MACHINES names those to run, all if not said.
wanted() {
	case " ${MACHINES-$1} " in *" $1 "*) ;; *) return 1 ;; esac
}

wanted el1 && machine el1 "" "" 2
wanted vhe && machine vhe ",virtualization=on" ",ete-maxspec=7,ete-commopt=off" 1
wanted nvhe && APPEND=kvm-arm.mode=nvhe machine nvhe ,virtualization=on ,trace-sync=strict 2
wanted 6.12 && KERNEL=6.12 machine 6.12 ,virtualization=on "" 2
# all instructions counted: blocks are left in the middle for accesses that must be alone
wanted icount && machine icount "" "" 1 -icount shift=auto
echo "1..$n"
[ "$failed" -eq 0 ]
