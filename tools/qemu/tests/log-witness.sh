#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# log-witness.sh QEMU HWFLOW DIR - the ground-truth log of a program with traps, faults, an instruction
# executed again and interrupts is what QEMU's own log of single instructions says.
#
# Both runs count instructions, so that interrupts come at the same place. The witness is of a
# run in which each instruction is a block of its own, and knows three things: which
# instruction was begun, at which Exception level, and what exception was taken, with which
# return address.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$1
hwflow=$2
dir=$3
mkdir -p "$dir"
. "$here/tap.bash"

make -s -C "$here/bare" OUT="$(realpath "$dir")/witness.elf" SRC=witness.S || exit 1

run() { # LOG OPTION...
	local log=$1

	shift
	rm -f "$log"
	timeout 60 "$qemu" -M virt,gic-version=3 -cpu "max,ete=on,trbe=on,trace-log=$log" -m 128 \
		-nic none -display none -serial none -monitor none -icount shift=4 \
		-semihosting-config enable=on -kernel "$dir/witness.elf" "$@" </dev/null
}

# as the text of the log has it, without its first four columns
text() {
	"$hwflow" emulate --show-log="$1" | cut -d ' ' -f 4-
}

run "$dir/blocks.truth"
ok $? "the program comes to its end"
run "$dir/single.truth" -singlestep -d exec,nochain,int -D "$dir/exec"
ok $? "in single steps, too"
text "$dir/blocks.truth" >"$dir/blocks"
text "$dir/single.truth" >"$dir/single"

# An instruction that was begun was executed, unless an exception came that returns to it. An
# exception that comes before the first instruction since EL1 is not traced.
awk '
	function flush() {
		if (begun != "" && el == 0) {
			print "0 A64 " begun
			traced = 1
		}
		begun = ""
	}
	BEGIN { el = 1 }
	/^Trace 0: / {
		flush()
		split($4, field, "/")
		begun = field[2]
		sub(/^0+/, "", begun)
	}
	/^Stopped execution of TB chain before / { begun = "" }
	# an access that has to be made by itself: it begins anew
	/^cpu_io_recompile: rewound execution / { begun = "" }
	/^Taking exception / {
		type = $0
		sub(/^[^[]*\[/, "", type)
		sub(/\].*/, "", type)
	}
	/^\.\.\.from EL[0-9] to EL/ { from = substr($2, 3, 1) }
	/^\.\.\.with ESR / {
		split($3, esr, "/")
		class = esr[1]
	}
	/^\.\.\.with ELR / {
		ret = substr($3, 3)
		if (type != "IRQ" && begun == ret)
			begun = ""
		flush()
		name = type
		if (type == "IRQ") name = "IRQ"
		else if (type == "SVC") name = "call"
		else if (type == "Data Abort") name = "data-fault"
		else if (type == "Undefined Instruction") name = "trap"
		if (from == 0 && traced)
			print "EXC " name " " ret
	}
	/^\.\.\.to EL[0-9] PC/ { el = substr($2, 3, 1) }
	/^Exception return from / {
		flush()
		el = substr($8, 3, 1)
		traced = 0
	}' "$dir/exec" >"$dir/witness"

cmp "$dir/witness" "$dir/single"
ok $? "single steps: the log is what the witness says"
cmp "$dir/witness" "$dir/blocks"
ok $? "blocks: the log is what the witness says"
echo "# $(grep -c A64 "$dir/witness") instructions, $(grep -c EXC "$dir/witness") exceptions"
for what in 'trap' 'data-fault' 'IRQ' 'call'; do
	grep -q "^EXC $what " "$dir/witness"
	ok $? "there is one: $what"
done
awk '/^EXC trap/ { at = $3; next } at != "" { again = again || $3 == at; at = "" }
	END { exit !again }' "$dir/blocks"
ok $? "there is one: an instruction executed again after its trap"
echo "1..$n"
[ "$failed" -eq 0 ]
