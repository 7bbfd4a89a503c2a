/* SPDX-License-Identifier: GPL-2.0-only */
/* Which part of a machine's ground-truth log a recording of CPUs is about. */
#ifndef HWFLOW_VERIFY_WINDOW_H
#define HWFLOW_VERIFY_WINDOW_H

#include "source/input.h"
#include "truth/truth.h"

/**
 * struct window - a stretch of time, in ticks of the trace's timestamps
 * @first: the first timestamp
 * @last: the last one; before @first: there was none, and all of the log counts
 */
struct window {
	uint64_t first;
	uint64_t last;
};

/**
 * struct window_part - the part of one CPU's log that counts
 * @first: number of the first time its trace unit was enabled that counts, from 1 up
 * @end: one more than the last
 * @now: how often it was enabled so far
 */
struct window_part {
	size_t first;
	size_t end;
	size_t now;
};

/**
 * window_of() - the stretch of time that a recording is about
 * @window: receives it
 * @input: the recording
 *
 * Return: 0, or EXIT_UNREADABLE when memory ran out.
 */
int window_of(struct window *window, const struct input *input);

/**
 * window_part() - the part of the log that counts
 * @part: receives it: from when the trace unit was enabled to when it was disabled, where the
 *	window is not wholly before or behind that
 * @window: of the recording
 * @reader: at the beginning of a CPU's log; it is left at the end
 *
 * Return: 0 or -EINVAL where the log is damaged: @reader says how.
 */
int window_part(struct window_part *part, const struct window *window, struct truth_reader *reader);

/**
 * window_take() - does what follows an event of the log count?
 * @part: the part that counts
 * @event: the event
 */
bool window_take(struct window_part *part, const struct truth_event *event);

#endif /* HWFLOW_VERIFY_WINDOW_H */
