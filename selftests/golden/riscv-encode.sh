#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# riscv-encode.sh HWFLOW - encode what every RISC-V capture executed. With --quirk=post-iss the bytes
# are those of the reference encoder. Without, they follow the specification, are not the same where
# the reference encoder errs, and decode to the ground truth. The 0.026 streams come from another
# reading of the draft: that it is the same as ours is tested here too.
#
# Captures are in HWFLOW_CAPTURES (default ../shared/data), below riscv, one folder a program; the
# parameters of each stream are those of FORMAT.md there.
set -u
hwflow=$(realpath "$1")
top=$(cd "$(dirname "$0")/../.." && pwd)
captures=${HWFLOW_CAPTURES:-$top/../shared/data}/riscv
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
. "$top/tools/setup/tests/tap.bash"

if [ ! -d "$captures" ]; then
	if [ "${CI-}" = true ]; then
		echo "not ok 1 - riscv-encode: $captures is missing"
		exit 1
	fi
	echo "ok 1 - riscv-encode # SKIP no captures in HWFLOW_CAPTURES"
	exit 0
fi

common=privilege_width_p=2,ecause_width_p=5
declare -A ratified=(
	[basic]=context_width_p=32,iaddress_lsb_p=1,itype_width_p=3,resync=16
	[full]=context_width_p=32,iaddress_lsb_p=0,itype_width_p=4,full_address=1,call_counter_size_p=9,resync=32
	[wide]=context_width_p=32,iaddress_lsb_p=1,itype_width_p=4,return_stack_size_p=7,time_width=1,resync=1048576
)
declare -A draft=(
	[a]=iaddress_lsb_p=1,nocontext_p=1,max_resync=16
	[b]=iaddress_lsb_p=0,full_address=1,context_width_p=32,max_resync=64
	[c]=iaddress_lsb_p=1,nocontext_p=1,notval_p=1,max_resync=1048576
)

# What is executed before the program's own code is in no file: five instructions at 0x1000
boot_code() {
	printf '\x97\x02\x00\x00\x93\x85\x02\x02\x73\x25\x40\xf1\x83\xb2\x82\x01\x82\x82'
}

# The number of the field in meta.json
field() { # FILE NAME
	sed -n "s/.*\"$2\": *\([0-9]*\).*/\1/p" "$1" | head -n 1
}

# say STATUS NAME: with what the commands said, where it is bad
say() {
	[ "$1" = 0 ] || head -n 6 "$tmp/err" | sed 's/^/#   /'
	ok "$1" "$2"
}

encode() { # OPTION...
	rm -f "$tmp/trace"
	"$hwflow" encode --protocol=riscv -o "$tmp/trace" "$@" "$tmp/exec" 2>"$tmp/err" &&
		[ ! -s "$tmp/err" ]
}

same_bytes() { # FILE
	zstd -dcq "$1" >"$tmp/reference" && cmp "$tmp/trace" "$tmp/reference" >"$tmp/err" 2>&1
}

decodes() { # OPTION...
	"$hwflow" flow --format=pc --protocol=riscv "${images[@]}" "$@" "$tmp/trace" >"$tmp/pc" \
		2>"$tmp/err" && [ ! -s "$tmp/err" ] && cmp "$tmp/pc" "$tmp/truth" >"$tmp/err" 2>&1
}

boot_code >"$tmp/boot"
for meta in "$captures"/*/meta.json; do
	dir=$(dirname "$meta")
	name=$(basename "$dir")
	images=(--image="$dir/prog.elf")
	[ "$name" != test_discon_branch_exception ] || images+=(--image="$tmp/boot@0x1000")
	zstd -dcq "$dir/truth.pc.zst" >"$tmp/truth"
	zstd -dcq "$dir/exec.csv.zst" >"$tmp/exec"
	for stream in basic full wide; do
		config=iaddress_width_p=$(field "$meta" xlen),$common,${ratified[$stream]}
		encode --quirk=post-iss --dialect=ratified --config="$config" &&
			same_bytes "$dir/te_inst.$stream.bin.zst"
		say $? "riscv $name: the reference encoder's bytes, $stream"
		encode --dialect=ratified --config="$config" &&
			decodes --dialect=ratified --config="$config"
		say $? "riscv $name: by the specification it decodes, $stream"
	done
	for stream in a b c; do
		config=iaddress_width_p=$(field "$meta" xlen),$common,${draft[$stream]}
		encode --dialect=0.026 --config="$config" &&
			same_bytes "$dir/draft026.$stream.bin.zst"
		say $? "riscv $name: the bytes of 0.026, $stream"
	done
done
done_testing
