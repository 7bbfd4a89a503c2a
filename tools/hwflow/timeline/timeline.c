/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracks with slices, of which those are written that the budget allows. */
#include "timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"

/* Parts of the budget: events without duration, and counters, have one of so many parts at most.
 * What every file has needs no more than half of it. */
#define INSTANTS_PART 4u
#define COUNTERS_PART 16u
#define HEAD_PART     2u

/* Values of a counter on a track, at most */
#define COUNTER_VALUES 1000u

/* Numbers of processes and threads on Linux are below this one: those of other tracks begin here */
#define NO_PROCESS 0x400000u

/* Bytes of the name of the slice that says what was left out */
#define LEFT_OUT_TEXT 320u

/**
 * struct open_slice - a slice that has not ended
 * @begin: its beginning
 * @function: number of the function; 0: none
 * @name: if it has none
 * @is_exception: see struct timeline_event
 * @exception: likewise
 * @is_partial: likewise
 */
struct open_slice {
	uint64_t begin;
	uint64_t function;
	char *name;
	bool is_exception;
	const char *exception;
	bool is_partial;
};

/**
 * struct timeline_track_state - what goes on on a track
 * @open: slices, the outermost first
 * @depth: how many
 * @room: of @open
 * @written: of so many of them the file has the beginnings
 * @last: time of the last event
 * @begin: time of the first event, when they were counted
 * @end: of the last one, likewise
 * @octaves: slices, by duration
 * @left_out: slices that options leave out
 * @instants: events without duration that are left out
 * @has_time: @last is known
 * @has_events: @begin and @end are known
 * @next_value: the counter's next value is written after this time
 */
struct timeline_track_state {
	struct open_slice *open;
	size_t depth;
	size_t room;
	size_t written;
	uint64_t last;
	uint64_t begin;
	uint64_t end;
	uint64_t octaves[TIMELINE_OCTAVES];
	uint64_t left_out;
	uint64_t instants;
	bool has_time;
	bool has_events;
	uint64_t next_value;
};

static unsigned int octave_of(uint64_t duration)
{
	return duration ? 64 - (unsigned int)__builtin_clzll(duration) : 0;
}

/* As write of struct hwf_text */
static int take_bytes(void *ctx, const char *bytes, size_t size)
{
	struct timeline_file *file = ctx;

	file->flushed += size;
	return file->fd < 0 ? 0 : output_write(file->fd, bytes, size);
}

static void begin_file(struct timeline *timeline, int fd)
{
	struct timeline_file *file = &timeline->file;

	file->fd = fd;
	file->flushed = 0;
	file->has_events = false;
	text_init(&file->text, take_bytes, file);
}

void timeline_init(struct timeline *timeline)
{
	if (timeline->choice.least < timeline->writer->least)
		timeline->choice.least = timeline->writer->least;
	begin_file(timeline, -1);
}

static void forget_open(struct timeline_track_state *state)
{
	while (state->depth)
		free(state->open[--state->depth].name);
}

static void free_nothing(void *node)
{
	(void)node;
}

void timeline_free(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->track_count; i++) {
		struct timeline_track *track = timeline->tracks[i];

		forget_open(track->own);
		free(track->own->open);
		free(track->own);
		free(track->name);
		free(track->process);
		free(track);
	}
	free(timeline->tracks);
	tdestroy(timeline->processes, free_nothing);
	for (size_t i = 0; i < timeline->name_count; i++)
		free(timeline->names[i].text);
	free(timeline->names);
	message_free(&timeline->file.trace);
	message_free(&timeline->file.packet);
	message_free(&timeline->file.inner);
	message_free(&timeline->file.part);
}

/* Room for item number @at of @items, which has zeros; false without memory */
static bool grow(struct timeline *timeline, void *items, size_t at, size_t *room, size_t size)
{
	size_t more = *room ? *room : 16;
	void **old = items;
	char *moved;

	if (at < *room)
		return true;
	while (more <= at)
		more *= 2;
	moved = reallocarray(*old, more, size);
	if (!moved) {
		timeline->error = -ENOMEM;
		return false;
	}
	memset(moved + *room * size, 0, (more - *room) * size);
	*old = moved;
	*room = more;
	return true;
}

