/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace events of Chrome as JSON: an object a line, of which "ph" says what it is.
 *
 * speedscope sorts beginnings and ends by their times, and joins those of the same name and
 * arguments: both have a name and no arguments, and slices without duration, whose end it may put
 * before their beginning, are left out.
 */
#include "base/json.h"
#include "hwflow/version.h"
#include "timeline_writer.h"

static void begin(struct timeline_file *file, char phase, const struct timeline_track *track)
{
	struct text *out = &file->text;

	if (file->has_events)
		text_char(out, ',');
	file->has_events = true;
	text_string(out, "\n{\"ph\":\"");
	text_char(out, phase);
	text_named_decimal(out, "\",\"pid\":", track->pid);
	text_named_decimal(out, ",\"tid\":", track->tid);
}

static void put_head(struct timeline_file *file, const char *times)
{
	struct text *out = &file->text;

	text_string(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{");
	text_string(out, "\"writer\":\"hwflow " HWF_VERSION "\",\"times\":");
	json_string(out, times);
	text_string(out, "},\"traceEvents\":[");
}

static void put_meta(struct timeline_file *file, const struct timeline_track *track,
		     const char *what, const char *name)
{
	struct text *out = &file->text;

	begin(file, 'M', track);
	text_string(out, ",\"name\":");
	json_string(out, what);
	text_string(out, ",\"args\":{\"name\":");
	json_string(out, name);
	text_string(out, "}}");
}

static void put_track(struct timeline_file *file, const struct timeline_track *track)
{
	if (track->is_first)
		put_meta(file, track, "process_name", track->process);
	put_meta(file, track, "thread_name", track->name);
}

static void put_event(struct timeline_file *file, const struct timeline_track *track,
		      const struct timeline_event *event)
{
	static const char phases[] = {
		[TIMELINE_BEGIN] = 'B',
		[TIMELINE_END] = 'E',
		[TIMELINE_INSTANT] = 'i',
		[TIMELINE_COUNTER] = 'C',
	};
	struct text *out = &file->text;

	begin(file, phases[event->kind], track);
	/* microseconds */
	text_named_decimal(out, ",\"ts\":", event->time / 1000);
	text_char(out, '.');
	for (uint64_t scale = 100; scale; scale /= 10)
		text_char(out, (char)('0' + event->time / scale % 10));
	switch (event->kind) {
	case TIMELINE_BEGIN:
		text_string(out, ",\"name\":");
		json_string(out, event->name);
		text_string(out, ",\"cat\":\"");
		if (event->is_exception)
			text_string(out, "exception");
		else
			text_string(out, "call");
		if (event->exception)
			text_named_name(out, ",", event->exception);
		if (event->is_partial)
			text_string(out, ",begin not known");
		text_char(out, '"');
		break;
	case TIMELINE_END:
		text_string(out, ",\"name\":");
		json_string(out, event->name);
		if (event->is_partial)
			text_string(out, ",\"end\":\"not known\"");
		break;
	case TIMELINE_INSTANT:
		text_string(out, ",\"s\":\"t\",\"name\":");
		json_string(out, event->name);
		if (event->text) {
			text_string(out, ",\"args\":{\"text\":");
			json_string(out, event->text);
			text_char(out, '}');
		}
		break;
	default:
		/* counters with the same name are one in a process */
		text_named_decimal(out, ",\"name\":\"cycles\",\"id\":", track->tid);
		text_named_decimal(out, ",\"args\":{\"cycles\":", event->value);
		text_char(out, '}');
		break;
	}
	text_char(out, '}');
}

static void put_tail(struct timeline_file *file)
{
	struct text *out = &file->text;

	text_string(out, "\n]}\n");
}

const struct timeline_writer timeline_chrome = {.head = put_head,
						.track = put_track,
						.event = put_event,
						.tail = put_tail,
						.least = 1,
						.is_text = true};
