# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, which has many CPUs: user code of all of them is recorded, then that of the first CPU,
# that of the last, and a thread that goes from one to the other.
. /record.sh
mount --bind /dev/null /proc/kallsyms
last=$((cpus - 1))
same "each CPU is traced" "CPUs 0-$last" "$(said | grep -o 'CPUs [0-9-]*$')"

# work on each CPU, a process each
cat >each <<END
cpu=0
while [ \$cpu -lt $cpus ]; do
	taskset -c \$cpu /work 1 1
	cpu=\$((cpu + 1))
done
END
record all cpus,exact,user -a -m ,64K -e cs_etm//u -- sh each
for cpu in 0 $last; do
	run="taskset -c $cpu"
	record "cpu$cpu" cpus,exact,user -C $cpu -m ,64K -e cs_etm//u -- /work 1 3
done
run=
record moves exact,user -m ,64K -e cs_etm//u --per-thread -- busybox sh -c \
	"taskset -pc 0 \$\$; taskset -pc $last \$\$; echo; taskset -pc 0 \$\$; echo"
umount /proc/kallsyms
done_testing
