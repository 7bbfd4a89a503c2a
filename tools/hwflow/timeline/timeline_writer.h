/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Formats of timelines. A writer puts one event after the other into a file; what an event needs
 * there does not depend on other events, so that the size of a file is known before it is written.
 */
#ifndef HWFLOW_TIMELINE_WRITER_H
#define HWFLOW_TIMELINE_WRITER_H

#include "base/text.h"
#include "profile/profile_message.h"

/**
 * enum timeline_kind - what happens
 * @TIMELINE_BEGIN: a slice begins on a track, in the one that began last and has not ended
 * @TIMELINE_END: the slice that began last and has not ended ends
 * @TIMELINE_INSTANT: something without duration
 * @TIMELINE_COUNTER: the track's counter has a value
 */
enum timeline_kind {
	TIMELINE_BEGIN,
	TIMELINE_END,
	TIMELINE_INSTANT,
	TIMELINE_COUNTER,
};

/**
 * struct timeline_track - a row of the timeline
 * @number: counts tracks, from 0
 * @is_thread: @pid and @tid are numbers of the system; else they stand for no process or thread
 * @is_first: it is the first track of its process
 * @has_counter: it has a counter
 * @pid: process
 * @tid: thread
 * @name: escaped
 * @process: name of the process, escaped
 * @own: of timeline.c
 */
struct timeline_track {
	uint32_t number;
	bool is_thread;
	bool is_first;
	bool has_counter;
	uint32_t pid;
	uint32_t tid;
	char *name;
	char *process;
	struct timeline_track_state *own;
};

/**
 * struct timeline_event - an event
 * @time: nanoseconds, or what stands for them
 * @name: of a slice or an instant; escaped
 * @name_id: number of @name, which timeline_writer.name has written; 0: it was not written
 * @text: of an instant: more about it, escaped; NULL: none
 * @value: of a counter
 * @kind: enum timeline_kind
 * @is_exception: of TIMELINE_BEGIN: the slice is an exception
 * @exception: its name, which is not escaped; NULL: not known
 * @is_mark: the slice is around all others of its track: its name says what is left out
 * @is_partial: of TIMELINE_BEGIN: the slice began earlier; of TIMELINE_END: it may go on. The time
 *	is not known
 */
struct timeline_event {
	uint64_t time;
	const char *name;
	uint32_t name_id;
	const char *text;
	uint64_t value;
	uint8_t kind;
	bool is_exception;
	const char *exception;
	bool is_mark;
	bool is_partial;
};

/**
 * struct timeline_file - a file that is written
 * @text: its bytes
 * @fd: receives them; -1: they are counted only
 * @flushed: bytes that @text has handed on
 * @has_events: there is an event in it
 * @origin: no event is earlier than this time; 0 while bytes are counted
 * @trace: room for the messages of timeline_perfetto.c: the trace with a packet
 * @packet: the packet
 * @inner: a message in it
 * @part: a message in that
 */
struct timeline_file {
	struct text text;
	int fd;
	uint64_t flushed;
	bool has_events;
	uint64_t origin;
	struct message trace;
	struct message packet;
	struct message inner;
	struct message part;
};

/**
 * struct timeline_writer - a format
 * @head: begins a file; the string says what its times are
 * @track: describes a track, before its events
 * @name: gives a name a number, before events that have it; NULL: events have names only
 * @event: writes an event
 * @tail: ends a file
 * @least: slices shorter than this are left out
 * @is_text: the file is text
 */
struct timeline_writer {
	void (*head)(struct timeline_file *file, const char *times);
	void (*track)(struct timeline_file *file, const struct timeline_track *track);
	void (*name)(struct timeline_file *file, uint32_t id, const char *name);
	void (*event)(struct timeline_file *file, const struct timeline_track *track,
		      const struct timeline_event *event);
	void (*tail)(struct timeline_file *file);
	uint64_t least;
	bool is_text;
};

/** timeline_chrome - JSON, in the trace event format: for Perfetto, chrome://tracing, speedscope */
extern const struct timeline_writer timeline_chrome;

/** timeline_fxt - the trace format of Fuchsia: for Perfetto and magic-trace's viewer */
extern const struct timeline_writer timeline_fxt;

/** timeline_page - part of the data of a page of HTML, which page.js reads */
extern const struct timeline_writer timeline_page;

/** timeline_perfetto - Perfetto's own protocol buffers */
extern const struct timeline_writer timeline_perfetto;

/** timeline_bytes() - bytes that a file has so far */
static inline uint64_t timeline_bytes(const struct timeline_file *file)
{
	return file->flushed + (uint64_t)(file->text.hwf.at - file->text.hwf.bytes);
}

#endif /* HWFLOW_TIMELINE_WRITER_H */
