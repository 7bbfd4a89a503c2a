# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: of ten thousand requests one is slow, and hwflow record keeps the trace of that one. The limit and
# the duration of that request are far above the delays of an emulated machine on a busy host.
. /record.sh
mount --bind /dev/null /proc/kallsyms
turn=0
while [ $turn -lt 20 ]; do
	turn=$((turn + 1))
	kind=cpus, how=
	[ $((turn % 4)) -ne 0 ] || kind= how=--per-thread
	record latency-$turn ${kind}latest,user,slow -S -m ,64K $how \
		--trigger='latency(request,request_done)>1s' -- /request 10000 2000
	sed -n 's/^hwflow record: trigger/#&/p' /tmp/latency-$turn.log
	grep -q '^hwflow record: trigger .*: at [0-9.]*, thread .* [12][0-9]*\.[0-9]* ms' /tmp/latency-$turn.log
	ok $? "latency-$turn: the trigger is hit"
done
umount /proc/kallsyms
done_testing
