/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls of a recording as slices of a timeline, on a track of their own for each thread. */
#ifndef HWFLOW_VERBS_TIMELINE_SYSCALLS_H
#define HWFLOW_VERBS_TIMELINE_SYSCALLS_H

#include "perfdata/perfdata_syscalls.h"
#include "threads.h"
#include "timeline/timeline.h"

/**
 * struct timeline_syscalls - system calls of all threads; all zero at first
 * @timeline: receives the slices
 * @threads: names of threads
 * @tracks: tree of struct syscall_track, by thread
 * @last: time of the last sample
 */
struct timeline_syscalls {
	struct timeline *timeline;
	const struct threads *threads;
	void *tracks;
	uint64_t last;
};

/** timeline_syscalls_take() - the beginning or the end of a system call; in the order of time */
void timeline_syscalls_take(struct timeline_syscalls *calls, const struct perfdata_sample *sample,
			    const struct perfdata_syscall *call);

/** timeline_syscalls_end() - all were given: slices that have not ended may go on */
void timeline_syscalls_end(struct timeline_syscalls *calls);

/** timeline_syscalls_free() - free everything but the timeline */
void timeline_syscalls_free(struct timeline_syscalls *calls);

#endif /* HWFLOW_VERBS_TIMELINE_SYSCALLS_H */
