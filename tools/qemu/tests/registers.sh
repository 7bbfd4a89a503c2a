#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# registers.sh QEMU DIR - registers of trace unit and trace buffer unit, by a bare-metal program.
#
# It runs at EL1, EL2 and EL3, in machines of the least, the most and of odd configurations, and is
# told by its command line what each has been asked for.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$1
dir=$2
mkdir -p "$dir"
. "$here/../../setup/tests/wait.bash"
n=0
failed=0
# the machines that did not come to their end
unended=

make -s -C "$here/bare" OUT="$(realpath "$dir")/registers.elf" || exit 1

# what -cpu has as NAME=on, the program is told as NAME=1
arguments() {
	local property

	for property in ${1//,/ }; do
		property=${property/%=on/=1}
		property=${property/%=off/=0}
		property=${property/%=strict/=1}
		printf ',arg=%s' "$property"
	done
}

# machine NAME MACHINE-OPTIONS CPU-OPTIONS [PROGRAM-OPTION]
machine() {
	local name=$1 output=$dir/$1.log line ended=no

	guarded 60 "$qemu" -M "virt,gic-version=3$2" -cpu "max${3:+,$3}" -m 128 -nic none -nographic \
		-semihosting-config "enable=on,arg=registers$(arguments "$3${4:+,$4}")" \
		-d guest_errors -D "$output.errors" \
		-kernel "$dir/registers.elf" </dev/null >"$output" 2>&1
	status=$?
	while read -r line; do
		case $line in
		"ok "* | "not ok "*)
			n=$((n + 1))
			[ "${line#ok}" != "$line" ] || failed=$((failed + 1))
			echo "${line%%ok *}ok $n - $name: ${line#* - }"
			;;
		1..*) ended=yes ;;
		"#"*) echo "$line" ;;
		esac
	done <"$output"
	n=$((n + 1))
	if [ $ended = yes ]; then
		echo "ok $n - $name: came to its end"
	else
		failed=$((failed + 1))
		unended="$unended $name "
		show_end "$output"
		echo "not ok $n - $name: came to its end"
		# not by itself: by a signal, or at its time limit
		[ $status -lt 124 ] || {
			echo "1..$n"
			exit 1
		}
	fi
}

# told MACHINE-NAME NUMBER MESSAGE: -d guest_errors printed MESSAGE so often, if the machine came to its end
told() {
	local times

	case $unended in *" $1 "*) return ;; esac
	times=$(grep -cxE "$3" "$dir/$1.log.errors")
	n=$((n + 1))
	if [ "$times" -eq "$2" ]; then
		echo "ok $n - $1: told: $3"
	else
		failed=$((failed + 1))
		echo "not ok $n - $1: told $times times, not $2: $3"
	fi
}

# refused MACHINE-OPTIONS CPU-OPTIONS MESSAGE: there is no such machine
refused() {
	n=$((n + 1))
	if guarded 60 "$qemu" -M "virt$1" -cpu "max,$2" -nic none -nographic </dev/null 2>&1 | grep -qF "$3"; then
		echo "ok $n - refused: $3"
	else
		failed=$((failed + 1))
		echo "not ok $n - refused: $3"
	fi
}

both=ete=on,trbe=on
least=ete-return-stack=off,ete-wfx=off,\
ete-trace-id=off,ete-address-pairs=0,ete-resource-pairs=0,ete-single-shot=0,\
ete-context-comparators=0,ete-virtual-context-comparators=0,ete-external-inputs=0,ete-sequencer=0,ete-counters=0,ete-claim-tags=0,\
ete-commtrans=off,ete-cycle-size=12,ete-cycle-threshold=1
most=ete-version=3,ete-revision=15,ete-q=3,ete-q-filter=on,ete-timestamp-marker=on,\
ete-maxspec=1024,ete-commopt=off,ete-cycle-threshold=4095,ete-stall=on,ete-no-overflow=on,\
ete-address-pairs=8,ete-pe-comparators=8,ete-resource-pairs=16,ete-single-shot=8,\
ete-context-comparators=8,ete-virtual-context-comparators=8,ete-counters=4,ete-claim-tags=32,\
ete-instrumentation=on,trbe-align=11,trbe-flag-updates=on,trbe-external-abort=2,trace-unknown=7
odd=ete-address-pairs=3,ete-pe-comparators=1,ete-resource-pairs=2,ete-single-shot=5,\
ete-context-comparators=5,ete-virtual-context-comparators=3,ete-external-inputs=1,ete-sequencer=0,\
ete-counters=3,ete-events=2,ete-claim-tags=1,ete-stall=on,ete-instrumentation=on,trbe-align=4,\
trace-busy-writes=on,trace-unknown=4294967295

