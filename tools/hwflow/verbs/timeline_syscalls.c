/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls as slices. */
#include "timeline_syscalls.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

/* Bytes of a name that is made here, with the 16 bytes that the kernel has for one */
#define NAME_TEXT 96u

/**
 * struct syscall_track - node of timeline_syscalls.tracks
 * @tid: the thread
 * @track: its system calls
 * @is_open: it is in system call @number
 * @number: of the call
 */
struct syscall_track {
	int32_t tid;
	struct timeline_track *track;
	bool is_open;
	int64_t number;
};

static int compare_tracks(const void *a, const void *b)
{
	const struct syscall_track *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static struct timeline_track *add_timeline_track(const struct timeline_syscalls *calls, int32_t tid)
{
	const char *name = threads_name(calls->threads, tid, UINT64_MAX);
	char text[NAME_TEXT];

	snprintf(text, sizeof(text), "%s %" PRId32 ": system calls", *name ? name : "thread", tid);
	return timeline_add_track(
		calls->timeline,
		&(struct timeline_track){.name = escape_copy(text), .process = strdup("trace")});
}

/* The track of a thread; NULL without memory */
static struct syscall_track *get_track(struct timeline_syscalls *calls, int32_t tid)
{
	const struct syscall_track key = {.tid = tid};
	struct syscall_track **found = tfind(&key, &calls->tracks, compare_tracks), *added;

	if (found)
		return *found;
	added = malloc(sizeof(*added));
	if (added) {
		*added = key;
		added->track = add_timeline_track(calls, tid);
		if (added->track && tsearch(added, &calls->tracks, compare_tracks))
			return added;
	}
	free(added);
	calls->timeline->error = -ENOMEM;
	return NULL;
}

static void begin(const struct timeline_syscalls *calls, struct syscall_track *track,
		  const struct perfdata_syscall *call, uint64_t time, bool is_partial)
{
	char number[NAME_TEXT];

	snprintf(number, sizeof(number), "[%" PRId64 "]", call->number);
	timeline_begin(calls->timeline, track->track,
		       &(struct timeline_event){.time = time,
						.name = call->name ? call->name : number,
						.is_partial = is_partial},
		       0);
	track->is_open = true;
	track->number = call->number;
}

static void end(const struct timeline_syscalls *calls, struct syscall_track *track, uint64_t time,
		bool is_partial)
{
	if (track->is_open)
		timeline_end(calls->timeline, track->track,
			     &(struct timeline_event){.time = time, .is_partial = is_partial});
	track->is_open = false;
}

void timeline_syscalls_take(struct timeline_syscalls *calls, const struct perfdata_sample *sample,
			    const struct perfdata_syscall *call)
{
	struct syscall_track *track = get_track(calls, sample->tid);

	if (!track)
		return;
	calls->last = sample->time;
	if (!call->enters && track->is_open && track->number == call->number) {
		end(calls, track, sample->time, false);
		return;
	}
	/* the end of the call before is missing, or the beginning of this one */
	end(calls, track, sample->time, true);
	begin(calls, track, call, sample->time, !call->enters);
	if (!call->enters)
		end(calls, track, sample->time, false);
}

static void end_track(const void *node, VISIT visit, void *ctx)
{
	const struct timeline_syscalls *calls = ctx;

	if (visit == postorder || visit == leaf)
		end(calls, *(struct syscall_track *const *)node, calls->last, true);
}

void timeline_syscalls_end(struct timeline_syscalls *calls)
{
	twalk_r(calls->tracks, end_track, calls);
}

void timeline_syscalls_free(struct timeline_syscalls *calls)
{
	tdestroy(calls->tracks, free);
	calls->tracks = NULL;
}
