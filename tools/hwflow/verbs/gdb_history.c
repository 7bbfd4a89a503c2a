// SPDX-License-Identifier: GPL-2.0-only
/* Histories of threads: rings of blocks. */
#include "gdb_history.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "threads.h"

/* Blocks of all rings together: 1 GB. A ring that would need more keeps its size. */
#define MOST_BLOCKS ((size_t)1 << 26)

/* Blocks that a ring begins with */
#define FIRST_ROOM 64u

/* Is the code left out? gdb debugs a process, which has the lower addresses. */
static bool is_left_out(const struct gdb_history *history, uint64_t address)
{
	return history->user && address >> 63;
}

/* ---- threads ---- */

static int compare_threads(const void *a, const void *b)
{
	const struct gdb_thread *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static void free_thread(struct gdb_thread *thread)
{
	free(thread->blocks);
	free(thread->mappings);
	free(thread);
}

/* NULL without memory */
static struct gdb_thread *add_thread(struct gdb_history *history, const struct gdb_thread *key)
{
	struct gdb_thread **threads = history->threads;
	size_t room = history->thread_room;
	struct gdb_thread *thread;

	if (history->thread_count == room) {
		room = room ? 2 * room : 16;
		threads = reallocarray(threads, room, sizeof(*threads));
		if (!threads)
			return NULL;
		history->threads = threads;
		history->thread_room = room;
	}
	thread = malloc(sizeof(*thread));
	if (!thread)
		return NULL;
	*thread = *key;
	if (!tsearch(thread, &history->tree, compare_threads)) {
		free_thread(thread);
		return NULL;
	}
	history->threads[history->thread_count++] = thread;
	return thread;
}

/* Gaps in the trace of another CPU do not concern the threads of this one. */
static void enter_source(struct gdb_history *history, const struct execution *execution)
{
	if (history->source == execution->source)
		return;
	history->source = execution->source;
	history->source_gaps = history->gaps;
}

/* The thread that executes; NULL without memory */
static struct gdb_thread *find_thread(struct gdb_history *history,
				      const struct execution *execution)
{
	const struct gdb_thread key = {
		.tid = execution->tid < 0 ? INPUT_ANY : execution->tid,
		.pid = INPUT_ANY,
		.source = execution->source,
		.gaps = history->source_gaps,
	};
	struct gdb_thread *thread = history->current;
	struct gdb_thread **found;

	if (thread && !compare_threads(thread, &key))
		return thread;
	found = tfind(&key, &history->tree, compare_threads);
	thread = found ? *found : add_thread(history, &key);
	history->failed |= !thread;
	history->current = thread;
	if (thread)
		thread->comes = true;
	return thread;
}

static void cut(struct gdb_thread *thread, const char *reason)
{
	thread->first = thread->count = 0;
	thread->begins = reason;
	thread->fresh = true;
}

/* ---- code ---- */

/* The first mapping that ends after an address */
static size_t mapping_after(const struct gdb_thread *thread, uint64_t address)
{
	size_t low = 0, high = thread->mapping_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct gdb_mapping *mapping = &thread->mappings[middle];

		if (mapping->start <= address && address - mapping->start >= mapping->length)
			low = middle + 1;
		else if (mapping->start > address)
			high = middle;
		else
			return middle;
	}
	return low;
}

static bool covers(const struct gdb_mapping *mapping, uint64_t address)
{
	return address >= mapping->start && address - mapping->start < mapping->length;
}

/* false without memory */
static bool insert_mapping(struct gdb_thread *thread, size_t at, const struct gdb_mapping *mapping)
{
	struct gdb_mapping *mappings = thread->mappings;
	size_t room = thread->mapping_room;

	if (thread->mapping_count == room) {
		room = room ? 2 * room : 8;
		mappings = reallocarray(mappings, room, sizeof(*mappings));
		if (!mappings)
			return false;
		thread->mappings = mappings;
		thread->mapping_room = room;
	}
	memmove(mappings + at + 1, mappings + at, (thread->mapping_count - at) * sizeof(*mappings));
	mappings[at] = *mapping;
	thread->mapping_count++;
	return true;
}

/*
 * Note where the code of an executed instruction is from. If other code was mapped there before, as
 * by the program before exec, gdb would show old instructions with the new code: the history
 * begins anew.
 */
static void note_code(struct gdb_history *history, struct gdb_thread *thread,
		      const struct hwf_image_space *space, uint64_t address)
{
	struct hwf_image_place place;
	struct gdb_mapping mapping;
	size_t at;

	if (thread->mapping_known && covers(&thread->mappings[thread->mapping], address))
		return;
	if (!hwf_image_find(space, address, &place))
		return;
	mapping = (struct gdb_mapping){.start = place.start,
				       .length = place.length,
				       .offset = place.offset - (address - place.start),
				       .executed = address,
				       .file = place.file};
	at = mapping_after(thread, place.start);
	if (at < thread->mapping_count) {
		const struct gdb_mapping *known = &thread->mappings[at];

		/* mappings are split, as by mprotect(2), and do not grow */
		if (known->file == mapping.file && covers(known, address) &&
		    mapping.offset - known->offset == mapping.start - known->start) {
			thread->mapping = at;
			thread->mapping_known = true;
			return;
		}
		if (known->start - mapping.start < mapping.length || covers(known, mapping.start)) {
			cut(thread, "other code was at the same addresses before");
			thread->mapping_count = at = 0;
		}
	}
	thread->mapping_known = insert_mapping(thread, at, &mapping);
	thread->mapping = at;
	history->failed |= !thread->mapping_known;
}

