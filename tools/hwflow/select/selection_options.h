/* SPDX-License-Identifier: GPL-2.0-only */
/* The values of --time, --request, --offset and --limit. */
#ifndef HWFLOW_SELECT_SELECTION_OPTIONS_H
#define HWFLOW_SELECT_SELECTION_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct selection_time - a time as it was written: SECONDS[.FRACTION], or ticks
 * @is_given: it was written, and not left out
 * @has_fraction: a fraction was written
 * @whole: seconds, or ticks
 * @nanoseconds: the fraction
 */
struct selection_time {
	bool is_given;
	bool has_fraction;
	uint64_t whole;
	uint64_t nanoseconds;
};

/**
 * struct selection_options - what of a trace to decode
 * @time: the value of --time, or --request, as it was written; NULL: no such option
 * @time_option: "time" or "request"
 * @request: number of a request; 0: @begin and @end hold
 * @begin: its first time
 * @end: its last time
 * @is_percent: @percent holds in place of @begin and @end
 * @percent: parts of the whole time, in percent
 * @offset: --offset as it was written; NULL: no such option
 * @has_record: @record was written
 * @record: number of an AUX record
 * @from: the first offset
 * @to: the offset behind the last one
 * @limit: --limit; 0: no such option
 */
struct selection_options {
	const char *time;
	const char *time_option;
	uint64_t request;
	struct selection_time begin;
	struct selection_time end;
	bool is_percent;
	double percent[2];
	const char *offset;
	bool has_record;
	uint64_t record;
	uint64_t from;
	uint64_t to;
	size_t limit;
};

/** selection_take_time() - the value of --time; false if it is none: that was printed on stderr */
bool selection_take_time(struct selection_options *options, const char *text);

/** selection_take_request() - the value of --request, or NULL; likewise */
bool selection_take_request(struct selection_options *options, const char *text);

/** selection_take_offset() - the value of --offset; likewise */
bool selection_take_offset(struct selection_options *options, const char *text);

/** selection_take_limit() - the value of --limit of verbs that write lines; likewise */
bool selection_take_limit(struct selection_options *options, const char *text);

#endif /* HWFLOW_SELECT_SELECTION_OPTIONS_H */
