/* SPDX-License-Identifier: GPL-2.0-only */
/* The threads and CPUs that are recorded. */
#ifndef HWFLOW_RECORD_TARGET_H
#define HWFLOW_RECORD_TARGET_H

#include "record.h"

struct perf_cpu_map;
struct perf_thread_map;

/**
 * struct record_target - the threads and CPUs that are recorded
 * @cpus: CPUs on which events are opened; the map of "any CPU" if each thread has its own buffer
 * @threads: threads for which events are opened; the map of "any thread" if CPUs are recorded
 * @pids: the process of each thread of @threads
 * @by_cpu: all threads that run on @cpus are recorded
 * @inherit: threads and processes that a recorded thread creates are recorded as well
 */
struct record_target {
	struct perf_cpu_map *cpus;
	struct perf_thread_map *threads;
	int *pids;
	bool by_cpu;
	bool inherit;
};

/**
 * record_target_find() - find the threads and CPUs that options select
 * @target: receives them; record_target_free() frees it, also after an error
 * @options: the command line
 * @command: process of options->command, or 0
 *
 * Return: 0, or an exit status after an error, which is reported.
 */
int record_target_find(struct record_target *target, const struct record_options *options,
		       int command);

/**
 * record_target_free() - free the maps of a target
 * @target: the target
 */
void record_target_free(struct record_target *target);

#endif /* HWFLOW_RECORD_TARGET_H */
