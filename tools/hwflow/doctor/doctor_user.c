// SPDX-License-Identifier: GPL-2.0-only
/* hwflow doctor: what a user may do. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "doctor.h"
#include "machine_user.h"

/* Levels above 2 are Debian's and Android's; other kernels treat them as 2. */
static bool may_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void doctor_permission(struct doctor *doctor)
{
	struct machine_user user;
	long level;

	machine_user_read(&doctor->machine, &user);
	if (!user.has_paranoid)
		return;
	level = user.paranoid;
	if (user.perfmon)
		doctor_say(doctor, CHECK_PERMISSION, DOCTOR_OK, NULL,
			   "perf_event_paranoid is %ld, and this process has %s: it can record all",
			   level, user.sys_admin ? "CAP_SYS_ADMIN" : "CAP_PERFMON");
	else if (level > 2 && !(doctor->machine.live && may_open()))
		doctor_say(doctor, CHECK_PERMISSION, DOCTOR_FAULT, USER_REMEDY_PARANOID,
			   "perf_event_paranoid is %ld: only a process with CAP_PERFMON may record",
			   level);
	else
		doctor_say(doctor, CHECK_PERMISSION, DOCTOR_OK, NULL,
			   "perf_event_paranoid is %ld: a user without CAP_PERFMON can record own "
			   "threads, %s",
			   level,
			   level > 1   ? "user code only; kernel code requires 1, CPUs require 0"
			   : level > 0 ? "user and kernel code; CPUs require 0"
				       : "and CPUs, user and kernel code");
}

/* perf_mmap(): mlock_kb is for each CPU that is online, and RLIMIT_MEMLOCK for what exceeds that */
void doctor_memory(struct doctor *doctor)
{
	const unsigned int needed = machine_user_buffers_kb();
	struct machine_user user;
	uint64_t all;

	machine_user_read(&doctor->machine, &user);
	if (!user.has_mlock)
		return;
	all = machine_user_locked_kb(&doctor->machine, &user);
	if (!machine_user_has_limit(&user))
		doctor_say(doctor, CHECK_MEMORY, DOCTOR_OK, NULL, "buffers have no limit: %s",
			   user.paranoid < 0 ? "perf_event_paranoid is -1"
					     : "this process has CAP_IPC_LOCK");
	else if (all < needed)
		doctor_say(doctor, CHECK_MEMORY, DOCTOR_FAULT, USER_REMEDY_MLOCK,
			   "%" PRIu64 " KB may be locked (perf_event_mlock_kb %" PRIu64
			   ", RLIMIT_MEMLOCK %" PRIu64 " KB), "
			   "and the buffers of a thread take %u KB",
			   all, user.mlock_kb, user.limit_kb, needed);
	else
		doctor_say(doctor, CHECK_MEMORY, DOCTOR_OK, NULL,
			   "perf_event_mlock_kb is %" PRIu64
			   " for each CPU; the buffers of a thread take %u "
			   "KB",
			   user.mlock_kb, needed);
}

void doctor_tracefs(struct doctor *doctor)
{
	char *mounts = machine_read(&doctor->machine, NULL, "proc/self/mounts");

	if (!mounts)
		mounts = machine_read(&doctor->machine, NULL, "proc/mounts");
	if (mounts && strstr(mounts, " tracefs "))
		doctor_say(doctor, CHECK_TRACEFS, DOCTOR_OK, NULL, "mounted");
	else if (mounts && strstr(mounts, " debugfs ") &&
		 machine_exists(&doctor->machine, "sys/kernel/debug/tracing"))
		doctor_say(doctor, CHECK_TRACEFS, DOCTOR_OK, NULL, "in debugfs");
	else if (mounts)
		doctor_say(doctor, CHECK_TRACEFS, DOCTOR_WARNING,
			   "mount -t tracefs tracefs /sys/kernel/tracing",
			   "not mounted: tracepoints cannot be recorded beside the trace");
	free(mounts);
}
