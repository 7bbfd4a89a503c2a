/* SPDX-License-Identifier: GPL-2.0-only */
/* How many CPUs this process may use. */
#ifndef HWFLOW_CPUS_H
#define HWFLOW_CPUS_H

/**
 * cpus_limit() - CPUs that control groups allow
 * @groups: file with the control groups of a process, as /proc/self/cgroup
 * @root: where the hierarchy of control groups is mounted, as /sys/fs/cgroup
 *
 * The time of CPUs may be limited: a group that may use 150 ms each 100 ms has 2 CPUs. All groups
 * above it count as well. Of version 1 of control groups only the mount point is looked at, which
 * is the group of the process in containers.
 *
 * Return: at least 1; UINT_MAX where there is no limit.
 */
unsigned int cpus_limit(const char *groups, const char *root);

/** cpus_available() - CPUs that this process may use: by its affinity, and cpus_limit() */
unsigned int cpus_available(void);

#endif /* HWFLOW_CPUS_H */
