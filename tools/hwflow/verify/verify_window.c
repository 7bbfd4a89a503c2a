// SPDX-License-Identifier: GPL-2.0-only
/* Which part of a machine's ground-truth log a recording of CPUs is about. */
#include "verify_window.h"

static void take_time(void *ctx, const struct hwf_flow_event *event)
{
	struct window *window = ctx;
	const uint64_t now = event->kind == HWF_FLOW_TIMESTAMP ? event->u.timestamp.value : 0;

	/* 0: not known */
	if (!now)
		return;
	if (now < window->first)
		window->first = now;
	if (now > window->last)
		window->last = now;
}

int window_of(struct window *window, struct input *input)
{
	const struct input_decode how = {.sink = take_time, .ctx = window};
	int error = 0;

	*window = (struct window){.first = UINT64_MAX};
	for (size_t i = 0; i < input->source_count; i++) {
		const struct input_source *source = &input->sources[i];

		for (size_t j = 0; j < source->piece_count && !error; j++)
			error = input_decode(input, source, &source->pieces[j], &how);
	}
	return error;
}

/* The trace unit was enabled once more, or disabled; @part grows by what @window has of it. */
static void add(struct window_part *part, const struct window *window, uint64_t from, uint64_t to)
{
	if (from > window->last || to < window->first)
		return;
	if (!part->first)
		part->first = part->now;
	part->end = part->now + 1;
}

int window_part(struct window_part *part, const struct window *window, struct truth_reader *reader)
{
	struct truth_event event;
	uint64_t enabled = 0;
	bool open = false;
	int status;

	*part = (struct window_part){.end = SIZE_MAX};
	if (window->first > window->last)
		return 0;
	part->end = 0;
	while ((status = truth_next(reader, &event)) > 0) {
		if (event.kind != TRUTH_EVENT_ENABLED && event.kind != TRUTH_EVENT_DISABLED)
			continue;
		if (open)
			add(part, window, enabled, event.u.time);
		open = event.kind == TRUTH_EVENT_ENABLED;
		part->now += open;
		enabled = event.u.time;
	}
	if (open)
		add(part, window, enabled, UINT64_MAX);
	/* a log that does not say */
	if (!part->now)
		part->end = SIZE_MAX;
	part->now = 0;
	return status;
}

bool window_take(struct window_part *part, const struct truth_event *event)
{
	part->now += event->kind == TRUTH_EVENT_ENABLED;
	return part->now >= part->first && part->now < part->end;
}
