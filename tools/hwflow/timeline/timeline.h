/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A timeline: slices of calls and other events on tracks, as a file of limited size.
 *
 * The events are given twice. The first time they are counted: how many bytes the slices need, by
 * their durations. Slices shorter than a duration are then left out, so that the rest fits into the
 * budget. The second time the file is written. A slice that is left out has only such slices in it.
 *
 *	timeline_init()
 *	timeline_add_track(), events, timeline_choose()
 *	timeline_write(), the same events, timeline_finish()
 */
#ifndef HWFLOW_TIMELINE_H
#define HWFLOW_TIMELINE_H

#include "timeline_writer.h"

/** TIMELINE_OCTAVES - durations by their binary digits: 0, 1, 2 to 3, ... */
#define TIMELINE_OCTAVES 65u

/**
 * struct timeline_choice - what is written
 * @budget: bytes at most
 * @depth: slices in this many others, or more, are left out; 0: none
 * @least: shorter slices are left out
 */
struct timeline_choice {
	uint64_t budget;
	uint64_t depth;
	uint64_t least;
};

/** struct timeline_name - the name of a function, by its number: of timeline.c */
struct timeline_name {
	char *text;
	uint8_t octave;
	bool is_written;
};

/**
 * struct timeline - a timeline
 * @choice: see there; timeline_choose() raises @choice.least
 * @least_text: set by the caller, after timeline_choose(): @choice.least for people; NULL: there is
 *	no such limit
 * @writer: the format
 * @times: what times are, for people
 * @name_of: makes the name of a function, escaped and for free(); NULL without memory
 * @ctx: its first argument
 * @tracks: the tracks, by number
 * @track_count: how many
 * @needs_time: set by the caller: time 0 is a time that is not known
 * @needs: after timeline_choose(): a budget that suffices, if this one does not; else 0
 * @untimed: slices without times, which are left out
 * @error: 0, or a negative errno
 *
 * Other members are for timeline.c.
 */
struct timeline {
	struct timeline_choice choice;
	const char *least_text;
	const struct timeline_writer *writer;
	const char *times;
	char *(*name_of)(void *ctx, uint64_t function);
	void *ctx;
	struct timeline_track **tracks;
	size_t track_count;
	bool needs_time;
	uint64_t needs;
	uint64_t untimed;
	int error;
	size_t track_room;
	void *processes;
	bool is_writing;
	struct timeline_name *names;
	size_t name_count;
	uint64_t octaves[TIMELINE_OCTAVES];
	unsigned int octave;
	uint64_t instants;
	uint64_t instant_count;
	bool instants_are_full;
	uint64_t values;
	struct timeline_file file;
};

/**
 * timeline_init() - begin to count
 * @timeline: to initialise, with its members @choice, @writer, @times, @name_of and @ctx
 */
void timeline_init(struct timeline *timeline);

/** timeline_free() - free everything */
void timeline_free(struct timeline *timeline);

/**
 * timeline_add_track() - a track
 * @timeline: the timeline
 * @track: copied; its strings become the timeline's. @number and @is_first are set, and @pid and
 *	@tid if they are not of a thread
 *
 * Return: the track; NULL without memory.
 */
struct timeline_track *timeline_add_track(struct timeline *timeline,
					  const struct timeline_track *track);

/**
 * timeline_begin() - a slice begins
 * @timeline: the timeline
 * @track: on this track; slices of a track come in their order, those of different tracks may not
 * @event: time, kind of the slice, and @name if it is not a function
 * @function: number of the function; 0: none
 */
void timeline_begin(struct timeline *timeline, struct timeline_track *track,
		    const struct timeline_event *event, uint64_t function);

/**
 * timeline_end() - the innermost slice of a track ends
 * @timeline: the timeline
 * @track: the track
 * @event: time, and @is_partial
 */
void timeline_end(struct timeline *timeline, struct timeline_track *track,
		  const struct timeline_event *event);

/** timeline_instant() - something without duration happens; in any order */
void timeline_instant(struct timeline *timeline, struct timeline_track *track,
		      const struct timeline_event *event);

/** timeline_counter() - the counter of a track has a value; values of a track in their order */
void timeline_counter(struct timeline *timeline, struct timeline_track *track, uint64_t time,
		      uint64_t value);

/**
 * timeline_choose() - all events were given once: choose the durations that are written
 *
 * Return: 0; -ENOMEM; -ENOSPC: the budget does not suffice for the names of the tracks.
 */
int timeline_choose(struct timeline *timeline);

/** timeline_write() - the same events follow, and are written to @fd */
void timeline_write(struct timeline *timeline, int fd);

/**
 * timeline_finish() - all events were given again: end the file
 *
 * Return: 0, or a negative errno.
 */
int timeline_finish(struct timeline *timeline);

#endif /* HWFLOW_TIMELINE_H */
