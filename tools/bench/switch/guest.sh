# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: record pingpong twice, SHORT and LONG rounds of it, and stand still after each for
# the host to read the machine's counts. Our driver if there is one, else the kernel's modules.
stop() { # NAME
	/pingpong
	echo "stop $1"
	while [ ! -e "/host/$1" ]; do
		sleep 0.2
	done
}

record() { # ROUNDS
	perf record -o /tmp/data -e cs_etm//u --per-thread -- /pingpong "$1" >/tmp/log 2>&1
	echo "recorded $1 $?"
}

mkdir -p /host
mount -t 9p -o trans=virtio,version=9p2000.L host /host || exit 1
mount --bind /dev/null /proc/kallsyms
if [ -f /arm_ete_pmu.ko ]; then
	insmod /arm_ete_pmu.ko || exit 1
fi
while read -r module size _ _ _ address _; do
	echo "module $module $address $size"
done </proc/modules
. /rounds
cd /tmp || exit 1
record 10
stop begin
record "$SHORT"
stop short
record "$LONG"
stop long
