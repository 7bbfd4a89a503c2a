// SPDX-License-Identifier: GPL-2.0-only
/* hwflow doctor: what a user may do. */
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "doctor.h"

/* Since Linux 5.8 */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

/* As perf without privileges: a ring of 64 pages of 4 KB and its header, and an AUX area of 128 KB
 */
#define RING_KB 260
#define AUX_KB  128

/* Effective capabilities of this process; 0 if they are unknown */
static uint64_t read_capabilities(const struct machine *machine)
{
	char *status = machine_read(machine, NULL, "proc/self/status");
	const char *line = status ? strstr(status, "\nCapEff:") : NULL;
	uint64_t capabilities = line ? strtoull(line + strlen("\nCapEff:"), NULL, 16) : 0;

	free(status);
	return capabilities;
}

static bool has(uint64_t capabilities, unsigned int capability)
{
	return capabilities >> capability & 1;
}

static bool has_perfmon(uint64_t capabilities)
{
	return has(capabilities, CAP_PERFMON) || has(capabilities, CAP_SYS_ADMIN);
}

/* perf_event_paranoid; false if it cannot be read */
static bool read_paranoid(const struct machine *machine, long *level)
{
	char word[32], *end;

	if (!machine_word(machine, word, sizeof(word), "proc/sys/kernel/perf_event_paranoid"))
		return false;
	*level = strtol(word, &end, 10);
	return end != word;
}

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
	const uint64_t capabilities = read_capabilities(&doctor->machine);
	long level;

	if (!read_paranoid(&doctor->machine, &level))
		return;
	if (has_perfmon(capabilities))
		doctor_say(doctor, CHECK_PERMISSION, DOCTOR_OK, NULL,
			   "perf_event_paranoid is %ld, and this process has %s: it can record all",
			   level,
			   has(capabilities, CAP_SYS_ADMIN) ? "CAP_SYS_ADMIN" : "CAP_PERFMON");
	else if (level > 2 && !(doctor->machine.live && may_open()))
		doctor_say(
			doctor, CHECK_PERMISSION, DOCTOR_FAULT,
			"sudo sysctl kernel.perf_event_paranoid=2 allows each user to record user "
			"code of own threads (1: kernel code, too; 0: CPUs, too). Or run hwflow "
			"with sudo.",
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

/* RLIMIT_MEMLOCK of this process in KB; a large number if there is no limit or it is unknown */
static uint64_t read_limit(const struct machine *machine)
{
	char *limits = machine_read(machine, NULL, "proc/self/limits"), *end;
	const char *line = limits ? strstr(limits, "Max locked memory") : NULL;
	uint64_t limit = UINT32_MAX;

	if (line) {
		line += strlen("Max locked memory");
		limit = strtoull(line, &end, 10) / 1024;
		if (end == line)
			limit = UINT32_MAX; /* "unlimited" */
	}
	free(limits);
	return limit;
}

/* perf_mmap(): mlock_kb is for each CPU that is online, and RLIMIT_MEMLOCK for what exceeds that */
void doctor_memory(struct doctor *doctor)
{
	const struct machine *machine = &doctor->machine;
	const uint64_t capabilities = read_capabilities(machine), limit = read_limit(machine);
	struct machine_cpus online = {0};
	uint64_t each, all;
	long level = 2;

	if (!machine_number(machine, &each, "proc/sys/kernel/perf_event_mlock_kb"))
		return;
	machine_cpus_read(machine, &online, "sys/devices/system/cpu/online");
	all = each * (machine_cpus_count(&online) ? machine_cpus_count(&online) : 1);
	read_paranoid(machine, &level);
	if (has(capabilities, CAP_IPC_LOCK) || level < 0)
		doctor_say(doctor, CHECK_MEMORY, DOCTOR_OK, NULL, "buffers have no limit: %s",
			   level < 0 ? "perf_event_paranoid is -1"
				     : "this process has CAP_IPC_LOCK");
	else if (all + limit < RING_KB + AUX_KB)
		doctor_say(doctor, CHECK_MEMORY, DOCTOR_FAULT,
			   "sudo sysctl kernel.perf_event_mlock_kb=516; or ulimit -l 8192, where "
			   "/etc/security/limits.conf allows it (memlock).",
			   "%" PRIu64 " KB may be locked (perf_event_mlock_kb %" PRIu64
			   ", RLIMIT_MEMLOCK %" PRIu64 " KB), "
			   "and the buffers of a thread take %u KB",
			   all + limit, each, limit, RING_KB + AUX_KB);
	else
		doctor_say(doctor, CHECK_MEMORY, DOCTOR_OK, NULL,
			   "perf_event_mlock_kb is %" PRIu64
			   " for each CPU; the buffers of a thread take %u "
			   "KB",
			   each, RING_KB + AUX_KB);
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
