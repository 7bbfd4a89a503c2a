/* SPDX-License-Identifier: GPL-2.0-only */
/* Durations in time, cycles or instructions. */
#include "measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/print.h"
#include "perfdata/perfdata_read.h"

const char *const measure_words[] = {"time", "cycles", "instructions", NULL};

/* Units of time, in nanoseconds, the greatest first */
static const struct {
	const char *name;
	uint64_t size;
} units[] = {{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};

#define UNITS (sizeof(units) / sizeof(units[0]))

int measure_choose(struct measure *measure, int wanted, const struct input *input)
{
	const struct perfdata_info *recording = input_recording(input);
	const struct input_source *untimed = input_untimed(input);

	*measure = (struct measure){.by = wanted >= 0 ? (enum spans_clock)wanted
					  : untimed   ? SPANS_INSTRUCTIONS
						      : SPANS_TIME};
	if (measure->by != SPANS_TIME)
		return 0;
	if (untimed) {
		input_error(input->path, UINT64_MAX,
			    "--measure=time: the trace of %s has no timestamps; "
			    "--measure=instructions needs none",
			    untimed->name);
		return EXIT_USAGE;
	}
	if (recording && recording->clock.known)
		measure->clock = &recording->clock;
	return 0;
}

int measure_no_cycles(const struct input *input)
{
	input_error(input->path, UINT64_MAX,
		    "--measure=cycles: the trace has no cycle counts; 'hwflow record --cycles' "
		    "records them");
	return EXIT_USAGE;
}

uint64_t measure_now(const struct measure *measure, uint64_t clock)
{
	return measure->clock ? perfdata_clock_time(measure->clock, clock) : clock;
}

const char *measure_name(const struct measure *measure)
{
	if (measure->by == SPANS_TIME)
		return measure->clock ? "time" : "ticks of the timestamps";
	return measure_words[measure->by];
}

const char *measure_times(const struct measure *measure)
{
	if (measure->by == SPANS_INSTRUCTIONS)
		return "executed instructions of each thread; each is shown as 1 ns";
	return measure->clock ? "perf clock" : "ticks of the timestamps; each is shown as 1 ns";
}

const char *measure_unit(const struct measure *measure)
{
	if (measure->clock)
		return "";
	return measure->by == SPANS_TIME ? " ticks" : " instructions";
}

const char *measure_column(const struct measure *measure)
{
	if (measure->by != SPANS_TIME)
		return measure_words[measure->by];
	return measure->clock ? "time (ns)" : "time (ticks)";
}

const char *measure_text(const struct measure *measure, uint64_t duration, char text[MEASURE_TEXT])
{
	size_t i = 0;

	if (!measure->clock) {
		snprintf(text, MEASURE_TEXT, "%" PRIu64, duration);
		return text;
	}
	while (i < UNITS - 1 && duration < units[i].size)
		i++;
	if (units[i].size == 1)
		snprintf(text, MEASURE_TEXT, "%" PRIu64 " ns", duration);
	else
		snprintf(text, MEASURE_TEXT, "%" PRIu64 ".%03" PRIu64 " %s",
			 duration / units[i].size,
			 duration % units[i].size / (units[i].size / 1000), units[i].name);
	return text;
}

const char *measure_time(const struct measure *measure, uint64_t now, char text[MEASURE_TEXT])
{
	if (measure->clock)
		snprintf(text, MEASURE_TEXT, "%" PRIu64 ".%09" PRIu64, now / 1000000000,
			 now % 1000000000);
	else
		snprintf(text, MEASURE_TEXT, "%" PRIu64, now);
	return text;
}

bool measure_parse(const struct measure *measure, const char *text, uint64_t *duration)
{
	double size = 1;
	char *end;
	const double number = strtod(text, &end);

	if (end == text || !(number >= 0))
		return false;
	if (measure->clock) {
		size_t i = 0;

		while (i < UNITS && strcmp(end, units[i].name) != 0)
			i++;
		if (i == UNITS)
			return false;
		size = (double)units[i].size;
	} else if (*end) {
		return false;
	}
	if (number * size >= 0x1p63)
		return false;
	*duration = (uint64_t)(number * size + 0.5);
	return true;
}

int measure_parse_least(const struct measure *measure, const char *verb, const char *text,
			uint64_t *least)
{
	if (!text || measure_parse(measure, text, least))
		return 0;
	print(stderr, "hwflow %s: --min-duration=%s: expected %s\n", verb, text,
	      measure->clock ? "a number and ns, us, ms or s" : "a number, as times are");
	return EXIT_USAGE;
}
