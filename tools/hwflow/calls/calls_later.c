/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Steps in a temporary file.
 *
 *   file:     | stretch | stretch | ...
 *   stretch:  numbers of seven bits a byte, the lowest first; bit 7 says that more follow.
 *             4 * n: n instructions; 4 * n + 1: step number n; 4 * n + 2: the clock is n later;
 *             4 * n + 3: item n
 */
#include "calls_later.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/temporary.h"
#include "hwflow/branch.h"

/* Bytes that are written and read at a time */
#define BUFFER 0x10000u

/* Bytes of the longest number */
#define NUMBER 10u

/* The clock is not read after a greater step, which no number of the file has. */
#define CLOCK_MAX (UINT64_MAX / 4 - 1)

/* The clock was not read yet. */
#define NO_CLOCK UINT64_MAX

/**
 * struct stretch - what a thread has executed at a time
 * @thread: the thread
 * @source: whose trace it is
 * @from: where it begins in the file
 * @size: bytes in the file
 * @before: the last timestamp before it; 0: none
 * @first: the first timestamp in it; 0: none
 * @last: the last one in it
 * @after: if there is none in it, the first one behind it
 * @other: time of the next stretch of the thread, of another source; UINT64_MAX: there is none
 * @is_lost: trace is missing before it
 */
struct stretch {
	struct stack_thread *thread;
	const struct input_source *source;
	uint64_t from;
	uint64_t size;
	uint64_t before;
	uint64_t first;
	uint64_t last;
	uint64_t after;
	uint64_t other;
	bool is_lost;
};

/* struct missing - trace of a source is missing between two of its timestamps */
struct missing {
	uint64_t before;
	uint64_t after;
};

/**
 * struct calls_later - see calls_later.h
 * @fd: the temporary file
 * @end: bytes written to it
 * @buffer: bytes behind them
 * @buffered: how many
 * @instructions: of the last stretch, behind its last step
 * @steps: different steps
 * @step_count: how many
 * @step_room: of @steps; a power of two
 * @slots: numbers of steps, and 1, by a hash; 0: free. Twice as many as @step_room
 * @stretches: in the order of the file
 * @stretch_count: how many
 * @stretch_room: of @stretches
 * @missing: places where trace is missing
 * @missing_count: how many
 * @missing_room: of @missing
 * @missing_open: those from there on have no timestamp behind them yet
 * @source: of the last step
 * @time: its last timestamp; 0: none
 * @clock: what the clock of the source said last
 * @written: what of that is in the file, in the last stretch
 * @has_clock: that is kept
 * @is_open: the last stretch goes on
 * @is_lost: trace is missing before the next stretch
 * @error: -errno, once anything has failed
 */
struct calls_later {
	int fd;
	uint64_t end;
	uint8_t buffer[BUFFER];
	size_t buffered;
	uint64_t instructions;
	struct calls_step *steps;
	size_t step_count;
	size_t step_room;
	uint32_t *slots;
	struct stretch *stretches;
	size_t stretch_count;
	size_t stretch_room;
	struct missing *missing;
	size_t missing_count;
	size_t missing_room;
	size_t missing_open;
	const struct input_source *source;
	uint64_t time;
	uint64_t clock;
	uint64_t written;
	bool has_clock;
	bool is_open;
	bool is_lost;
	int error;
};

struct calls_later *calls_later_new(bool has_clock)
{
	struct calls_later *later = calloc(1, sizeof(*later));

	if (!later)
		return NULL;
	later->has_clock = has_clock;
	later->clock = NO_CLOCK;
	later->fd = temporary_open();
	if (later->fd < 0) {
		free(later);
		return NULL;
	}
	return later;
}

void calls_later_free(struct calls_later *later)
{
	if (!later)
		return;
	close(later->fd);
	free(later->steps);
	free(later->slots);
	free(later->stretches);
	free(later->missing);
	free(later);
}

/* Room for one more item of an array; false without memory */
static bool grow(struct calls_later *later, void **items, size_t count, size_t *room, size_t size)
{
	const size_t more = *room ? 2 * *room : 1024;
	void *moved;

	if (count < *room)
		return true;
	moved = reallocarray(*items, more, size);
	if (!moved) {
		later->error = -ENOMEM;
		return false;
	}
	*items = moved;
	*room = more;
	return true;
}

/* ---- steps by number ---- */

