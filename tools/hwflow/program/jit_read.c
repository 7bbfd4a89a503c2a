// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-PID.map and jit-PID.dump: which code a process made, where and when. The formats are those
 * of the kernel's tools/perf/Documentation/jit-interface.txt and jitdump-specification.txt.
 */
#include "jit_read.h"

#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DUMP_MAGIC       0x4a695444u
#define DUMP_MAGIC_OTHER 0x4454694au /* the same in the other byte order */
#define DUMP_VERSION     1

/* flags in the head: times are of another clock than perf's */
#define DUMP_ARCH_TIMESTAMP 1

enum dump_record {
	DUMP_LOAD = 0,
	DUMP_MOVE = 1,
	DUMP_DEBUG_INFO = 2,
	DUMP_CLOSE = 3,
};

/* offsets in the head, which has its own size */
enum {
	HEAD_MAGIC = 0,
	HEAD_VERSION = 4,
	HEAD_SIZE = 8,
	HEAD_FLAGS = 32,
	HEAD_LEAST = 40,
};

/* offsets in a record: identifier, size, time; then by identifier */
enum {
	RECORD_ID = 0,
	RECORD_SIZE = 4,
	RECORD_TIME = 8,
	RECORD_HEAD = 16,
	LOAD_ADDRESS = 32,
	LOAD_CODE_SIZE = 40,
	LOAD_INDEX = 48,
	LOAD_NAME = 56,
	MOVE_TO = 40,
	MOVE_CODE_SIZE = 48,
	MOVE_INDEX = 56,
	MOVE_END = 64,
	DEBUG_ADDRESS = 16,
	DEBUG_COUNT = 24,
	DEBUG_ENTRIES = 32,
};

/* offsets in an entry of a table of source lines; a name of one byte 0xff: that of the entry before
 */
enum {
	LINE_NUMBER = 8,
	LINE_NAME = 16,
};