machine el1 "" $both
machine el2 ,virtualization=on $both
machine el3 ,secure=on $both
machine el3-el2 ,secure=on,virtualization=on $both
machine el1-least "" $both,$least,ete-virtual-context-id=off,ete-version=3
machine el2-least-raz ,virtualization=on $both,$least,ete-absent-raz=on
machine el3-least ,secure=on,virtualization=on $both,$least
machine el1-most "" $both,$most
machine el3-most ,secure=on,virtualization=on $both,$most
machine el1-odd "" $both,$odd
machine el2-odd ,virtualization=on $both,$odd
machine el3-odd ,secure=on $both,$odd
machine el1-inputs "" $both,ete-pe-comparators=2,ete-context-comparators=3
machine el1-says "" $both,id-rme=2,id-trace-version=3,id-trace-filter=2,id-trace-buffer=5,ete-devarch=1198541331
machine el1-external "" $both,trbe-external=on
machine el1-reset "" $both,$most reset=1
machine el2-reset ,virtualization=on $both,$odd reset=1
machine el1-strict "" $both,trace-sync=strict
machine el2-strict ,virtualization=on $both,trace-sync=strict,trace-busy-writes=on,trace-unknown=3
machine el3-strict ,secure=on,virtualization=on $both,trace-sync=strict
machine el1-seed-1 "" $both,trace-sync=strict,trace-sync-seed=1
machine el1-seed-14 "" $both,trace-sync=strict,trace-sync-seed=14
machine el3-seed-3 ,secure=on,virtualization=on $both,trace-sync=strict,trace-sync-seed=3
for strict in el1-strict el3-strict; do
	told $strict 2 "TRBLIMITR_EL1.E cleared with [0-9]+ bytes in the trace unit: no TSB CSYNC"
	told $strict 4 "TRBPTR_EL1: an old value is read: no TSB CSYNC since it was written by trace operations"
	told $strict 1 "TRBPTR_EL1: an old value is read: no context synchronization event since TSB CSYNC"
	told $strict 2 "TSB CSYNC: no context synchronization event since trace is prohibited, or it is not"
	told $strict 1 "TRBLIMITR_EL1.E set with trace of before not in memory: no DSB after TSB CSYNC"
	told $strict 2 "TRBPTR_EL1 written while enabled: ignored"
	told $strict 1 "TRCCLAIMCLR: an old value is read: no context synchronization event since TRCCLAIMSET was written"
	told $strict 1 "TRCOSLSR: an old value is read: no context synchronization event since OSLAR_EL1 was written"
done
instrumentation=ete-instrumentation=on
machine el1-instrumentation "" $both,$instrumentation
machine el2-instrumentation ,virtualization=on $both,$instrumentation
machine el3-instrumentation ,secure=on,virtualization=on $both,$instrumentation
machine el3-instrumentation-no-el2 ,secure=on $both,$instrumentation
machine el1-instrumentation-strict "" $both,$instrumentation,trace-sync=strict
machine el3-instrumentation-strict ,secure=on,virtualization=on $both,$instrumentation,trace-sync=strict
machine el2-instrumentation-seed-2 ,virtualization=on $both,$instrumentation,trace-sync=strict,trace-sync-seed=2
machine el2-instrumentation-reset ,virtualization=on $both,$instrumentation reset=1
serror=trbe-external-abort=2
machine el1-serror "" $both,$serror
machine el1-serror-strict "" $both,$serror,trace-sync=strict
machine el2-serror ,virtualization=on $both,$serror
machine el3-serror ,secure=on,virtualization=on $both,$serror
machine el3-flags ,secure=on,virtualization=on $both,trbe-flag-updates=on
# faults and errata: one each
for strict in "" ,trace-sync=strict; do
	s=${strict:+-strict}
	machine fault$s "" "$both,trbe-fault-after=300$strict" faults=1
	machine fault-stage2$s "" "$both,trbe-fault-after=300,trbe-fault-class=37$strict" faults=1
	machine fault-classes$s "" "$both,trbe-fault-after=300,trbe-fault-class=0$strict" faults=1
	machine abort$s "" "$both,trbe-abort-after=300$strict" faults=1
	machine abort-ignored$s "" "$both,trbe-abort-after=300,trbe-external-abort=1$strict" faults=1
	machine spurious$s "" "$both,trbe-spurious-after=300$strict" faults=1
	machine overwrites$s "" "$both,trbe-overwrites=on$strict" faults=1
	machine beyond$s ,virtualization=on "$both,trbe-beyond-limit=on$strict" faults=1
	machine tsb-fails$s "" "$both,trbe-tsb-fails=on$strict" faults=1
	machine ignores-writes$s ,virtualization=on "$both,trbe-ignores-writes=on$strict" faults=1
	machine inconsistent$s "" "$both,trbe-inconsistent=on$strict" faults=1
	machine corrupts$s "" "$both,trbe-corrupts=on$strict" faults=1
done
refused "" $both,trace-cpus=x:id-rme=1 "trace-cpus: 'x:id-rme=1' does not begin with N, N-M or N-"
refused "" $both,trace-cpus=0:id-rme "trace-cpus: 'id-rme' has no value"
refused "" $both,trace-cpus=0:id-rme=16 "'id-rme' is 16, but can be 0 to 15 only"
refused ,virtualization=on $both,ete-virtual-context-id=off "with EL2 there is ete-virtual-context-id"
refused "" ete=on,ete-instrumentation=on "ete-instrumentation=on needs trbe=on"
machine no-trbe ,virtualization=on ete=on
machine none ,virtualization=on ""
echo "1..$n"
[ "$failed" -eq 0 ]