static bool are_equal(const struct calls_step *a, const struct calls_step *b)
{
	const struct hwf_stack_step *x = &a->step, *y = &b->step;

	return x->from == y->from && x->to == y->to && x->kind == y->kind && x->next == y->next &&
	       x->place == y->place && x->has_from == y->has_from && x->has_to == y->has_to &&
	       x->source.id == y->source.id && x->target.id == y->target.id &&
	       a->exception == b->exception && a->landing == b->landing && a->starts == b->starts;
}

/* The slot of a step: its own, or the free one where it belongs */
static uint32_t *slot_of(const struct calls_later *later, const struct calls_step *step)
{
	const size_t mask = 2 * later->step_room - 1;
	uint64_t hash = step->step.from * 31 + step->step.to + step->step.kind;
	size_t at;

	hash *= UINT64_C(0x9e3779b97f4a7c15);
	for (at = hash >> 32 & mask; later->slots[at]; at = (at + 1) & mask)
		if (are_equal(&later->steps[later->slots[at] - 1], step))
			break;
	return &later->slots[at];
}

static bool grow_steps(struct calls_later *later)
{
	void *steps = later->steps;
	size_t room = later->step_room;
	uint32_t *slots;

	if (!grow(later, &steps, later->step_count, &room, sizeof(*later->steps)))
		return false;
	later->steps = steps;
	slots = calloc(2 * room, sizeof(*slots));
	if (!slots) {
		later->error = -ENOMEM;
		return false;
	}
	free(later->slots);
	later->slots = slots;
	later->step_room = room;
	for (size_t i = 0; i < later->step_count; i++)
		*slot_of(later, &later->steps[i]) = (uint32_t)i + 1;
	return true;
}

/* The number of a step; false without memory */
static bool number_of(struct calls_later *later, const struct calls_step *step, uint32_t *number)
{
	uint32_t *slot;

	if (later->step_count == later->step_room && !grow_steps(later))
		return false;
	slot = slot_of(later, step);
	if (!*slot) {
		later->steps[later->step_count++] = *step;
		*slot = (uint32_t)later->step_count;
	}
	*number = *slot - 1;
	return true;
}

/* ---- the file ---- */

static void flush(struct calls_later *later)
{
	const int error = later->error ? 0
				       : temporary_write(later->fd, later->end, later->buffer,
							 later->buffered);

	if (error)
		later->error = error;
	later->end += later->buffered;
	later->buffered = 0;
}

