#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# riscv-captures.sh HWFLOW - decode every RISC-V capture: the instructions executed are those of its
# ground truth.
set -u
. "$(dirname "$0")/riscv-captures.bash"
. "$(dirname "$0")/riscv-traps.bash"

# Each trap is there, and at its address where that is known at all
check_traps() { # PROGRAM STREAM OPTION...
	local what="riscv $1 $2 traps"
	shift 2
	"$hwflow" flow --format=ref "$@" 2>/dev/null | decoded_traps >"$tmp/decoded"
	wrong_traps "$tmp/traps" "$tmp/decoded" >"$tmp/wrong"
	if [ -s "$tmp/wrong" ]; then
		ok 1 "$what"
		head -n 5 "$tmp/wrong" | sed 's/^/#   /'
	else
		ok 0 "$what"
	fi
}

check() { # PROGRAM STREAM DIALECT CONFIG
	local dir=$captures/$1 status
	local -a options=(--protocol=riscv --dialect="$3" --image="$dir/prog.elf"
		--config="iaddress_width_p=$(field "$dir/meta.json" xlen),$4")

	[ "$1" != test_discon_branch_exception ] || options+=(--image="$tmp/boot@0x1000")
	zstd -dcq "$dir/$2.bin.zst" >"$tmp/trace" || return
	"$hwflow" flow --format=pc "${options[@]}" "$tmp/trace" >"$tmp/pc" 2>"$tmp/err"
	status=$?
	[ ! -s "$tmp/traps" ] || check_traps "$1" "$2" "${options[@]}" "$tmp/trace"
	if [ $status = 0 ] && [ ! -s "$tmp/err" ] && cmp -s "$tmp/pc" "$tmp/truth"; then
		ok 0 "riscv $1 $2"
	else
		ok 1 "riscv $1 $2"
		echo "# status $status"
		diff "$tmp/truth" "$tmp/pc" | head -n 6 | sed 's/^/#   /'
		head -n 6 "$tmp/err" | sed 's/^/#   /'
	fi
}

boot_code >"$tmp/boot"
for meta in "$captures"/*/meta.json; do
	name=$(basename "$(dirname "$meta")")
	zstd -dcq "$captures/$name/truth.pc.zst" >"$tmp/truth"
	zstd -dcq "$captures/$name/exec.csv.zst" | executed_traps >"$tmp/traps"
	for stream in basic full wide; do
		check "$name" "te_inst.$stream" ratified \
			"$common,${ratified[$stream]}"
	done
	for stream in a b c; do
		check "$name" "draft026.$stream" 0.026 \
			"$common,${draft[$stream]}"
	done
done
done_testing
