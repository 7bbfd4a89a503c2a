// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec in the trace of a CPU: where the trace of each program of a process begins.
 *
 * The recording has the time at which exec had ended the program before (PERF_RECORD_COMM) and the
 * time at which exec had mapped the new program (PERF_RECORD_MMAP of the vdso). Between these times
 * no thread of the process executes an instruction at EL0: exec has ended all threads except the
 * one that called it, and this thread is in the system call. All instructions of a visit to EL0 are
 * of one program. If an instruction of the visit was executed before the first time, the visit is
 * of the program before; if one was executed after the second time, it is of the new program. The
 * timestamps of the trace bound the time of the instructions. On one CPU the visits of a process
 * are in order of time: a visit that precedes a visit of the program before is of that program,
 * too, and a visit that follows a visit of the new program is of the new program. If a visit is
 * left that may be of either program, the programs of the process are not told apart, and the
 * addresses that several of them have are gaps.
 *
 * exec takes some microseconds before the first time and after the second time. The conversion of
 * timestamps to times of the perf clock has an error of a few nanoseconds, and so cannot move an
 * instruction across exec.
 */
#include "input_programs.h"

#include <errno.h>
#include <stdlib.h>

#include "input_visits.h"

/* Values of begins: all trace of the process in the piece is of the program; none is */
#define BEGINS_BEFORE 0
#define BEGINS_NEVER  SIZE_MAX

/* A timestamp that is so many nanoseconds outside of the time of its piece is not of the perf
 * clock. */
#define TOLERANCE 1000

/**
 * struct search - state while the programs are placed
 * @programs: the programs
 * @maps: the address spaces
 * @piece: the piece
 * @visits: visits of processes that begin programs in the piece
 * @order: numbers of the visits, by process
 * @tid: the thread of the visit before
 * @owner: the process of that thread, if it begins programs; else PERFDATA_ANY
 * @several: a thread with visits was of several processes
 */
struct search {
	struct input_programs *programs;
	struct perfmaps *maps;
	const struct input_piece *piece;
	struct input_visits visits;
	size_t *order;
	int32_t tid;
	int32_t owner;
	bool several;
};

/* struct group - the visits of a process: numbers of visits in ascending order */
struct group {
	const size_t *visits;
	size_t count;
};

/* From here on the process stands for the thread. */
static bool keep_visit(void *ctx, struct input_visit *visit)
{
	const struct perfmaps_time *time;
	struct perfmaps_exec *execs;
	struct search *search = ctx;

	if (visit->tid != search->tid) {
		time = &search->programs->time;
		search->tid = visit->tid;
		search->owner = perfmaps_owner(search->maps, time, visit->tid);
		search->several |= search->owner == PERFMAPS_SEVERAL;
		if (!perfmaps_execs(search->maps, time, search->owner, &execs))
			search->owner = PERFDATA_ANY;
	}
	visit->tid = search->owner;
	return visit->tid != PERFDATA_ANY;
}

/* Timestamps become times of the perf clock. Returns false if they are of another clock. */
static bool convert(const struct search *search, const struct perfdata_clock *clock)
{
	const struct input_piece *piece = search->piece;

	if (search->visits.disordered)
		return false;
	for (size_t i = 0; i < search->visits.count; i++) {
		struct input_visit *visit = &search->visits.items[i];

		/* without a timestamp the time of the piece is the bound */
		visit->earliest = visit->earliest ? perfdata_clock_time(clock, visit->earliest)
						  : piece->since;
		visit->latest =
			visit->latest ? perfdata_clock_time(clock, visit->latest) : piece->time;
		if (visit->earliest > piece->time + TOLERANCE ||
		    visit->latest + TOLERANCE < piece->since)
			return false;
	}
	return true;
}

static int compare_visits(const void *a, const void *b, void *ctx)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct input_visit *items = ctx;

	if (items[x].tid != items[y].tid)
		return items[x].tid < items[y].tid ? -1 : 1;
	return (x > y) - (x < y);
}

