# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: what perf reads of a PMU of this name is in sysfs, with the values that the host
# says in /host/expect, FILE VALUE a line; - is the value of a file that is not there.
. /tap.sh

grep -qxE '[0-9]+' $pmu/type
ok $? "type is a number"
# 13: events of the context identifier are those of the kernel's own Exception level
context=14
dmesg | grep -q ': VHE mode initialized' && context=15
# config3 is there since 6.3
threshold=config3:0-11
case $(uname -r) in 6.1.*) threshold=config1:0-11 ;; esac
while read -r name bits; do
	same "format/$name is $bits" "$bits" "$(cat $pmu/format/$name)"
done <<-END
	branch_broadcast config:8
	cycacc config:12
	contextid1 config:14
	contextid2 config:15
	contextid config:$context
	timestamp config:4-7
	cc_threshold $threshold
	retstack config:29
	preset config:0-3
	sinkid config2:0-31
	configid config2:32-63
END
for name in cpumask cpus; do
	[ ! -e $pmu/$name ]
	ok $? "$name is not there: perf would take the PMU for one without threads"
done

cpu=0
while [ $cpu -lt "$cpus" ]; do
	while read -r file value; do
		same "cpu$cpu/$file is $value" "$value" "$(cat $pmu/cpu$cpu/$file 2>/dev/null || echo -)"
	done </host/expect
	same "cpu$cpu/cpu" $cpu "$(cat $pmu/cpu$cpu/cpu)"
	same "cpu$cpu/ts_source: the kernel's clock" 1 "$(cat $pmu/cpu$cpu/ts_source)"
	cpu=$((cpu + 1))
done
[ ! -e $pmu/cpu$cpu ]
ok $? "there is no cpu$cpu"
done_testing
