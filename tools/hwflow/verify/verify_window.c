// SPDX-License-Identifier: GPL-2.0-only
/* Which part of a machine's ground-truth log a recording of CPUs is about. */
#include "verify_window.h"

#include "base/error.h"
#include "decode/places.h"

static void add_time(struct window *window, const struct place_time *time)
{
	if (time->timestamp < window->first)
		window->first = time->timestamp;
	if (time->timestamp > window->last)
		window->last = time->timestamp;
}

/* Timestamps of a piece ascend: its first and its last one are enough. */
static void add_piece(struct window *window, struct places *places, const struct input_piece *piece)
{
	struct place_time time;

	if (places_next_time(places, piece, 0, piece->length, &time))
		add_time(window, &time);
	if (places_last_time(places, piece, &time))
		add_time(window, &time);
}

int window_of(struct window *window, const struct input *input)
{
	*window = (struct window){.first = UINT64_MAX};
	for (size_t i = 0; i < input->source_count; i++) {
		const struct input_source *source = &input->sources[i];
		struct places places;

		/* the log of a RISC-V program does not contain when it was traced */
		if (!places_exist(source) || !input_has_timestamps(source))
			continue;
		if (places_open(&places, source)) {
			input_error(source->file, UINT64_MAX, "out of memory");
			return EXIT_UNREADABLE;
		}
		for (size_t j = 0; j < source->piece_count; j++)
			add_piece(window, &places, &source->pieces[j]);
		places_close(&places);
	}
	return 0;
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
		uint64_t steps = UINT64_MAX;

		truth_pass_blocks(reader, &steps);
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
