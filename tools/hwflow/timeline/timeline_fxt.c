/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace format of Fuchsia. A record is a number of words of 64 bits:
 *
 *	63           ...            16 15        4 3    0
 *	| what the type needs         | words     | type |
 *
 * Strings and threads that were given a number are named by it in 16 and 8 bits. Other strings
 * follow the words of the record, with zeros up to the next word; where a number would be, bit 15
 * is set and the other bits are the size of the string.
 */
#include "timeline_writer.h"

/* Types of records */
#define INITIALIZATION 1u
#define STRING         2u
#define THREAD         3u
#define EVENT          4u
#define OBJECT         7u

/* "FxT", as a record of metadata */
#define MAGIC UINT64_C(0x0016547846040010)

/* Types of events */
#define INSTANT 0u
#define COUNTER 1u
#define BEGIN   2u
#define END     3u

/* Types of arguments */
#define ARGUMENT_UINT64 4u
#define ARGUMENT_STRING 6u
#define ARGUMENT_KOID   8u

/* Kinds of objects that have a name */
#define OBJECT_PROCESS 1u
#define OBJECT_THREAD  2u

/* Numbers of threads end here */
#define THREADS 0x100u

/* Numbers of strings end here; the first ones are those of enum word */
#define STRINGS   0x8000u
#define IS_INLINE 0x8000u

/* A string is cut here: two of them and all else of an event fit into a record. */
#define STRING_BYTES 8000u

/* enum word - strings that are in each file, by number */
enum word {
	WORD_NONE,
	WORD_CALL,
	WORD_EXCEPTION,
	WORD_BEGIN,
	WORD_END,
	WORD_UNKNOWN,
	WORD_TEXT,
	WORD_CYCLES,
	WORD_PROCESS,
	WORDS,
};

static const char *const words[WORDS] = {"",          "call", "exception", "begin",  "end",
					 "not known", "text", "cycles",    "process"};

static void put_word(struct text *out, uint64_t value)
{
	char *at = text_room(out, sizeof(value));

	for (unsigned int i = 0; i < sizeof(value); i++)
		at[i] = (char)(value >> 8 * i);
	out->hwf.at += sizeof(value);
}

static size_t size_of(const char *string)
{
	size_t size = strnlen(string, STRING_BYTES + 1);

	if (size <= STRING_BYTES)
		return size;
	/* not within a character of UTF-8 */
	for (size = STRING_BYTES; size && ((uint8_t)string[size] & 0xc0) == 0x80;)
		size--;
	return size;
}

static unsigned int words_of(size_t size)
{
	return (unsigned int)((size + 7) / 8);
}

static void put_bytes(struct text *out, const char *string, size_t size)
{
	static const char zeros[8];

	text_bytes(out, string, size);
	text_bytes(out, zeros, -size % 8);
}

static uint64_t head_of(unsigned int type, unsigned int size)
{
	return type | (uint64_t)size << 4;
}

static void put_string(struct text *out, unsigned int number, const char *string)
{
	const size_t size = size_of(string);

	put_word(out, head_of(STRING, 1 + words_of(size)) | (uint64_t)number << 16 |
			      (uint64_t)size << 32);
	put_bytes(out, string, size);
}

static void put_head(struct timeline_file *file, const char *times)
{
	struct text *out = &file->text;

	(void)times;
	put_word(out, MAGIC);
	put_word(out, head_of(INITIALIZATION, 2));
	put_word(out, 1000000000);
	for (unsigned int i = WORD_NONE + 1; i < WORDS; i++)
		put_string(out, i, words[i]);
}

/* The name of a process or thread; a thread names its process. */
static void put_object(struct text *out, unsigned int kind, uint32_t koid, const char *name,
		       const uint32_t *process)
{
	const size_t size = size_of(name);

	put_word(out, head_of(OBJECT, 2 + words_of(size) + (process ? 2 : 0)) |
			      (uint64_t)kind << 16 | (uint64_t)(IS_INLINE | size) << 24 |
			      (uint64_t)(process ? 1 : 0) << 40);
	put_word(out, koid);
	put_bytes(out, name, size);
	if (!process)
		return;
	put_word(out, head_of(ARGUMENT_KOID, 2) | (uint64_t)WORD_PROCESS << 16);
	put_word(out, *process);
}

