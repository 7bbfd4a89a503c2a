# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: hwflow-hwcheck of the installed kselftests. Its figures are compared with what is known of the
# machine. hwflow.found=ID,... of the kernel's command line: the findings that it must have, and no others; none: it has none.
# hwflow.theirs: first with the in-tree driver, which is loaded, then with ours, whose report has the figures of both.
# hwflow.align=BYTES: TRBIDR_EL1.Align. hwflow.full: buffers become full. hwflow.barriers: with --barriers. hwflow.errata=NUMBER: workarounds that the driver is forced to use.
. /tap.sh
word() { # NAME: its value on the command line
	sed -n "s/.*hwflow\.$1=\([^ ]*\).*/\1/p" /proc/cmdline
}
json=/host/hwcheck.json
# CNTFRQ_EL0 of QEMU's -cpu max
frequency=1000000000

# value SECTION KEY [FILE]
value() {
	awk -v section="    \"$1\": {" -v key="      \"$2\":" '
		/^    "/ { here = $0 == section }
		here && index($0, key) == 1 {
			sub(/^[^:]*: /, "")
			sub(/,$/, "")
			gsub(/"/, "")
			print
		}' "${3-$json}"
}

# count bytes-NAME: bytes that the machine has written to its trace buffers; lost-NAME: bytes that it could not write
count() {
	touch "/host/count-$1"
	wait_for 60 0 test -s "/host/counted-$1"
	cat "/host/counted-$1"
}

# between NAME LEAST VALUE MOST
between() {
	awk -v l="$2" -v v="$3" -v m="$4" 'BEGIN { exit !(v != "" && v + 0 >= l && v + 0 <= m) }' ||
		echo "# $1: $3, not from $2 to $4"
	awk -v l="$2" -v v="$3" -v m="$4" 'BEGIN { exit !(v != "" && v + 0 >= l && v + 0 <= m) }'
	ok $? "$1"
}

# theirs: the report about the in-tree driver, which is compared with what is executed and with the same registers
theirs() {
	local their=/host/hwcheck-coresight.json first=$pmu/cpu0 before after

	before=$(count lost-before)
	$hwcheck --quick --driver coresight --json $their >/host/hwcheck-coresight.txt
	same "coresight: exit status" 0 $?
	after=$(count lost-after)
	sed 's/^/# /' /host/hwcheck-coresight.txt
	echo "== json hwcheck-coresight.json"
	same "coresight: driver" coresight "$(value identity driver $their)"
	same "coresight: TRCIDR4" "$(cat $first/trcidr/trcidr4)" "$(value identity trcidr4_0 $their)"
	for workload in straight branches calls indirect mixed; do
		same "coresight: $workload: steps in the trace" "$(value rates ${workload}_steps $their)" \
			"$(value rates ${workload}_decoded $their)"
	done
	between "coresight: steps lost, of each hundred" 1 "$(value losses lost_percent $their)" 100
	# what came while collection had stopped; the driver loses more until it starts again
	between "coresight: bytes that the machine could not write" 1 $((after - before)) \
		"$(value losses lost_bytes $their)"
	between "coresight: records with a loss" 1 "$(value losses flagged $their)" "$(value losses records $their)"
	same "coresight: CNTFRQ_EL0" $frequency "$(value timestamps cntfrq $their)"
	between "coresight: rate of timestamps, at least" 1000000 "$(value timestamps rate_least $their)" $((frequency + frequency / 5000))
	between "coresight: rate of timestamps, at most" $((frequency - frequency / 5000)) "$(value timestamps rate_most $their)" $((160 * frequency))
	same "coresight: timestamps that go backwards" 0 "$(value timestamps backwards $their)"
	same "coresight: timestamps out of order with CNTVCT_EL0" 0 "$(value timestamps outside $their)"
	between "coresight: a switch with trace" 1 "$(value switch traced_ns $their)" 1000000000
	$hwcheck --quick --driver arm_ete_pmu >/host/refused
	same "coresight: --driver arm_ete_pmu: exit status" 4 $?
	$hwcheck --quick --compare $their 2>/host/refused
	same "coresight: --compare with a report about it: exit status" 2 $?
	grep -q 'driver that is loaded now' /host/refused
	ok $? "coresight: --compare with a report about it: the reason"
	rmmod coresight-trbe && rmmod coresight-etm4x && rmmod coresight
	ok $? "the kernel's own modules are unloaded"
}

# compared: the report about ours has the figures of the one about theirs
compared() {
	local their=/host/hwcheck-coresight.json key

	for key in lost_percent lost_bytes records flagged; do
		between "compared: $key" "$(value losses $key $their)" "$(value losses other_$key)" "$(value losses $key $their)"
	done
	for key in traced_ns cost_ns; do
		between "compared: $key" "$(value switch $key $their)" "$(value switch other_$key)" "$(value switch $key $their)"
	done
	# in the model the in-tree driver loses what comes while its buffer is full, ours what no reader has taken
	between "steps lost, of each hundred" 0 "$(value losses lost_percent)" "$(value losses other_lost_percent)"
}

hwcheck=/kselftest/drivers/perf/arm_ete/hwflow-hwcheck
# built to leave things out
[ ! -e /host/arm_ete_pmu.ko ] || module=/host/arm_ete_pmu.ko
options=
! grep -q hwflow.barriers /proc/cmdline || options=--barriers
if grep -q hwflow.theirs /proc/cmdline; then
	theirs
	options="--compare /host/hwcheck-coresight.json"
fi
# shellcheck disable=SC2046 # words
insmod $module $(sed -n 's/.*hwflow\.errata=\([^ ]*\).*/force_errata=\1/p' /proc/cmdline)
ok $? "the module is loaded"
before=$(count bytes-before)
# shellcheck disable=SC2086 # words
$hwcheck --quick $options --json $json >/host/hwcheck.txt
status=$?
after=$(count bytes-after)
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
! grep -q hwflow.theirs /proc/cmdline || compared
if grep -q hwflow.barriers /proc/cmdline; then
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
same "CNTFRQ_EL0" $frequency "$(value timestamps cntfrq)"
# the shorter a recording, the nearer are these two; on a host of any load the rate is between them
between "rate of timestamps, at least" 1000000 "$(value timestamps rate_least)" $((frequency + frequency / 5000))
between "rate of timestamps, at most" $((frequency - frequency / 5000)) "$(value timestamps rate_most)" $((160 * frequency))
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
