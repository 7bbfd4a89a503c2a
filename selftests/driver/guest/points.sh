# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: trace from the first time on that a thread gives up its CPU. That is executed shortly
# before the trace unit is disabled each time, and has to be known there: else nothing comes after it.
. /record.sh
cat /proc/kallsyms >kallsyms
mount --bind kallsyms /proc/kallsyms
run="taskset 1"
record points filtered,most -e cs_etm// -m ,64M --filter 'start __schedule' --per-thread -- /work 1 60
run=
umount /proc/kallsyms
done_testing
