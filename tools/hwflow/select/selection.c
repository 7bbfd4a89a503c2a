// SPDX-License-Identifier: GPL-2.0-only
/* What of a trace a verb is to decode. */
#include "selection.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "decode/places.h"
#include "perfdata/perfdata_read.h"
#include "request.h"

/**
 * struct selection - what is selected of an input
 * @options: as it was written
 * @unit: of times
 * @clock: of SELECTION_CLOCK
 * @begin: the first time
 * @end: the last time
 * @cut: of the last piece that selection_cut() was called for
 * @places: of @source
 * @source: of that piece; NULL: there was none
 */
struct selection {
	const struct selection_options *options;
	enum selection_unit unit;
	const struct perfdata_clock *clock;
	uint64_t begin;
	uint64_t end;
	struct cut cut;
	struct places places;
	const struct input_source *source;
};

/* struct bounds - the first time of a trace and the last one */
struct bounds {
	uint64_t first;
	uint64_t last;
};

enum selection_unit selection_unit(const struct input *input)
{
	const struct perfdata_info *recording = input_recording(input);

	if (input_untimed(input))
		return SELECTION_PIECES;
	return recording && recording->clock.known ? SELECTION_CLOCK : SELECTION_TICKS;
}

static uint64_t time_of(const struct selection *selection, uint64_t timestamp)
{
	return selection->clock ? perfdata_clock_time(selection->clock, timestamp) : timestamp;
}

static bool is_timed(const struct selection *selection, uint64_t time)
{
	return time >= selection->begin && time <= selection->end;
}

static int fail_memory(const struct input *input)
{
	input_error(input->path, UINT64_MAX, "out of memory");
	return EXIT_UNREADABLE;
}

/* ---- the times that are selected ---- */

static void widen(struct bounds *bounds, uint64_t first, uint64_t last)
{
	if (first < bounds->first)
		bounds->first = first;
	if (last > bounds->last)
		bounds->last = last;
}

static void bounds_of_pieces(const struct input_source *source, struct bounds *bounds)
{
	for (size_t i = 0; i < source->piece_count; i++)
		if (source->pieces[i].time)
			widen(bounds, source->pieces[i].time, source->pieces[i].time);
}

static int bounds_of_timestamps(const struct selection *selection,
				const struct input_source *source, struct bounds *bounds)
{
	struct place_time time;
	struct places places;
	bool is_found = false;

	if (places_open(&places, source))
		return -ENOMEM;
	for (size_t i = 0; i < source->piece_count && !is_found; i++) {
		is_found = places_next_time(&places, &source->pieces[i], 0,
					    source->pieces[i].length, &time);
		if (is_found)
			widen(bounds, time_of(selection, time.timestamp),
			      time_of(selection, time.timestamp));
	}
	for (size_t i = source->piece_count; i > 0 && is_found; i--) {
		if (!places_last_time(&places, &source->pieces[i - 1], &time))
			continue;
		widen(bounds, bounds->first, time_of(selection, time.timestamp));
		is_found = false;
	}
	places_close(&places);
	return 0;
}

/* The times of all sources; @first is larger than @last if none is known */
static int find_bounds(const struct selection *selection, const struct input *input,
		       struct bounds *bounds)
{
	*bounds = (struct bounds){.first = UINT64_MAX};
	for (size_t i = 0; i < input->source_count; i++) {
		const struct input_source *source = &input->sources[i];

		if (selection->unit == SELECTION_PIECES)
			bounds_of_pieces(source, bounds);
		else if (places_exist(source) && bounds_of_timestamps(selection, source, bounds))
			return -ENOMEM;
	}
	return 0;
}

static uint64_t from_written(const struct selection *selection, const struct selection_time *time,
			     uint64_t otherwise)
{
	const uint64_t second = 1000000000;

	if (!time->is_given)
		return otherwise;
	if (selection->unit == SELECTION_TICKS)
		return time->whole;
	return time->whole > UINT64_MAX / second - 1 ? UINT64_MAX
						     : time->whole * second + time->nanoseconds;
}