static void put(struct calls_later *later, uint64_t value)
{
	struct stretch *stretch = &later->stretches[later->stretch_count - 1];
	const size_t before = later->buffered;

	while (value >= 0x80) {
		later->buffer[later->buffered++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	later->buffer[later->buffered++] = (uint8_t)value;
	stretch->size += later->buffered - before;
	if (later->buffered > BUFFER - NUMBER)
		flush(later);
}

static void put_instructions(struct calls_later *later)
{
	if (later->instructions)
		put(later, 4 * later->instructions);
	later->instructions = 0;
}

static void put_clock(struct calls_later *later, uint64_t clock)
{
	/* this is also true if the clock goes backwards */
	const bool is_far = clock - later->written > CLOCK_MAX;

	if (!later->has_clock || clock == later->clock || is_far)
		return;
	put_instructions(later);
	put(later, 4 * (clock - later->written) + 2);
	later->clock = later->written = clock;
}

static void end_stretch(struct calls_later *later)
{
	if (later->is_open)
		put_instructions(later);
	later->is_open = false;
}

/* ---- times ---- */

/* What was missing up to now is missing up to this time. */
static void end_missing(struct calls_later *later, uint64_t time)
{
	for (; later->missing_open < later->missing_count; later->missing_open++)
		later->missing[later->missing_open].after = time;
}

static void end_source(struct calls_later *later)
{
	end_stretch(later);
	end_missing(later, UINT64_MAX);
	later->time = 0;
	later->clock = NO_CLOCK;
	later->is_lost = false;
}

/* Goes to a place: a new source, or a new time */
static void go_to(struct calls_later *later, const struct calls_place *place)
{
	struct stretch *stretch;

	if (later->source != place->source) {
		end_source(later);
		later->source = place->source;
	}
	if (place->time <= later->time)
		return;
	later->time = place->time;
	end_missing(later, later->time);
	if (!later->is_open)
		return;
	stretch = &later->stretches[later->stretch_count - 1];
	stretch->last = later->time;
	if (!stretch->first)
		stretch->first = later->time;
}

/* The stretch of a thread goes on, or begins; false without memory. */
static bool go_on(struct calls_later *later, struct stack_thread *thread,
		  const struct calls_place *place)
{
	void *stretches = later->stretches;

	if (later->is_open && later->source == place->source &&
	    later->stretches[later->stretch_count - 1].thread != thread)
		end_stretch(later);
	go_to(later, place);
	if (later->error)
		return false;
	if (later->is_open) {
		put_clock(later, place->clock);
		return true;
	}
	if (!grow(later, &stretches, later->stretch_count, &later->stretch_room,
		  sizeof(*later->stretches)))
		return false;
	later->stretches = stretches;
	later->stretches[later->stretch_count++] = (struct stretch){
		.thread = thread,
		.source = place->source,
		.from = later->end + later->buffered,
		.before = later->time,
		.is_lost = later->is_lost,
	};
	later->is_open = true;
	later->is_lost = false;
	later->written = 0;
	put_clock(later, place->clock);
	return true;
}

void calls_later_step(struct calls_later *later, struct stack_thread *thread,
		      const struct calls_place *place, const struct calls_step *step)
{
	uint32_t number;

	/* while a CPU is idle, its last thread may be executed elsewhere */
	if (step->step.kind == HWF_BRANCH_START && later->source == place->source)
		end_stretch(later);
	if (!go_on(later, thread, place) || !number_of(later, step, &number))
		return;
	put_instructions(later);
	put(later, 4 * (uint64_t)number + 1);
	if (!step->step.has_to)
		end_stretch(later);
}

void calls_later_range(struct calls_later *later, struct stack_thread *thread,
		       const struct calls_place *place, uint64_t instructions)
{
	if (go_on(later, thread, place))
		later->instructions += instructions;
}

void calls_later_item(struct calls_later *later, struct stack_thread *thread,
		      const struct calls_place *place, uint64_t item)
{
	if (go_on(later, thread, place))
		put(later, 4 * item + 3);
}

void calls_later_gap(struct calls_later *later, const struct calls_place *place)
{
	void *missing = later->missing;

	go_to(later, place);
	end_stretch(later);
	later->is_lost = true;
	/* trace of a thread has no other thread's */
	if (place->source->tid >= 0)
		return;
	if (!grow(later, &missing, later->missing_count, &later->missing_room,
		  sizeof(*later->missing)))
		return;
	later->missing = missing;
	later->missing[later->missing_count++] = (struct missing){.before = later->time};
}

/* ---- threads in the order of time ---- */

static uint64_t time_of(const struct stretch *stretch)
{
	return stretch->first ? stretch->first : stretch->before;
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* By thread, and by time; those of a source are in order. */
static int compare_stretches(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;
	int order = compare((uintptr_t)x->thread->birth, (uintptr_t)y->thread->birth);

	order = order ? order : compare((uintptr_t)x->thread, (uintptr_t)y->thread);
	order = order ? order : compare(time_of(x), time_of(y));
	order = order ? order : compare((uintptr_t)x->source, (uintptr_t)y->source);
	return order ? order : compare(x->from, y->from);
}

static int compare_missing(const void *a, const void *b)
{
	const struct missing *x = a, *y = b;

	return compare(x->before, y->before);
}

/* The first timestamp behind a stretch, of the same source */
static uint64_t time_after(const struct stretch *stretch, const struct stretch *next)
{
	if (next->source != stretch->source)
		return UINT64_MAX;
	if (next->before > stretch->before)
		return next->before;
	return next->first ? next->first : next->after;
}

static void set_after(struct calls_later *later)
{
	for (size_t i = later->stretch_count; i--;) {
		struct stretch *stretch = &later->stretches[i];

		stretch->after = i + 1 < later->stretch_count ? time_after(stretch, stretch + 1)
							      : UINT64_MAX;
	}
}

/* From here on, missing.after is the last one of all that were missing before. */
static void sort_missing(struct calls_later *later)
{
	struct missing *missing = later->missing;

	if (later->missing_count)
		qsort(missing, later->missing_count, sizeof(*missing), compare_missing);
	for (size_t i = 1; i < later->missing_count; i++)
		if (missing[i].after < missing[i - 1].after)
			missing[i].after = missing[i - 1].after;
}

/* Is trace of any source missing between two stretches of a thread? */
static bool is_missing(const struct calls_later *later, const struct stretch *a,
		       const struct stretch *b)
{
	const uint64_t from = a->first ? a->last : a->before, to = b->first ? b->first : b->after;
	size_t low = 0, high = later->missing_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (later->missing[middle].before < to)
			low = middle + 1;
		else
			high = middle;
	}
	return low && later->missing[low - 1].after > from;
}

/**
 * struct order - stretches of a thread that may be later than their place says
 * @until: so late at the latest
 * @source: of all of them; NULL: of several
 */
struct order {
	uint64_t until;
	const struct input_source *source;
};

static void add_to_order(struct order *order, const struct stretch *stretch)
{
	if (stretch->first)
		return;
	order->source = !order->until || order->source == stretch->source ? stretch->source : NULL;
	if (stretch->after > order->until)
		order->until = stretch->after;
}

/* May a stretch have been before those that come before it here, or behind the next one? */
static bool is_uncertain(const struct order *order, const struct stretch *before,
			 const struct stretch *stretch)
{
	if (order->until > time_of(stretch) && order->source != stretch->source)
		return true;
	if (before && before->source != stretch->source && time_of(before) == time_of(stretch))
		return true;
	return !stretch->first && stretch->other < stretch->after;
}

static void set_other(struct calls_later *later)
{
	for (size_t i = later->stretch_count; i--;) {
		struct stretch *stretch = &later->stretches[i], *next = stretch + 1;

		if (i + 1 == later->stretch_count || next->thread != stretch->thread)
			stretch->other = UINT64_MAX;
		else
			stretch->other =
				next->source != stretch->source ? time_of(next) : next->other;
	}
}

/* Hands on what a number of the file stands for. */
static void give(const struct calls_later *later, struct stack_thread *thread,
		 const struct calls_later_sink *sink, uint64_t number, uint64_t *clock)
{
	if (number % 4 == 0)
		sink->range(sink->ctx, thread, number / 4);
	else if (number % 4 == 1)
		sink->step(sink->ctx, thread, &later->steps[number / 4]);
	else if (number % 4 == 2)
		sink->clock(sink->ctx, thread, *clock += number / 4);
	else
		sink->item(sink->ctx, thread, number / 4);
}

static int run_stretch(struct calls_later *later, const struct stretch *stretch,
		       const struct calls_later_sink *sink)
{
	uint64_t at = stretch->from, value = 0, clock = 0;
	const uint64_t end = at + stretch->size;
	unsigned int shift = 0;

	while (at < end) {
		const size_t size = end - at < BUFFER ? (size_t)(end - at) : BUFFER;
		const ssize_t got = pread(later->fd, later->buffer, size, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -EIO;
		for (ssize_t i = 0; i < got; i++) {
			value |= (uint64_t)(later->buffer[i] & 0x7f) << shift;
			shift += 7;
			if (later->buffer[i] & 0x80)
				continue;
			give(later, stretch->thread, sink, value, &clock);
			value = 0;
			shift = 0;
		}
		at += (uint64_t)got;
	}
	sink->pause(sink->ctx, stretch->thread);
	return 0;
}

void calls_later_end(struct calls_later *later)
{
	end_source(later);
	flush(later);
	set_after(later);
	sort_missing(later);
	if (later->stretch_count)
		qsort(later->stretches, later->stretch_count, sizeof(*later->stretches),
		      compare_stretches);
	set_other(later);
}

int calls_later_run(struct calls_later *later, const struct calls_later_sink *sink)
{
	struct order order = {0};
	bool uncertain = false;

	for (size_t i = 0; i < later->stretch_count && !later->error; i++) {
		const struct stretch *stretch = &later->stretches[i];
		const struct stretch *before =
			i && stretch[-1].thread == stretch->thread ? stretch - 1 : NULL;
		const bool was_uncertain = before && uncertain;

		if (!before)
			order = (struct order){0};
		uncertain = is_uncertain(&order, before, stretch);
		if (stretch->is_lost || uncertain || was_uncertain ||
		    (before && is_missing(later, before, stretch)))
			sink->lose(sink->ctx, stretch->thread);
		add_to_order(&order, stretch);
		later->error = run_stretch(later, stretch, sink);
	}
	return later->error;
}
