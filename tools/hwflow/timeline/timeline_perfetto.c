/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perfetto's trace: a message of protocol buffers, whose field 1 is repeated: a packet. The numbers
 * of fields are those of trace_packet.proto, track_event.proto and track_descriptor.proto.
 */
#include "timeline_writer.h"

/* Numbers of fields, by message */
#define TRACE_PACKET 1u

#define PACKET_TIMESTAMP  8u
#define PACKET_SEQUENCE   10u
#define PACKET_EVENT      11u
#define PACKET_INTERNED   12u
#define PACKET_FLAGS      13u
#define PACKET_DESCRIPTOR 60u

/* Values of PACKET_FLAGS: names begin anew here; names that were written before are used */
#define FLAG_CLEARED 1u
#define FLAG_NEEDS   2u

#define INTERNED_EVENT_NAMES 2u
#define NAME_IID             1u
#define NAME_NAME            2u

#define DESCRIPTOR_UUID    1u
#define DESCRIPTOR_NAME    2u
#define DESCRIPTOR_PROCESS 3u
#define DESCRIPTOR_THREAD  4u
#define DESCRIPTOR_PARENT  5u
#define DESCRIPTOR_COUNTER 8u

#define PROCESS_PID  1u
#define PROCESS_NAME 6u
#define THREAD_PID   1u
#define THREAD_TID   2u
#define THREAD_NAME  5u
#define COUNTER_UNIT 3u
#define UNIT_COUNT   2u

#define EVENT_ANNOTATIONS 4u
#define EVENT_TYPE        9u
#define EVENT_NAME_IID    10u
#define EVENT_TRACK       11u
#define EVENT_CATEGORIES  22u
#define EVENT_NAME        23u
#define EVENT_COUNTER     30u

#define ANNOTATION_STRING 6u
#define ANNOTATION_NAME   10u

/* Numbers of tracks: those of threads, processes and counters are different */
#define THREAD_TRACKS  UINT64_C(1)
#define PROCESS_TRACKS (UINT64_C(1) << 32)
#define COUNTER_TRACKS (UINT64_C(1) << 33)

static void put_string(struct message *message, unsigned int field, const char *string)
{
	message_bytes(message, field, string, strlen(string));
}

/* Writes the message @file->packet. All packets are of one sequence, whose names they share. */
static void put_packet(struct timeline_file *file)
{
	message_number(&file->packet, PACKET_SEQUENCE, 1);
	message_message(&file->trace, TRACE_PACKET, &file->packet);
	text_bytes(&file->text, (const char *)file->trace.bytes, file->trace.size);
	file->trace.size = 0;
}

static void put_head(struct timeline_file *file, const char *times)
{
	(void)times;
	message_number(&file->packet, PACKET_FLAGS, FLAG_CLEARED);
	put_packet(file);
}

static void put_descriptor(struct timeline_file *file, uint64_t uuid)
{
	message_number(&file->inner, DESCRIPTOR_UUID, uuid);
	message_message(&file->packet, PACKET_DESCRIPTOR, &file->inner);
	put_packet(file);
}

static void put_track(struct timeline_file *file, const struct timeline_track *track)
{
	if (track->is_first && track->is_thread) {
		message_number(&file->part, PROCESS_PID, track->pid);
		put_string(&file->part, PROCESS_NAME, track->process);
		message_message(&file->inner, DESCRIPTOR_PROCESS, &file->part);
		put_descriptor(file, PROCESS_TRACKS + track->pid);
	}
	if (track->is_thread) {
		message_number(&file->part, THREAD_PID, track->pid);
		message_number(&file->part, THREAD_TID, track->tid);
		put_string(&file->part, THREAD_NAME, track->name);
		message_message(&file->inner, DESCRIPTOR_THREAD, &file->part);
	} else {
		put_string(&file->inner, DESCRIPTOR_NAME, track->name);
	}
	put_descriptor(file, THREAD_TRACKS + track->number);
	if (!track->has_counter)
		return;
	message_number(&file->part, COUNTER_UNIT, UNIT_COUNT);
	message_message(&file->inner, DESCRIPTOR_COUNTER, &file->part);
	put_string(&file->inner, DESCRIPTOR_NAME, "cycles");
	message_number(&file->inner, DESCRIPTOR_PARENT, THREAD_TRACKS + track->number);
	put_descriptor(file, COUNTER_TRACKS + track->number);
}

static void put_name(struct timeline_file *file, uint32_t id, const char *name)
{
	message_number(&file->part, NAME_IID, id);
	put_string(&file->part, NAME_NAME, name);
	message_message(&file->inner, INTERNED_EVENT_NAMES, &file->part);
	message_message(&file->packet, PACKET_INTERNED, &file->inner);
	message_number(&file->packet, PACKET_FLAGS, FLAG_NEEDS);
	put_packet(file);
}

static void put_annotation(struct timeline_file *file, const char *name, const char *value)
{
	put_string(&file->part, ANNOTATION_NAME, name);
	put_string(&file->part, ANNOTATION_STRING, value);
	message_message(&file->inner, EVENT_ANNOTATIONS, &file->part);
}

static void put_event(struct timeline_file *file, const struct timeline_track *track,
		      const struct timeline_event *event)
{
	static const uint8_t types[] = {
		[TIMELINE_BEGIN] = 1,
		[TIMELINE_END] = 2,
		[TIMELINE_INSTANT] = 3,
		[TIMELINE_COUNTER] = 4,
	};
	const bool is_counter = event->kind == TIMELINE_COUNTER;
	struct message *inner = &file->inner;

	message_number(inner, EVENT_TYPE, types[event->kind]);
	message_number(inner, EVENT_TRACK,
		       (is_counter ? COUNTER_TRACKS : THREAD_TRACKS) + track->number);
	if (is_counter)
		message_number(inner, EVENT_COUNTER, event->value);
	else if (event->kind != TIMELINE_END && event->name_id)
		message_number(inner, EVENT_NAME_IID, event->name_id);
	else if (event->kind != TIMELINE_END)
		put_string(inner, EVENT_NAME, event->name);
	if (event->is_exception)
		put_string(inner, EVENT_CATEGORIES, "exception");
	if (event->is_partial)
		put_annotation(file, event->kind == TIMELINE_BEGIN ? "begin" : "end", "not known");
	if (event->exception)
		put_annotation(file, "exception", event->exception);
	if (event->text)
		put_annotation(file, "text", event->text);
	message_number(&file->packet, PACKET_TIMESTAMP, event->time);
	message_message(&file->packet, PACKET_EVENT, inner);
	message_number(&file->packet, PACKET_FLAGS, FLAG_NEEDS);
	put_packet(file);
}

static void put_tail(struct timeline_file *file)
{
	(void)file;
}

const struct timeline_writer timeline_perfetto = {.head = put_head,
						  .track = put_track,
						  .name = put_name,
						  .event = put_event,
						  .tail = put_tail};
