# SPDX-License-Identifier: GPL-2.0-only
#
# The traps of a RISC-V program as they were taken, and as the trace has them. To be sourced.

# Traps of exec.csv: where, the last digit of the cause, and whether it is an interrupt
executed_traps() {
	awk -F, '$5 == 1 { sub(/^0+/, "", $2)
		print $2, index("0123456789abcdef", tolower(substr($6, length($6)))) - 1, $8 }'
}

# The same of flow --format=ref
decoded_traps() {
	awk '$2 == "TRAP" { split($3, cause, "="); split($4, interrupt, "="); split($5, epc, "=")
		sub(/^0x/, "", epc[2]); print epc[2], cause[2], interrupt[2] }'
}

# What differs: each trap is there, and at its address where that is known at all
wrong_traps() { # EXECUTED DECODED
	paste -d' ' "$1" "$2" |
		awk '$2 != $5 || $3 != $6 || ($4 != $1 && $4 != "unknown")'
}
