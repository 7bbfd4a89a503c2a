/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes out the AUX records, and the trace of the samples, that stock perf wrote twice.
 *
 * perf record (perf_mmap__push()) asks the kernel twice how far its records go, writes them up to
 * the second answer, and goes on from the first. What came between the two, here C and D, is
 * written again:
 *
 *	A B C D | C D E F
 *
 * An area's trace only goes forward, so a record with bytes that says what an earlier one said is
 * that one (C). A record without bytes may rightly come again. It was written twice where it
 * follows one that was, and followed it the first time (D). An event takes no two samples at a
 * time.
 */
#include <errno.h>
#include <stdlib.h>

#include "perfdata_reader.h"

#define NONE SIZE_MAX

/* struct said - what an AUX record or a sample says, and the place it has among them */
struct said {
	int32_t cpu;
	int32_t tid;
	uint64_t time;
	struct perfdata_aux aux;
	size_t order;
};

static int compare_i32(int32_t a, int32_t b)
{
	return (a > b) - (a < b);
}

static int compare_said(const struct said *x, const struct said *y)
{
	int order = compare_i32(x->cpu, y->cpu);

	if (!order)
		order = compare_i32(x->tid, y->tid);
	if (!order)
		order = perfdata_compare(x->aux.offset, y->aux.offset);
	if (!order)
		order = perfdata_compare(x->aux.size, y->aux.size);
	if (!order)
		order = perfdata_compare(x->aux.flags, y->aux.flags);
	if (!order)
		order = perfdata_compare(x->aux.id, y->aux.id);
	return order ? order : perfdata_compare(x->time, y->time);
}

/* The same from the first to the last of the file */
static int compare_in_file(const void *a, const void *b)
{
	const struct said *x = a, *y = b;
	const int order = compare_said(x, y);

	return order ? order : perfdata_compare(x->order, y->order);
}

/* In snapshot mode what was said may be said again: the area goes round */
static bool comes_once(const struct said *said)
{
	if (said->aux.sampled)
		return said->time != 0;
	return said->aux.size && !(said->aux.flags & PERFDATA_AUX_OVERWRITE);
}

/* For each record with bytes that an earlier one is like, which one that is; else NONE */
static void find_first(struct perfdata *data, const struct said *said, size_t *first)
{
	const size_t count = data->auxes.count;
	struct said *sorted = reallocarray(NULL, count, sizeof(*sorted));
	size_t group = 0;

	if (!sorted) {
		data->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < count; i++)
		sorted[i] = said[i];
	qsort(sorted, count, sizeof(*sorted), compare_in_file);
	for (size_t i = 0; i < count; i++) {
		if (compare_said(&sorted[group], &sorted[i]))
			group = i;
		first[sorted[i].order] =
			group < i && comes_once(&sorted[i]) ? sorted[group].order : NONE;
	}
	free(sorted);
}

/*
 * Goes through the records in the order of the file. @first, of those without bytes, is set where
 * they follow one that was written twice; it is NONE, in the end, for all that are to be kept.
 */
static void follow_first(const struct said *said, size_t *first, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (first[i - 1] != NONE && !said[i].aux.size &&
		    !compare_said(&said[first[i - 1] + 1], &said[i]))
			first[i] = first[i - 1] + 1;
	}
}

static void drop_events(struct perfdata *data, const size_t *first)
{
	const struct perfdata_aux *auxes = data->auxes.items;
	struct perfdata_event *events = data->events.items;
	size_t kept = 0;

	for (size_t i = 0; i < data->events.count; i++) {
		if (events[i].kind == PERFDATA_SESSION && first[events[i].u.session] != NONE)
			perfdata_note(data, PERFDATA_INFO, events[i].at,
				      auxes[events[i].u.session].sampled
					      ? "sample is there twice: its trace is taken once"
					      : "AUX record is there twice: taken once");
		else
			events[kept++] = events[i];
	}
	data->events.count = kept;
}

void perfdata_drop_repeated(struct perfdata *data)
{
	const size_t count = data->auxes.count;
	const struct perfdata_event *events = data->events.items;
	const struct perfdata_aux *auxes = data->auxes.items;
	struct said *said;
	size_t *first;

	if (count < 2)
		return;
	said = calloc(count, sizeof(*said));
	first = calloc(count, sizeof(*first));
	for (size_t i = 0; said && i < data->events.count; i++) {
		const struct perfdata_event *event = &events[i];

		if (event->kind != PERFDATA_SESSION)
			continue;
		said[event->u.session] = (struct said){event->cpu, event->tid, event->time,
						       auxes[event->u.session], event->u.session};
	}
	if (said && first)
		find_first(data, said, first);
	else
		data->error = -ENOMEM;
	if (!data->error) {
		follow_first(said, first, count);
		drop_events(data, first);
	}
	free(said);
	free(first);
}
