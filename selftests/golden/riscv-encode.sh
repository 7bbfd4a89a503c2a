#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# riscv-encode.sh HWFLOW - encode what every RISC-V capture executed. With --quirk=post-iss the bytes
# are those of the reference encoder. Without, they follow the specification, are not the same where
# the reference encoder errs, and decode to the ground truth. The 0.026 streams come from another
# reading of the draft: that it is the same as ours is tested here too.
set -u
. "$(dirname "$0")/riscv-captures.bash"

# packets between synchronisations
declare -A resync=([basic]=16 [full]=32 [wide]=1048576 [a]=16 [b]=64 [c]=1048576)

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
		config=iaddress_width_p=$(field "$meta" xlen),$common,${ratified[$stream]},resync=${resync[$stream]}
		encode --quirk=post-iss --dialect=ratified --config="$config" &&
			same_bytes "$dir/te_inst.$stream.bin.zst"
		say $? "riscv $name: the reference encoder's bytes, $stream"
		encode --dialect=ratified --config="$config" &&
			decodes --dialect=ratified --config="$config"
		say $? "riscv $name: by the specification it decodes, $stream"
	done
	for stream in a b c; do
		config=iaddress_width_p=$(field "$meta" xlen),$common,${draft[$stream]},max_resync=${resync[$stream]}
		encode --dialect=0.026 --config="$config" &&
			same_bytes "$dir/draft026.$stream.bin.zst"
		say $? "riscv $name: the bytes of 0.026, $stream"
	done
done
done_testing
