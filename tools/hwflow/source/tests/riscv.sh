#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# riscv.sh BUILD - the command line for RISC-V: framings, several sources, wrong usage, gaps. Traces
# are a few packets by hand.
set -u
build=$(realpath "$1")
hwflow=$build/san/hwflow
top=$(cd "$(dirname "$0")/../../../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
. "$top/tools/setup/tests/tap.bash"

hex() { # FILE BYTES...: as hexadecimal words
	local file=$1 word
	shift
	for word; do printf '%b' "\\x$word"; done >"$file"
}

# what a command gives: exit status, standard output, and whether it complained
gives() { # NAME STATUS EXPECTED COMMAND...
	local name=$1 status=$2 expected=$3 got out
	shift 3
	out=$("$@" 2>err)
	got=$?
	if [ $got = "$status" ] && [ "$out" = "$expected" ] &&
		{ [ "$status" != 0 ] || [ ! -s err ]; } && { [ "$status" = 0 ] || [ -s err ]; }; then
		ok 0 "$name"
	else
		ok 1 "$name"
		echo "# status $got"
		diff <(echo "$expected") <(echo "$out") | sed 's/^/#   /'
		sed 's/^/#   /' err
	fi
}

# 1000 nop; 1002 jr a5; 1004 nop
hex code 01 00 82 87 01 00
riscv=(--protocol=riscv --image=code@0x1000)

# F3.3, F3.0 at 0x1000, F2 four bytes on, F3.3 ended_rep: headers 42, 44, 41, 42
hex reference 42 1f 00 44 73 00 04 00 41 0a 42 5f 00
want='1000
1002
1004'
gives "the reference framing, which is the default" 0 "$want" \
	"$hwflow" flow --format=pc "${riscv[@]}" reference
gives "and by its name" 0 "$want" \
	"$hwflow" flow --format=pc "${riscv[@]}" --framing=reference --dialect=2.0 reference
gives "packets" 0 '0 421f00 F3_SUPPORT enable=1 mode=0 status=no_change ioptions=0x0 denable=0 dloss=0 doptions=0x0
3 4473000400 F3_START priv=3 branch=1 addr=0x1000
8 410a F2 diff=0x4 notify=0 updiscon=0 irreport=0
10 425f00 F3_SUPPORT enable=1 mode=0 status=ended_rep ioptions=0x0 denable=0 dloss=0 doptions=0x0' \
	"$hwflow" dump --format=ref "${riscv[@]}" reference
gives "flow in the reference layout" 0 '3 TRACE_ON reason=begin_or_filter
3 MODE priv=3
8 RANGE start=0x1000 end=0x1004 n=2 isa=RV64 last=E size=2 type=indirect sub=none cond=0
10 RANGE start=0x1004 end=0x1006 n=1 isa=RV64 last=E size=2 type=other sub=none cond=0
13 EOT reason=end-of-trace' \
	"$hwflow" flow --format=ref "${riscv[@]}" reference

# 8 bits of context at bit 7
hex context 44 73 00 00 04 41 0a
gives "a context that has a width is there" 0 "$want" \
	"$hwflow" flow --format=pc "${riscv[@]}" --config=context_width_p=8 context
gives "unless it is said that it is not" 0 "$want" \
	"$hwflow" flow --format=pc "${riscv[@]}" --config=nocontext_p=1,context_width_p=8 reference

# type 2 and source in one byte: 1 in six bits is 81, 2 is 82; null packets between
hex encap 05 81 73 00 04 00 00 05 82 73 01 04 00 80 02 81 0a 03 82 5f 00
encap=(--framing=encap --config=srcid_width=6)
gives "one of two sources" 0 "$want" \
	"$hwflow" flow --format=pc "${riscv[@]}" "${encap[@]}" --source=encap-src01 encap
gives "the other one" 0 '1004' \
	"$hwflow" flow --format=pc "${riscv[@]}" "${encap[@]}" --source=encap-src02 encap
gives "both at once have no order" 1 '' \
	"$hwflow" flow --format=pc "${riscv[@]}" "${encap[@]}" encap

hex siemens 44 01 73 00 04 00 41 01 0a
gives "Siemens messaging" 0 "$want" \
	"$hwflow" flow --format=pc "${riscv[@]}" --framing=siemens --config=srcid_width=8 siemens
# 2 + 2 + 1 + 2 + 63 bits; 2 + 63 + 3 bits
hex bare 73 00 04 00 00 00 00 00 00 0a 00 00 00 00 00 00 00 00
gives "no framing" 0 "$want" "$hwflow" flow --format=pc "${riscv[@]}" --framing=none bare

# 11 00 11 0, 0x1000 >> 1 at bit 7; F2; ended_rep
hex draft 02 d0 10 43 33 00 04 41 0a 03 d0 90 00
gives "the draft" 0 "$want" "$hwflow" flow --format=pc "${riscv[@]}" --dialect=0.026 draft

# a reserved format between two synchronisations
hex bad 44 73 00 04 00 41 0c 44 73 01 04 00
gives "a packet that cannot be read is a gap" 3 '1000
1004' "$hwflow" flow --format=pc "${riscv[@]}" bad
gives "and is dumped" 3 '0 4473000400 F3_START priv=3 branch=1 addr=0x1000
5 410c BAD
7 4473010400 F3_START priv=3 branch=1 addr=0x1004' "$hwflow" dump --format=ref "${riscv[@]}" bad
gives "code that is missing is a gap" 3 '1000
1002' "$hwflow" flow --format=pc --protocol=riscv --image=code@0x1000:0,4 reference
hex cut 44 73 00 04 00 44 73
gives "so is a packet that is cut" 3 '1000' "$hwflow" flow --format=pc "${riscv[@]}" cut
hex nothing 41 0a
gives "no synchronisation is no trace" 2 '' "$hwflow" flow --format=pc "${riscv[@]}" nothing

# data trace: each in a message of type 3; test_riscv_data.c has these packets, field by field
dump_data() { # CONFIG FILE
	"$hwflow" dump --format=ref --protocol=riscv --config="$1" "$2"
}
hex data 65 98 d0 48 00 10 63 6b ff fd 64 31 aa 06 20 67 8e 50 10 8d 04 00 01 66 0d 20 30 01 c0 00 64 6d 80 c0 02
gives "data trace is dumped" 0 '0 6598d0480010 LOAD size=8 unaligned=0 diff=0 data_len=2 data=0x1234 addr=0x2000
6 636bfffd STORE size=2 unaligned=1 diff=3 data_len=1 data-diff=-0x1 addr-diff=-0x3
10 6431aa0620 LOAD size=4 unaligned=1 diff=1 data_len=1 data-xor=0x55 addr-diff=0x1003
15 678e50108d040001 ATOMIC op=add size=4 diff=0 op_len=1 operand=0x5 data_len=2 data=0x1234 addr=0x1000
23 660d203001c000 CSR op=rs diff=0 op_len=2 operand=0x1800 data_len=1 data=0x8 csr=0x300
30 646d80c002 CSR op=rs diff=3 data_len=1 data-diff=0x20 csr=0xc02' \
	dump_data data_width_p=64,daddress_width_p=32 data
hex split 63 29 05 40 64 3c a5 91 00 61 74 65 c6 55 fe ff 06 64 af 03 00 f8 64 82 83 00 08
gives "split loads and atomics" 0 '0 63290540 LOAD size=2 unaligned=1 lrid=9 diff=0 addr=0x1001
4 643ca59100 LOAD_DATA size=8 lrid=9 resp=full data=0x1234
9 6174 LOAD_DATA size=4 lrid=3 resp=error
11 65c655feff06 ATOMIC op=swap size=8 lrid=5 diff=1 op_len=2 operand-xor=0x7fff addr-diff=0x18
17 64af0300f8 ATOMIC_DATA size=8 lrid=5 resp=diff data_len=2 data-diff=-0x8000
22 6482830008 STORE size=1 unaligned=0 diff=0 data_len=1 data=0x7 addr=0x1001' \
	dump_data data_width_p=64,daddress_width_p=32,lrid_width_p=4 split
hex more 64 1d 02 02 20 65 de 86 46 02 10
gives "those of several accesses" 0 '0 641d020220 STORE size=2 unaligned=1 multi=1 diff=0 data_len=1 data=0x1 addr=0x1001
5 65de86460210 ATOMIC op=cas-failure size=8 diff=2 op_len=2 operand=0x1234 addr-diff=0x400' \
	dump_data data_width_p=64,daddress_width_p=32,mmacas=1 more
hex noaddr 62 70 15 64 25 02 78 0a
gives "without addresses" 0 '0 627015 LOAD size=4 unaligned=0 diff=1 data-compressed=0x55
3 642502780a CSR op=rw diff=1 data_len=1 data-compressed=0x1 csr=0xf14' \
	dump_data data_width_p=64,noaddr=1,ddiff_width=1 noaddr
hex nodata 61 f0 63 fe 00 04 62 55 13
gives "without data" 0 '0 61f0 LOAD size=4 unaligned=0 diff=1 addr-diff=-0x4
2 63fe0004 ATOMIC op=store-failure size=8 diff=0 addr=0x1000
6 625513 CSR op=rc diff=0 csr=0x341' \
	dump_data data_width_p=64,daddress_width_p=32,nodata=1 nodata
hex wide 6d 22 89 78 67 56 45 34 23 12 a1 19 00 10 63 e0 e0 1f
gives "of 16 bytes" 0 '0 6d228978675645342312a1190010 STORE size=16 unaligned=0 diff=0 data_len=10 data=0x19a1122334455667788 addr=0x1000
14 63e0e01f LOAD size=16 unaligned=0 diff=3 data_len=1 data-diff=-0x2 addr-diff=0x10' \
	dump_data data_width_p=128,daddress_width_p=32 wide
hex unread 44 73 00 04 00 62 10 01
hex alone 62 10 01
gives "it is not read where its widths are not said" 0 '0 4473000400 F3_START priv=3 branch=1 addr=0x1000
5 621001 DATA' "$hwflow" dump --format=ref --protocol=riscv unread
gives "and is no trace where it is alone" 2 '0 621001 DATA' \
	"$hwflow" dump --format=ref --protocol=riscv alone
hex mixed 42 1f 00 44 73 00 04 00 62 10 01 62 ff 7f 41 0a 42 5f 00
gives "the flow passes over it" 0 "$want" "$hwflow" flow --format=pc "${riscv[@]}" \
	--config=data_width_p=64,nodata=1 mixed

wrong() { # WHAT OPTION...
	local what=$1
	shift
	gives "$what" 1 '' "$hwflow" flow "${riscv[@]}" "$@" reference
}
wrong "no such dialect" --dialect=3
wrong "no such parameter" --config=iaddress=32
wrong "no such value" --config=full_address=2
wrong "no number" --config=iaddress_lsb_p=x
wrong "out of range" --config=iaddress_width_p=65
wrong "not in this dialect" --dialect=0.026 --config=return_stack_size_p=2
wrong "no such data bus" --config=data_width_p=24
wrong "no data trace in this dialect" --dialect=1.0 --config=data_width_p=64
wrong "not in this framing" --config=srcid_width=2
wrong "a framing of other protocols" --framing=coresight
gives "--dialect is of riscv" 1 '' "$hwflow" flow --protocol=ete --dialect=ratified reference
gives "so are its framings" 1 '' "$hwflow" flow --protocol=ete --framing=encap reference
# trace that is read with other options than those of its encoder
suspects() { # NAME COUNT OPTION...
	local name=$1 count=$2
	shift 2
	"$hwflow" flow --format=pc --protocol=riscv "$@" >out 2>err
	[ $? = 3 ] && [ "$(grep -c 'do not match from the beginning on; check --dialect, --framing, the parameters of' err)" = "$count" ]
	ok $? "$name" err
}
hex mode 42 1f 00 44 73 00 04 00 44 73 00 04 00 44 73 00 04 00 44 73 00 04 00 44 73 00 04 00
suspects "another dialect" 1 --image=code@0x1000 --dialect=0.026 mode
suspects "other parameters" 1 --image=code@0x1000 --config=iaddress_lsb_p=0 mode
suspects "each gap is reported, and then the options" 1 --image=code@0x1000 --config=iaddress_lsb_p=0 --gaps=all mode
suspects "no program was given: that is all" 0 mode
# Of the code at 1000 the trace knows the addresses only: 4 bytes and 2 there are one instruction of 6 bytes here.
cat >long.csv <<'END'
VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT
1,1000,13,3,0,0,0,0
1,1004,1,3,0,0,0,0
1,1006,13,3,0,0,0,0
1,100a,13,3,0,0,0,0
END
printf '\x1f\x00\x11\x22\x33\x44\x13\x00\x00\x00\x13\x00\x00\x00' >long
"$hwflow" encode --protocol=riscv -o long.rv long.csv
(ulimit -t 10 && "$hwflow" script --quiet --insn --protocol=riscv --image=long@0x1000 long.rv) 2>err | head -c 10000 >out
printf '%s\n' '44332211001f 1000' '00000013 1006' '00000013 100a' >want
awk '{ print $4, $5 }' out | diff want - >differences
ok $? "an instruction of 6 bytes" differences
done_testing