static int compare_processes(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

struct timeline_track *timeline_add_track(struct timeline *timeline,
					  const struct timeline_track *track)
{
	struct timeline_track *added = malloc(sizeof(*added));
	const size_t number = timeline->track_count;
	const uint32_t **process = NULL;

	if (added)
		*added = *track;
	if (added && track->name && track->process)
		added->own = calloc(1, sizeof(*added->own));
	if (added && !added->is_thread) {
		added->pid = NO_PROCESS;
		added->tid = NO_PROCESS + 1 + (uint32_t)number;
	}
	if (added && added->own &&
	    grow(timeline, &timeline->tracks, number, &timeline->track_room,
		 sizeof(*timeline->tracks)))
		process = tsearch(&added->pid, &timeline->processes, compare_processes);
	if (!process) {
		timeline->error = -ENOMEM;
		free(track->name);
		free(track->process);
		if (added)
			free(added->own);
		free(added);
		return NULL;
	}
	added->number = (uint32_t)number;
	added->is_first = *process == &added->pid;
	timeline->tracks[timeline->track_count++] = added;
	return added;
}

/* Takes note of an event, whose time may be 0: not known. False if no time of the track is known.
 */
static bool pass_time(struct timeline *timeline, struct timeline_track *track, uint64_t time)
{
	struct timeline_track_state *state = track->own;

	if (timeline->needs_time && !time)
		return state->has_time;
	if (!state->has_time) {
		for (size_t i = 0; i < state->depth; i++)
			state->open[i].begin = time;
		state->last = time;
	}
	state->has_time = true;
	if (time > state->last)
		state->last = time;
	return true;
}

/* The times of the track reach from the first of its events to the last. */
static void extend(struct timeline *timeline, struct timeline_track_state *state, uint64_t time)
{
	if (timeline->is_writing)
		return;
	if (!state->has_events || time < state->begin)
		state->begin = time;
	if (!state->has_events || time > state->end)
		state->end = time;
	state->has_events = true;
}

void timeline_begin(struct timeline *timeline, struct timeline_track *track,
		    const struct timeline_event *event, uint64_t function)
{
	struct timeline_track_state *state = track->own;
	struct open_slice *slice;

	pass_time(timeline, track, event->time);
	if (timeline->error ||
	    !grow(timeline, &state->open, state->depth, &state->room, sizeof(*state->open)))
		return;
	slice = &state->open[state->depth];
	*slice = (struct open_slice){.begin = state->last,
				     .function = function,
				     .is_exception = event->is_exception,
				     .exception = event->exception,
				     .is_partial = event->is_partial};
	if (!function && !(slice->name = strdup(event->name))) {
		timeline->error = -ENOMEM;
		return;
	}
	state->depth++;
}

/* The name of a function; NULL without memory */
static struct timeline_name *get_name(struct timeline *timeline, uint64_t function)
{
	struct timeline_name *name;

	if (!grow(timeline, &timeline->names, function, &timeline->name_count,
		  sizeof(*timeline->names)))
		return NULL;
	name = &timeline->names[function];
	if (!name->text)
		name->text = timeline->name_of(timeline->ctx, function);
	if (name->text)
		return name;
	timeline->error = -ENOMEM;
	return NULL;
}

/* The event of a slice, with its name */
static struct timeline_event event_of(struct timeline *timeline, const struct open_slice *slice,
				      enum timeline_kind kind)
{
	struct timeline_event event = {.kind = (uint8_t)kind, .name = slice->name};
	const struct timeline_name *name;

	if (!slice->function)
		return event;
	name = get_name(timeline, slice->function);
	event.name = name ? name->text : "";
	event.name_id = timeline->writer->name ? (uint32_t)slice->function : 0;
	return event;
}

static void put_begin(struct timeline *timeline, const struct timeline_track *track,
		      const struct open_slice *slice)
{
	struct timeline_event event = event_of(timeline, slice, TIMELINE_BEGIN);

	event.time = slice->begin;
	event.is_exception = slice->is_exception;
	event.exception = slice->exception;
	event.is_partial = slice->is_partial;
	if (timeline->is_writing && event.name_id && !timeline->error &&
	    !timeline->names[event.name_id].is_written) {
		timeline->writer->name(&timeline->file, event.name_id, event.name);
		timeline->names[event.name_id].is_written = true;
	}
	timeline->writer->event(&timeline->file, track, &event);
}

static void put_end(struct timeline *timeline, const struct timeline_track *track,
		    const struct open_slice *slice, bool is_partial)
{
	struct timeline_event event = event_of(timeline, slice, TIMELINE_END);

	event.time = track->own->last;
	event.is_partial = is_partial;
	timeline->writer->event(&timeline->file, track, &event);
}

/* Counts the bytes of a slice that has ended. */
static void count_slice(struct timeline *timeline, struct timeline_track *track,
			const struct open_slice *slice, bool is_partial)
{
	const uint64_t before = timeline_bytes(&timeline->file), end = track->own->last;
	const unsigned int octave = octave_of(end - slice->begin);

	put_begin(timeline, track, slice);
	put_end(timeline, track, slice, is_partial);
	timeline->octaves[octave] += timeline_bytes(&timeline->file) - before;
	track->own->octaves[octave]++;
	if (slice->function && !timeline->error) {
		struct timeline_name *name = &timeline->names[slice->function];

		if (name->octave < octave + 1)
			name->octave = (uint8_t)(octave + 1);
	}
}

/* Writes a slice that has ended, after the beginnings of those around it, which are longer. */
static void write_slice(struct timeline *timeline, struct timeline_track *track, bool is_partial)
{
	struct timeline_track_state *state = track->own;

	for (; state->written < state->depth; state->written++)
		put_begin(timeline, track, &state->open[state->written]);
	put_end(timeline, track, &state->open[state->depth - 1], is_partial);
}

void timeline_end(struct timeline *timeline, struct timeline_track *track,
		  const struct timeline_event *event)
{
	const struct timeline_choice *choice = &timeline->choice;
	struct timeline_track_state *state = track->own;
	struct open_slice *slice;
	bool is_timed;

	if (!state->depth || timeline->error)
		return;
	is_timed = pass_time(timeline, track, event->time);
	slice = &state->open[state->depth - 1];
	if (is_timed) {
		extend(timeline, state, slice->begin);
		extend(timeline, state, state->last);
	}
	if (!is_timed)
		timeline->untimed += !timeline->is_writing;
	else if ((choice->depth && state->depth > choice->depth) ||
		 state->last - slice->begin < choice->least)
		state->left_out += !timeline->is_writing;
	else if (timeline->is_writing)
		write_slice(timeline, track, event->is_partial);
	else
		count_slice(timeline, track, slice, event->is_partial);
	free(slice->name);
	state->depth--;
	if (state->written > state->depth)
		state->written = state->depth;
}

void timeline_instant(struct timeline *timeline, struct timeline_track *track,
		      const struct timeline_event *event)
{
	struct timeline_event instant = *event;

	if (timeline->error)
		return;
	instant.kind = TIMELINE_INSTANT;
	extend(timeline, track->own, event->time);
	if (timeline->is_writing && timeline->instant_count) {
		timeline->instant_count--;
		timeline->writer->event(&timeline->file, track, &instant);
	} else if (!timeline->is_writing && !timeline->instants_are_full) {
		const uint64_t before = timeline_bytes(&timeline->file);

		timeline->writer->event(&timeline->file, track, &instant);
		timeline->instants += timeline_bytes(&timeline->file) - before;
		timeline->instants_are_full =
			timeline->instants > timeline->choice.budget / INSTANTS_PART;
		timeline->instant_count += !timeline->instants_are_full;
	}
	if (!timeline->is_writing && timeline->instants_are_full)
		track->own->instants++;
}

static void put_value(struct timeline *timeline, const struct timeline_track *track, uint64_t time,
		      uint64_t value)
{
	timeline->writer->event(
		&timeline->file, track,
		&(struct timeline_event){.time = time, .kind = TIMELINE_COUNTER, .value = value});
}

void timeline_counter(struct timeline *timeline, struct timeline_track *track, uint64_t time,
		      uint64_t value)
{
	struct timeline_track_state *state = track->own;

	track->has_counter = true;
	extend(timeline, state, time);
	if (!timeline->is_writing || !timeline->values || time < state->next_value)
		return;
	put_value(timeline, track, time, value);
	state->next_value = time + (state->end - state->begin) / timeline->values + 1;
}

/* The beginning or end of the slice around all others of a track: it says what is left out. */
static void put_mark(struct timeline *timeline, const struct timeline_track *track,
		     enum timeline_kind kind, uint64_t slices, uint64_t events)
{
	const struct timeline_choice *choice = &timeline->choice;
	char text[LEFT_OUT_TEXT], shorter[LEFT_OUT_TEXT / 4] = "", deeper[LEFT_OUT_TEXT / 4] = "";
	char others[LEFT_OUT_TEXT / 4] = "";

	if (timeline->least_text)
		snprintf(shorter, sizeof(shorter), " shorter than %s", timeline->least_text);
	if (choice->depth)
		snprintf(deeper, sizeof(deeper), "%s deeper than %" PRIu64, *shorter ? " or" : "",
			 choice->depth);
	if (events)
		snprintf(others, sizeof(others), " and %" PRIu64 " events", events);
	snprintf(text, sizeof(text), "[%" PRIu64 " %s%s%s%s are left out]", slices,
		 track->is_thread ? "calls" : "slices", shorter, deeper, others);
	timeline->writer->event(&timeline->file, track,
				&(struct timeline_event){.time = kind == TIMELINE_BEGIN
									 ? track->own->begin
									 : track->own->end,
							 .kind = (uint8_t)kind,
							 .is_mark = true,
							 .name = text});
}

/* Likewise, if anything is left out */
static void put_own_mark(struct timeline *timeline, const struct timeline_track *track,
			 enum timeline_kind kind)
{
	const struct timeline_track_state *state = track->own;
	uint64_t slices = state->left_out;

	for (unsigned int i = 0; i < timeline->octave; i++)
		slices += state->octaves[i];
	if (slices || state->instants)
		put_mark(timeline, track, kind, slices, state->instants);
}

/* Bytes that a file has without slices, or more */
static uint64_t count_head(struct timeline *timeline)
{
	const uint64_t before = timeline_bytes(&timeline->file);

	/* all texts of marks are shorter than this one */
	timeline->least_text = "18446744073709551615 instructions";
	timeline->writer->head(&timeline->file, timeline->times);
	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct timeline_track *track = timeline->tracks[i];

		timeline->writer->track(&timeline->file, track);
		put_mark(timeline, track, TIMELINE_BEGIN, UINT64_MAX, UINT64_MAX);
		put_mark(timeline, track, TIMELINE_END, UINT64_MAX, UINT64_MAX);
	}
	timeline->writer->tail(&timeline->file);
	timeline->least_text = NULL;
	return timeline_bytes(&timeline->file) - before;
}

