#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# trace-load.sh QEMU HWFLOW DIR - real work is traced in all the ways that a trace unit has; the trace says
# what the ground-truth log has.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$(realpath "$1")
hwflow=$(realpath "$2")
dir=$3
mkdir -p "$dir"
dir=$(realpath "$dir")
. "$here/tap.bash"
. "$here/../../setup/tests/wait.bash"

make -s -C "$here/bare" OUT="$dir/registers.elf" || exit 1
cd "$dir" || exit 1

# trace NAME CPU-OPTIONS PROGRAM-OPTIONS [VERIFY-OPTION]: packets are in `packets`, the flow in `flow`
trace() {
	local name=$1 option arguments=

	shift
	for option in ${1//,/ } ${2//,/ }; do
		option=${option/%=on/=1}
		option=${option/%=off/=0}
		# the program knows decimal numbers only
		arguments+=,arg=${option%=*}=$((${option#*=}))
	done
	rm -f trace truth
	guarded 100 "$qemu" -M virt,gic-version=3 -cpu "max,ete=on,trbe=on,trace-log=truth${1:+,$1}" \
		-m 128 -nic none -nographic -kernel registers.elf -semihosting-config \
		"enable=on,arg=registers$arguments,arg=load=1,arg=load-trace=2,arg=load-keep=1" \
		</dev/null >output 2>&1
	grep -q '^1\.\.' output && ! grep -q '^not ok' output
	must_end $? "$name: the machine came to its end" output
	set -- --quiet --protocol=ete --config="$(sed -n 's/^# config //p' output)" \
		--image=registers.elf trace "${@:3}"
	"$hwflow" dump "${@:1:3}" trace >packets
	"$hwflow" flow "${@:1:4}" trace >flow 2>gaps
	! grep -Eqv 'the trace unit gave a Q element(;|$)' gaps
	ok $? "$name: the trace has no gaps" gaps
	# in a loop no one can tell how far an uncounted Q element goes
	[ "$name" = "Q elements, some uncounted" ] || {
		"$hwflow" verify --truth=truth "$@" >verified 2>&1
		ok $? "$name: it says what was executed" verified
	}
}

# count NAME: of packets
count() {
	grep -cE "^ *[0-9a-f]+ +[0-9a-f]+ +$1( |\$)" packets
}

# where the instructions begin that Q elements imply, that are inside or outside of sort()
q_paths() { # inside|outside
	local low high

	low=$((0x$(aarch64-linux-gnu-nm registers.elf | sed -n 's/ t sort$//p')))
	high=$((0x$(aarch64-linux-gnu-nm registers.elf | sed -n 's/ t hash$//p')))
	sed -n 's/.* path unknown from \([0-9a-f]*\),.*/\1/p' flow | while read -r from; do
		[ $((0x$from)) -ge $low ] && [ $((0x$from)) -lt $high ]
		[ $? -eq 0 ] && echo inside || echo outside
	done | grep -c "$1"
}

trace plain "" ""
plain=$(count 'TARGET_ADDRESS.*')
[ "$(count Q)" -eq 0 ] && [ "$(count 'CANCEL.*')" -eq 0 ] && [ "$plain" -gt 1000 ]
ok $? "plain: no Q element and no Cancel"

# TRCCONFIGR.QE
trace "Q elements" ete-q=1 load-config=0x2000
[ "$(count Q)" -gt 1000 ] && [ "$(grep -c ' Q *type=0xf' packets)" -eq 0 ]
ok $? "Q elements: there are many, all of them counted"
trace "Q elements, some uncounted" ete-q=2 load-config=0x6000
[ "$(grep -c ' Q *type=0xf' packets)" -gt 1000 ] && [ "$(grep -c ' Q count=' packets)" -gt 1000 ]
ok $? "Q elements, some uncounted: some of both"
q=ete-q=1,ete-q-filter=on,ete-q-interval=1
trace "Q elements in a range" $q load-config=0x2000,load-q=0x101
[ "$(q_paths inside)" -gt 100 ] && [ "$(q_paths outside)" -eq 0 ]
ok $? "Q elements in a range: nowhere else"
trace "Q elements out of a range" $q load-config=0x2000,load-q=1
[ "$(q_paths outside)" -gt 100 ] && [ "$(q_paths inside)" -eq 0 ]
ok $? "Q elements out of a range: nowhere in it"
trace "Q elements in no range" $q load-config=0x2000,load-q=0x100
[ "$(count Q)" -eq 0 ]
ok $? "Q elements in no range: none"

# cycle counts, context identifiers, timestamps, return stack
all=load-config=0x1858
trace speculation ete-maxspec=16,ete-speculation=1 ""
[ "$(count 'CANCEL.*')" -gt 1000 ] && [ "$(count MISPREDICT)" -gt 100 ] && [ "$(count COMMIT)" -gt 1000 ]
ok $? "speculation: Cancels, Mispredicts, Commits"
trace "speculation and all else" ete-maxspec=100,ete-speculation=7 $all
trace "speculation, commit mode 0" ete-maxspec=100,ete-speculation=3,ete-commopt=off $all
trace "speculation and Q elements" ete-maxspec=5,ete-speculation=9,ete-q=1 load-config=0x2818
trace "no speculation, though there could be" ete-maxspec=5 $all
[ "$(count 'CANCEL.*')" -eq 0 ] && [ "$(count MISPREDICT)" -eq 0 ]
ok $? "no speculation, though there could be: no Cancels"

# each step of interpret() in each of four calls at EL0 and one at EL1, in this order
steps() {
	awk 'BEGIN { for (call = 0; call < 5; call++) for (i = 0; i < 3000; i++) printf "%d 0x%x\n", call == 4, i }'
}
has_steps() {
	sed -n 's/.* INSTRUMENTATION el=\([0-9]\) value=\(0x[0-9a-f]*\)$/\1 \2/p' packets | diff - <(steps) >different
}
trace instrumentation ete-instrumentation=on load-instrumentation=1
has_steps
ok $? "instrumentation: each value that TRCIT wrote, in order" different
trace "instrumentation and speculation" ete-instrumentation=on,ete-maxspec=16,ete-speculation=1 \
	$all,load-instrumentation=1
has_steps
ok $? "instrumentation and speculation: no value of a wrong path" different

trace "branch broadcast in a range" "" load-config=8,load-bb=0x101
some=$(count 'TARGET_ADDRESS.*')
trace "branch broadcast out of a range" "" load-config=8,load-bb=1
more=$(count 'TARGET_ADDRESS.*')
[ "$some" -gt $((plain + 1000)) ] && [ "$more" -gt $((plain + 1000)) ] && [ "$more" -ne "$some" ]
ok $? "branch broadcast: more addresses, not the same"

# exceptions before the first instruction: they are traced with what was executed before
trace "exceptions behind exceptions" "" load-traps=1
trace "exceptions of EL0, EL1 prohibited" "" load-traps=1,load-trace=1,load-trfcr=1
total=$(count EXCEPTION)
trace "exceptions of EL0, EL1 left out" "" load-traps=1,load-trace=1
some=$(count EXCEPTION)
trace "exceptions of EL0, which is left out" "" load-traps=1,load-trace=4
others=$(count EXCEPTION)
echo "# $total exceptions, $some and $others of them"
[ "$others" -eq 6 ] && [ $((some + others)) -eq "$total" ]
ok $? "exceptions of EL0: those left out are behind EL1, two before all and one in each of four calls"
trace "a range included" "" load-viie=1 --filtered
trace "a range excluded" "" load-viie=0x20000 --filtered
trace "started and stopped" "" load-viss=0x20001 --filtered
trace "stalling, no overflow" ete-stall=on,ete-no-overflow=on load-stall=0x210f
done_testing