const uint8_t *gdb_thread_code(const struct gdb_thread *thread, uint64_t address, size_t *size)
{
	const size_t at = mapping_after(thread, address);
	const struct gdb_mapping *mapping = &thread->mappings[at];
	const uint8_t *bytes;
	uint64_t into;
	size_t length;

	if (at == thread->mapping_count || !covers(mapping, address))
		return NULL;
	bytes = hwf_image_file_bytes(mapping->file, &length);
	into = address - mapping->start;
	if (!bytes || mapping->offset >= length || into >= length - mapping->offset)
		return NULL;
	length -= mapping->offset + into;
	*size = length < mapping->length - into ? length : (size_t)(mapping->length - into);
	return bytes + mapping->offset + into;
}

/* ---- blocks ---- */

const struct gdb_block *gdb_thread_block(const struct gdb_thread *thread, size_t number)
{
	return &thread->blocks[(thread->first + number) % thread->room];
}

/* Make the ring larger; false without memory. */
static bool grow(struct gdb_history *history, struct gdb_thread *thread)
{
	const size_t most = history->limit > MOST_BLOCKS ? history->limit : MOST_BLOCKS;
	size_t room = thread->room ? 2 * thread->room : FIRST_ROOM;
	struct gdb_block *blocks;

	if (room > history->limit)
		room = history->limit;
	if (room <= thread->room || history->blocks + (room - thread->room) > most)
		return thread->room != 0;
	blocks = calloc(room, sizeof(*blocks));
	if (!blocks)
		return false;
	for (size_t i = 0; i < thread->count; i++)
		blocks[i] = *gdb_thread_block(thread, i);
	history->blocks += room - thread->room;
	free(thread->blocks);
	thread->blocks = blocks;
	thread->room = room;
	thread->first = 0;
	return true;
}

static void append(struct gdb_history *history, struct gdb_thread *thread,
		   const struct gdb_block *block)
{
	if (!thread->fresh && thread->after == block->begin) {
		const size_t last = (thread->first + thread->count - 1) % thread->room;

		thread->blocks[last].end = block->end;
		return;
	}
	if (thread->count == thread->room && !grow(history, thread)) {
		history->failed = true;
		return;
	}
	if (thread->count == thread->room) {
		thread->first = (thread->first + 1) % thread->room;
		thread->count--;
		thread->begins = "older instructions were dropped; --limit=N keeps N blocks";
	}
	thread->blocks[(thread->first + thread->count++) % thread->room] = *block;
	thread->given++;
	thread->fresh = false;
}

/* ---- what execution gives ---- */

/* Why a range does not follow the history; NULL: it does */
static const char *hole_before(const struct gdb_history *history, const struct gdb_thread *thread,
			       const struct hwf_flow_range *range)
{
	if (thread->gaps != history->gaps)
		return history->reason;
	if (thread->isa != range->isa)
		return "the instruction set was another one before";
	/* after an exception the kernel may go on elsewhere, as at the handler of a signal */
	if (!thread->excepted && !(thread->has_next && thread->next == range->start))
		return "instructions were executed that were not traced";
	return NULL;
}

static void take_range(void *ctx, const struct execution *execution,
		       const struct hwf_flow_range *range)
{
	struct gdb_history *history = ctx;
	const struct gdb_block block = {range->start, range->end - range->insn.size};
	struct gdb_thread *thread;
	const char *hole;

	enter_source(history, execution);
	thread = find_thread(history, execution);
	if (!thread || is_left_out(history, range->start))
		return;
	if (thread->comes) {
		thread->comes = false;
		thread->came = thread->given;
		thread->fresh = true;
		thread->mapping_known = false;
	}
	hole = thread->count ? hole_before(history, thread, range) : NULL;
	if (hole)
		cut(thread, hole);
	else if (!thread->count && history->gaps != thread->gaps)
		thread->begins = history->reason;
	if (thread->piece != execution->piece) {
		thread->pid = execution_process(execution, history->names);
		thread->mapping_known = false;
	}
	thread->piece = execution->piece;
	thread->timestamp = execution->timestamp;
	thread->isa = range->isa;
	thread->gaps = history->gaps;
	thread->ends = NULL;
	thread->excepted = false;
	note_code(history, thread, execution->space, range->start);
	append(history, thread, &block);
	thread->after = thread->next = range->end;
	thread->has_next = true;
}

