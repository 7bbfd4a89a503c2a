#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# log-witness.sh QEMU HWFLOW DIR - the ground-truth log of a program with traps, faults, an instruction
# executed again and interrupts is what QEMU's own log of single instructions says.
#
# Both runs count instructions, so that interrupts come at the same place. The witness is of a
# run in which each instruction is a block of its own, and knows three things: which
# instruction was begun, at which Exception level, and what exception was taken, with which
# return address. EL1 is left out in two ways: trace is prohibited there, or TRCVICTLR says so.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$(realpath "$1")
hwflow=$(realpath "$2")
dir=$(realpath -m "$3")
mkdir -p "$dir"
. "$here/tap.bash"
. "$here/../../setup/tests/wait.bash"

cd "$dir" || exit 1

# options of the CPU; stretches of trace, where it is not as many as exceptions
more=
stretches=
run() { # PROGRAM LOG OPTION...
	local program=$1 log=$2

	shift 2
	rm -f "$log"
	guarded 60 "$qemu" -M virt,gic-version=3 -cpu "max,ete=on,trbe=on,trace-log=$log$more" -m 128 \
		-nic none -display none -serial none -monitor none -icount shift=4 \
		-semihosting-config enable=on -kernel "$program" "$@" </dev/null >run.log 2>&1
}

# as the text of the log has it, without its first four columns
text() {
	"$hwflow" emulate --show-log="$1" | cut -d ' ' -f 4-
}

# An instruction that was begun was executed, unless an exception came that returns to it. An
# exception is traced if what was executed last was, prohibited regions apart.
expect_from_witness() { # PROHIBITED
	awk -v "prohibited=$1" '
		function flush() {
			if (begun != "" && el == 0 && !off)
				print "0", isa, begun
			if (begun != "" && !off && (el == 0 || !prohibited))
				traced = el == 0
			begun = ""
		}
		# as TRCRSR.TA is programmed
		BEGIN { el = 1; traced = 1 }
		/^Trace 0: / {
			flush()
			# base/PC/flags/, where the flags of AArch32 are in the base: T32 is bit 23
			split($4, field, "/")
			begun = field[2]
			isa = field[3] ~ /[13579bdf]$/ ? "A64" : \
				substr(field[1], length(field[1]) - 5, 1) ~ /[89a-f]/ ? "T32" : "A32"
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
			else if (type == "Breakpoint") name = "instruction-debug"
			else if (type == "Undefined Instruction") name = "trap"
			# trace is prohibited by SVC #4, allowed by SVC #5, where it was not traced
			if (from == 0 && traced && !off)
				print "EXC " name " " ret
			if (type == "SVC" && esr[2] ~ /[45]$/)
				off = esr[2] ~ /4$/
		}
		/^\.\.\.to EL[0-9] PC/ { el = substr($2, 3, 1) }
		/^Exception return from / {
			flush()
			el = substr($8, 3, 1)
		}' exec >witness
}

# the trace of the last run, in the file "trace", against LOG
verify() { # NAME PROGRAM LOG
	local registers

	mapfile -t registers < <(od -An -v -t x8 -w8 registers | tr -d ' ')
	config=TRCCONFIGR=0x${registers[0]},TRCIDR0=0x${registers[1]},TRCIDR1=0x${registers[2]}
	config+=,TRCIDR2=0x${registers[3]},TRCIDR8=0x${registers[4]},TRCDEVARCH=0x${registers[5]}
	# TRBSR_EL1, where a trigger does no harm
	[ $((0x${registers[6]} & ~(1 << 21))) -eq 0 ] && [ -s trace ]
	ok $? "$1: there is trace, and nothing was lost"
	# of a stretch that has no exception at its end, no P0 element shows the last instructions
	"$hwflow" verify --protocol=ete --config="$config" --image="$2" --truth="$3" \
		${stretches:+--filtered} trace >verified 2>&1
	ok $? "$1: the trace is what the log says" verified
	sed 's/^/# /' verified
	# each stretch ends with an exception, where EL1 is not traced
	[ "$("$hwflow" dump --protocol=ete --config="$config" trace | grep -c ' TRACE_ON')" -eq \
		"${stretches:-$(text "$3" | grep -c EXC)}" ]
	ok $? "$1: no gap in the trace"
}

# witness NAME PROGRAM PROHIBITED: is trace prohibited at EL1, or left out by TRCVICTLR?
witness() {
	local name=$1 what

	run "$2" blocks.truth
	must_end $? "$name: the program comes to its end" run.log
	verify "$name, blocks" "$2" blocks.truth
	run "$2" single.truth -accel tcg,one-insn-per-tb=on -d exec,nochain,int -D exec
	must_end $? "$name: in single steps, too" run.log
	verify "$name, single steps" "$2" single.truth
	text blocks.truth >blocks
	text single.truth >single
	expect_from_witness "$3"
	cmp witness single
	ok $? "$name: single steps: the log is what the witness says"
	cmp witness blocks
	ok $? "$name: blocks: the log is what the witness says"
	echo "# $(grep -c '^[0-9]' witness) instructions, $(grep -c EXC witness) exceptions"
	for what in 'trap' 'data-fault' 'IRQ' 'call'; do
		grep -q "^EXC $what " witness
		ok $? "$name: there is one: $what"
	done
	awk '/^EXC trap/ { at = $3; next } at != "" { again = again || $3 == at; at = "" }
		END { exit !again }' blocks
	ok $? "$name: there is one: an instruction executed again after its trap"
}

