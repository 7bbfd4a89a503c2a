/* SPDX-License-Identifier: GPL-2.0-only */
/* The conversion between timestamps of trace and the perf clock. */
#ifndef HWFLOW_PERFDATA_CLOCK_H
#define HWFLOW_PERFDATA_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct perfdata_clock - from timestamps of the trace to the perf clock, as TIME_CONV has it
 * @known: the recording has it, and timestamps are of the counter that it is for
 * @is_short: the counter has only the bits of @mask
 * @shift: see perfdata_clock_time()
 * @mult: likewise
 * @zero: likewise
 * @cycles: with @is_short: a value of the counter
 * @mask: with @is_short
 */
struct perfdata_clock {
	bool known;
	bool is_short;
	uint8_t shift;
	uint64_t mult;
	uint64_t zero;
	uint64_t cycles;
	uint64_t mask;
};

/** perfdata_clock_time() - nanoseconds of the perf clock, of a timestamp of the trace */
uint64_t perfdata_clock_time(const struct perfdata_clock *clock, uint64_t timestamp);

/**
 * perfdata_clock_timestamp() - the first timestamp that is not before a time of the perf clock
 * @clock: the conversion, which is known
 * @time: nanoseconds
 *
 * Return: the timestamp; 1 for a time before the counter's first tick.
 */
uint64_t perfdata_clock_timestamp(const struct perfdata_clock *clock, uint64_t time);

#endif /* HWFLOW_PERFDATA_CLOCK_H */
