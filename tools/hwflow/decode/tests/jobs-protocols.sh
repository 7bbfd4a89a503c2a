#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# jobs-protocols.sh BUILD - jobs.sh for raw trace of ETMv3 and of RISC-V, in all that their trace units can write, for
# recordings of RISC-V programs, and for the captures of RISC-V. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
. "$here/jobs.bash"
captures=${HWFLOW_CAPTURES:-$top/../shared/data}/riscv
export HOME=$work TMPDIR=$work HWFLOW_SHARD_BYTES=3000
cd "$work" || exit 1

# lines of a raw trace, which has neither threads nor times
raw=("${lines[@]}" "flow --format=pc" report "report --by=dso --limit=0" annotate)
some=(dump "dump --format=ref" flow "flow --format=ref" "script --not-taken --gaps=all" report annotate)

# packets FILE: each packet of a trace as hexadecimal bytes and its name
packets() {
	"$hwflow" dump --format=ref --quiet -j 1 "${reading[@]}" "$1" | awk '{ print $2, $3 }'
}

# bytes FILE: what it reads, the first word of each line, as bytes
bytes() {
	awk '{ print $1 }' | xxd -r -p >"$1"
}

cut_off() { # FROM TO
	cp "$1" "$2"
	truncate -s $(($(stat -c %s "$1") * 2 / 3)) "$2"
}

# counts FILE: tables from counts of ranges are those from ranges, which a selection is made of
counts() {
	local verb

	: >differences
	for verb in report annotate; do
		"$hwflow" $verb --quiet "${reading[@]}" "$1" >counted.out 2>/dev/null
		"$hwflow" $verb --quiet --offset=0 "${reading[@]}" "$1" 2>/dev/null |
			sed '1s/ selected from/ from/' >given.out
		[ -s counted.out ] || echo "$verb: no output" >>differences
		diff counted.out given.out >>differences
	done
	[ ! -s differences ]
	ok $? "$1: counted ranges are those that are given" differences
}

# ---- ETMv3 ----

# 8000: bl 8008; 8004: bne 8000; 8006: nop; 8008: blx 8010; 800c: nop; 800e: bx lr; 8010: bx lr (A32);
# then 400 bytes of nop (T32) from 8014 on, and bx lr
{
	printf '\x00\xf0\x02\xf8\xfc\xd1\x00\xbf\x00\xf0\x02\xe8\x00\xbf\x70\x47\x1e\xff\x2f\xe1'
	for ((i = 0; i < 200; i++)); do printf '\x00\xbf'; done
	printf '\x70\x47'
} >code
awk '
	function line(rest) { print ++seq, "-1 7", rest }
	BEGIN {
		for (i = 0; i < 12000; i++) {
			line("0 T32 8000")
			line("0 T32 8008")
			line("0 A32 8010")
			line("0 T32 800c")
			if (i % 7 == 3) line("EXC IRQ 800e")
			if (i % 42 == 3) {
				for (at = 0; at < 200; at++)
					line("0 T32 " sprintf("%x", 32788 + 2 * at))
				line("0 T32 81a4")
			}
			line("0 T32 800e")
			if (i % 50 == 9) line("EXC data-fault 8004")
			line("0 T32 8004")
			if (i % 900 == 100) line("GAP left -")
		}
		line("0 T32 8006")
	}' >log

# etmv3 NAME CONFIG OPTION...: a trace of the log
etmv3() {
	"$hwflow" encode --protocol=etmv3 --config="$2" --image=code@0x8000 "${@:3}" -o "$1" log 2>err
	ok $? "encoded: $1" err
	reading=(--protocol=etmv3 --config="$2" --image=code@0x8000)
}

etmv3 etmv3-plain ETMIDR=0x410cf250
same "$hwflow" etmv3-plain "${raw[@]}"
counts etmv3-plain
damage etmv3-plain etmv3-damaged
same "$hwflow" etmv3-damaged "${raw[@]}"
counts etmv3-damaged
cut_off etmv3-plain etmv3-cut
same "$hwflow" etmv3-cut "${some[@]}"
# an overflow at each fourth I-sync: bits 6 and 5 of its second byte are 2
packets etmv3-plain | awk '
	$2 == "I_SYNC" && ++n % 4 == 0 {
		digit = index("0123456789abcdef", substr($1, 3, 1)) - 1
		if (digit % 8 < 2) $1 = substr($1, 1, 2) substr("0123456789abcdef", digit + 5, 1) substr($1, 4)
	}
	{ print }' | bytes etmv3-overflows