static uint32_t get32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static uint64_t get64(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static bool add_code(struct jit_codes *codes, const struct jit_code *code)
{
	if (codes->count == codes->room) {
		const size_t room = codes->room ? 2 * codes->room : 256;
		struct jit_code *more = reallocarray(codes->codes, room, sizeof(*more));

		if (!more)
			return false;
		codes->codes = more;
		codes->room = room;
	}
	codes->codes[codes->count] = *code;
	codes->codes[codes->count].order = codes->count;
	codes->count++;
	return true;
}

static bool is_blank(char character)
{
	return character == ' ' || character == '\t';
}

/* The columns of a line are apart by blanks, and a line of a DOS file ends with a carriage return.
 */
static void trim(const char **line, const char **stop)
{
	while (*line < *stop && is_blank(**line))
		++*line;
	while (*line < *stop && (is_blank((*stop)[-1]) || (*stop)[-1] == '\r'))
		--*stop;
}

/* A hexadecimal number and the blanks after it. Returns the text after them; NULL if there is no
 * number. */
static const char *take_number(const char *at, const char *end, uint64_t *number)
{
	const char *first;

	if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	first = at;
	for (*number = 0; at < end; at++) {
		const char *digits = "0123456789abcdef", *digit = strchr(digits, *at | 0x20);

		if (!*at || !digit)
			break;
		if (*number >> 60)
			return NULL;
		*number = *number << 4 | (uint64_t)(digit - digits);
	}
	if (at == first || at == end || !is_blank(*at))
		return NULL;
	while (at < end && is_blank(*at))
		at++;
	return at;
}

void jit_read_map(struct jit_codes *codes, const char *text, size_t size)
{
	const char *end = text ? text + size : NULL;

	for (const char *line = text, *next; line < end; line = next) {
		const char *stop = memchr(line, '\n', (size_t)(end - line)), *at;
		struct jit_code code = {.until = UINT64_MAX};
		uint64_t length;

		next = stop ? stop + 1 : end;
		if (!stop)
			stop = end;
		trim(&line, &stop);
		at = take_number(line, stop, &code.start);
		at = at ? take_number(at, stop, &length) : NULL;
		if (!at || at == stop || !length || code.start + length < code.start)
			continue;
		code.end = code.start + length;
		code.name = at;
		code.name_size = (size_t)(stop - at);
		if (!add_code(codes, &code))
			return;
	}
}

/* struct numbered - node of dump.tree: the entry that code with an index has now */
struct numbered {
	uint64_t index;
	size_t entry;
};

/**
 * struct dump - a jitdump file as it is read
 * @codes: the result
 * @tree: of struct numbered
 * @debug: record of source lines for the next LOAD of its address; NULL for none
 * @debug_size: bytes of @debug
 * @timeless: times are not perf's
 */
struct dump {
	struct jit_codes *codes;
	void *tree;
	const uint8_t *debug;
	size_t debug_size;
	bool timeless;
};

static int compare_numbered(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

/* Notes that an index is that of the last entry. */
static void number_last(struct dump *dump, uint64_t index)
{
	struct numbered *node = malloc(sizeof(*node)), **found;

	if (!node)
		return;
	*node = (struct numbered){index, dump->codes->count - 1};
	found = tsearch(node, &dump->tree, compare_numbered);
	if (!found || *found != node)
		free(node);
	if (found)
		(*found)->entry = dump->codes->count - 1;
}

static void take_load(struct dump *dump, const uint8_t *record, size_t size)
{
	struct jit_code code = {.until = UINT64_MAX};
	const uint8_t *end;
	uint64_t length;

	if (size < LOAD_NAME)
		return;
	code.start = get64(record + LOAD_ADDRESS);
	length = get64(record + LOAD_CODE_SIZE);
	end = memchr(record + LOAD_NAME, 0, size - LOAD_NAME);
	if (!end || !length || code.start + length < code.start ||
	    length > size - (size_t)(end + 1 - record))
		return;
	code.end = code.start + length;
	code.from = dump->timeless ? 0 : get64(record + RECORD_TIME);
	code.name = (const char *)record + LOAD_NAME;
	code.name_size = (size_t)(end - (record + LOAD_NAME));
	code.bytes = end + 1;
	if (dump->debug && get64(dump->debug + DEBUG_ADDRESS) == code.start) {
		code.lines = dump->debug;
		code.lines_size = dump->debug_size;
		code.lines_base = code.start;
	}
	dump->debug = NULL;
	if (add_code(dump->codes, &code))
		number_last(dump, get64(record + LOAD_INDEX));
}

static void take_move(struct dump *dump, const uint8_t *record, size_t size)
{
	struct numbered key, *const *found;
	struct jit_code code;
	uint64_t length;

	if (size < MOVE_END)
		return;
	key.index = get64(record + MOVE_INDEX);
	found = tfind(&key, &dump->tree, compare_numbered);
	if (!found)
		return;
	code = dump->codes->codes[(*found)->entry];
	length = code.end - code.start;
	/* of another size there are other bytes: not the same code */
	if (get64(record + MOVE_CODE_SIZE) != length)
		return;
	code.start = get64(record + MOVE_TO);
	code.end = code.start + length;
	code.from = dump->timeless ? 0 : get64(record + RECORD_TIME);
	if (code.end < code.start)
		return;
	if (!dump->timeless)
		dump->codes->codes[(*found)->entry].until = code.from;
	if (add_code(dump->codes, &code))
		number_last(dump, key.index);
}

static const char *take_records(struct dump *dump, const uint8_t *bytes, size_t size, size_t *at)
{
	while (size > *at) {
		const uint8_t *record = bytes + *at;
		uint32_t length;

		if (size - *at < RECORD_HEAD)
			return "the file is cut in a record: the names of later code are missing";
		length = get32(record + RECORD_SIZE);
		if (length < RECORD_HEAD)
			return "the record is too short: the names of later code are missing";
		if (length > size - *at)
			return "the file is cut in a record: the names of later code are missing";
		switch (get32(record + RECORD_ID)) {
		case DUMP_LOAD:
			take_load(dump, record, length);
			break;
		case DUMP_MOVE:
			take_move(dump, record, length);
			break;
		case DUMP_DEBUG_INFO:
			dump->debug = length >= DEBUG_ENTRIES ? record : NULL;
			dump->debug_size = length;
			break;
		case DUMP_CLOSE:
			return NULL;
		default:
			break;
		}
		*at += length;
	}
	return NULL;
}

const char *jit_read_dump(struct jit_codes *codes, const uint8_t *bytes, size_t size, size_t *at)
{
	struct dump dump = {.codes = codes};
	const char *reason;

	*at = 0;
	if (size < HEAD_LEAST)
		return "the file is cut in its head";
	if (get32(bytes + HEAD_MAGIC) == DUMP_MAGIC_OTHER)
		return "the file is of a machine with the other byte order";
	if (get32(bytes + HEAD_MAGIC) != DUMP_MAGIC)
		return "the file does not begin as a jitdump file";
	if (get32(bytes + HEAD_VERSION) != DUMP_VERSION)
		return "the file has another version of jitdump than 1";
	*at = get32(bytes + HEAD_SIZE);
	if (*at < HEAD_LEAST || *at > size)
		return "the head has a wrong size: the file is damaged";
	dump.timeless = get64(bytes + HEAD_FLAGS) & DUMP_ARCH_TIMESTAMP;
	reason = take_records(&dump, bytes, size, at);
	tdestroy(dump.tree, free);
	return reason;
}

static int compare_codes(const void *a, const void *b)
{
	const struct jit_code *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

void jit_sort(struct jit_codes *codes)
{
	uint64_t highest = 0;

	if (codes->count)
		qsort(codes->codes, codes->count, sizeof(*codes->codes), compare_codes);
	for (size_t i = 0; i < codes->count; i++) {
		if (codes->codes[i].end > highest)
			highest = codes->codes[i].end;
		codes->codes[i].highest = highest;
	}
}

static int compare_bytes(const void *a, const void *b)
{
	const struct jit_code *x = *(struct jit_code *const *)a, *y = *(struct jit_code *const *)b;

	return ((uintptr_t)x->bytes > (uintptr_t)y->bytes) -
	       ((uintptr_t)x->bytes < (uintptr_t)y->bytes);
}

static int compare_contents(const void *a, const void *b)
{
	const struct jit_code *x = *(struct jit_code *const *)a, *y = *(struct jit_code *const *)b;
	const uint64_t size = x->end - x->start, other = y->end - y->start;

	return size != other ? (size > other) - (size < other)
			     : memcmp(x->bytes, y->bytes, (size_t)size);
}

int jit_number_contents(struct jit_codes *codes)
{
	struct jit_code **order = calloc(codes->count + 1, sizeof(struct jit_code *));
	struct jit_code **firsts = calloc(codes->count + 1, sizeof(struct jit_code *));
	size_t count = 0;

	if (!order || !firsts) {
		free(order);
		free(firsts);
		return -ENOMEM;
	}
	for (size_t i = 0; i < codes->count; i++)
		order[i] = &codes->codes[i];
	qsort(order, codes->count, sizeof(struct jit_code *), compare_bytes);
	for (size_t i = 0; i < codes->count; i++)
		if (!i || order[i]->bytes != order[i - 1]->bytes)
			firsts[count++] = order[i];
	qsort(firsts, count, sizeof(struct jit_code *), compare_contents);
	for (size_t i = 0; i < count; i++)
		firsts[i]->content = i && !compare_contents(&firsts[i - 1], &firsts[i])
					     ? firsts[i - 1]->content
					     : i;
	for (size_t i = 1; i < codes->count; i++)
		if (order[i]->bytes == order[i - 1]->bytes)
			order[i]->content = order[i - 1]->content;
	free(order);
	free(firsts);
	return 0;
}

static int compare_lines(const void *a, const void *b)
{
	const struct jit_line *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

void jit_lines_read(const struct jit_code *code, struct jit_lines *lines)
{
	const uint8_t *at, *end;
	const char *file = NULL;
	uint64_t count, room;

	*lines = (struct jit_lines){.entries = NULL};
	if (!code->lines)
		return;
	count = get64(code->lines + DEBUG_COUNT);
	at = code->lines + DEBUG_ENTRIES;
	end = code->lines + code->lines_size;
	room = (uint64_t)(end - at) / (LINE_NAME + 1);
	lines->entries = calloc((count < room ? count : room) + 1, sizeof(*lines->entries));
	for (uint64_t i = 0; lines->entries && i < count && end - at > LINE_NAME; i++) {
		const uint8_t *stop = memchr(at + LINE_NAME, 0, (size_t)(end - at) - LINE_NAME);

		if (!stop)
			break;
		if (at[LINE_NAME] != 0xff || stop != at + LINE_NAME + 1)
			file = (const char *)at + LINE_NAME;
		if (file)
			lines->entries[lines->count++] =
				(struct jit_line){get64(at), i, (int)get32(at + LINE_NUMBER), file};
		at = stop + 1;
	}
	if (lines->entries)
		qsort(lines->entries, lines->count, sizeof(*lines->entries), compare_lines);
}

struct jit_line jit_line_of(const struct jit_lines *lines, const struct jit_code *code,
			    uint64_t address)
{
	size_t low = 0, high = lines->count;

	address += code->lines_base - code->start;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (lines->entries[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? lines->entries[low - 1] : (struct jit_line){.file = NULL};
}