/* A name is written with the longest slice that has it. */
static void count_names(struct timeline *timeline)
{
	for (size_t i = 0; timeline->writer->name && i < timeline->name_count; i++) {
		const struct timeline_name *name = &timeline->names[i];
		const uint64_t before = timeline_bytes(&timeline->file);

		if (!name->octave)
			continue;
		timeline->writer->name(&timeline->file, (uint32_t)i, name->text);
		timeline->octaves[name->octave - 1] += timeline_bytes(&timeline->file) - before;
	}
}

/* How many values of each counter are written */
static void choose_values(struct timeline *timeline)
{
	const uint64_t before = timeline_bytes(&timeline->file);
	uint64_t size, values;

	for (size_t i = 0; i < timeline->track_count; i++)
		if (timeline->tracks[i]->has_counter)
			put_value(timeline, timeline->tracks[i], UINT64_MAX, UINT64_MAX);
	size = timeline_bytes(&timeline->file) - before;
	if (!size)
		return;
	values = timeline->choice.budget / COUNTERS_PART / size;
	/* the first value is one more */
	timeline->values = values < COUNTER_VALUES ? values ? values - 1 : 0 : COUNTER_VALUES - 1;
}

int timeline_choose(struct timeline *timeline)
{
	const uint64_t budget = timeline->choice.budget, head = count_head(timeline);
	uint64_t room;

	count_names(timeline);
	choose_values(timeline);
	if (timeline->error)
		return timeline->error;
	if (head > budget / HEAD_PART) {
		timeline->needs = HEAD_PART * head;
		return -ENOSPC;
	}
	room = budget - head - budget / COUNTERS_PART -
	       (timeline->instants_are_full ? budget / INSTANTS_PART : timeline->instants);
	timeline->octave = TIMELINE_OCTAVES;
	while (timeline->octave && timeline->octaves[timeline->octave - 1] <= room)
		room -= timeline->octaves[--timeline->octave];
	if (timeline->octave == TIMELINE_OCTAVES)
		timeline->choice.least = UINT64_MAX;
	else if (timeline->octave && timeline->choice.least < UINT64_C(1) << (timeline->octave - 1))
		timeline->choice.least = UINT64_C(1) << (timeline->octave - 1);
	return 0;
}

