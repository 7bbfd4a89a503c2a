# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: programs that begin and end all the time on all CPUs. Each instruction is of the thread that
# executed it: `hwflow verify` compares the threads of a recording of CPUs, too.
. /record.sh
mount --bind /dev/null /proc/kallsyms

# storm PROGRAMS: each time a program, a child of a child, and a process with a thread
storm() {
	echo "i=0
	while [ \$i -lt $1 ]; do
		busybox true &
		(busybox echo \$i >/dev/null) &
		/work 2 1 >/dev/null &
		i=\$((i + 1))
	done
	wait"
}

record storm cpus,exact,user,threads=60 -a -m 1M,16M -e cs_etm//u -- sh -c "$(storm 20)"
record inherited cpus,exact,user,threads=60 -m 1M,16M -e cs_etm//u -- sh -c "$(storm 20)"
record kernel cpus,lossy -a -m 1M,16M -e cs_etm// -- sh -c "$(storm 6)"
umount /proc/kallsyms
done_testing
