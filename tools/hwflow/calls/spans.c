/* SPDX-License-Identifier: GPL-2.0-only */
/* Beginnings and ends of calls, with times between the readings of a clock. */
#include "spans.h"

#include <errno.h>
#include <stdlib.h>

/* Events of a thread that wait for a reading at most: more have the time of the last one */
#define MOST_WAITING 0x10000u

/**
 * struct span_thread - a thread
 * @thread: the thread
 * @own: see span_fn
 * @next: another one
 * @waiting: events that wait for a reading; until then, their clock is not set
 * @count: how many
 * @room: of @waiting
 * @depth: calls that have begun
 * @instructions: that were executed
 * @has_reading: @reading is one, of the present run of the thread
 * @was_read: there was one ever
 * @is_paused: SPAN_PAUSE was handed on last, and SPAN_RESUME was not
 * @reading: the last one
 * @reading_at: instructions at that
 * @pace: of the clock in the interval before, per instruction
 * @offset: from what the clock says to what is handed on
 * @last: of the last event or reading that was handed on
 */
struct span_thread {
	struct calls_thread *thread;
	void *own;
	struct span_thread *next;
	struct span_event *waiting;
	size_t count;
	size_t room;
	size_t depth;
	uint64_t instructions;
	bool has_reading;
	bool was_read;
	bool is_paused;
	uint64_t reading;
	uint64_t reading_at;
	double pace;
	uint64_t offset;
	uint64_t last;
};

/**
 * struct spans - see spans.h
 * @clock: what is measured
 * @take: takes the events
 * @take_item: takes items; NULL: nobody does
 * @ctx: first argument of both
 * @threads: those that have executed anything
 * @failed: memory ran out
 */
struct spans {
	enum spans_clock clock;
	span_fn *take;
	span_item_fn *take_item;
	void *ctx;
	struct span_thread *threads;
	bool failed;
};

struct spans *spans_new(enum spans_clock clock, span_fn *take, void *ctx)
{
	struct spans *spans = calloc(1, sizeof(*spans));

	if (spans)
		*spans = (struct spans){.clock = clock, .take = take, .ctx = ctx};
	return spans;
}

void spans_free(struct spans *spans)
{
	struct span_thread *next;

	if (!spans)
		return;
	for (struct span_thread *thread = spans->threads; thread; thread = next) {
		next = thread->next;
		free(thread->waiting);
		free(thread);
	}
	free(spans);
}

/* What is kept of a thread; NULL without memory */
static struct span_thread *get(struct spans *spans, struct calls_thread *thread)
{
	struct span_thread *found = thread->own;

	if (found)
		return found;
	found = calloc(1, sizeof(*found));
	if (!found) {
		spans->failed = true;
		return NULL;
	}
	found->thread = thread;
	found->next = spans->threads;
	spans->threads = found;
	thread->own = found;
	return found;
}

static void hand_on(const struct spans *spans, struct span_thread *thread,
		    const struct span_event *event, uint64_t clock)
{
	struct span_event timed = *event;

	if (clock > thread->last)
		thread->last = clock;
	timed.clock = thread->last;
	spans->take(spans->ctx, thread->thread, &thread->own, &timed);
}

/* Where no clock was read yet, no time is known. */
static void forget_times(struct span_thread *thread)
{
	for (size_t i = 0; i < thread->count; i++) {
		struct span_event *event = &thread->waiting[i];

		if (event->kind == SPAN_BEGIN)
			event->kind = SPAN_FOUND;
		else if (event->kind == SPAN_END)
			event->kind = SPAN_LOST;
	}
}

/* How far the clock goes while a number of instructions is executed */
static uint64_t at_pace(const struct span_thread *thread, uint64_t instructions)
{
	const double distance = thread->pace * (double)instructions;

	/* only a trace that was made to harm has such times */
	return distance < 0x1p63 ? (uint64_t)distance : 0;
}

/* Events up to a reading: since the one before it in this run, or else at the pace of earlier ones
 */
static void resolve(const struct spans *spans, struct span_thread *thread, uint64_t reading)
{
	const uint64_t instructions = thread->instructions - thread->reading_at;

	if (!thread->was_read)
		forget_times(thread);
	if (thread->has_reading && instructions && reading > thread->reading)
		thread->pace = (double)(reading - thread->reading) / (double)instructions;
	for (size_t i = 0; i < thread->count; i++) {
		const struct span_event *event = &thread->waiting[i];
		const uint64_t before = at_pace(thread, thread->instructions - event->instructions);

		hand_on(spans, thread, event, reading > before ? reading - before : 0);
	}
	thread->count = 0;
}

/* Events behind the last reading of a run. Before the first one ever, they wait for that. */
static void resolve_rest(const struct spans *spans, struct span_thread *thread)
{
	if (!thread->was_read)
		return;
	for (size_t i = 0; i < thread->count; i++) {
		const struct span_event *event = &thread->waiting[i];
		uint64_t clock = thread->last;

		if (thread->has_reading)
			clock = thread->reading +
				at_pace(thread, event->instructions - thread->reading_at);
		hand_on(spans, thread, event, clock);
	}
	thread->count = 0;
}

