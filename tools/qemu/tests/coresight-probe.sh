#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# coresight-probe.sh QEMU DIR - stock modules of Debian's kernels find the trace units and the trace
# buffers, with the kernel at EL1, at EL2 (VHE), at EL1 with its hypervisor at EL2 (nVHE), and with
# a Secure state.
#
# What they show of the ID registers is held against values worked out by hand from the manual
# (the alignment is a hexadecimal number of bytes).
set -u
here=$(cd "$(dirname "$0")" && pwd)
boot=$here/../../../selftests/boot
qemu=$1
dir=$2
mkdir -p "$dir"
. "$here/../../setup/tests/wait.bash"
n=0
failed=0

# machine NAME KERNEL MACHINE-OPTIONS CPU-OPTIONS: `expect` of standard input
machine() {
	local name=$1 kernel=$2 machine=$3 cpu=$4 at=$dir/$1 line

	mkdir -p "$at"
	cp "$here/guest/probe.sh" "$at/test"
	cat >"$at/expect"
	"$boot/make-image" -o "$at" --kernel "$kernel" --module configfs --module coresight --module coresight-etm4x \
		--module coresight-trbe "$at/test" "$at/expect" || exit 1
	APPEND=${APPEND-} "$boot/boot" "$at" 120 "$qemu" -M "virt,gic-version=3$machine" -cpu "max,pauth-impdef=on,ete=on,trbe=on$cpu" \
		-smp 2 >"$at/output"
	echo "$?" >"$at/status"
	while read -r line; do
		case $line in
		"ok "* | "not ok "*)
			n=$((n + 1))
			[ "${line%%ok*}" = "" ] || failed=$((failed + 1))
			echo "${line%%ok *}ok $n - $name: ${line#* - }"
			;;
		"#"*) echo "$line" ;;
		esac
	done <"$at/output"
	n=$((n + 1))
	if [ "$(cat "$at/status")" -eq 0 ]; then
		echo "ok $n - $name: the machine came to its end"
	else
		failed=$((failed + 1))
		show_end "$at/output"
		echo "not ok $n - $name: the machine came to its end"
		# not by itself: by a signal, or at its time limit
		[ "$(cat "$at/status")" -eq 1 ] || {
			echo "1..$n"
			exit 1
		}
	fi
}

machine el1 6.1 "" "" <<-END
	ete0/mgmt/trcdevarch 0x47705a13
	ete0/trcidr/trcidr0 0x68000ea1
	ete0/trcidr/trcidr1 0x4100fff0
	ete0/trcidr/trcidr2 0xd0001088
	ete0/trcidr/trcidr3 0x1300004
	ete0/trcidr/trcidr4 0x11170004
	ete0/trcidr/trcidr5 0x280709ff
	ete0/trcidr/trcidr8 0x0
	ete0/mgmt/trcauthstatus 0xc
	ete1/trcidr/trcidr4 0x11170004
	trbe0/align 1
	trbe0/flag 0
	log HYP mode not available
END
machine vhe 6.1 ",virtualization=on" ",ete-version=2,ete-counters=4,ete-address-pairs=8,\
ete-maxspec=7,ete-commopt=off,ete-return-stack=off,trbe-align=6,trbe-flag-updates=on,\
trace-unknown=1" <<-END
	ete0/mgmt/trcdevarch 0x47725a13
	ete0/trcidr/trcidr0 0x48000ca1
	ete0/trcidr/trcidr2 0xd0001088
	ete0/trcidr/trcidr3 0x1700004
	ete0/trcidr/trcidr4 0x11170008
	ete0/trcidr/trcidr5 0x480709ff
	ete0/trcidr/trcidr8 0x7
	trbe0/align 40
	trbe0/flag 1
	trbe1/align 40
	log VHE mode initialized successfully
END
machine secure 6.1 ",virtualization=on,secure=on" ",trace-unknown=2" <<-END
	ete0/trcidr/trcidr3 0x17f0004
	ete1/mgmt/trcauthstatus 0xcc
	trbe1/flag 0
END

# without VHE the kernel leaves EL2 to its hypervisor, and gives itself the buffer: E2TB is 0b11
APPEND=id_aa64mmfr1.vh=0 machine nvhe 6.1 ",virtualization=on" "" <<-END
	ete0/trcidr/trcidr2 0xd0001088
	trbe1/align 1
	log Hyp mode initialized successfully
END
machine el1-6.12 6.12 "" "" <<-END
	ete0/trcidr/trcidr0 0x68000ea1
	trbe1/align 1
END
machine vhe-6.12 6.12 ",virtualization=on" "" <<-END
	ete1/trcidr/trcidr4 0x11170004
	trbe0/flag 0
END
echo "1..$n"
[ "$failed" -eq 0 ]
