#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
#
# Compares the instruction classes with the disassembler of LLVM 22.
#
#	insn-llvm.sh INSN_LLVM [SEED]
#
# INSN_LLVM is insn_llvm.c, built. LLVM_MC names another llvm-mc. Differences that have a reason are
# in insn-llvm.known.

set -eu

insn_llvm=$1
seed=${2:-1}
llvm_mc=${LLVM_MC:-/usr/lib/llvm-22/bin/llvm-mc}
known=$(dirname "$0")/insn-llvm.known
status=0

if ! [ -x "$llvm_mc" ]; then
	echo "not ok - no $llvm_mc (apt-get install llvm-22)"
	exit 1
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Text of llvm-mc to lines of: mnemonic, class, conditional, changes instruction set, offset.
classify='
# Names of a class, that may be followed by a condition if cc is set.
function names(class, list, cc,    i, j, n, name)
{
	n = split(list, name, " ")
	for (i = 1; i <= n; i++) {
		class_of[name[i]] = class
		base_of[name[i]] = name[i]
		for (j = 1; cc && j <= nr_cond; j++) {
			class_of[name[i] cond[j]] = class
			base_of[name[i] cond[j]] = name[i]
			conditional[name[i] cond[j]] = 1
		}
	}
}

# Names that are conditional by themselves.
function tests(list,    i, n, name)
{
	names("direct", list, 0)
	n = split(list, name, " ")
	for (i = 1; i <= n; i++)
		conditional[name[i]] = 1
}

function names_a64(    i)
{
	names("direct", "b")
	names("direct-link", "bl")
	tests("cbz cbnz tbz tbnz b.nv bc.nv b.al bc.al")
	for (i = 1; i <= nr_cond; i++)
		tests("b." cond[i] " bc." cond[i] " cb" cond[i] " cbb" cond[i] " cbh" cond[i])
	names("indirect", "br braa brab braaz brabz")
	names("indirect-link", "blr blraa blrab blraaz blrabz")
	names("indirect-ret", "ret retaa retab retaasppc retabsppc retaasppcr retabsppcr")
	names("indirect-eret", "eret eretaa eretab texit")
	names("wfx", "wfet wfit")
	names("brk", "brk")
}

function names_aarch32(    alu)
{
	names("direct", "b", 1)
	names("direct-link", "bl", 1)
	tests("cbz cbnz")
	names("indirect", "bx bxj bxns tbb tbh", 1)
	names("indirect-link", "blx blxns", 1)
	names("indirect-eret", "eret rfeia rfeib rfeda rfedb", 1)
	names("to-pc", "ldr adr", 1)
	alu = "and eor sub rsb add adc sbc rsc orr mov bic mvn lsl lsr asr ror rrx"
	names("to-pc", alu, 1)
	gsub(/[a-z]+/, "&s", alu)
	names("s-to-pc", alu, 1)
	names("list", "ldm ldmda ldmdb ldmib pop", 1)
	names("cp15", "mcr", 1)
	names("brk", "bkpt", 1)
	names("udf", "trap")
}

# Returns by convention: sp in a list makes it UNPREDICTABLE.
function implied(base)
{
	if (base == "bx")
		return operands == "lr"
	if (base == "mov")
		return operands == "pc, lr"
	if (base == "ldr")
		return operands ~ /^pc, \[sp\], #[0-9]/
	if (base == "pop")
		return operands !~ /sp/
	return base == "ldm" && operands ~ /^sp!, [^s]*$/
}

function refine(class)
{
	if (class == "to-pc" || class == "s-to-pc") {
		if (operands !~ /^pc, /)
			return "other"
		return class == "to-pc" ? "indirect" : "indirect-eret"
	}
	if (class == "list") {
		if (operands !~ /[{].*pc[}]/)
			return "other"
		return operands ~ /\^/ ? "indirect-eret" : "indirect"
	}
	if (class == "cp15") {
		if (operands ~ /^p15, #0, [a-z0-9]+, c7, c5, #4$/)
			return "isb"
		return operands ~ /^p15, #0, [a-z0-9]+, c7, c10, #[45]$/ ? "barrier" : "other"
	}
	if (base_of[name] == "blx" && operands ~ /^#/)
		return "direct-link"
	return class
}

BEGIN {
	FS = "\t"
	nr_cond = split("eq ne hs lo mi pl vs vc hi ls ge lt gt le", cond, " ")
	common = isa != "a64"
	names("isb", "isb", common)
	names("barrier", "dsb dmb sb ssbb pssbb dfb", common)
	names("wfx", "wfe wfi", common)
	names("svc", "svc", common)
	names("hvc", "hvc", common)
	names("smc", "smc", common)
	names("hlt", "hlt", common)
	names("udf", "udf", common)
	if (isa == "a64")
		names_a64()
	else
		names_aarch32()
}

{
	name = $2
	sub(/ .*/, "", name)
	operands = $3
	if (isa != "a64")
		sub(/\.w$/, "", name)
	class = name in class_of ? refine(class_of[name]) : "other"
	if (isa != "a64" && class == "indirect" && implied(base_of[name]))
		class = "indirect-implied"
	offset = 0
	if (class ~ /^direct/) {
		offset = operands
		sub(/.*#/, "", offset)
	}
	print name, class, name in conditional ? 1 : 0,
	      class == "direct-link" && base_of[name] == "blx" ? 1 : 0, offset
}
'

# $1: our name of the instruction set, $2: triple, $3: features
compare()
{
	"$insn_llvm" gen "$1" "$seed" >"$dir/input"
	"$llvm_mc" -triple="$2" -mattr="$3" -disassemble <"$dir/input" >"$dir/text" \
		2>"$dir/errors" || [ $? -eq 1 ] # 1: some were not decoded
	awk -v isa="$1" "$classify" "$dir/text" >"$dir/classes"
	"$insn_llvm" check "$1" "$known" "$dir/input" "$dir/classes" "$dir/errors" >"$dir/result" ||
		status=1
	# TAP: a class that has none of another opinion, and some of the same, is good
	awk '/ different$/ && NF == 8 { print ($(NF - 1) == 0 ? "ok" : "not ok") " - " $0; next }
		{ print "# " $0 }' "$dir/result"
}

arm=+virtualization,+trustzone,+mp,+hwdiv,+hwdiv-arm,+sb,+ras,+crc,+crypto,+fullfp16,+dotprod
arm=$arm,+i8mm,+bf16,+clrbhb

compare a64 aarch64 +all
compare a32 armv8.7a "$arm"
compare t32 thumbv8.7a "$arm"

exit $status