static void add(struct spans *spans, struct span_thread *thread, const struct span_event *event)
{
	struct span_event *waiting = thread->waiting;
	size_t room = thread->room;

	if (spans->clock == SPANS_INSTRUCTIONS) {
		hand_on(spans, thread, event, event->instructions);
		return;
	}
	if (thread->count == MOST_WAITING) {
		if (!thread->was_read)
			forget_times(thread);
		for (size_t i = 0; i < thread->count; i++)
			hand_on(spans, thread, &waiting[i], thread->last);
		thread->count = 0;
	}
	if (thread->count == room) {
		room = room ? 2 * room : 64;
		waiting = reallocarray(waiting, room, sizeof(*waiting));
		if (!waiting) {
			spans->failed = true;
			return;
		}
		thread->waiting = waiting;
		thread->room = room;
	}
	thread->waiting[thread->count++] = *event;
}

/* The thread is traced again. */
static void resume(struct spans *spans, struct span_thread *thread)
{
	const struct span_event event = {.kind = SPAN_RESUME, .instructions = thread->instructions};

	if (!thread->is_paused)
		return;
	thread->is_paused = false;
	add(spans, thread, &event);
}

static void take_change(void *ctx, struct calls_thread *calls_thread)
{
	struct spans *spans = ctx;
	struct span_thread *thread = get(spans, calls_thread);
	const struct hwf_stack *stack = &calls_thread->stack;
	struct span_event event = {0};

	if (!thread)
		return;
	/* calls that are lost while the thread is not traced end with its trace */
	if (stack->has_ended || stack->depth > stack->kept)
		resume(spans, thread);
	event.instructions = thread->instructions;
	event.kind = stack->has_ended ? SPAN_END : SPAN_LOST;
	for (; thread->depth > stack->kept; thread->depth--)
		add(spans, thread, &event);
	for (; thread->depth < stack->depth; thread->depth++) {
		const struct hwf_stack_frame *frame = &stack->frames[thread->depth];
		const bool is_top = thread->depth == stack->depth - 1;

		event.function = frame->function.id;
		event.place = frame->place;
		event.is_whole = thread->depth || stack->is_whole;
		event.is_called = is_top && stack->is_entered;
		event.is_exception = frame->kind == HWF_STACK_FRAME_EXCEPTION;
		event.kind = event.is_called ? SPAN_BEGIN : SPAN_FOUND;
		event.exception = is_top && event.is_exception ? calls_thread->exception : 0;
		add(spans, thread, &event);
	}
	if (thread->is_paused)
		resolve_rest(spans, thread);
}

static void take_instructions(void *ctx, struct calls_thread *calls_thread, uint64_t instructions)
{
	struct span_thread *thread = get(ctx, calls_thread);

	if (!thread)
		return;
	resume(ctx, thread);
	thread->instructions += instructions;
}

static void take_clock(void *ctx, struct calls_thread *calls_thread, uint64_t clock)
{
	struct spans *spans = ctx;
	struct span_thread *thread = get(spans, calls_thread);

	if (!thread || (spans->clock == SPANS_TIME && !clock))
		return;
	resume(spans, thread);
	/* each CPU has cycles of its own, and goes on with them when another thread is executed */
	if (spans->clock == SPANS_CYCLES && !thread->has_reading)
		thread->offset = thread->last - clock;
	clock += thread->offset;
	resolve(spans, thread, clock);
	thread->has_reading = thread->was_read = true;
	thread->reading = clock;
	thread->reading_at = thread->instructions;
	if (clock > thread->last)
		thread->last = clock;
}

static void take_pause(void *ctx, struct calls_thread *calls_thread)
{
	struct spans *spans = ctx;
	struct span_thread *thread = get(spans, calls_thread);
	struct span_event event = {.kind = SPAN_PAUSE};

	if (!thread || thread->is_paused)
		return;
	event.instructions = thread->instructions;
	if (spans->clock == SPANS_TIME) {
		thread->is_paused = true;
		add(spans, thread, &event);
	}
	resolve_rest(spans, thread);
	thread->has_reading = false;
}

static void take_item(void *ctx, struct calls_thread *calls_thread, uint64_t item)
{
	struct spans *spans = ctx;
	struct span_thread *thread = get(spans, calls_thread);

	if (thread)
		spans->take_item(spans->ctx, &thread->own, item);
}

void spans_take_items(struct spans *spans, span_item_fn *take)
{
	spans->take_item = take;
}

struct calls_sink spans_sink(struct spans *spans)
{
	struct calls_sink sink = {
		.changed = take_change, .executed = take_instructions, .ctx = spans};

	if (spans->take_item)
		sink.item = take_item;
	if (spans->clock != SPANS_INSTRUCTIONS) {
		sink.clock = take_clock;
		sink.paused = take_pause;
	}
	return sink;
}

int spans_end(struct spans *spans)
{
	for (struct span_thread *thread = spans->threads; thread; thread = thread->next) {
		struct span_event event = {.kind = SPAN_LOST, .instructions = thread->instructions};

		for (; thread->depth; thread->depth--)
			add(spans, thread, &event);
		if (!thread->was_read)
			forget_times(thread);
		thread->was_read = true;
		resolve_rest(spans, thread);
	}
	return spans->failed ? -ENOMEM : 0;
}
