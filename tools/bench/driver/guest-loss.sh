# SPDX-License-Identifier: GPL-2.0-only
#
# Record the kernel with interrupts masked for each of TIMES, in microseconds; stand still after each.
. /times
insmod /mask.ko || exit 1

record() { # MICROSECONDS
	# what comes after the mask is recorded, too
	perf record -o "/host/data-$1" -m ",$RING" -e cs_etm//k --per-thread -- \
		sh -c "echo $1 >/proc/mask; cat /proc/version >/dev/null" >/tmp/log 2>&1
	echo "recorded $1 $?"
	stop "t$1"
}

stop begin
for time in $TIMES; do
	record "$time"
done
