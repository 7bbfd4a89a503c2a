# SPDX-License-Identifier: GPL-2.0-only
#
# What QEMU logs of a bare RISC-V machine, one instruction a block (-d exec,nochain,int),
# made into exec.csv as hwflow encode reads it. The first file is the program as objdump -d prints it,
# for the opcodes; what is executed outside of it, before its first instruction, is left out.
#
# QEMU logs an instruction when it is about to execute it. Taken back is one that was interrupted
# before it began ("Stopped"), or will be logged again ("rewound").
BEGIN { print "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT" }

FNR == NR {
	if ($1 ~ /^[0-9a-f]+:$/)
		opcode[substr($1, 1, length($1) - 1)] = $2
	next
}

function put() {
	if (pc != "")
		printf "1,%s,%s,%s,0,0,0,0\n", pc, opcode[pc], priv
	pc = ""
}

# key:value or key:0xvalue, of a field of the line
function value(field) {
	sub(/^[a-z]*:(0x)?/, "", field)
	sub(/,$/, "", field)
	return field
}

/^Trace/ {
	put()
	split($4, part, "/")
	if (!(part[2] in opcode))
		next
	pc = part[2]
	# the lowest bits of the flags are the privilege
	priv = substr(part[3], 8) % 4
	next
}

/^Stopped execution|rewound execution/ { pc = ""; next }

# hart:, async:, cause:, epc:, tval:, desc=
/^riscv_cpu_do_interrupt/ {
	epc = value($5)
	cause = value($4)
	sub(/^0+/, "", cause)
	if (value($3) == 1 || epc != pc) {
		# behind an mret it is the program's
		if (opcode[pc] == "30200073")
			priv = 0
		put()
		printf "1,%s,13,%s,1,%s,%s,%s\n", epc, priv, cause, value($6), value($3)
	} else {
		printf "1,%s,%s,%s,1,%s,%s,0\n", pc, opcode[pc], priv, cause, value($6)
		pc = ""
	}
}

END { put() }
