#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# encode-riscv.sh BUILD - executed RISC-V instructions made into trace, under every option of each
# dialect and in every framing, and decoded again; what is wrong with a text or an option. Speaks TAP.
set -u

build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
setup=$here/../../../setup
hwflow=$build/hwflow
[ ! -x "$build/san/hwflow" ] || hwflow=$build/san/hwflow
work=$(mktemp -d)
. "$setup/tests/tap.bash"
. "$(dirname "$0")/encode.bash"
# shellcheck disable=SC2034 # of encode.bash
encode_with=("$hwflow" encode --protocol=riscv)
trap 'rm -rf "$work"' EXIT
header=VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT

# 1000 addi; 1004 jal x1, 1014; 1008 beq, taken to 1004 but in the end; 100c auipc x6; 1010 jalr
# x0, 16(x6), to 101c; 1014 nop; 1018 ret, 101c ecall; 1020 j .; 1024 mret, the handler
printf '%b' '\x13\x00\x00\x00\xef\x00\x00\x01\xe3\x0e\x00\xfe\x17\x03\x00\x00\x67\x00\x03\x01' \
	'\x13\x00\x00\x00\x67\x80\x00\x00\x73\x00\x00\x00\x6f\x00\x00\x00\x73\x00\x20\x30' >"$work/code"
{
	echo "$header"
	echo 1,1000,13,3,0,0,0,0
	for ((i = 0; i < 150; i++)); do
		printf '1,%s,3,0,0,0,0\n' 1004,10000ef 1014,13 1018,8067
		# an interrupt here and there, before the branch
		if ((i % 90 == 17)); then
			echo 1,1008,13,3,1,7,0,1
			echo 1,1024,30200073,3,0,0,0,0
		fi
		echo 1,1008,fe000ee3,3,0,0,0,0
	done
	printf '1,%s\n' 100c,317,3,0,0,0,0 1010,1030067,3,0,0,0,0 101c,73,3,1,b,0,0 \
		1024,30200073,3,0,0,0,0 1020,6f,0,0,0,0,0 1020,6f,0,1,5,1234,0 1024,30200073,3,0,0,0,0
} >"$work/exec"
awk -F, 'NR > 1 && ($5 == 0 || $3 == "73") { print $2 }' "$work/exec" >"$work/pc"

# round NAME OPTION...: encode and decode with the same options
round() {
	local name=$1 config status

	shift
	config=$("$hwflow" encode --protocol=riscv "$@" --print-config)
	# shellcheck disable=SC2086 # options
	"$hwflow" encode --protocol=riscv "$@" -o "$work/trace" "$work/exec" 2>"$work/err" &&
		"$hwflow" flow $config --image="$work/code@0x1000" --format=pc "$work/trace" \
			>"$work/got" 2>>"$work/err" && [ ! -s "$work/err" ] &&
		cmp "$work/got" "$work/pc" >>"$work/err" 2>&1
	status=$?
	[ $status = 0 ] || head -n 5 "$work/err" | sed 's/^/# /'
	ok $status "$name"
}

# has NAME PATTERN: so does a packet of the trace made last, of the options given to it
has() { # NAME PATTERN OPTION...
	local name=$1 pattern=$2

	shift 2
	"$hwflow" dump --protocol=riscv "$@" "$work/trace" | grep -q -- "$pattern"
	ok $? "$name"
}

rv=iaddress_width_p=32
for options in "" full_address=1 max_resync=1 max_resync=7 context_width_p=8 notval_p=1 sijump_p=1 \
	itype_width_p=3 privilege_width_p=4,ecause_width_p=16 iaddress_lsb_p=2 iaddress_lsb_p=0; do
	round "0.026: $options" --dialect=0.026 --config="$rv,$options"