/* 0: the thread has no number */
static unsigned int thread_of(const struct timeline_track *track)
{
	return track->number + 1 < THREADS ? track->number + 1 : 0;
}

static void put_track(struct timeline_file *file, const struct timeline_track *track)
{
	struct text *out = &file->text;

	if (track->is_first)
		put_object(out, OBJECT_PROCESS, track->pid, track->process, NULL);
	put_object(out, OBJECT_THREAD, track->tid, track->name, &track->pid);
	if (!thread_of(track))
		return;
	put_word(out, head_of(THREAD, 3) | (uint64_t)thread_of(track) << 16);
	put_word(out, track->pid);
	put_word(out, track->tid);
}

/* 0: the name has no number */
static unsigned int number_of(uint32_t id)
{
	return id && id < STRINGS - WORDS ? id + WORDS : 0;
}

static void put_name(struct timeline_file *file, uint32_t id, const char *name)
{
	if (number_of(id))
		put_string(&file->text, number_of(id), name);
}

/* An argument that is a string: @number, or @string */
static void put_argument(struct text *out, enum word name, unsigned int number, const char *string)
{
	const size_t size = number ? 0 : size_of(string);

	put_word(out, head_of(ARGUMENT_STRING, 1 + words_of(size)) | (uint64_t)name << 16 |
			      (uint64_t)(number ? number : (IS_INLINE | size)) << 32);
	put_bytes(out, string, size);
}

static unsigned int category_of(const struct timeline_event *event)
{
	if (event->kind != TIMELINE_BEGIN)
		return WORD_NONE;
	return event->is_exception ? WORD_EXCEPTION : WORD_CALL;
}

/* Words of the argument that an event has; 0: it has none */
static unsigned int argument_words(const struct timeline_event *event)
{
	if (event->kind == TIMELINE_COUNTER)
		return 2;
	if (event->text)
		return 1 + words_of(size_of(event->text));
	if (event->exception)
		return 1 + words_of(size_of(event->exception));
	return event->is_partial ? 1 : 0;
}

static void put_event(struct timeline_file *file, const struct timeline_track *track,
		      const struct timeline_event *event)
{
	static const uint8_t types[] = {
		[TIMELINE_BEGIN] = BEGIN,
		[TIMELINE_END] = END,
		[TIMELINE_INSTANT] = INSTANT,
		[TIMELINE_COUNTER] = COUNTER,
	};
	const unsigned int thread = thread_of(track), argument = argument_words(event);
	unsigned int count = 2 + argument;
	struct text *out = &file->text;
	const char *name = "";
	unsigned int number = WORD_NONE;
	size_t size = 0;

	if (event->kind == TIMELINE_COUNTER) {
		number = WORD_CYCLES;
	} else if (event->kind != TIMELINE_END) {
		name = event->name;
		number = number_of(event->name_id);
		size = number ? 0 : size_of(name);
	}
	count += words_of(size);
	if (!thread)
		count += 2;
	if (event->kind == TIMELINE_COUNTER)
		count++;
	put_word(out, head_of(EVENT, count) | (uint64_t)types[event->kind] << 16 |
			      (uint64_t)(argument ? 1 : 0) << 20 | (uint64_t)thread << 24 |
			      (uint64_t)category_of(event) << 32 |
			      (uint64_t)(size ? (IS_INLINE | size) : number) << 48);
	put_word(out, event->time);
	if (!thread) {
		put_word(out, track->pid);
		put_word(out, track->tid);
	}
	put_bytes(out, name, size);
	if (event->kind == TIMELINE_COUNTER) {
		put_word(out, head_of(ARGUMENT_UINT64, 2) | (uint64_t)WORD_CYCLES << 16);
		put_word(out, event->value);
		put_word(out, track->number);
	} else if (event->text) {
		put_argument(out, WORD_TEXT, 0, event->text);
	} else if (event->exception) {
		put_argument(out, WORD_EXCEPTION, 0, event->exception);
	} else if (event->is_partial) {
		put_argument(out, event->kind == TIMELINE_BEGIN ? WORD_BEGIN : WORD_END,
			     WORD_UNKNOWN, "");
	}
}

static void put_tail(struct timeline_file *file)
{
	(void)file;
}

const struct timeline_writer timeline_fxt = {.head = put_head,
					     .track = put_track,
					     .name = put_name,
					     .event = put_event,
					     .tail = put_tail};
