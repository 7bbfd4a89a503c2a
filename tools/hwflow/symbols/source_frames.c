/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions and inlined calls of the code of a file: scopes that line_process.h has read.
 *
 * Of the scopes that have an address, the frames are those of the innermost one and its parents.
 * The innermost one is the one that begins last, and of several that begin together the one that
 * comes last in DWARF. A unit is cut where the innermost scope changes:
 *
 *	function         |------------------------------|
 *	inlined call        |-----------|     |-----|
 *	call inside it         |----|
 *	cuts             |  |  |    |   |     |     |    |
 */
#include "source_frames.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "line_reader.h"
#include "split_file.h"

/* struct cut - code from an address to the next cut; LINE_END: it is of no scope */
struct cut {
	uint64_t start;
	uint32_t scope;
};

/* struct unit - node of source_frames.units, by the offset of the unit */
struct unit {
	uint64_t offset;
	struct line_answer *answer; /* NULL: it has no functions */
	struct cut *cuts;
	size_t count;
};

/**
 * struct source_frames - functions and inlined calls of a file
 * @lines: its lines
 * @units: tree of struct unit
 * @last: the unit that was asked for last
 * @frames: room for the frames of an address
 */
struct source_frames {
	struct source_lines *lines;
	void *units;
	const struct unit *last;
	struct source_frame frames[LINE_DEPTH + 1];
};

/* struct build - cuts of a unit as they are made */
struct build {
	const struct line_scope *scopes;
	uint32_t *open; /* numbers of scopes that have begun, the innermost one last */
	size_t open_count;
	struct cut *cuts;
	size_t count;
};

static const struct line_scope *scopes_of(const struct unit *unit)
{
	return (const void *)(unit->answer + 1);
}

static bool is_name(const struct line_answer *answer, uint32_t name)
{
	return name == LINE_END || name < answer->names;
}

/* Is each scope after its parent, and no chain of parents too long? */
static bool is_good(const struct line_answer *answer)
{
	const struct line_scope *scopes = (const void *)(answer + 1);
	uint16_t *depths = calloc(answer->count + 1, sizeof(*depths));
	bool good = depths;

	for (size_t i = 0; good && i < answer->count; i++) {
		const struct line_scope *scope = &scopes[i];

		good = scope->start <= scope->end && scope->first <= i &&
		       scopes[scope->first].first == scope->first &&
		       scopes[scope->first].parent == scope->parent &&
		       is_name(answer, scope->name) && is_name(answer, scope->file) &&
		       is_name(answer, scope->call_file);
		if (good && scope->parent != LINE_END) {
			good = scope->parent < scope->first &&
			       scopes[scope->parent].first == scope->parent &&
			       depths[scope->parent] < LINE_DEPTH;
			depths[i] = good ? depths[scope->parent] + 1 : 0;
		}
	}
	free(depths);
	return good;
}

static int compare_scopes(const void *a, const void *b)
{
	const struct line_scope *x = *(const struct line_scope *const *)a;
	const struct line_scope *y = *(const struct line_scope *const *)b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x > y) - (x < y);
}

static void put_cut(struct build *build, uint64_t start, uint32_t scope)
{
	const size_t count = build->count;

	if (count && build->cuts[count - 1].start == start)
		build->cuts[count - 1].scope = scope;
	else if (!count || build->cuts[count - 1].scope != scope)
		build->cuts[build->count++] = (struct cut){start, scope};
}

/* Scopes that end at an address or before it are open no more. */
static void close_scopes(struct build *build, uint64_t address)
{
	while (build->open_count) {
		const uint64_t end = build->scopes[build->open[build->open_count - 1]].end;

		if (end > address)
			return;
		while (build->open_count &&
		       build->scopes[build->open[build->open_count - 1]].end <= end)
			build->open_count--;
		put_cut(build, end,
			build->open_count ? build->open[build->open_count - 1] : LINE_END);
	}
}

/* Each scope makes two cuts at most. */
static void make_cuts(struct unit *unit)
{
	const size_t count = unit->answer->count;
	const struct line_scope **sorted = calloc(count + 1, sizeof(const struct line_scope *));
	struct build build = {.scopes = scopes_of(unit),
			      .open = calloc(count + 1, sizeof(*build.open)),
			      .cuts = calloc(2 * count + 1, sizeof(*build.cuts))};

	if (sorted && build.open && build.cuts) {
		for (size_t i = 0; i < count; i++)
			sorted[i] = &build.scopes[i];
		qsort(sorted, count, sizeof(const struct line_scope *), compare_scopes);
		for (size_t i = 0; i < count; i++) {
			close_scopes(&build, sorted[i]->start);
			if (sorted[i]->start == sorted[i]->end)
				continue;
			build.open[build.open_count++] = (uint32_t)(sorted[i] - build.scopes);
			put_cut(&build, sorted[i]->start, build.open[build.open_count - 1]);
		}
		close_scopes(&build, UINT64_MAX);
	}
	free(sorted);
	free(build.open);
	unit->cuts = build.cuts;
	unit->count = build.count;
}

