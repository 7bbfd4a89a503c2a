# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: hwflow-hwcheck of the installed kselftests. Its figures are compared with what is known of the
# machine. hwflow.found=ID,... of the kernel's command line: the findings that it must have, and no others; none: it has none.
# hwflow.align=BYTES: TRBIDR_EL1.Align. hwflow.full: buffers become full. hwflow.barriers: with --barriers. hwflow.errata=NUMBER: workarounds that the driver is forced to use.
. /tap.sh
word() { # NAME: its value on the command line
	sed -n "s/.*hwflow\.$1=\([^ ]*\).*/\1/p" /proc/cmdline
}
json=/host/hwcheck.json

# value SECTION KEY
value() {
	awk -v section="    \"$1\": {" -v key="      \"$2\":" '
		/^    "/ { here = $0 == section }
		here && index($0, key) == 1 {
			sub(/^[^:]*: /, "")
			sub(/,$/, "")
			gsub(/"/, "")
			print
		}' $json
}

# count NAME: bytes that the machine has written to its trace buffers
count() {
	touch "/host/count-bytes-$1"
	until [ -s "/host/counted-bytes-$1" ]; do usleep 100000; done
	cat "/host/counted-bytes-$1"
}

# between NAME LEAST VALUE MOST
between() {
	awk -v l="$2" -v v="$3" -v m="$4" 'BEGIN { exit !(v != "" && v + 0 >= l && v + 0 <= m) }' ||
		echo "# $1: $3, not from $2 to $4"
	awk -v l="$2" -v v="$3" -v m="$4" 'BEGIN { exit !(v != "" && v + 0 >= l && v + 0 <= m) }'
	ok $? "$1"
}

# built to leave things out
[ ! -e /host/arm_ete_pmu.ko ] || module=/host/arm_ete_pmu.ko
options=
! grep -q hwflow.barriers /proc/cmdline || options=--barriers
# shellcheck disable=SC2046 # words
insmod $module $(sed -n 's/.*hwflow\.errata=\([^ ]*\).*/force_errata=\1/p' /proc/cmdline)
ok $? "the module is loaded"
before=$(count before)
/kselftest/drivers/perf/arm_ete/hwflow-hwcheck --quick $options --json $json >/host/hwcheck.txt
status=$?
after=$(count after)
sed 's/^/# /' /host/hwcheck.txt
echo "== json hwcheck.json"
found=$(word found)
if [ "$found" = none ]; then
	same "no finding" 0 $status
	same "findings" 0 "$(sed -n 's/^  "findings": \([0-9]*\),/\1/p' $json)"
else
	same "there are findings" 1 $status
	same "what is found" "$(echo "$found" | tr , '\n' | sort | tr '\n' ' ')" "$(sed -n 's/^        "\([a-z0-9-]*\)": { "count": [1-9].*/\1/p' \
		$json | sort -u | tr '\n' ' ')"
fi

# registers
first=$pmu/cpu0
same "TRCIDR4" "$(cat $first/trcidr/trcidr4)" "$(value identity trcidr4_0)"
same "TRCDEVARCH" "$(cat $first/mgmt/trcdevarch)" "$(value identity trcdevarch_0)"
same "MIDR_EL1" $(($(cat /sys/devices/system/cpu/cpu0/regs/identification/midr_el1))) $(($(value identity midr_0)))
same "CPUs" "$cpus" "$(value identity trace_units)"
[ -z "$(word align)" ] || same "alignment" "$(word align)" "$(value identity align)"

! grep -q hwflow.full /proc/cmdline ||
	between "records that filled the buffer" 10 "$(value full records)" 1000000
if [ -n "$options" ]; then
	# the model with trace-sync=strict needs TSB CSYNC
	same "wrong recordings with all barriers" 0 "$(value barriers none_wrong)"
	between "wrong recordings without TSB CSYNC" 1 "$(value barriers tsb_wrong)" 100000
	# what is lost on purpose is in no record
	done_testing
	exit
fi

# what follows is that of a machine without a fault
if [ "$found" != none ]; then
	done_testing
	exit
fi
for workload in straight branches calls indirect mixed; do
	same "$workload: steps in the trace" "$(value rates ${workload}_steps)" "$(value rates ${workload}_decoded)"
done
# 16 instructions a step, and what opens and closes the event
steps=$(value rates straight_steps)
between "straight: instructions" $((16 * steps)) "$(value rates straight_instructions)" $((17 * steps + 20000))
# one Atom a step: at most 8 bits, at least a thousandth
between "straight: bits for an instruction" 0.0001 "$(value rates straight_bits)" 0.5
between "indirect: bits for an instruction" 0.5 "$(value rates indirect_bits)" 16
between "indirect needs more trace than straight: bits" "$(value rates straight_bits)" "$(value rates indirect_bits)" 16
same "Trigger Counter" 0 "$(value trigger worst)"
same "interrupts are those of records that reached the trigger" "$(value trigger reached)" \
	"$(value trigger interrupts)"
between "records that reached the trigger" 10 "$(value trigger reached)" 1000000
same "CNTFRQ_EL0" 62500000 "$(value timestamps cntfrq)"
# the shorter a recording, the nearer are these two; on a host of any load the rate is between them
between "rate of timestamps, at least" 1000000 "$(value timestamps rate_least)" 62510000
between "rate of timestamps, at most" 62490000 "$(value timestamps rate_most)" 10000000000
same "timestamps that go backwards" 0 "$(value timestamps backwards)"
same "timestamps out of order with CNTVCT_EL0" 0 "$(value timestamps outside)"
between "turns" 500 "$(value switch turns)" 1000000
# of the times of an emulated CPU nothing is known but that there are some
between "a switch with trace" 1 "$(value switch traced_ns)" 1000000000
between "wake-ups" 50 "$(value idle naps)" 100000
between "wake-up latency" 1 "$(value idle traced_p50_ns)" 1000000000
# each byte that the model writes is in a record, and so counted by the driver
same "bytes of trace" $((after - before)) "$(value statistics bytes)"
done_testing
