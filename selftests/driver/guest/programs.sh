# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: shells start a program that is linked at the address of the shell, on all CPUs. The decoder has to
# identify the program that each process executes.
. /record.sh
mount --bind /dev/null /proc/kallsyms

# programs COUNT: each time a program in the background, two that the shell waits for, and a process that executes
# three programs, one after the other
programs() {
	echo "i=0
	while [ \$i -lt $1 ]; do
		/work-low 2 1 >/dev/null &
		busybox true
		/work-low 1 1 >/dev/null
		sh -c 'exec busybox sh -c \"exec /work-low 1 1\"' >/dev/null &
		i=\$((i + 1))
	done
	wait"
}

record user cpus,exact,user,several=0 -a -m 1M,16M -e cs_etm//u -- sh -c "$(programs 6)"
record inherited cpus,exact,user,several=0 -m 1M,16M -e cs_etm//u -- sh -c "$(programs 6)"
record kernel cpus,lossy,several=0 -a -m 1M,16M -e cs_etm// -- sh -c "$(programs 2)"
umount /proc/kallsyms
done_testing
