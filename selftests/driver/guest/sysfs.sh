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
while read -r name bits; do
	same "format/$name is $bits" "$bits" "$(cat $pmu/format/$name)"
done <<-END
	branch_broadcast config:8
	cycacc config:12
	contextid1 config:14
	contextid2 config:15
	contextid config:$context
	timestamp config:28
	retstack config:29
	preset config:0-3
	sinkid config2:0-31
	configid config2:32-63
END
for name in cpumask cpus; do
	[ ! -e $pmu/$name ]
	ok $? "$name is not there: an event may be for a thread"
done

cpu=0
while [ $cpu -lt "$cpus" ]; do
	while read -r file value; do
		same "cpu$cpu/$file is $value" "$value" "$(cat $pmu/cpu$cpu/$file 2>/dev/null || echo -)"
	done </host/expect
	cpu=$((cpu + 1))
done
[ ! -e $pmu/cpu$cpu ]
ok $? "there is no cpu$cpu"
done_testing
