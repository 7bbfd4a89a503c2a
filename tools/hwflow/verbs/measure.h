/* SPDX-License-Identifier: GPL-2.0-only */
/* What durations are measured in, and how they are printed. */
#ifndef HWFLOW_VERBS_MEASURE_H
#define HWFLOW_VERBS_MEASURE_H

#include <stddef.h>

#include "calls/spans.h"

struct perfdata_clock;

/**
 * struct measure - a unit of durations
 * @by: what the clock of spans counts
 * @clock: of SPANS_TIME: makes nanoseconds of ticks; NULL: durations are ticks
 */
struct measure {
	enum spans_clock by;
	const struct perfdata_clock *clock;
};

/** measure_words - values of --measure: the words of enum spans_clock */
extern const char *const measure_words[];

/**
 * measure_choose() - what an input can be measured in
 * @measure: receives it
 * @wanted: enum spans_clock; -1: time if all sources have timestamps, else instructions
 * @input: what is decoded
 *
 * Return: 0; EXIT_USAGE: a source has no timestamps: it was printed on stderr.
 */
int measure_choose(struct measure *measure, int wanted, const struct input *input);

/** measure_no_cycles() - print that the trace has no cycle counts; EXIT_USAGE */
int measure_no_cycles(const struct input *input);

/** measure_now() - what a clock says, in the unit of durations */
uint64_t measure_now(const struct measure *measure, uint64_t clock);

/** measure_name() - the unit, as a title or sentence has it */
const char *measure_name(const struct measure *measure);

/** measure_times() - the times of a timeline for viewers that show nanoseconds, for people */
const char *measure_times(const struct measure *measure);

/** measure_unit() - what follows a duration of measure_text(), with a blank; "" after one that has
 * a unit */
const char *measure_unit(const struct measure *measure);

/** measure_column() - the title of a column of values of measure_now() */
const char *measure_column(const struct measure *measure);

/** MEASURE_TEXT - bytes of a duration as text */
#define MEASURE_TEXT 48u

/** measure_text() - a duration for people: "12.345 us", or a number of cycles */
const char *measure_text(const struct measure *measure, uint64_t duration, char text[MEASURE_TEXT]);

/** measure_time() - a moment: seconds of the perf clock, or what the clock says */
const char *measure_time(const struct measure *measure, uint64_t now, char text[MEASURE_TEXT]);

/**
 * measure_parse() - a duration as people write it: a number, with ns, us, ms or s if times have
 * them
 * @measure: what it is in
 * @text: the duration
 * @duration: receives it
 *
 * Return: false if it is none.
 */
bool measure_parse(const struct measure *measure, const char *text, uint64_t *duration);

/**
 * measure_parse_least() - the value of --min-duration
 * @measure: what it is in
 * @verb: of the message, if it is no duration
 * @text: the value; NULL: the option was not given
 * @least: receives it, if it was given
 *
 * Return: 0 or EXIT_USAGE.
 */
int measure_parse_least(const struct measure *measure, const char *verb, const char *text,
			uint64_t *least);

#endif /* HWFLOW_VERBS_MEASURE_H */
