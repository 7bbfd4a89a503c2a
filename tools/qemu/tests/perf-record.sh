#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf-record.sh QEMU HWFLOW DIR - Debian's perf records a program on the emulated machine, with the
# in-tree driver; hwflow decodes it, and finds each call as often as it was made.
set -u
here=$(cd "$(dirname "$0")" && pwd)
boot=$here/../../../selftests/boot
qemu=$1
hwflow=$(realpath "$2")
dir=$3
mkdir -p "$dir"
. "$here/tap.bash"
. "$here/../../setup/tests/wait.bash"

aarch64-linux-gnu-gcc -O1 -g -static -o "$dir/program" "$here/guest/program.c" || exit 1
cp "$here/guest/record.sh" "$dir/test"

# calls RECORDING FUNCTION NUMBER: was FUNCTION entered so often?
calls() {
	local address found

	address=$(aarch64-linux-gnu-nm "$dir/program" | sed -n "s/^0*\([0-9a-f]*\) [tT] $2\$/\1/p")
	found=$(grep -cx "$address" "$1.pc")
	[ "$found" -eq "$3" ] || echo "# $2: $found calls"
	[ "$found" -eq "$3" ]
	ok $? "$(basename "$(dirname "$1")") $(basename "$1"): $3 calls of $2"
}

# machine NAME MACHINE-OPTIONS CPU-OPTIONS; recordings on standard input, as guest/record.sh has them
machine() {
	local at=$dir/$1 name recording

	mkdir -p "$at"
	cat >"$at/record"
	"$boot/make-image" -o "$at" --module configfs --module coresight --module coresight-etm4x \
		--module coresight-trbe --program linux-perf:usr/bin/perf \
		"$dir/test" "$at/record" "$dir/program" || exit 1
	"$boot/boot" "$at" 200 "$qemu" -M "virt,gic-version=3$2" -cpu "max,pauth-impdef=on,ete=on,trbe=on$3" -smp 2 \
		>"$at/output"
	must_end $? "$1: the machine came to its end" "$at/output"
	grep '^#' "$at/output"
	mkdir -p "$at/root/tmp"
	while read -r name _; do
		recording=$at/$name
		sed -n "/^== begin $name\$/,/^== end $name\$/{/^==/d;p}" "$at/output" |
			base64 -d 2>/dev/null | gzip -dc >"$recording.data"
		# one CPU after another, where the program was on both
		sources=$("$hwflow" dump --quiet "$recording.data" 2>/dev/null |
			sed -n 's/^# source /--source=/p')
		for source in ${sources:---quiet}; do
			"$hwflow" flow --gaps=all --symfs="$at/root" --format=pc "$source" "$recording.data"
		done >"$recording.pc" 2>"$recording.errors"
		echo "# hwflow: $(wc -l <"$recording.pc") instructions"
		sed 's/^/# /' "$recording.errors" | head -n 5
		# a handler returns through code of the vdso, which no recording holds
		[ "$(grep -c 'no program code at this address' "$recording.errors")" -eq 20 ] &&
			! grep -vE 'no program code at this address|\[vdso\]: no code' "$recording.errors"
		ok $? "$1 $name: no gap but the 20 returns of a signal handler"
		calls "$recording" leaf 1000
		calls "$recording" other_leaf 520
		calls "$recording" recursive 51
	done <"$at/record"
}

machine vhe ",virtualization=on" "" <<-END
	thread --per-thread -e cs_etm//u /program
	cpu -e cs_etm//u /program
END
machine el1 "" "" <<-END
	thread --per-thread -e cs_etm//u /program
	cycles -e cs_etm/cycacc/u /program
END
# no resources at all: what the driver writes without asking goes nowhere
machine least "" ",ete-absent-raz=on,ete-address-pairs=0,ete-resource-pairs=0,ete-single-shot=0,\
ete-context-comparators=0,ete-virtual-context-comparators=0,ete-external-inputs=0,ete-sequencer=0,\
ete-counters=0,ete-return-stack=off,trace-unknown=1" <<-END
	thread --per-thread -e cs_etm//u /program
END
# the driver of Linux has all the barriers it needs
machine strict ",virtualization=on" ",trace-sync=strict" <<-END
	thread --per-thread -e cs_etm//u /program
	small -m ,32K --per-thread -e cs_etm//u /program
END
machine seed "" ",trace-sync=strict,trace-sync-seed=1" <<-END
	thread --per-thread -e cs_etm//u /program
	cpu -e cs_etm//u /program
END
# and its ways around the errata of a Neoverse N2 work
machine errata "" ",trace-sync=strict,midr=0x410fd490,trbe-overwrites=on,trbe-tsb-fails=on,trbe-beyond-limit=on" <<-END
	thread --per-thread -e cs_etm//u /program
END
echo "1..$n"
[ "$failed" -eq 0 ]
