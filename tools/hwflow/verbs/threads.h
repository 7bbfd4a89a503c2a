/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of threads, over time. */
#ifndef HWFLOW_VERBS_THREADS_H
#define HWFLOW_VERBS_THREADS_H

#include <stdbool.h>
#include <stdint.h>

struct perfdata_info;

/** struct threads - names of the threads of a recording */
struct threads;

/**
 * threads_new() - gather the names
 * @result: receives them
 * @info: the recording; must outlive them. NULL: no thread has a name
 *
 * Return: 0 or -ENOMEM.
 */
int threads_new(struct threads **result, const struct perfdata_info *info);

/**
 * threads_name() - name of a thread at a time
 * @threads: the names
 * @tid: the thread
 * @time: perf time
 *
 * Return: the name; "" where not known.
 */
const char *threads_name(const struct threads *threads, int32_t tid, uint64_t time);

/**
 * threads_cgroup() - cgroup of a thread at a time
 * @threads: the names
 * @tid: the thread
 * @time: perf time
 *
 * Return: its path below the mount point of the cgroup file system; "" where not known.
 */
const char *threads_cgroup(const struct threads *threads, int32_t tid, uint64_t time);

/** threads_has_cgroups() - is the cgroup of any thread known? */
bool threads_has_cgroups(const struct threads *threads);

/**
 * threads_process() - process of a thread at a time
 * @threads: the names
 * @tid: the thread
 * @time: perf time
 *
 * Return: the process; PERFDATA_ANY where not known.
 */
int32_t threads_process(const struct threads *threads, int32_t tid, uint64_t time);

/** threads_free() - free everything; NULL is allowed */
void threads_free(struct threads *threads);

#endif /* HWFLOW_VERBS_THREADS_H */
