// SPDX-License-Identifier: GPL-2.0-only
/* What the user of a machine may record. */
#include "machine_user.h"

#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Since Linux 5.8 */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

/* the highest perf_event_paranoid that permits events of the kernel to every user */
#define PARANOID_KERNEL 1

/* uid_map of the first user namespace: all user IDs stand for themselves */
#define ALL_USERS UINT32_MAX

static bool is_in_first_namespace(const struct machine *machine)
{
	char *map = machine_read(machine, NULL, "proc/self/uid_map");
	unsigned long inside, outside, count;
	bool is_first = true;

	if (map && sscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3)
		is_first = !inside && !outside && count == ALL_USERS;
	free(map);
	return is_first;
}

/* Effective capabilities; 0 if they are unknown */
static uint64_t read_capabilities(const struct machine *machine)
{
	char *status = machine_read(machine, NULL, "proc/self/status");
	const char *line = status ? strstr(status, "\nCapEff:") : NULL;
	uint64_t capabilities = line ? strtoull(line + strlen("\nCapEff:"), NULL, 16) : 0;

	free(status);
	return is_in_first_namespace(machine) ? capabilities : 0;
}

static bool has(uint64_t capabilities, unsigned int capability)
{
	return capabilities >> capability & 1;
}

static bool read_paranoid(const struct machine *machine, long *level)
{
	char word[32], *end;

	*level = 2;
	if (!machine_word(machine, word, sizeof(word), "proc/sys/kernel/perf_event_paranoid"))
		return false;
	*level = strtol(word, &end, 10);
	return end != word;
}

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

void machine_user_read(const struct machine *machine, struct machine_user *user)
{
	const uint64_t capabilities = read_capabilities(machine);

	*user = (struct machine_user){
		.sys_admin = has(capabilities, CAP_SYS_ADMIN),
		.perfmon = has(capabilities, CAP_PERFMON) || has(capabilities, CAP_SYS_ADMIN),
		.ipc_lock = has(capabilities, CAP_IPC_LOCK),
		.limit_kb = read_limit(machine),
	};
	user->has_paranoid = read_paranoid(machine, &user->paranoid);
	user->has_mlock =
		machine_number(machine, &user->mlock_kb, "proc/sys/kernel/perf_event_mlock_kb");
}

bool machine_user_may_trace_kernel(const struct machine_user *user)
{
	return user->perfmon || user->paranoid <= PARANOID_KERNEL;
}

bool machine_user_has_limit(const struct machine_user *user)
{
	return !user->ipc_lock && user->paranoid >= 0;
}

uint64_t machine_user_locked_kb(const struct machine *machine, const struct machine_user *user)
{
	struct machine_cpus online = {0};

	machine_cpus_read(machine, &online, "sys/devices/system/cpu/online");
	return user->mlock_kb * (machine_cpus_count(&online) ? machine_cpus_count(&online) : 1) +
	       user->limit_kb;
}

unsigned int machine_user_buffers_kb(void)
{
	const unsigned int page = (unsigned int)sysconf(_SC_PAGESIZE);

	return (LIMITED_RING_BYTES + page + LIMITED_TRACE_BYTES) >> 10;
}