same "$hwflow" etmv3-overflows "${some[@]}"
# values and addresses of data between instructions: among them zeros, and what reads as packets
packets etmv3-plain | awk '
	{ print }
	$2 ~ /^P_HEADER/ && ++n % 3 == 0 { print (n % 9 ? "2e8180808008" "0000" : "0a" "0000") "0880" }
	$2 ~ /^P_HEADER/ && n % 31 == 0 { print "2e80808080000000000080" }' | bytes etmv3-data
reading=(--protocol=etmv3 --config=ETMIDR=0x410cf250,ETMCR=0xc --image=code@0x8000)
same "$hwflow" etmv3-data "${raw[@]}"
damage etmv3-data etmv3-data-damaged
same "$hwflow" etmv3-data-damaged "${some[@]}"
etmv3 etmv3-alternative ETMIDR=0x411cf250
same "$hwflow" etmv3-alternative "${some[@]}"
etmv3 etmv3-cycles ETMIDR=0x411cf240,ETMCR=0x1000
same "$hwflow" etmv3-cycles "${raw[@]}"
counts etmv3-cycles
damage etmv3-cycles etmv3-cycles-damaged
same "$hwflow" etmv3-cycles-damaged "${some[@]}"
counts etmv3-cycles-damaged
etmv3 etmv3-cycle ETMIDR=0x410cf250,ETMCR=0x1000 --p-headers=cycle
same "$hwflow" etmv3-cycle "${some[@]}"
etmv3 etmv3-all ETMIDR=0x411cf250,ETMCR=0xd000,ETMCCER=0x34400000
same "$hwflow" etmv3-all "${some[@]}"
# 32-bit instructions of Thumb as two
etmv3 etmv3-halves ETMIDR=0x410c0200
same "$hwflow" etmv3-halves "${some[@]}"
head -c 20000 etmv3-damaged >etmv3-short
reading=(--protocol=etmv3 --config=ETMIDR=0x410cf250 --image=code@0x8000)
same "$san" etmv3-short "${some[@]}"
# an I-sync that is not behind an A-sync, and A-syncs without an I-sync
packets etmv3-plain | awk '$2 != "I_SYNC" || ++n % 3 == 0' | bytes etmv3-few-i-syncs
same "$hwflow" etmv3-few-i-syncs "${some[@]}"

# ---- RISC-V ----

if ! qemu_of "$hwflow" qemu-riscv64 >/dev/null || ! command -v riscv64-linux-gnu-gcc >/dev/null; then
	echo "# no QEMU for riscv64, or no compiler: recordings of RISC-V programs are left out"
else
	cat >work.c <<'END'