/* 0 or -ENOMEM */
static int sort_visits(struct search *search)
{
	const size_t count = search->visits.count;

	search->order = reallocarray(NULL, count + 1, sizeof(*search->order));
	if (!search->order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		search->order[i] = i;
	qsort_r(search->order, count, sizeof(*search->order), compare_visits, search->visits.items);
	return 0;
}

/*
 * Where the trace of a program begins: @begins is the number of its first visit, plus 1. Returns
 * false if that is not certain.
 */
static bool place(const struct search *search, const struct group *group,
		  struct input_program *program)
{
	const struct input_visit *items = search->visits.items;
	const struct perfmaps_exec *exec = program->exec;
	size_t before = 0, after = group->count;

	program->begins = BEGINS_NEVER;
	if (!exec->is_ready)
		return false;
	/* exec had not mapped all of the program yet when the piece ended */
	if (exec->ready >= search->piece->time)
		return true;
	for (size_t i = 0; i < group->count; i++) {
		const struct input_visit *visit = &items[group->visits[i]];

		if (visit->latest < exec->called)
			before = i + 1;
		else if (visit->earliest > exec->ready && i < after)
			after = i;
	}
	if (before != after)
		return false;
	if (!group->count || after == group->count)
		return true;
	program->begins = after ? group->visits[after] + 1 : BEGINS_BEFORE;
	/* the decoder switches at an event, which this visit does not begin with */
	return !after || items[group->visits[after]].kind != HWF_FLOW_KINDS;
}

/* The programs of a process, which has visits; 0 or -ENOMEM */
static int add_programs(const struct search *search, const struct group *group)
{
	const int32_t pid = search->visits.items[group->visits[0]].tid;
	struct input_programs *programs = search->programs;
	struct perfmaps_exec *execs;
	const size_t count = perfmaps_execs(search->maps, &programs->time, pid, &execs);
	struct input_program *items =
		reallocarray(programs->items, programs->count + count, sizeof(*items));
	bool placed = true;

	if (!items)
		return -ENOMEM;
	programs->items = items;
	items += programs->count;
	programs->count += count;
	for (size_t i = 0; i < count; i++) {
		items[i].exec = &execs[i];
		placed = placed && place(search, group, &items[i]);
	}
	for (size_t i = 0; i < count; i++)
		items[i].placed = placed;
	return 0;
}

static int add_all(const struct search *search)
{
	const struct input_visit *items = search->visits.items;
	const size_t count = search->visits.count, *order = search->order;
	size_t end;
	int error = 0;

	for (size_t i = 0; i < count && !error; i = end) {
		for (end = i + 1; end < count && items[order[end]].tid == items[order[i]].tid;)
			end++;
		error = add_programs(search, &(struct group){order + i, end - i});
	}
	return error;
}

/* Is a program of the list of the same process as the one before it? */
static bool follows(const struct input_programs *programs, size_t number)
{
	const struct input_program *item = &programs->items[number];

	return number && number < programs->count && item->exec->pid == item[-1].exec->pid;
}

/* The events between which the program before one of the list is executed */
static void events_before(const struct input_programs *programs, const struct perfmaps *maps,
			  size_t number, size_t *first, size_t *last)
{
	const struct input_program *item = &programs->items[number];

	*first = follows(programs, number) ? item[-1].exec->event + 1
					   : perfmaps_event_after(maps, programs->time.begin);
	*last = item->exec->event;
}

/* Likewise, one of the list */
static void events_of(const struct input_programs *programs, const struct perfmaps *maps,
		      size_t number, size_t *first, size_t *last)
{
	const struct input_program *item = &programs->items[number];

	*first = item->exec->event + 1;
	*last = follows(programs, number + 1) ? item[1].exec->event
					      : perfmaps_event_after(maps, programs->time.end);
}

static int compare_places(const void *a, const void *b)
{
	const struct input_program_place *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* 0 or -ENOMEM */
static int list_places(const struct search *search)
{
	struct input_programs *programs = search->programs;
	const struct input_program *items = programs->items;

	programs->places = reallocarray(NULL, programs->count + 1, sizeof(*programs->places));
	if (!programs->places)
		return -ENOMEM;
	for (size_t i = 0; i < programs->count; i++) {
		struct input_program_place *place = &programs->places[programs->place_count];
		const struct input_visit *visit;

		if (!items[i].placed || items[i].begins == BEGINS_NEVER ||
		    items[i].begins == BEGINS_BEFORE)
			continue;
		/* the program before the next one has no trace here */
		if (follows(programs, i + 1) && items[i + 1].begins == items[i].begins)
			continue;
		visit = &search->visits.items[items[i].begins - 1];
		place->offset = visit->offset;
		place->kind = visit->kind;
		place->pid = items[i].exec->pid;
		events_of(programs, search->maps, i, &place->first, &place->last);
		programs->place_count++;
	}
	qsort(programs->places, programs->place_count, sizeof(*programs->places), compare_places);
	return 0;
}

int input_programs_find(struct input_programs *programs, const struct input_source *source,
			const struct input_piece *piece, struct perfmaps *maps,
			const struct perfdata_clock *clock)
{
	struct search search = {.programs = programs,
				.maps = maps,
				.piece = piece,
				.tid = PERFDATA_ANY,
				.owner = PERFDATA_ANY};
	int error;

	input_programs_free(programs);
	programs->time = (struct perfmaps_time){.begin = piece->since, .end = piece->time};
	if (!perfmaps_has_execs(maps, &programs->time))
		return 0;
	search.visits.keep = keep_visit;
	search.visits.ctx = &search;
	error = input_visits_read(&search.visits, source, piece);
	if (!error)
		error = sort_visits(&search);
	if (!error && !search.several && convert(&search, clock)) {
		error = add_all(&search);
		if (!error)
			error = list_places(&search);
	}
	free(search.order);
	input_visits_free(&search.visits);
	return error;
}

void input_programs_start(struct input_programs *programs, struct perfmaps *maps)
{
	size_t first = 0, last = 0;

	programs->at = 0;
	for (size_t i = 0; i < programs->count; i++) {
		if (!programs->items[i].placed)
			continue;
		if (programs->items[i].begins == BEGINS_BEFORE)
			events_of(programs, maps, i, &first, &last);
		else if (!follows(programs, i))
			events_before(programs, maps, i, &first, &last);
		else
			continue;
		perfmaps_run(maps, programs->items[i].exec->pid, first, last);
	}
}

void input_programs_free(struct input_programs *programs)
{
	free(programs->items);
	free(programs->places);
	*programs = (struct input_programs){0};
}
