# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, whose CPUs have FEAT_ITE and whose kernel has access to TRCITECR_EL1: a program writes numbers with TRCIT,
# which are in its trace if the event asks for them. The machine counts accesses to registers. At the end the module is
# loaded with its parameter.
. /record.sh
mount --bind /dev/null /proc/kallsyms
last=$((cpus - 1))

rmmod arm_ete_pmu && insmod $module
ok $? "the module is loaded without its parameter"
[ -d $pmu ] && [ ! -e $pmu/format/instrumentation ]
ok $? "it has no such field"
same "an event with the field" EOPNOTSUPP "$(/attempt "$(cat $pmu/type)" 0 0x2000 0 u)"
# TRCIT is there
record unasked exact,user,INSTRUMENTATION=0 -e cs_etm//u --per-thread -- /instrument 1 100
rmmod arm_ete_pmu
insmod /power.ko instrumentation=1 && insmod $module instrumentation=1
ok $? "the module is loaded with its parameter"
same "format/instrumentation" config1:13 "$(cat $pmu/format/instrumentation)"
same "an event with the field" ok "$(/attempt "$(cat $pmu/type)" 0 0x2000 0 u)"

record values exact,user,values=1+2000 -e cs_etm/instrumentation/u --per-thread -- /instrument 1 2000
record none exact,user,INSTRUMENTATION=0 -e cs_etm//u --per-thread -- /instrument 1 2000
record wide exact,user,values=0x8000000000000000+100 -e cs_etm/instrumentation,timestamp=2/u --per-thread -- \
	/instrument 0x8000000000000000 100
record all cpus,exact,user,values=0x70+500 -a -e cs_etm/instrumentation/u -- taskset 1 /instrument 0x70 500

# count NAME: accesses of all CPUs so far
count() {
	touch "/host/count-$1"
	wait_for 60 0 test -s "/host/counted-$1"
	cat "/host/counted-$1"
}

# an event that returns: ten accesses, and some hundred when it is opened, or comes to another CPU
run="taskset 1"
sessions=$(stat sessions)
before=$(count before)
record switches exact,user,values=1+1000 -e cs_etm/instrumentation/u --per-thread -- /instrument 1 1000 200
accesses=$(($(count after) - before))
sessions=$(($(stat sessions) - sessions))
echo "# $accesses accesses in $sessions records"
[ $sessions -gt 500 ] && [ $accesses -gt $((9 * sessions)) ] && [ $accesses -le $((10 * sessions + 300)) ]
ok $? "a switch costs ten accesses"
run=

# becomes CPU WHEN VALUE: what power.ko has printed of TRCITECR_EL1
becomes() {
	dmesg | sed -n "s/.*power: cpu$1: instrumentation $2: /# cpu$1, $2: /p" | sort -u
	[ "$(dmesg | sed -n "s/.*power: cpu$1: instrumentation $2: //p" | sort -u)" = "$3" ]
	ok $? "cpu$1, $2: TRCITECR_EL1 is $3"
}

# the event of each CPU, while its power goes and comes back with any value, and while it leaves
what=instrumentation/u
rm -f stop
begin power -a -m ,4M -e cs_etm/$what -- taskset 1 /work >/dev/null
grows "$(cat $stats/cpu0/sessions)" cat $stats/cpu0/sessions
ok $? "power: is recorded"
for act in keep lose; do
	dmesg -c >/dev/null
	turn=0
	while [ $turn -lt 10 ]; do
		echo "$act 0" >/proc/power
		turn=$((turn + 1))
		usleep 20000
	done
	becomes 0 off 0
	becomes 0 on 1
done
touch stop
wait $perf
give power cpus,exact,user $?
# the value that the register comes back with is not the one that an event without the field wants
rm -f stop
begin plain -a -m ,4M -e cs_etm//u -- taskset 1 /work >/dev/null
grows "$(cat $stats/cpu0/sessions)" cat $stats/cpu0/sessions
ok $? "plain: is recorded"
dmesg -c >/dev/null
echo "lose 0" >/proc/power
becomes 0 on 0
touch stop
wait $perf
give plain cpus,exact,user,INSTRUMENTATION=0 $?
dmesg -c >/dev/null
before=$(cat $stats/cpu$last/sessions)
begin gone -C $last -e cs_etm/$what -- sleep 1000
grows "$before" cat $stats/cpu$last/sessions
ok $? "gone: is recorded"
echo "state $last" >/proc/power
becomes $last state 1
echo 0 >/sys/devices/system/cpu/cpu$last/online
becomes $last leaves 0
kill -INT $perf
wait $perf
echo 1 >/sys/devices/system/cpu/cpu$last/online
give gone partial 0

# an event without the field takes it back, and so does the module when it goes
record before exact,user,values=1+10 -e cs_etm/$what --per-thread -- taskset 1 /instrument 1 10
for expected in 1 0; do
	dmesg -c >/dev/null
	echo "state 0" >/proc/power
	becomes 0 state $expected
	[ $expected -eq 0 ] ||
		record after exact,user,INSTRUMENTATION=0 -e cs_etm//u --per-thread -- taskset 1 /instrument 1 10
done
record again exact,user,values=1+10 -e cs_etm/$what --per-thread -- taskset 1 /instrument 1 10
# perf's last event may be there for a moment
wait_for 10 0 rmmod arm_ete_pmu 2>/dev/null
dmesg -c >/dev/null
echo "state 0" >/proc/power
becomes 0 state 0
insmod $module instrumentation=1
ok $? "the module is loaded again"
rmmod power
umount /proc/kallsyms
done_testing