#include <stdio.h>
#include <string.h>
static unsigned int fib(unsigned int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static unsigned int one(unsigned int n) { return n * 3; }
static unsigned int two(unsigned int n) { return n ^ n >> 7; }
int main(void)
{
	unsigned int (*const how[])(unsigned int) = {fib, one, two};
	char text[200];
	unsigned int sum = 0;

	for (unsigned int i = 0; i < 1500; i++) {
		snprintf(text, sizeof(text), "%u %u", how[(i * 7919 + sum) % 3](i % 13), i);
		sum += (unsigned int)strlen(text);
		if (i % 100 == 0)
			puts(text);
	}
	return 0;
}
END
	riscv64-linux-gnu-gcc -O1 -static -w -o work.elf work.c || exit 1

	riscv() { # FILE OPTION...
		"$hwflow" emulate --quiet --fixed-addresses -o "$1" "${@:2}" -- ./work.elf >/dev/null 2>err
		ok $? "recorded: $1 ${*:2}" err
		reading=()
	}

	riscv rv --config=resync=100
	same "$hwflow" rv "${tables[@]}" "${lines[@]}" "flow --format=pc" verify
	counts rv
	verified rv rv-changed 0 1
	damage rv rv-damaged
	cp rv.truth rv-damaged.truth
	same "$hwflow" rv-damaged "${tables[@]}" "${lines[@]}" verify
	counts rv-damaged
	riscv rv-rare
	same "$hwflow" rv-rare "${some[@]}" verify
	riscv rv-draft --dialect=0.026 --config=max_resync=100
	same "$hwflow" rv-draft "${tables[@]}" "${lines[@]}" verify
	riscv rv-tables --config=resync=100,branch_prediction=1,bpred_size_p=9,jump_target_cache=1,cache_size_p=7,f0s_width_p=1
	same "$hwflow" rv-tables "${some[@]}" verify
	riscv rv-large-tables --config=resync=2000,branch_prediction=1,bpred_size_p=12,jump_target_cache=1,cache_size_p=12,f0s_width_p=1
	same "$hwflow" rv-large-tables "${some[@]}" verify
	riscv rv-returns --config=resync=100,itype_width_p=4,implicit_return=1,irets=1,return_stack_size_p=5
	same "$hwflow" rv-returns "${some[@]}" verify
	riscv rv-context --traps=direct --config=resync=50,context_width_p=32,time_width_p=20,sijump_p=1
	same "$hwflow" rv-context "${tables[@]}" "${lines[@]}" verify
	verified rv-context rv-context-changed 0 1
	counts rv-context
	riscv rv-encap --framing=encap --config=resync=100
	same "$hwflow" rv-encap "${some[@]}" verify
	riscv rv-siemens --framing=siemens --config=resync=100
	same "$hwflow" rv-siemens "${some[@]}" verify
	"$hwflow" diff --quiet -j 1 rv rv-draft >one.out && "$hwflow" diff --quiet -j 3 rv rv-draft >three.out
	[ $? = 0 ] && cmp -s one.out three.out
	ok $? "diff: the same with three processes"

	# raw trace of the same program
	raw_riscv() { # FILE OPTION...
		local config

		config=$("$hwflow" encode --protocol=riscv "${@:2}" --print-config)
		"$hwflow" encode --protocol=riscv "${@:2}" -o "$1" rv.truth 2>err
		ok $? "encoded: $1" err
		# shellcheck disable=SC2206 # options
		reading=($config --image=work.elf)
	}

	raw_riscv raw --config=resync=60
	same "$hwflow" raw "${raw[@]}"
	counts raw
	damage raw raw-damaged
	same "$hwflow" raw-damaged "${raw[@]}"
	counts raw-damaged
	cut_off raw raw-cut
	same "$hwflow" raw-cut "${some[@]}"
	head -c 20000 raw-damaged >raw-short
	same "$san" raw-short "${some[@]}"
	# the options of the trace are not those of --config: only its first packet says so
	reading=(--protocol=riscv --image=work.elf)
	raw_riscv raw-options --config=resync=60,full_address=1
	reading=(--protocol=riscv --image=work.elf)
	same "$hwflow" raw-options "${some[@]}"
	# loads, stores and atomics of two phases between instructions, and what reads as none
	reading=(--protocol=riscv --image=work.elf)
	packets raw | awk '
		{ print }
		++n % 3 == 0 { print "6598d0480010" }
		n % 5 == 0 { print "678e5010" "8d040001" }
		n % 41 == 0 { print "640e441200" }
		n % 77 == 0 { print "64ffffff00" }' | bytes raw-data
	reading=(--protocol=riscv --image=work.elf --config=data_width_p=64,lrid_width_p=4)
	same "$hwflow" raw-data "${raw[@]}"
	# without headers nothing tells where packets begin: nothing is cut
	cp raw none
	reading=(--protocol=riscv --image=work.elf --framing=none)
	same "$hwflow" none "${some[@]}"
	# packets of two harts in turns
	raw_riscv one --framing=encap --config=srcid_width=8,resync=60
	packets one | awk '{ print substr($1, 1, 2) "01" substr($1, 5) }' >one.packets
	awk 'NR > 500 { print substr($1, 1, 2) "02" substr($1, 5) }' one.packets |
		paste -d '\n' one.packets - | awk 'NF' | bytes harts
	same "$hwflow" harts dump "dump --format=ref" flow "script --not-taken" report
fi

# ---- captures of RISC-V ----

export HWFLOW_SHARD_BYTES=300
for meta in "$captures"/*/meta.json; do
	[ -f "$meta" ] || continue
	dir=$(dirname "$meta")
	for stream in te_inst.basic=2.0,context_width_p=32,itype_width_p=3 \
		te_inst.wide=2.0,context_width_p=32,itype_width_p=4,return_stack_size_p=7,time_width=1 \
		draft026.b=0.026,iaddress_lsb_p=0,full_address=1,context_width_p=32; do
		name=$(basename "$dir")-${stream%%=*}
		dialect=${stream#*=}
		zstd -dcq "$dir/${stream%%=*}.bin.zst" >"$name" || continue
		reading=(--protocol=riscv --dialect="${dialect%%,*}" --image="$dir/prog.elf"
			--config="iaddress_width_p=64,privilege_width_p=2,ecause_width_p=5,${dialect#*,}")
		same "$hwflow" "$name" "dump --format=ref" "flow --format=ref" "script --not-taken" report
	done
done
done_testing
