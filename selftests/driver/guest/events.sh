# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: events beside the trace, and compressed records, by `hwflow record`.
. /record.sh
mount --bind /dev/null /proc/kallsyms
dd if=/bin/busybox of=in bs=1k count=16 2>/dev/null
beside="-e sched:sched_switch -e sched:sched_process_fork -e sched:sched_process_exec"
pipeline='busybox cat in | busybox gzip | busybox md5sum'

record thread exact,user,tracepoints=sched:sched_process_exec,inject -e cs_etm//u $beside --per-thread -- busybox md5sum in
record plain cpus,exact,user,tracepoints=sched:sched_switch+sched:sched_process_fork -e cs_etm//u $beside -- sh -c "$pipeline"
record packed cpus,exact,user,perf,packed,tracepoints=sched:sched_switch+sched:sched_process_fork,inject \
	-z -e cs_etm//u $beside -- sh -c "$pipeline"
record packed-thread exact,packed,perf -z19 -e cs_etm//u --per-thread -- busybox md5sum in

# each program in a cgroup of its own; samples name the root cgroup until a controller is enabled, as systemd does
mkdir /cgroup
mount -t cgroup2 none /cgroup
echo +pids >/cgroup/cgroup.subtree_control
mkdir /cgroup/first /cgroup/second
record cgroups cpus,exact,user,cgroups=work:/first+busybox:/second --all-cgroups -e cs_etm//u -a -- sh -c '
	sh -c "echo 0 >/cgroup/first/cgroup.procs; exec /work 2 4 >/dev/null" &
	sh -c "echo 0 >/cgroup/second/cgroup.procs; exec busybox md5sum in"
	wait'
rmdir /cgroup/first /cgroup/second
umount /cgroup

# an archive has the vdso, which no recording above has
/recorder -o /tmp/inner -e cs_etm//u -- sh -c "$pipeline" >/tmp/archived.log 2>&1 &&
	hwflow archive -o /tmp/archived /tmp/inner >>/tmp/archived.log 2>&1
give archived archive $?
umount /proc/kallsyms
done_testing
