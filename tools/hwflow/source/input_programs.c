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
 * @piece: the piece
 * @visits: visits of their processes
 * @order: numbers of the visits, by process
 */
struct search {
	struct input_programs *programs;
	const struct input_piece *piece;
	struct input_visits visits;
	size_t *order;
};

/* struct group - the visits of a process: numbers of visits in ascending order */
struct group {
	const size_t *visits;
	size_t count;
};

/* From here on the process stands for the thread. */
static bool keep_visit(void *ctx, struct input_visit *visit)
{
	const struct search *search = ctx;

	visit->tid = perfmaps_programs_owner(&search->programs->list, visit->tid);
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

static struct group group_of(const struct search *search, int32_t pid)
{
	const struct input_visit *items = search->visits.items;
	size_t low = 0, high = search->visits.count, end;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (items[search->order[middle]].tid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < search->visits.count && items[search->order[end]].tid == pid;)
		end++;
	return (struct group){search->order + low, end - low};
}

/*
 * Where the trace of a program begins: @begins is the number of its first visit, plus 1. Returns
 * false if that is not certain.
 */
static bool place(const struct search *search, const struct group *group,
		  struct perfmaps_program *program)
{
	const struct input_visit *items = search->visits.items;
	size_t before = 0, after = group->count;

	program->begins = BEGINS_NEVER;
	/* exec had not mapped all of the program yet when the piece ended */
	if (program->ready >= search->piece->time)
		return true;
	for (size_t i = 0; i < group->count; i++) {
		const struct input_visit *visit = &items[group->visits[i]];

		if (visit->latest < program->called)
			before = i + 1;
		else if (visit->earliest > program->ready && i < after)
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

static void place_all(const struct search *search)
{
	const struct perfmaps_programs *list = &search->programs->list;
	struct group group = {0};

	for (size_t i = 0; i < list->count; i++) {
		struct perfmaps_program *program = &list->items[i];

		if (!i || program->pid != program[-1].pid)
			group = group_of(search, program->pid);
		if (program->placed && !place(search, &group, program))
			perfmaps_programs_drop(list, program->pid);
	}
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
	const struct perfmaps_program *items = programs->list.items;
	const size_t count = programs->list.count;
	size_t number = 0;

	programs->places = reallocarray(NULL, count, sizeof(*programs->places));
	if (!programs->places)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct perfmaps_program *next = i + 1 < count ? &items[i + 1] : NULL;
		const struct input_visit *visit;

		number = i && items[i].pid == items[i - 1].pid ? number + 1 : 1;
		if (!items[i].placed || items[i].begins == BEGINS_NEVER ||
		    items[i].begins == BEGINS_BEFORE)
			continue;
		/* the program before the next one has no trace here */
		if (next && next->pid == items[i].pid && next->begins == items[i].begins)
			continue;
		visit = &search->visits.items[items[i].begins - 1];
		programs->places[programs->place_count++] = (struct input_program_place){
			.offset = visit->offset,
			.kind = visit->kind,
			.pid = items[i].pid,
			.number = number,
		};
	}
	qsort(programs->places, programs->place_count, sizeof(*programs->places), compare_places);
	return 0;
}

static void drop_all(const struct perfmaps_programs *list)
{
	for (size_t i = 0; i < list->count; i++)
		list->items[i].placed = false;
}

int input_programs_find(struct input_programs *programs, const struct input_source *source,
			const struct input_piece *piece, const struct perfdata_clock *clock)
{
	struct search search = {.programs = programs, .piece = piece};
	int error;

	free(programs->places);
	programs->places = NULL;
	programs->place_count = 0;
	if (!programs->list.count)
		return 0;
	search.visits.keep = keep_visit;
	search.visits.ctx = &search;
	error = input_visits_read(&search.visits, source, piece);
	if (!error)
		error = sort_visits(&search);
	if (!error && convert(&search, clock)) {
		place_all(&search);
		error = list_places(&search);
	} else {
		drop_all(&programs->list);
	}
	free(search.order);
	input_visits_free(&search.visits);
	return error;
}

void input_programs_start(struct input_programs *programs, struct perfmaps *maps)
{
	const struct perfmaps_program *items = programs->list.items;
	size_t number = 0;

	programs->at = 0;
	for (size_t i = 0; i < programs->list.count; i++) {
		if (!i || items[i].pid != items[i - 1].pid)
			number = 0;
		number += items[i].begins == BEGINS_BEFORE;
		if (items[i].placed)
			perfmaps_run_program(maps, items[i].pid, number);
	}
}

void input_programs_free(struct input_programs *programs)
{
	perfmaps_programs_free(&programs->list);
	free(programs->places);
	*programs = (struct input_programs){0};
}
