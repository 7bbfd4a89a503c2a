/* SPDX-License-Identifier: GPL-2.0-only */
/* The last lines of each thread. A thread may be in several sources: each has lines of its own. */
#include "last_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct line - a line
 * @bytes: the line, with its newline
 * @size: of the line
 * @room: of @bytes
 * @timestamp: the last one before it; 0: none
 */
struct line {
	char *bytes;
	size_t size;
	size_t room;
	uint64_t timestamp;
};

/**
 * struct ring - the last lines of a thread in a source
 * @next: another one
 * @source: the source
 * @tid: the thread
 * @lines: they, each place in turn
 * @at: the place of the next one
 * @kept: how many there are
 */
struct ring {
	struct ring *next;
	const struct input_source *source;
	int32_t tid;
	struct line *lines;
	size_t at;
	size_t kept;
};

/**
 * struct last_lines - see last_lines.h
 * @script: how lines are written
 * @count: lines of a ring
 * @rings: in the order in which they began
 * @end: where the next one is added
 * @current: the ring of the last line
 * @written: lines that are not in a ring yet
 * @size: bytes of them
 * @room: of @written
 * @failed: memory ran out
 * @text: takes what is written
 */
struct last_lines {
	struct script_lines *script;
	size_t count;
	struct ring *rings;
	struct ring **end;
	struct ring *current;
	char *written;
	size_t size;
	size_t room;
	bool failed;
	struct text text;
};

/* Room for so many bytes; false without memory */
static bool reserve(char **bytes, size_t *room, size_t size)
{
	char *more;

	if (*bytes && size <= *room)
		return true;
	more = realloc(*bytes, 2 * size + 1);
	if (!more)
		return false;
	*bytes = more;
	*room = 2 * size + 1;
	return true;
}

static int take_text(void *ctx, const char *bytes, size_t size)
{
	struct last_lines *last = ctx;

	if (!reserve(&last->written, &last->room, last->size + size)) {
		last->failed = true;
		return -ENOMEM;
	}
	memcpy(last->written + last->size, bytes, size);
	last->size += size;
	return 0;
}

struct last_lines *last_lines_new(struct script_lines *lines, size_t count)
{
	struct last_lines *last = malloc(sizeof(*last));

	if (!last)
		return NULL;
	memset(last, 0, offsetof(struct last_lines, text));
	last->script = lines;
	last->count = count;
	last->end = &last->rings;
	text_init(&last->text, take_text, last);
	lines->out = &last->text;
	return last;
}

void last_lines_free(struct last_lines *last)
{
	struct ring *next;

	if (!last)
		return;
	for (struct ring *ring = last->rings; ring; ring = next) {
		next = ring->next;
		for (size_t i = 0; i < last->count; i++)
			free(ring->lines[i].bytes);
		free(ring->lines);
		free(ring);
	}
	free(last->written);
	free(last);
}

/* The ring of the thread that is executed; NULL without memory */
static struct ring *ring_of(struct last_lines *last, const struct execution *execution)
{
	struct ring *ring = last->current;

	if (ring && ring->source == execution->source && ring->tid == execution->tid)
		return ring;
	for (ring = last->rings; ring; ring = ring->next)
		if (ring->source == execution->source && ring->tid == execution->tid)
			break;
	if (!ring) {
		ring = calloc(1, sizeof(*ring));
		if (ring)
			ring->lines = calloc(last->count, sizeof(*ring->lines));
		if (!ring || !ring->lines) {
			free(ring);
			return NULL;
		}
		ring->source = execution->source;
		ring->tid = execution->tid;
		*last->end = ring;
		last->end = &ring->next;
	}
	last->current = ring;
	return ring;
}

static bool keep_line(const struct last_lines *last, struct ring *ring, const char *bytes,
		      size_t size, uint64_t timestamp)
{
	struct line *line = &ring->lines[ring->at];

	if (!reserve(&line->bytes, &line->room, size))
		return false;
	memcpy(line->bytes, bytes, size);
	line->size = size;
	line->timestamp = timestamp;
	ring->at = ring->at + 1 < last->count ? ring->at + 1 : 0;
	ring->kept += ring->kept < last->count;
	return true;
}

