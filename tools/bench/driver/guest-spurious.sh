# SPDX-License-Identifier: GPL-2.0-only
#
# The trace buffer's interrupt is made pending with no session, by power.ko; then the machine has to be alive,
# and to record.
insmod /power.ko || exit 1
irq=$(awk -F : '/ (arm_ete_pmu|arm_trbe)$/ { print $1 + 0 }' /proc/interrupts)
stop begin
echo "interrupt 0 $irq" >/proc/power
echo "alive"
perf record -N -o data -e cs_etm//u --per-thread -- true >/tmp/log 2>&1
echo "recorded $?"
