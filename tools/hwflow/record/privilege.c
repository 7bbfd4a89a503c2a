// SPDX-License-Identifier: GPL-2.0-only
#include "privilege.h"

#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PARANOID_FILE    "/proc/sys/kernel/perf_event_paranoid"
#define PARANOID_DEFAULT 2
/* the highest setting that permits events of the kernel to every user */
#define PARANOID_KERNEL 1

static bool has_capability(const struct __user_cap_data_struct *sets, unsigned int capability)
{
	return sets[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability);
}

bool record_perfmon(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, sets))
		return false;
	return has_capability(sets, CAP_PERFMON) || has_capability(sets, CAP_SYS_ADMIN);
}

long record_paranoid(void)
{
	FILE *file = fopen(PARANOID_FILE, "re");
	long value;

	if (!file || fscanf(file, "%ld", &value) != 1)
		value = PARANOID_DEFAULT;
	if (file)
		fclose(file);
	return value;
}

bool record_may_trace_kernel(void)
{
	return record_perfmon() || record_paranoid() <= PARANOID_KERNEL;
}