static int set_percent(struct selection *selection, const struct input *input)
{
	const double *percent = selection->options->percent;
	struct bounds bounds;
	double all;

	if (find_bounds(selection, input, &bounds))
		return fail_memory(input);
	if (bounds.first > bounds.last) {
		input_error(input->path, UINT64_MAX,
			    "--time=%s: the first and the last time of this trace are not known "
			    "before it is decoded; use --time=FROM,TO",
			    selection->options->time);
		return EXIT_USAGE;
	}
	all = (double)(bounds.last - bounds.first);
	selection->begin = bounds.first + (uint64_t)(all * percent[0] / 100);
	/* the time at which the next slice begins is in that one only */
	selection->end = percent[1] >= 100 ? bounds.last
					   : bounds.first + (uint64_t)(all * percent[1] / 100) - 1;
	return 0;
}

/* Is there a time of anything? */
static bool has_times(const struct selection *selection, const struct input *input)
{
	const struct perfdata_info *recording = input_recording(input);
	struct bounds bounds = {.first = UINT64_MAX};

	if (selection->unit != SELECTION_PIECES)
		return true;
	for (size_t i = 0; i < input->source_count; i++)
		bounds_of_pieces(&input->sources[i], &bounds);
	return bounds.first <= bounds.last && !(recording && recording->untimed);
}

static int set_times(struct selection *selection, const struct input *input)
{
	const struct selection_options *options = selection->options;
	const struct perfdata_info *recording = input_recording(input);

	selection->end = UINT64_MAX;
	if (!options->time)
		return 0;
	selection->unit = selection_unit(input);
	if (selection->unit == SELECTION_CLOCK)
		selection->clock = &recording->clock;
	if (!has_times(selection, input)) {
		input_error(input->path, UINT64_MAX,
			    "--%s=%s: the trace has no timestamps, and the times of its pieces "
			    "are not known; record with --timestamps, or use --offset",
			    options->time_option, options->time);
		return EXIT_USAGE;
	}
	if (options->is_percent)
		return set_percent(selection, input);
	if (options->request)
		return request_times(input, options->request, &selection->begin, &selection->end);
	if (selection->unit == SELECTION_TICKS &&
	    (options->begin.has_fraction || options->end.has_fraction)) {
		input_error(input->path, UINT64_MAX,
			    "--time=%s: times are ticks of the timestamps, which have no fraction, "
			    "because their conversion to seconds is not known",
			    options->time);
		return EXIT_USAGE;
	}
	selection->begin = from_written(selection, &options->begin, 0);
	selection->end = from_written(selection, &options->end, UINT64_MAX);
	return 0;
}

/* ---- the pieces that are selected ---- */

static enum input_selected select_offset(const struct selection *selection,
					 const struct input_piece *piece)
{
	const struct selection_options *options = selection->options;

	if (!options->offset)
		return INPUT_WHOLE;
	if ((options->has_record && options->record != piece->number) ||
	    (options->from && options->from >= piece->length))
		return INPUT_NOTHING;
	return options->from || options->to < piece->length ? INPUT_PART : INPUT_WHOLE;
}

/* @first: time of the first timestamp; @next: time that no line of the piece is later than */
static enum input_selected select_times(const struct selection *selection, uint64_t first,
					uint64_t next)
{
	if (first > selection->end || next < selection->begin)
		return INPUT_NOTHING;
	return first >= selection->begin && next <= selection->end ? INPUT_WHOLE : INPUT_PART;
}

static enum input_selected select_untimed(const struct selection *selection, uint64_t time)
{
	return is_timed(selection, time) ? INPUT_WHOLE : INPUT_NOTHING;
}

/* The time of what is before the first timestamp of a piece; @is_known: the piece has one */
static uint64_t first_time(const struct selection *selection, struct places *places,
			   const struct input_piece *piece, bool *is_known)
{
	struct place_time time;

	*is_known = places_next_time(places, piece, 0, piece->length, &time);
	if (*is_known)
		return time_of(selection, time.timestamp);
	return selection->unit == SELECTION_CLOCK ? piece->time : 0;
}

/* Timestamps of a source do not decrease: the pieces are gone through from the last one on.
 * @last: of all timestamps */
static int select_by_timestamps(const struct selection *selection, struct input_source *source,
				uint64_t last)
{
	uint64_t next = last;
	struct places places;

	if (places_open(&places, source))
		return -ENOMEM;
	for (size_t i = source->piece_count; i > 0; i--) {
		struct input_piece *piece = &source->pieces[i - 1];
		bool is_known;
		const uint64_t time = first_time(selection, &places, piece, &is_known);
		const enum input_selected selected = is_known ? select_times(selection, time, next)
							      : select_untimed(selection, time);

		if (selected < piece->selected)
			piece->selected = (uint8_t)selected;
		if (is_known)
			next = time;
	}
	places_close(&places);
	return 0;
}