static int compare_units(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void free_unit(void *item)
{
	struct unit *unit = item;

	free(unit->answer);
	free(unit->cuts);
	free(unit);
}

/* Is the answer the name of a file, for a split unit? */
static bool is_good_or_split(const struct line_answer *answer)
{
	return answer->is_split ? !answer->count && answer->names : is_good(answer);
}

/* The functions of a split unit, whose file an answer names */
static struct line_answer *ask_split(struct line_reader *reader, const struct line_request *request,
				     const struct line_answer *names)
{
	const char *name = line_answer_names(names, sizeof(struct line_scope));
	const size_t length = strlen(name) + 1;
	struct line_answer *answer;
	struct split_file file;

	if (!split_file_open(&file, reader->module, reader->path, name,
			     length < names->names ? name + length : "")) {
		if (!reader->reported)
			message_once("hwflow: %s: the file %s, with debug information of a split "
				     "unit, is missing, so part of the file has no inlined calls",
				     reader->path, name);
		reader->reported = true;
		return NULL;
	}
	answer = line_reader_ask_split(reader, &file, request, sizeof(struct line_scope), is_good);
	split_file_close(&file);
	return answer;
}

/* The functions of a unit; NULL if they cannot be read */
static struct line_answer *ask(struct line_reader *reader, const struct line_request *request)
{
	struct line_answer *answer =
		line_reader_ask(reader, request, sizeof(struct line_scope), is_good_or_split);

	if (answer && answer->is_split) {
		struct line_answer *names = answer;

		answer = ask_split(reader, request, names);
		free(names);
	}
	if (answer && line_reader_spend(reader, &reader->scopes, answer->count + 1, answer))
		return answer;
	free(answer);
	return NULL;
}

/* The functions of a unit, read when they are first asked for; NULL without memory */
static const struct unit *find_unit(struct source_frames *frames, const struct line_range *range)
{
	struct line_reader *reader = source_lines_reader(frames->lines);
	const struct line_request request = {.kind = LINE_SCOPES, .range = *range};
	const struct unit key = {.offset = range->unit};
	struct unit **found, *unit;

	if (frames->last && frames->last->offset == range->unit)
		return frames->last;
	found = tfind(&key, &frames->units, compare_units);
	if (found)
		return frames->last = *found;
	unit = calloc(1, sizeof(*unit));
	if (!unit)
		return NULL;
	unit->offset = range->unit;
	unit->answer = ask(reader, &request);
	if (unit->answer)
		make_cuts(unit);
	if (tsearch(unit, &frames->units, compare_units))
		return frames->last = unit;
	free_unit(unit);
	return NULL;
}

/* The innermost scope of an address, NULL if there is none; @end is lowered to the next cut. */
static const struct line_scope *find_scope(const struct unit *unit, uint64_t address, uint64_t *end)
{
	size_t low = 0, high = unit->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (unit->cuts[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < unit->count && unit->cuts[low].start < *end)
		*end = unit->cuts[low].start;
	if (!low || unit->cuts[low - 1].scope == LINE_END)
		return NULL;
	return &scopes_of(unit)[unit->cuts[low - 1].scope];
}

/* The innermost scope of an address, and its unit; NULL if there is none */
static const struct line_scope *find(struct source_frames *frames, uint64_t address, uint64_t *end,
				     const struct unit **unit)
{
	const struct line_range *range =
		line_reader_find(source_lines_reader(frames->lines), address, end);

	*unit = range ? find_unit(frames, range) : NULL;
	return *unit ? find_scope(*unit, address, end) : NULL;
}

/* The scope that a scope is inlined in; NULL for a function */
static const struct line_scope *parent_of(const struct unit *unit, const struct line_scope *scope)
{
	return scope->parent == LINE_END ? NULL : &scopes_of(unit)[scope->parent];
}

static const char *name_at(const struct unit *unit, uint32_t name)
{
	if (name == LINE_END)
		return NULL;
	return line_answer_names(unit->answer, sizeof(struct line_scope)) + name;
}

struct source_frames *source_frames_new(struct source_lines *lines)
{
	struct source_frames *frames = calloc(1, sizeof(*frames));

	if (frames)
		frames->lines = lines;
	return frames;
}

struct source_stack source_frames_find(struct source_frames *frames, uint64_t address)
{
	struct source_stack stack = {0};
	const struct line_scope *scope;
	const struct unit *unit;
	uint64_t end;
	struct source_position at;

	scope = find(frames, address, &stack.end, &unit);
	if (!scope)
		return stack;
	at = source_lines_position(frames->lines, address, &end);
	if (end < stack.end)
		stack.end = end;
	/* from the last element of the array on, from the innermost frame to the first */
	for (; scope; scope = parent_of(unit, scope)) {
		struct source_frame *frame = &frames->frames[LINE_DEPTH - stack.count];

		stack.count++;
		stack.entry = scope->entry;
		*frame = (struct source_frame){name_at(unit, scope->name),
					       name_at(unit, scope->file), scope->line, at};
		at = (struct source_position){name_at(unit, scope->call_file), scope->call_line,
					      scope->call_column, scope->call_discriminator};
	}
	stack.frames = &frames->frames[LINE_DEPTH + 1 - stack.count];
	return stack;
}

bool source_frames_range(struct source_frames *frames, uint64_t address, size_t index,
			 struct source_range *range)
{
	const struct line_scope *scope, *function = NULL;
	const struct unit *unit;
	uint64_t end;
	size_t first;

	for (scope = find(frames, address, &end, &unit); scope; scope = parent_of(unit, scope))
		function = scope;
	if (!function)
		return false;
	first = function->first;
	if (index >= unit->answer->count - first || scopes_of(unit)[first + index].first != first)
		return false;
	range->start = scopes_of(unit)[first + index].start;
	range->end = scopes_of(unit)[first + index].end;
	return true;
}

void source_frames_free(struct source_frames *frames)
{
	if (!frames)
		return;
	tdestroy(frames->units, free_unit);
	free(frames);
}
