#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# riscv.sh BUILD - the command line for RISC-V: framings, several sources, wrong usage, gaps. Traces
# are a few packets by hand.
set -u
build=$(realpath "$1")
hwflow=$build/san/hwflow
top=$(cd "$(dirname "$0")/../../.." && pwd)
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
wrong "not in this framing" --config=srcid_width=2
wrong "a framing of other protocols" --framing=coresight
gives "--dialect is of riscv" 1 '' "$hwflow" flow --protocol=ete --dialect=ratified reference
gives "so are its framings" 1 '' "$hwflow" flow --protocol=ete --framing=encap reference
done_testing