done
wide=itype_width_p=4
for dialect in 1.0 2.0 ratified; do
	for options in "" full_address=1 resync=1 resync=7 context_width_p=32 sijump_p=1 \
		$wide,implicit_return=1,call_counter_size_p=4 \
		$wide,implicit_return=1,return_stack_size_p=3 \
		implicit_exception=1,tvec=0x1024 \
		branch_prediction=1,bpred_size_p=3 jump_target_cache=1,cache_size_p=4 \
		f0s_width_p=1,branch_prediction=1,bpred_size_p=3,jump_target_cache=1,cache_size_p=4 \
		$wide,implicit_return=1,call_counter_size_p=4,branch_prediction=1,bpred_size_p=3; do
		round "$dialect: $options" --dialect="$dialect" --config="$rv,$options"
	done
done
round "2.0: time_width=8" --config=$rv,time_width=8

# that the options did something
options=$rv,branch_prediction=1,bpred_size_p=3,$wide,implicit_return=1,call_counter_size_p=4
round "counts of branches" --config=$options
has "a count of branches" F0_COUNT --config=$options
round "the cache" --config=$rv,jump_target_cache=1,cache_size_p=4
has "a place in the cache" F0_CACHE --config=$rv,jump_target_cache=1,cache_size_p=4
for framing in reference "encap --config=$rv,type_width=2,srcid_width=6" \
	"siemens --config=$rv,srcid_width=6,type_width=2"; do
	read -ra words <<<"--framing=$framing"
	[ ${#words[@]} -gt 1 ] || words+=(--config=$rv)
	round "framing $framing" "${words[@]}"
	round "0.026, framing $framing" --dialect=0.026 "${words[@]}"
done

# ---- what is traced ----
cp "$work/pc" "$work/all"
for dialect in 0.026 1.0 2.0; do
	# the first jal and what it calls, without the branch behind
	grep -E '^10(04|14|18)$' "$work/all" >"$work/pc"
	round "$dialect: two ranges" --dialect=$dialect --config=$rv --filter=1003-1007 \
		--filter=1014-1018
	echo 1020 >"$work/pc"
	round "$dialect: user mode" --dialect=$dialect --config=$rv --privilege=0
	grep -v 1020 "$work/all" >"$work/pc"
	round "$dialect: all but user mode" --dialect=$dialect --config=$rv --privilege=1,3
	cp "$work/all" "$work/pc"
	round "$dialect: several levels" --dialect=$dialect --config=$rv --privilege=0,1,2,3
	round "$dialect: eight blocks a cycle" --dialect=$dialect --config=$rv --blocks=8
done

# ---- an ebreak that does not trap: Debug Mode, of semihosting for one ----
cp "$work/exec" "$work/traps"
cp "$work/code" "$work/no-ebreak"
printf '%b' '\x13\x10\xf0\x01\x73\x00\x10\x00\x13\x50\x70\x40\x02\x90\x6f\xf0\x3f\xff' >"$work/code"
{
	echo "$header"
	# slli, ebreak, srai, c.ebreak, j back
	for i in 1 2 3; do
		printf '1,%s,3,0,0,0,0\n' 1000,1f01013 1004,100073 1008,40705013 100c,9002 100e,ff3ff06f
	done
} >"$work/exec"
awk -F, 'NR > 1 { print $2 }' "$work/exec" >"$work/pc"
for dialect in 0.026 1.0 2.0; do
	round "$dialect: ebreak without a trap" --dialect=$dialect --config=$rv
	round "$dialect: ebreak without a trap, blocks" --dialect=$dialect --config=$rv --blocks=4
done
has "trace ends and begins again" status=ended --config=$rv
mv "$work/traps" "$work/exec"
mv "$work/no-ebreak" "$work/code"

# ---- standard input and output ----
"$hwflow" encode --protocol=riscv --config=$rv -o "$work/file" "$work/exec"
"$hwflow" encode --protocol=riscv --config=$rv -o - <"$work/exec" | cmp - "$work/file"
ok $? "from standard input to standard output"
"$hwflow" encode --protocol=riscv --config=$rv --quirk=post-iss -o "$work/quirk" "$work/exec"
! cmp -s "$work/file" "$work/quirk"
ok $? "the quirk does something"
cp "$work/exec" "$work/same"
"$hwflow" encode --protocol=riscv -o "$work/same" "$work/same" 2>/dev/null
[ $? = 1 ] && cmp -s "$work/exec" "$work/same"
ok $? "FILE is not LOG"

# ---- what is wrong ----
line() { # LINE: a text that has it
	printf '%s\n%s\n' "$header" "$1" >"$work/bad"
	echo "$work/bad"
}
tail -n +2 "$work/exec" >"$work/cut"
bad "no header" 2 "line 1: the first line must be" "$work/cut"
: >"$work/empty"
bad "an empty file" 2 "line 0: the first line must be" "$work/empty"
bad "a file that is not there" 2 "No such file" "$work/nothing"
bad "a directory" 2 "$work" "$work"
head -c 500 "$work/exec" >"$work/cut"
bad "the text was cut" 2 "was cut" "$work/cut"
for text in 2,1000,13,3,0,0,0,0 1,0x1000,13,3,0,0,0,0 1,1000,123456789,3,0,0,0,0 1,1000,13,16,0,0,0,0 \
	1,1000,13,3,2,0,0,0 1,1000,13,3,1,10000,0,0 1,1000,13,3,1,0,-1,0 1,1000,13,3,0,0,0,1 \
	1,1000,13,3,0,0,0 1,1000,13,3,0,0,0,0,0 1,,13,3,0,0,0,0 x "" \
	1,10000000000000000,13,3,0,0,0,0 "$(printf '%0300d' 0)"; do
	bad "line: ${text:0:40}" 2 "line 2: " "$(line "$text")"
done
bad "an instruction of 6 bytes" 2 "this instruction is not supported" "$(line 1,1000,1f,3,0,0,0,0)"
bad "a dialect that is not there" 1 "--dialect=3.0" --dialect=3.0 "$work/exec"
bad "a parameter that is not there" 1 "no_such" --config=no_such=1 "$work/exec"
bad "a parameter out of its range" 1 "iaddress_width_p=1: the value is out of range: 2 to 64" \
	--config=iaddress_width_p=1 "$work/exec"
bad "an option without its table" 1 "needs the size of its table" --config=branch_prediction=1 "$work/exec"
bad "implied returns with a narrow itype" 1 "itype_width_p" \
	--config=implicit_return=1,return_stack_size_p=2,itype_width_p=3 "$work/exec"
bad "a quirk that is not there" 1 "--quirk=x" --quirk=x "$work/exec"
bad "the quirk of another dialect" 1 "--quirk=post-iss" --quirk=post-iss --dialect=0.026 "$work/exec"
bad "the quirk with a filter" 1 "--quirk=post-iss" --quirk=post-iss --privilege=3 "$work/exec"
bad "the quirk with blocks" 1 "--quirk=post-iss" --quirk=post-iss --blocks=2 "$work/exec"
bad "more ranges than comparators" 1 "four ranges" --filter=1-2 --filter=3-4 --filter=5-6 \
	--filter=7-8 --filter=9-a "$work/exec"
bad "a range that is left out" 1 "--filter=!" '--filter=!1-2' "$work/exec"
bad "too many blocks" 1 "--blocks" --blocks=9 "$work/exec"
for text in 4 x 1, ,1 "" 1-2 -1; do
	bad "a level that is not there: $text" 1 "--privilege" --privilege="$text" "$work/exec"
done
bad "where traps lead" 1 "--traps" --traps=direct "$work/exec"
bad "no framing" 1 "--framing=none" --framing=none "$work/exec"
bad "a framing that cannot tell support packets" 1 "type_width=2" --dialect=0.026 --framing=encap \
	--config=type_width=1 "$work/exec"
bad "options of the other protocol" 1 "--timestamps" --timestamps "$work/exec"
bad "an image" 1 "--image" --image="$work/code@0x1000" "$work/exec"
bad "a thread" 1 "--tid" --tid=1 "$work/exec"
"$hwflow" encode --quirk=post-iss -o "$work/none" "$work/exec" 2>"$work/err"
[ $? = 1 ] && grep -q "require --protocol=riscv" "$work/err"
ok $? "options of riscv for ete"
done_testing