/* What was written are lines of the present thread. */
static void keep(struct last_lines *last, const struct execution *execution)
{
	const char *at, *end, *newline;
	struct ring *ring;

	text_flush(&last->text);
	if (!last->size)
		return;
	ring = ring_of(last, execution);
	if (!ring) {
		last->failed = true;
		return;
	}
	at = last->written;
	for (end = at + last->size; at < end; at = newline + 1) {
		newline = memchr(at, '\n', (size_t)(end - at));
		if (!newline)
			break;
		if (!keep_line(last, ring, at, (size_t)(newline + 1 - at), execution->timestamp))
			last->failed = true;
	}
	last->size = 0;
}

static void take_branch(void *ctx, const struct execution *execution,
			const struct hwf_branch *branch)
{
	struct last_lines *last = ctx;

	script_take_branch(last->script, execution, branch);
	keep(last, execution);
}

static void take_range(void *ctx, const struct execution *execution,
		       const struct hwf_flow_range *range)
{
	struct last_lines *last = ctx;

	script_take_range(last->script, execution, range);
	keep(last, execution);
}

static void take_gap(void *ctx, const struct execution *execution, const struct gap *gap)
{
	struct last_lines *last = ctx;

	script_take_gap(last->script, execution, gap);
	keep(last, execution);
}

static void take_instrumentation(void *ctx, const struct execution *execution,
				 const struct hwf_ete_instrumentation *instrumentation)
{
	struct last_lines *last = ctx;

	script_take_instrumentation(last->script, execution, instrumentation);
	keep(last, execution);
}

struct execution_sink last_lines_sink(struct last_lines *last, bool insn)
{
	return (struct execution_sink){
		.branch = insn ? NULL : take_branch,
		.range = insn ? take_range : NULL,
		.gap = take_gap,
		.instrumentation = take_instrumentation,
		.ctx = last,
	};
}

/* The sort is stable: lines of a source stay in their order. */
static int compare_lines(const void *a, const void *b)
{
	const struct line *const *x = a, *const *y = b;

	return ((*x)->timestamp > (*y)->timestamp) - ((*x)->timestamp < (*y)->timestamp);
}

/* Line number @i of those that are kept, the oldest first */
static const struct line *line_of(const struct last_lines *last, const struct ring *ring, size_t i)
{
	const size_t first = ring->kept < last->count ? 0 : ring->at;

	return &ring->lines[i < last->count - first ? first + i : i - (last->count - first)];
}

/* Prints the last lines of the thread of a ring, which is the first of the thread. */
static int print_thread(const struct last_lines *last, const struct ring *first, struct text *out)
{
	const struct line **lines;
	size_t count = 0, skipped;

	for (const struct ring *ring = first; ring; ring = ring->next)
		count += ring->tid == first->tid ? ring->kept : 0;
	lines = calloc(count + 1, sizeof(*lines));
	if (!lines)
		return -ENOMEM;
	count = 0;
	for (const struct ring *ring = first; ring; ring = ring->next)
		for (size_t i = 0; ring->tid == first->tid && i < ring->kept; i++)
			lines[count++] = line_of(last, ring, i);
	qsort(lines, count, sizeof(*lines), compare_lines);
	skipped = count > last->count ? count - last->count : 0;
	for (size_t i = skipped; i < count; i++)
		text_bytes(out, lines[i]->bytes, lines[i]->size);
	free(lines);
	return 0;
}

static bool is_first(const struct last_lines *last, const struct ring *ring)
{
	for (const struct ring *before = last->rings; before != ring; before = before->next)
		if (before->tid == ring->tid)
			return false;
	return true;
}

int last_lines_print(struct last_lines *last, int32_t tid, struct text *out)
{
	int error = last->failed ? -ENOMEM : 0;

	for (const struct ring *ring = last->rings; ring && !error; ring = ring->next)
		if ((tid == INPUT_ANY || ring->tid == tid) && is_first(last, ring))
			error = print_thread(last, ring, out);
	return error;
}
