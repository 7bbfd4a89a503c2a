/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What of a trace a verb is to decode: --time, --offset and --limit. A piece of which nothing is
 * selected is not among those of the input. A piece that is selected as a whole is decoded as
 * without these options. Of other pieces decoding begins at a synchronisation before the first
 * line that is selected, and lines that are not selected are not written:
 *
 *	piece  |----- sync ------- sync ----------------------------------|
 *	                   |~~~~~~~~~~~~|.................|
 *	              part.span.from   first line       last line
 */
#ifndef HWFLOW_SELECT_SELECTION_H
#define HWFLOW_SELECT_SELECTION_H

#include "source/input.h"

struct perfdata_clock;
struct text;

/** enum selection_unit - what --time is compared with, and script prints */
enum selection_unit {
	SELECTION_PIECES, /* the time of pieces, in nanoseconds of the perf clock */
	SELECTION_TICKS,  /* timestamps */
	SELECTION_CLOCK,  /* timestamps, in nanoseconds of the perf clock */
};

/** selection_unit() - the unit that an input has */
enum selection_unit selection_unit(const struct input *input);

/**
 * struct cut - what is selected of a piece
 * @part: where decoding begins
 * @unit: of @first, @begin and @end
 * @clock: of SELECTION_CLOCK
 * @first: time of what is before the first timestamp
 * @begin: lines of this time and later ones are selected
 * @end: lines of this time and earlier ones are selected
 * @has_time: @begin and @end hold
 * @from: lines of this offset and larger ones are selected
 * @to: lines of smaller offsets are selected
 * @timestamp: the last one that was compared
 * @is_inside: it is between @begin and @end
 * @is_over: a timestamp was later than @end
 * @out: lines are limited, and this has counted them; NULL: they are not
 * @lines: lines of this source, counted by cut_count_line()
 * @is_placed: the place of the last of them is known
 * @limit: as many are wanted
 * @stop: no line to come is selected
 */
struct cut {
	struct input_part part;
	enum selection_unit unit;
	const struct perfdata_clock *clock;
	uint64_t first;
	uint64_t begin;
	uint64_t end;
	bool has_time;
	uint64_t from;
	uint64_t to;
	uint64_t timestamp;
	bool is_inside;
	bool is_over;
	const struct text *out;
	size_t lines;
	size_t limit;
	bool is_placed;
	bool stop;
};

/**
 * selection_apply() - drop the pieces of which nothing is selected
 * @input: what was opened, with all its sources
 * @options: what is selected
 *
 * Return: 0, or an enum exit_status; the reason was printed on stderr.
 */
int selection_apply(struct input *input, const struct input_options *options);

/**
 * selection_cut() - what is selected of a piece that is decoded next
 * @input: what was opened
 * @source: the source
 * @piece: one of its pieces, for which input_code() was called if its program is needed
 *
 * Return: it, valid until the next call; NULL: all of it.
 */
struct cut *selection_cut(struct input *input, const struct input_source *source,
			  const struct input_piece *piece);

/** selection_has_enough() - were as many lines of a source written as --limit allows, or of all? */
bool selection_has_enough(const struct input *input, const struct input_source *source);

/**
 * selection_has_sample() - is a line selected that is not of the trace?
 * @input: what was opened
 * @time: of the line, in nanoseconds of the perf clock
 *
 * Return: whether it is of the times selected; false if offsets are selected, which it has not.
 */
bool selection_has_sample(const struct input *input, uint64_t time);

/** selection_free() - free what selection_apply() allocated */
void selection_free(struct input *input);

/** cut_has_time() - cut_has(), where the timestamp is another one than before */
bool cut_has_time(struct cut *cut, uint64_t timestamp);

/** cut_is_full() - were as many lines written as --limit allows? */
bool cut_is_full(const struct cut *cut);

/**
 * cut_has() - is a line selected?
 * @cut: of the piece; NULL: all lines are
 * @offset: of its packet, in the piece
 * @timestamp: the last one before it in the piece; 0: there is none
 */
static inline bool cut_has(struct cut *cut, uint64_t offset, uint64_t timestamp)
{
	if (!cut)
		return true;
	if (offset < cut->from || offset >= cut->to || cut_is_full(cut))
		return false;
	return !cut->has_time || cut_has_time(cut, timestamp);
}

/**
 * cut_pass() - all lines of an offset are written
 * @cut: of the piece; NULL is allowed
 * @offset: of the packet
 * @timestamp: the last one before it
 *
 * Sets @cut->stop if no line to come is selected.
 */
void cut_pass(struct cut *cut, uint64_t offset, uint64_t timestamp);

/**
 * cut_count_line() - count a line that waits to be merged with those of other sources
 * @cut: of the piece; NULL is allowed
 * @timestamp: of the line; 0: its place among others is known at the first timestamp only
 */
static inline void cut_count_line(struct cut *cut, uint64_t timestamp)
{
	if (!cut)
		return;
	cut->lines++;
	cut->is_placed = timestamp != 0;
}

#endif /* HWFLOW_SELECT_SELECTION_H */