/* The first time of all tracks; 0 without events */
static uint64_t first_time(const struct timeline *timeline)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < timeline->track_count; i++) {
		const struct timeline_track_state *state = timeline->tracks[i]->own;

		if (state->has_events && state->begin < first)
			first = state->begin;
	}
	return first == UINT64_MAX ? 0 : first;
}

void timeline_write(struct timeline *timeline, int fd)
{
	timeline->is_writing = true;
	begin_file(timeline, fd);
	timeline->file.origin = first_time(timeline);
	timeline->writer->head(&timeline->file, timeline->times);
	for (size_t i = 0; i < timeline->track_count; i++) {
		struct timeline_track *track = timeline->tracks[i];
		struct timeline_track_state *state = track->own;

		forget_open(state);
		state->written = 0;
		state->has_time = false;
		state->last = 0;
		timeline->writer->track(&timeline->file, track);
		put_own_mark(timeline, track, TIMELINE_BEGIN);
	}
}

int timeline_finish(struct timeline *timeline)
{
	const struct timeline_file *file = &timeline->file;

	for (size_t i = 0; i < timeline->track_count; i++)
		put_own_mark(timeline, timeline->tracks[i], TIMELINE_END);
	timeline->writer->tail(&timeline->file);
	text_flush(&timeline->file.text);
	if (file->trace.failed || file->packet.failed || file->inner.failed || file->part.failed)
		timeline->error = -ENOMEM;
	return timeline->error ? timeline->error : file->text.hwf.error;
}