static int select_by_time(const struct selection *selection, struct input_source *source,
			  uint64_t last)
{
	for (size_t i = 0; i < source->piece_count; i++) {
		struct input_piece *piece = &source->pieces[i];
		enum input_selected selected = INPUT_PART;

		if (selection->unit == SELECTION_PIECES)
			selected = select_untimed(selection, piece->time);
		else if (places_exist(source))
			break;
		if (selected < piece->selected)
			piece->selected = (uint8_t)selected;
	}
	if (selection->unit == SELECTION_PIECES || !places_exist(source))
		return 0;
	return select_by_timestamps(selection, source, last);
}

/* Drops pieces of which nothing is selected. Returns how many are left; @part: one has a part only
 */
static size_t drop_pieces(struct input_source *source, bool *part)
{
	size_t kept = 0;

	for (size_t i = 0; i < source->piece_count; i++) {
		*part |= source->pieces[i].selected == INPUT_PART;
		if (source->pieces[i].selected != INPUT_NOTHING)
			source->pieces[kept++] = source->pieces[i];
	}
	source->piece_count = kept;
	return kept;
}

static void put_time(const struct selection *selection, uint64_t time, char *text, size_t size)
{
	if (selection->unit == SELECTION_TICKS)
		snprintf(text, size, "%" PRIu64, time);
	else
		snprintf(text, size, "%" PRIu64 ".%09" PRIu64, time / 1000000000,
			 time % 1000000000);
}

/* Says where there is trace */
static int fail_empty(const struct selection *selection, const struct input *input,
		      const struct bounds *bounds, size_t longest)
{
	const struct selection_options *options = selection->options;
	char first[48], last[48];

	if (options->time && bounds->first <= bounds->last) {
		put_time(selection, bounds->first, first, sizeof(first));
		put_time(selection, bounds->last, last, sizeof(last));
		input_error(input->path, UINT64_MAX,
			    "--%s=%s: no trace is of this time; the trace is of %s to %s",
			    options->time_option, options->time, first, last);
	} else if (options->has_record) {
		input_error(input->path, UINT64_MAX,
			    "--offset=%s: no AUX record of this number has trace there; 'hwflow "
			    "dump' without this option prints the AUX records",
			    options->offset);
	} else {
		input_error(input->path, UINT64_MAX,
			    "--%s=%s: no trace is there; the longest piece of trace has %#zx bytes",
			    options->offset ? "offset" : options->time_option,
			    options->offset ? options->offset : options->time, longest);
	}
	return EXIT_UNREADABLE;
}

static int select_pieces(const struct selection *selection, struct input *input)
{
	struct bounds bounds = {.first = UINT64_MAX};
	size_t kept = 0, longest = 0;
	bool part = selection->options->limit != 0;

	if (selection->options->time && find_bounds(selection, input, &bounds))
		return fail_memory(input);
	for (size_t i = 0; i < input->source_count; i++) {
		struct input_source *source = &input->sources[i];

		for (size_t j = 0; j < source->piece_count; j++) {
			struct input_piece *piece = &source->pieces[j];

			piece->selected = (uint8_t)select_offset(selection, piece);
			longest = piece->length > longest ? piece->length : longest;
		}
		if (selection->options->time && select_by_time(selection, source, bounds.last))
			return fail_memory(input);
		kept += drop_pieces(source, &part);
	}
	if (!kept)
		return fail_empty(selection, input, &bounds, longest);
	/* workers decode whole pieces */
	if (part)
		input->jobs = 1;
	return 0;
}

int selection_apply(struct input *input, const struct input_options *options)
{
	const struct selection_options *select = &options->select;
	struct selection *selection;
	int status;

	if (!select->time && !select->offset && !select->limit)
		return 0;
	selection = calloc(1, sizeof(*selection));
	if (!selection)
		return fail_memory(input);
	input->selection = selection;
	selection->options = select;
	status = set_times(selection, input);
	if (!status)
		status = select_pieces(selection, input);
	if (!status && select->limit)
		text_limit(text_stdout(), select->limit);
	return status;
}

void selection_free(struct input *input)
{
	if (!input->selection)
		return;
	places_close(&input->selection->places);
	free(input->selection);
	input->selection = NULL;
}

/* ---- pieces of which a part is selected ---- */

