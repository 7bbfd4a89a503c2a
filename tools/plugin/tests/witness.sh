#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# witness.sh HWFLOW BUILD [arm64|riscv64] - compare the ground-truth log with QEMU's own account of a run.
#
# QEMU, one instruction at a time (-one-insn-per-tb), writes the address of each that it starts to
# execute (-d exec,nochain); no code of ours has a part in it. Of an instruction that
# takes a fault or trap the log has no execution but an exception with its address, so this
# address is put in. Speaks TAP.
set -eu

hwflow=$1
build=$2
here=$(dirname "$0")
setup=$here/../../setup
target=${3:-arm64}
work=$build/witness-$target
. "$here/target.bash"
case $target in
arm64)
	# the log has no bits 1:0 of an address that is not aligned
	align=(-e 's/[123]$/0/' -e 's/[567]$/4/' -e 's/[9ab]$/8/' -e 's/[def]$/c/')
	faults='data-fault|alignment|trap|instruction-debug'
	;;
riscv64)
	# of ebreak the log has an execution, as of ecall
	align=(-e '')
	faults='load-page-fault|store-page-fault|load-misaligned|store-misaligned|illegal-instruction'
	;;
esac
. "$here/../../setup/tests/tap.bash"

# The same environment, addresses and input for both. In a reserved address space (-R) QEMU chooses the addresses of
# mappings; else the kernel does, and the plugin's own mappings change them.
run_alike() {
	env -i PATH="$PATH" HOME=/ "$@" </dev/null
}

# compare NAME MINIMUM COMMAND...: the log has at least MINIMUM instructions
compare() {
	local name=$1 minimum=$2 log=$work/$1

	shift 2
	run_alike setarch -R "$qemu" -R 16G $one -d exec,nochain -D "$log.qemu" "$@" \
		>"$log.out1" 2>&1 || true
	run_alike "$hwflow" emulate --quiet --fixed-addresses --qemu-option=-R --qemu-option=16G -o "$log.data" -- "$@" \
		>"$log.out2" 2>"$log.err" || true
	awk '/^Stopped execution/ { n-- ; next }
		/^Trace/ { split($4, part, "/"); sub(/^0*/, "", part[2]); pc[n++] = part[2] }
		END { for (i = 0; i < n; i++) print pc[i] }' "$log.qemu" |
		sed "${align[@]}" >"$log.expected"
	run_alike "$hwflow" emulate --show-log="$log.data.truth" | awk -v faults="^($faults)\$" '
		$4 == "EXC" {
			if ($5 ~ faults)
				print $6
			next
		}
		$4 == "GAP" { print "gap"; next }
		{ print $6 }' >"$log.actual"
	rm -f "$log.qemu"
	if [ "$(wc -l <"$log.expected")" -lt "$minimum" ]; then
		echo "# the witness saw only $(wc -l <"$log.expected") instructions"
		sed 's/^/# /' "$log.out1" | tail -n 3
		ok 1 "$name: enough instructions"
	elif cmp -s "$log.expected" "$log.actual"; then
		ok 0 "$name: $(wc -l <"$log.actual") instructions alike"
		rm -f "$log".*
	else
		echo "# first difference (expected, actual):"
		diff "$log.expected" "$log.actual" | head -n 12 | sed 's/^/# /' || true
		sed 's/^/# /' "$log.err"
		ok 1 "$name: the log equals the witness"
	fi
}

[ -n "$qemu" ] || {
	echo "ok 1 - witness # SKIP there is no QEMU for $target: make qemu-user"
	exit 0
}
# the name of the option since QEMU 8.1
one=-one-insn-per-tb
"$qemu" $one -version >/dev/null 2>&1 || one=-singlestep
mkdir -p "$work"
rm -f "$work"/*
"${CC[@]}" -O2 -static -o "$work.signals" "$here/signals.c"
"${CC[@]}" -O2 -o "$work.dynamic" "$here/signals.c"
"${CC[@]}" -O2 -static -o "$work.bus" "$here/bus.c"
"${CC[@]}" -O2 -static -o "$work.jit" "$here/jit.c"

arm64_programs() {
	local root

	root=$("$setup/fetch-arm64" busybox-static pigz zstd)
	head -c 20000 "$root/bin/busybox" >"$work.input"
	compare busybox-echo 5000 "$root/bin/busybox" echo witness
	compare busybox-gzip 1000000 "$root/bin/busybox" gzip -c "$work.input"
	compare busybox-sort 100000 "$root/bin/busybox" sort "$here/signals.c"
	compare signals-dynamic 50000 /usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1 \
		--library-path /usr/aarch64-linux-gnu/lib "$work.dynamic"
}

riscv64_programs() {
	local source

	source=$("$setup/fetch-source" bzip2)
	"${CC[@]}" -O2 -static -w -o "$work.bzip2" \
		"$source"/{blocksort,huffman,crctable,randtable,compress,decompress,bzlib,bzip2}.c
	"${CC[@]}" -march=rv64g -mabi=lp64d -O2 -static -o "$work.long" "$here/signals.c"
	head -c 500 "$work.bzip2" >"$work.input"
	compare bzip2 500000 "$work.bzip2" -c "$work.input"
	compare signals-long 5000 "$work.long"
	compare signals-dynamic 50000 /usr/riscv64-linux-gnu/lib/ld-linux-riscv64-lp64d.so.1 \
		--library-path /usr/riscv64-linux-gnu/lib "$work.dynamic"
}

${target}_programs
compare signals 5000 "$work.signals"
compare signals-die 5000 "$work.signals" die
compare signals-abort 5000 "$work.signals" abort
compare bus 5000 "$work.bus"
compare jit 5000 "$work.jit"
done_testing
