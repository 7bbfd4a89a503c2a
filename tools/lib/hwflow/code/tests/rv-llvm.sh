#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#
# Compares RISC-V instructions with the disassembler of LLVM 22: RV32 and RV64 with C, and RV32 with
# Zcmp and Zcmt.
#
#	rv-llvm.sh RV_LLVM [SEED]
#
# RV_LLVM is rv_llvm.c, built. LLVM_MC names another llvm-mc.

set -eu

rv_llvm=$1
seed=${2:-1}
llvm_mc=${LLVM_MC:-/usr/lib/llvm-22/bin/llvm-mc}
status=0

if ! [ -x "$llvm_mc" ]; then
	echo "not ok - no $llvm_mc (apt-get install llvm-22)"
	exit 1
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# For each line of the input, from errors and text of llvm-mc: kind, rd, rs1, offset, size
classify='
BEGIN {
	n = split("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 " \
		"s10 s11 t3 t4 t5 t6", name, " ")
	for (i = 1; i <= n; i++)
		reg[name[i]] = i - 1
	n = split("beq bne blt bge bltu bgeu c.beqz c.bnez", name, " ")
	for (i = 1; i <= n; i++)
		branch[name[i]] = 1
	n = split("sret mret mnret dret", name, " ")
	for (i = 1; i <= n; i++)
		trapret[name[i]] = 1
	while ((getline line < errors) > 0)
		if (line ~ /invalid instruction encoding/) {
			split(line, part, ":")
			invalid[part[2]] = 1
		}
}
{
	size = NF
	if (FNR in invalid) {
		print "invalid"
		next
	}
	if ((getline line < text) <= 0)
		exit 2
	sub(/^[ \t]+/, "", line)
	insn = line
	sub(/[ \t].*/, "", insn)
	operands = substr(line, length(insn) + 1)
	gsub(/[ \t]/, "", operands)
	n = split(operands, op, ",")
	if (insn in branch)
		print "branch 0 0", op[n], size
	else if (insn == "jal")
		print "jump", reg[op[1]], 0, op[2], size
	else if (insn == "c.j" || insn == "c.jal")
		print "jump", insn == "c.jal" ? 1 : 0, 0, op[1], size
	else if (insn == "jalr") {
		split(op[2], part, /[()]/)
		print "jumpreg", reg[op[1]], reg[part[2]], part[1], size
	} else if (insn == "c.jr" || insn == "c.jalr")
		print "jumpreg", insn == "c.jalr" ? 1 : 0, reg[op[1]], 0, size
	else if (insn == "cm.popret" || insn == "cm.popretz")
		print "jumpreg 0 1 0", size
	else if (insn == "cm.jt" || insn == "cm.jalt")
		print "jumpreg", insn == "cm.jalt" ? 1 : 0, 32, 0, size
	else if (insn in trapret)
		print "trapret 0 0 0", size
	else if (insn == "ecall")
		print "ecall 0 0 0", size
	else if (insn == "ebreak" || insn == "c.ebreak")
		print "ebreak 0 0 0", size
	else if (insn == "lui" || insn == "c.lui")
		print "upper", reg[op[1]], 0, op[2], size
	else if (insn == "auipc")
		print "upper", reg[op[1]], 1, op[2], size
	else
		print "other 0 0 0", size
}
'

# $1: our name of the instruction set, $2: triple, $3: features
compare()
{
	"$llvm_mc" -triple="$2" -mattr="$3" -M no-aliases -disassemble <"$dir/input" 2>"$dir/errors" |
		grep -v '^[[:space:]]*\.' >"$dir/text" || true
	awk -v errors="$dir/errors" -v text="$dir/text" "$classify" "$dir/input" >"$dir/answers"
	if "$rv_llvm" check "$1" "$dir/input" "$dir/answers"; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		status=1
	fi
}

"$rv_llvm" gen "$seed" >"$dir/input"
compare rv32 riscv32 +c,+m,+a,+f,+d,+smrnmi
compare rv64 riscv64 +c,+m,+a,+f,+d,+smrnmi
compare zcm riscv32 +zca,+m,+a,+zcmp,+zcmt,+smrnmi
exit $status