static bool is_before(const void *ctx, uint64_t timestamp)
{
	const struct selection *selection = ctx;

	return time_of(selection, timestamp) < selection->begin;
}

/* Where decoding begins */
static size_t find_start(struct selection *selection, const struct input_piece *piece)
{
	size_t start = 0, by_time;

	if (!selection->places.packets.session)
		return 0;
	if (selection->options->offset)
		start = places_before(&selection->places, piece, selection->options->from);
	if (selection->options->time && selection->unit != SELECTION_PIECES &&
	    selection->cut.first < selection->begin) {
		by_time = places_before_time(&selection->places, piece, is_before, selection);
		start = by_time > start ? by_time : start;
	}
	return start;
}

/* What is known of @source is kept from piece to piece. */
static void open_source(struct selection *selection, const struct input_source *source)
{
	if (selection->source == source)
		return;
	places_close(&selection->places);
	selection->source = source;
	selection->cut.lines = 0;
	selection->cut.is_placed = false;
	/* without memory for it, decoding begins at the beginning of pieces */
	if (places_exist(source) && places_open(&selection->places, source))
		selection->places = (struct places){0};
}

struct cut *selection_cut(struct input *input, const struct input_source *source,
			  const struct input_piece *piece)
{
	struct selection *selection = input->selection;
	const struct selection_options *options = selection ? selection->options : NULL;
	struct cut *cut = selection ? &selection->cut : NULL;
	bool is_known;

	if (!selection || (piece->selected == INPUT_WHOLE && !options->limit))
		return NULL;
	open_source(selection, source);
	*cut = (struct cut){
		.part.span.end = piece->length,
		.unit = selection->unit,
		.clock = selection->clock,
		.to = UINT64_MAX,
		.out = options->limit ? text_stdout() : NULL,
		.lines = cut->lines,
		.is_placed = cut->is_placed,
		.limit = options->limit,
	};
	if (piece->selected == INPUT_WHOLE)
		return cut;
	if (options->offset) {
		cut->from = options->from;
		cut->to = options->to;
	}
	if (options->time && selection->unit != SELECTION_PIECES) {
		cut->has_time = true;
		cut->begin = selection->begin;
		cut->end = selection->end;
		if (selection->places.packets.session)
			cut->first = first_time(selection, &selection->places, piece, &is_known);
		cut->is_inside = is_timed(selection, cut->first);
	}
	/* where the programs of a piece begin is counted from its beginning */
	if (!input_is_split(input))
		cut->part.span.from = find_start(selection, piece);
	return cut;
}

/* Enough lines of a source wait to be merged: no more of them can be among the first ones. */
static bool has_lines(const struct cut *cut)
{
	return cut->lines >= cut->limit && cut->is_placed;
}

bool selection_has_enough(const struct input *input, const struct input_source *source)
{
	const struct selection *selection = input->selection;

	if (!selection || !selection->options->limit)
		return false;
	return text_stdout()->is_full ||
	       (selection->source == source && has_lines(&selection->cut));
}

bool selection_has_sample(const struct input *input, uint64_t time)
{
	const struct selection *selection = input->selection;

	if (!selection)
		return true;
	if (selection->options->offset)
		return false;
	return !selection->options->time ||
	       (selection->unit != SELECTION_TICKS && is_timed(selection, time));
}

bool cut_is_full(const struct cut *cut)
{
	return cut->out && (cut->out->is_full || has_lines(cut));
}

bool cut_has_time(struct cut *cut, uint64_t timestamp)
{
	uint64_t time = timestamp;

	if (timestamp == cut->timestamp)
		return cut->is_inside;
	cut->timestamp = timestamp;
	if (!timestamp)
		time = cut->first;
	else if (cut->clock)
		time = perfdata_clock_time(cut->clock, timestamp);
	cut->is_inside = time >= cut->begin && time <= cut->end;
	if (timestamp && time > cut->end)
		cut->is_over = true;
	return cut->is_inside;
}

/* Elements that follow a speculative one may be given before it: so many bytes at most */
#define DISORDER 0x1000u

void cut_pass(struct cut *cut, uint64_t offset, uint64_t timestamp)
{
	bool is_behind;

	if (!cut)
		return;
	if (cut->has_time)
		cut_has_time(cut, timestamp);
	is_behind = offset >= cut->to && offset - cut->to >= DISORDER;
	cut->stop = cut->is_over || is_behind || cut_is_full(cut);
}
