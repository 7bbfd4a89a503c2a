// SPDX-License-Identifier: GPL-2.0-only
/* CPUs by affinity and by control groups. */
#include "cpus.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input_file.h"

/* Affinity masks have at most so many CPUs: the largest CONFIG_NR_CPUS is 8192 */
#define MOST_CPUS 0x10000u

/* CPUs of a quota of time in each period, rounded up; UINT_MAX: no limit */
static unsigned int of_quota(long long quota, long long period)
{
	if (quota <= 0 || period <= 0 || quota / period >= UINT_MAX - 1)
		return UINT_MAX;
	return (unsigned int)(quota / period + (quota % period != 0));
}

/* A line of a file below @root; false where there is none */
static bool read_line(const char *root, const char *group, const char *name, char *line, int size)
{
	char path[PATH_MAX];
	FILE *file;
	bool is_read;

	if (snprintf(path, sizeof(path), "%s%s/%s", root, group, name) >= (int)sizeof(path))
		return false;
	file = own_file_stream(path);
	if (!file)
		return false;
	is_read = fgets(line, size, file);
	fclose(file);
	return is_read;
}

/* Version 2: "QUOTA PERIOD" or "max PERIOD" */
static unsigned int of_group(const char *root, const char *group)
{
	long long quota, period;
	char line[64];

	if (!read_line(root, group, "cpu.max", line, sizeof(line)) ||
	    sscanf(line, "%lld %lld", &quota, &period) != 2)
		return UINT_MAX;
	return of_quota(quota, period);
}

/* Version 1: a file each; the quota is -1 for no limit */
static unsigned int of_controller(const char *root)
{
	char quota[64], period[64];

	if (!read_line(root, "/cpu", "cpu.cfs_quota_us", quota, sizeof(quota)) ||
	    !read_line(root, "/cpu", "cpu.cfs_period_us", period, sizeof(period)))
		return UINT_MAX;
	return of_quota(strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

/* The group of version 2: the line "0::/PATH"; empty for the root */
static void find_group(const char *groups, char *group, int size)
{
	FILE *file = own_file_stream(groups);

	*group = '\0';
	if (!file)
		return;
	while (fgets(group, size, file) && strncmp(group, "0::/", 4) != 0)
		*group = '\0';
	fclose(file);
	if (!*group)
		return;
	group[strcspn(group, "\n")] = '\0';
	memmove(group, group + 3, strlen(group + 3) + 1);
}

unsigned int cpus_limit(const char *groups, const char *root)
{
	unsigned int limit = of_controller(root);
	char group[PATH_MAX];

	find_group(groups, group, sizeof(group));
	for (;;) {
		const unsigned int one = of_group(root, group);
		char *const last = strrchr(group, '/');

		limit = one < limit ? one : limit;
		if (!last)
			return limit;
		*last = '\0';
	}
}

/* CPUs in the affinity mask; 1 where it cannot be read */
static unsigned int of_affinity(void)
{
	for (unsigned int most = 1024; most <= MOST_CPUS; most *= 2) {
		const size_t size = CPU_ALLOC_SIZE(most);
		cpu_set_t *set = CPU_ALLOC(most);
		int count = 0;

		if (set && !sched_getaffinity(0, size, set))
			count = CPU_COUNT_S(size, set);
		CPU_FREE(set);
		if (count > 0)
			return (unsigned int)count;
	}
	return 1;
}

unsigned int cpus_available(void)
{
	const unsigned int limit = cpus_limit("/proc/self/cgroup", "/sys/fs/cgroup");
	const unsigned int count = of_affinity();

	return count < limit ? count : limit;
}
