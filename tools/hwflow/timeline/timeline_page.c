/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The timeline of a page of HTML: members of a JSON object, "times", "origin" and "items". An item
 * is an array, of which the first number is an enum item. Times count from the origin. A function
 * is named by its number in the recording, everything else by a string.
 */
#include "base/json.h"
#include "timeline_writer.h"

/**
 * enum item - what an item is, and what follows
 * @ITEM_BEGIN: track, time, name, flags, the name of an exception
 * @ITEM_END: track, time, flags
 * @ITEM_INSTANT: track, time, name, text
 * @ITEM_TRACK: track, number of the process, number of the thread, name of the track, name of the
 *	process, 1 if it is a thread
 */
enum item {
	ITEM_BEGIN,
	ITEM_END,
	ITEM_INSTANT,
	ITEM_TRACK,
};

/* Flags of slices: an exception; the beginning, or the end, is not known; not a slice, but a note
 */
#define FLAG_EXCEPTION 1u
#define FLAG_PARTIAL   2u
#define FLAG_MARK      4u

static void begin(struct timeline_file *file, enum item item, const struct timeline_track *track)
{
	json_separate(&file->text, file->has_events);
	file->has_events = true;
	text_named_decimal(&file->text, "[", item);
	text_named_decimal(&file->text, ",", track->number);
}

static void put_head(struct timeline_file *file, const char *times)
{
	struct text *out = &file->text;

	text_string(out, "\"times\":");
	json_string(out, times);
	text_string(out, ",\n\"origin\":");
	json_number(out, file->origin);
	text_string(out, ",\n\"items\":[");
}

static void put_track(struct timeline_file *file, const struct timeline_track *track)
{
	begin(file, ITEM_TRACK, track);
	text_named_decimal(&file->text, ",", track->pid);
	text_named_decimal(&file->text, ",", track->tid);
	text_char(&file->text, ',');
	json_string(&file->text, track->name);
	text_char(&file->text, ',');
	json_string(&file->text, track->process);
	text_named_decimal(&file->text, ",", track->is_thread);
	text_char(&file->text, ']');
}

/* Functions have numbers: their names are elsewhere in the page. */
static void put_name(struct timeline_file *file, uint32_t id, const char *name)
{
	(void)file;
	(void)id;
	(void)name;
}

static void put_name_of(struct text *out, const struct timeline_event *event)
{
	text_char(out, ',');
	if (event->name_id)
		text_decimal(out, event->name_id);
	else
		json_string(out, event->name);
}

static void put_begin(struct text *out, const struct timeline_event *event)
{
	const unsigned int flags = (event->is_exception ? FLAG_EXCEPTION : 0) |
				   (event->is_partial ? FLAG_PARTIAL : 0) |
				   (event->is_mark ? FLAG_MARK : 0);

	put_name_of(out, event);
	if (flags || event->exception)
		text_named_decimal(out, ",", flags);
	if (event->exception) {
		text_char(out, ',');
		json_name(out, event->exception);
	}
}

static void put_event(struct timeline_file *file, const struct timeline_track *track,
		      const struct timeline_event *event)
{
	static const enum item items[] = {
		[TIMELINE_BEGIN] = ITEM_BEGIN,
		[TIMELINE_END] = ITEM_END,
		[TIMELINE_INSTANT] = ITEM_INSTANT,
	};
	struct text *out = &file->text;

	/* a page shows no counters */
	if (event->kind == TIMELINE_COUNTER)
		return;
	begin(file, items[event->kind], track);
	text_char(out, ',');
	json_number(out, event->time - file->origin);
	switch (event->kind) {
	case TIMELINE_BEGIN:
		put_begin(out, event);
		break;
	case TIMELINE_END:
		if (event->is_partial)
			text_named_decimal(out, ",", FLAG_PARTIAL);
		break;
	default:
		put_name_of(out, event);
		if (event->text) {
			text_char(out, ',');
			json_string(out, event->text);
		}
		break;
	}
	text_char(out, ']');
}

static void put_tail(struct timeline_file *file)
{
	text_char(&file->text, ']');
}

const struct timeline_writer timeline_page = {.head = put_head,
					      .track = put_track,
					      .name = put_name,
					      .event = put_event,
					      .tail = put_tail,
					      .is_text = true};