# value FILE SYMBOL
value() {
	echo "0x$(aarch64-linux-gnu-nm "$1" | sed -n "s/ t $2\$//p")"
}

# program NAME DEFINES [AARCH32]
program() {
	make -s -B -C "$here/bare" OUT="$dir/$1" SRC=witness.S DEFINES="$2" "${@:3}" || exit 1
}
program left-out.elf -DLEFT_OUT
program left-out32.elf -DLEFT_OUT AARCH32="$dir/aarch32.bin"
program witness.elf ""
program witness32.elf "" AARCH32="$dir/aarch32.bin"
witness "A64, EL1 left out" left-out.elf 0
exceptions=$(grep -c EXC witness)
witness A64 witness.elf 1
# those that come before the first instruction
[ "$(grep -c EXC witness)" -gt "$exceptions" ]
ok $? "A64: more exceptions are traced than where EL1 is left out"
witness "AArch32, EL1 left out" left-out32.elf 0
witness AArch32 witness32.elf 1
[ "$(grep -c '^0 A32' witness)" -gt 100 ] && [ "$(grep -c '^0 T32' witness)" -gt 100 ]
ok $? "AArch32: instructions of both kinds"
# T32 code is behind A32 code; of an address that was there before nothing is said
border=$(printf 0x%x $(($(value witness32.elf program) + $(value aarch32.bin.elf t32_function))))
"$hwflow" dump --protocol=ete --config="$config" trace | awk -v border="$border" '
	exception && /_IS[01] / {
		at = $NF
		sub("addr=", "", at)
		wrong += /_IS1 / != (at >= border)
		count[/_IS1 /]++
	}
	{ exception = / EXCEPTION / }
	END { exit wrong || count[0] < 5 || count[1] < 5 }'
ok $? "AArch32: exceptions return to A32, or to T32"

# trace NAME CPU-OPTIONS DEFINES: AArch32, traced otherwise
trace() {
	program other.elf "$3" AARCH32="$dir/aarch32.bin"
	more=$2
	rm -f other.truth
	run other.elf other.truth -d guest_errors -D errors
	must_end $? "$1: the program comes to its end" run.log
	more=
	verify "$1" other.elf other.truth
	# but the faults that the program wants
	! grep -v '^Invalid read at addr 0x6000000' errors >complaints
	ok $? "$1: the trace unit has nothing to complain of" complaints
}

# atoms LABEL SIZE TAKEN NOT: of the instruction of SIZE at LABEL in the trace of the last run
atoms() {
	local address

	address=$(($(value other.elf program) + $(value aarch32.bin.elf "$1") + $2))
	address=$(printf "RANGE .* end=0x%x " $address)
	[ "$(grep "$address" flow | grep -c ' last=E')" -eq "$3" ] &&
		[ "$(grep "$address" flow | grep -c ' last=N')" -eq "$4" ]
	ok $? "$1: an Atom says whether its condition holds"
}

trace "cycle counts, context, timestamps" "" -DCONFIG=0x1858
"$hwflow" flow --format=ref --protocol=ete --config="$config" --image=other.elf trace >flow
atoms isb 4 10 10
atoms wfe 4 10 10
# to the instruction behind it
atoms next 4 9 11
atoms t32_isb 4 10 10
atoms t32_wfe 2 10 10
trace "branch broadcast" "" -DCONFIG=8
trace "Q elements" ,ete-q=1 -DCONFIG=0x2000
trace speculation ,ete-maxspec=16,ete-speculation=1 ""
trace "speculation and all else" ,ete-maxspec=100,ete-speculation=7 -DCONFIG=0x1858
trace "no WFI and WFE" ,ete-wfx=off ""
# TSB CSYNC and DSB of A32 and T32 are enough
trace strict ,trace-sync=strict ""
trace "strict, by chance" ,trace-sync=strict,trace-sync-seed=3 ""
# up to where it is prohibited
stretches=3
trace "EL1, too" "" -DEL1
stretches=
# each instruction is looked at
leaf=$(value aarch32.bin.elf t32_leaf)
trace resources "" -DEVENT="$leaf"
begins=$(printf %x $(($(value other.elf program) + leaf)))
text other.truth >other
events=$("$hwflow" dump --protocol=ete --config="$config" trace | grep -c ' EVENT')
echo "# $events events"
[ "$events" -gt 10 ] && [ "$events" -eq "$(grep -c "T32 $begins\$" other)" ]
ok $? "resources: an event each time that an address comparator sees T32 code"
done_testing