/* The branch after the last range */
static void take_branch(void *ctx, const struct execution *execution,
			const struct hwf_branch *branch)
{
	const struct gdb_history *history = ctx;
	struct gdb_thread *thread = history->current;

	if (!thread || thread->source != execution->source || !branch->has_from ||
	    is_left_out(history, branch->from))
		return;
	thread->excepted = branch->kind == HWF_BRANCH_EXCEPTION;
	thread->next = thread->excepted ? branch->next : branch->to;
	thread->has_next = thread->excepted || branch->has_to;
	thread->last = *branch;
	/* the kernel may change what is mapped */
	if (thread->excepted)
		thread->mapping_known = false;
}

static void take_gap(void *ctx, const struct execution *execution, const struct gap *gap)
{
	struct gdb_history *history = ctx;
	struct gdb_thread *thread = history->current;

	enter_source(history, execution);
	if (gap->has_address && is_left_out(history, gap->address))
		return;
	history->gaps++;
	history->reason = gap->reason;
	if (thread && thread->source == execution->source)
		thread->ends = gap->reason;
}

struct execution_sink gdb_history_sink(struct gdb_history *history)
{
	return (struct execution_sink){
		.branch = take_branch, .range = take_range, .gap = take_gap, .ctx = history};
}

/* ---- the end ---- */

/* By thread, the history that ends last first. */
static int compare_ends(const void *a, const void *b)
{
	const struct gdb_thread *const *x = a, *const *y = b;
	const struct gdb_thread *s = *x, *t = *y;

	if (s->tid != t->tid)
		return s->tid < t->tid ? -1 : 1;
	if (s->timestamp && t->timestamp && s->timestamp != t->timestamp)
		return s->timestamp > t->timestamp ? -1 : 1;
	if (s->piece->time != t->piece->time)
		return s->piece->time > t->piece->time ? -1 : 1;
	return (s->source > t->source) - (s->source < t->source);
}

/* Drop what the thread executed before it came to the CPU of its source. */
static void keep_last_visit(struct gdb_thread *thread)
{
	const uint64_t visit = thread->given - thread->came;

	/* otherwise it begins after that for another reason */
	if (visit < thread->count || !thread->begins)
		thread->begins = "the thread ran on another CPU before";
	if (visit >= thread->count)
		return;
	thread->first = (thread->first + thread->count - (size_t)visit) % thread->room;
	thread->count = (size_t)visit;
}

/* The instruction that gdb shows as the current one: it is the end of the last block. */
static void append_next(struct gdb_history *history, struct gdb_thread *thread)
{
	const struct gdb_block next = {thread->next, thread->next};

	if (thread->has_next && !thread->ends)
		append(history, thread, &next);
}

static void drop_empty(struct gdb_history *history)
{
	bool named = false;
	size_t count = 0;

	for (size_t i = 0; i < history->thread_count; i++)
		named |= history->threads[i]->count && history->threads[i]->tid != INPUT_ANY;
	for (size_t i = 0; i < history->thread_count; i++) {
		struct gdb_thread *thread = history->threads[i];

		if (thread->count && (!named || thread->tid != INPUT_ANY))
			history->threads[count++] = thread;
		else
			free_thread(thread);
	}
	history->thread_count = count;
}

static void drop_nothing(void *thread)
{
	(void)thread;
}

/* Of a thread with several histories, keep the one that ends last. */
static void keep_last(struct gdb_history *history)
{
	struct gdb_thread **threads = history->threads;
	size_t count = 1;

	qsort(threads, history->thread_count, sizeof(*threads), compare_ends);
	for (size_t i = 1; i < history->thread_count; i++) {
		struct gdb_thread *last = threads[count - 1];

		if (threads[i]->tid != last->tid || last->tid == INPUT_ANY) {
			threads[count++] = threads[i];
			continue;
		}
		keep_last_visit(last);
		free_thread(threads[i]);
	}
	history->thread_count = count;
}

int gdb_history_end(struct gdb_history *history)
{
	tdestroy(history->tree, drop_nothing);
	history->tree = NULL;
	history->current = NULL;
	drop_empty(history);
	if (history->thread_count)
		keep_last(history);
	for (size_t i = 0; i < history->thread_count; i++) {
		struct gdb_thread *thread = history->threads[i];

		thread->id = thread->tid > 0 ? (uint32_t)thread->tid : (uint32_t)i + 1;
		append_next(history, thread);
	}
	return history->failed ? -ENOMEM : 0;
}

const char *gdb_thread_name(const struct gdb_history *history, const struct gdb_thread *thread)
{
	if (thread->tid == INPUT_ANY)
		return thread->source->name;
	return threads_name(history->names, thread->tid, thread->piece->time);
}

void gdb_history_drop(struct gdb_history *history, size_t number)
{
	struct gdb_thread **threads = history->threads + number;

	free_thread(*threads);
	memmove(threads, threads + 1, (--history->thread_count - number) * sizeof(*threads));
}

void gdb_history_free(struct gdb_history *history)
{
	tdestroy(history->tree, drop_nothing);
	for (size_t i = 0; i < history->thread_count; i++)
		free_thread(history->threads[i]);
	free(history->threads);
}
