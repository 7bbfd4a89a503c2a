# SPDX-License-Identifier: GPL-2.0-only
#
# Record the kernel with interrupts masked for each of TIMES, in microseconds; stand still after each.
# perf reads on a processor of its own, into memory: what there is to lose is lost by the mask alone.
. /times
insmod /mask.ko || exit 1

record() { # MICROSECONDS
	# what comes after the mask is recorded, too
	taskset 2 perf record -N -o "data-$1" -m ",$RING" -e cs_etm//k --per-thread -- \
		taskset 1 sh -c "usleep 20000; echo $1 >/proc/mask; usleep 20000" >/tmp/log 2>&1
	echo "recorded $1 $?"
	stop "t$1"
	cp "data-$1" /host
}

stop begin
for time in $TIMES; do
	record "$time"
done
