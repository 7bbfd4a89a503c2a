/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of a recording, by file and offset. */
#include "profile_counts.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "profile_files.h"
#include "profile_group.h"
#include "profile_kernel.h"
#include "threads.h"
#include "trace_checksum.h"

/* What code without a name is called */
#define NAMELESS "[code made at run time]"

/* The target of a branch of the kernel to another file: no offset */
#define OUTSIDE UINT64_MAX

/**
 * struct source_time - the last timestamp of a source that was counted, over all parts
 * @last: the timestamp, in ticks
 * @name: of the source
 */
struct source_time {
	uint64_t last;
	char name[];
};

/**
 * struct profile_counts - see profile_counts.h
 * @stored: receives the counts
 * @options: of @input
 * @input: that is counted
 * @kernel: files of kernel code; NULL: none was counted yet. A group has none: its @whole has them
 * @threads: names of threads, if @stored has groups
 * @whole: of a group: what it is a part of; else NULL
 * @groups: of tsearch(3): struct group
 * @files: of the input, as @stored has them
 * @space: that @place is in
 * @place: the last mapping that was found; of no length: none
 * @file: its file
 * @in_kernel: it is code of the kernel
 * @piece: of the block or edge that was placed last for the caller
 * @tid: and its thread
 * @source: whose trace was counted last
 * @sources: of tsearch(3): struct source_time, by name
 * @last: of @source
 * @first: timestamp of @source that is counted next; 0: none
 * @trace: checksum of the trace
 * @visits: how often counts came
 * @failed: memory ran out
 */
struct profile_counts {
	struct hwf_stored_profile *stored;
	const struct input_options *options;
	const struct input *input;
	struct profile_kernel *kernel;
	struct threads *threads;
	struct profile_counts *whole;
	void *groups;
	struct profile_files files;
	const void *space;
	struct hwf_image_place place;
	const struct hwf_profile_file *file;
	bool in_kernel;
	const struct input_piece *piece;
	int32_t tid;
	const struct input_source *source;
	void *sources;
	struct source_time *last;
	uint64_t first;
	struct trace_checksum trace;
	uint32_t visits;
	bool failed;
};

/**
 * struct group - counts of a group
 * @part: of the profile
 * @counts: of the part
 */
struct group {
	struct hwf_stored_profile *part;
	struct profile_counts *counts;
};

/**
 * struct place - an address, as it is counted
 * @file: its file; NULL: it is not in one
 * @offset: in @file
 * @left: bytes from here to the end of the mapping
 */
struct place {
	const struct hwf_profile_file *file;
	uint64_t offset;
	uint64_t left;
};

struct profile_counts *profile_counts_new(struct hwf_stored_profile *stored,
					  const struct input_options *options)
{
	struct profile_counts *counts = calloc(1, sizeof(*counts));

	if (!counts)
		return NULL;
	counts->stored = stored;
	counts->files.stored = stored;
	counts->options = options;
	return counts;
}

static void free_group(void *node)
{
	struct group *group = node;

	profile_counts_free(group->counts);
	free(group);
}

void profile_counts_free(struct profile_counts *counts)
{
	if (!counts)
		return;
	tdestroy(counts->groups, free_group);
	threads_free(counts->threads);
	profile_files_forget(&counts->files);
	tdestroy(counts->sources, free);
	profile_kernel_free(counts->kernel);
	free(counts);
}

const struct hwf_profile_file *profile_counts_file(struct profile_counts *counts,
						   struct hwf_image_file *image)
{
	return profile_files_is_memory(image) ? NULL : profile_files_find(&counts->files, image);
}

/* Looks an address of the kernel up: @counts->place becomes the part of it that is of one file. */
static void find_in_kernel(struct profile_counts *counts, uint64_t address)
{
	struct profile_counts *whole = counts->whole ? counts->whole : counts;
	struct hwf_image_place *place = &counts->place;
	struct kernel_place found;
	uint64_t end, last;

	counts->file = NULL;
	if (!whole->kernel)
		whole->kernel = profile_kernel_new(whole->input, whole->options,
						   hwf_image_file_elf(place->file)->machine);
	if (!whole->kernel) {
		counts->failed = true;
		return;
	}
	found = profile_kernel_find(whole->kernel, address);
	last = found.start + (found.length - 1);
	end = place->start + (place->length - 1) < last ? place->start + place->length : last + 1;
	if (found.start > place->start)
		place->start = found.start;
	place->length = end - place->start;
	place->offset = found.offset + (place->start - found.start);
	if (found.file)
		counts->file = hwf_stored_profile_file(counts->stored, found.file);
}

static struct place find(struct profile_counts *counts, const void *space, uint64_t address)
{
	struct hwf_image_place *place = &counts->place;
	struct place found;

	if (!place->length || space != counts->space || address - place->start >= place->length) {
		struct hwf_image_place at;

		place->length = 0;
		if (!hwf_image_find(space, address, &at))
			return (struct place){0};
		counts->space = space;
		*place = at;
		place->offset -= address - at.start;
		counts->in_kernel = profile_files_is_memory(at.file);
		if (counts->in_kernel)
			find_in_kernel(counts, address);
		else
			counts->file = profile_files_find(&counts->files, at.file);
	}
	found.file = counts->file;
	found.offset = counts->file ? place->offset + (address - place->start) : 0;
	found.left = place->length - (address - place->start);
	return found;
}

/* Is @address as far from @start in the file as it is in memory? */
static bool is_beside(struct profile_counts *counts, const void *space, const struct place *start,
		      uint64_t from, uint64_t address)
{
	const struct place there = find(counts, space, address);

	return there.file == start->file && there.offset - start->offset == address - from;
}

/* Instructions of code that is in no file */
static void leave_out(struct profile_counts *counts, const struct hwf_profile_block *block)
{
	struct hwf_image_place place;
	struct hwf_profile_note note = {.text = NAMELESS, .kind = HWF_NOTE_LEFT_OUT};
	const bool found = hwf_image_find(block->space, block->start, &place);
	struct profile_kernel *kernel = counts->whole ? counts->whole->kernel : counts->kernel;

	if (found && kernel && profile_files_is_memory(place.file))
		note.text = profile_kernel_left_out(kernel, block->start);
	else if (found && *hwf_image_file_name(place.file))
		note.text = hwf_image_file_name(place.file);
	note.count = (block->taken + block->not_taken) * block->instructions;
	hwf_stored_profile_note(counts->stored, &note);
}

/* Branches to a target that is not in the file where the code says that it is */
static void divert(struct profile_counts *counts, struct hwf_profile_block *block,
		   const void *space, uint64_t target, struct hwf_profile_edge *edge)
{
	const struct place to = find(counts, space, target);

	*edge = (struct hwf_profile_edge){
		.from = block->end - block->insn.size,
		.to = to.offset,
		.from_space = block->space,
		.to_space = to.file,
		.count = block->taken - block->diverted,
		.insn = block->insn,
	};
	block->diverted = block->taken;
}

/*
 * First executions of different counts of a recording. What was executed before the first
 * timestamp has the time before that of the same source, or else the time of the first one.
 */
static struct hwf_first first_of(const struct profile_counts *counts, const struct hwf_first *first)
{
	const uint64_t before = counts->last->last ? counts->last->last : counts->first;

	if (!first->order)
		return *first;
	return (struct hwf_first){
		.time = first->time ? first->time : before,
		.order = (uint64_t)counts->visits << 32 | first->order,
	};
}

/*
 * The target of a direct branch of the kernel or a module, in its file. Each boot has another
 * distance to other files.
 */
static uint64_t kernel_target(struct profile_counts *counts, const void *space,
			      const struct place *from, uint64_t target)
{
	const struct place to = find(counts, space, target);

	return to.file == from->file ? to.offset : OUTSIDE;
}

/* As profile_counts_block() */
static bool place_block(struct profile_counts *counts, const struct hwf_profile_block *block,
			struct hwf_profile_block *placed, struct hwf_profile_edge *edge)
{
	const struct place start = find(counts, block->space, block->start);
	const bool in_kernel = counts->in_kernel;
	const uint64_t length = block->end - block->start;

	edge->count = 0;
	if (!start.file || (length > start.left &&
			    !is_beside(counts, block->space, &start, block->start, block->end - 1)))
		return false;
	*placed = *block;
	placed->space = start.file;
	placed->start = start.offset;
	placed->end = start.offset + length;
	if (block->insn.kind != HWF_INSN_DIRECT)
		return true;
	placed->insn.target =
		in_kernel ? kernel_target(counts, block->space, &start, block->insn.target)
			  : block->insn.target + (start.offset - block->start);
	if (block->p0 && block->taken != block->diverted &&
	    (in_kernel
		     ? placed->insn.target == OUTSIDE
		     : !is_beside(counts, block->space, &start, block->start, block->insn.target)))
		divert(counts, placed, block->space, block->insn.target, edge);
	return true;
}

static void add_block(struct profile_counts *counts, const struct hwf_profile_block *block)
{
	struct hwf_profile *sum = hwf_stored_profile_counts(counts->stored);
	struct hwf_profile_block placed;
	struct hwf_profile_edge edge;

	if (!place_block(counts, block, &placed, &edge)) {
		leave_out(counts, block);
		return;
	}
	placed.first = first_of(counts, &block->first);
	if (edge.count)
		hwf_profile_add_edge(sum, &edge);
	hwf_profile_add_block(sum, &placed);
}

/* As profile_counts_edge(): edges of direct branches follow from their blocks. */
static bool place_edge(struct profile_counts *counts, const struct hwf_profile_edge *edge,
		       struct hwf_profile_edge *placed)
{
	struct place from, to;
	bool in_kernel;

	if (hwf_profile_edge_follows(edge))
		return false;
	from = find(counts, edge->from_space, edge->from);
	in_kernel = counts->in_kernel;
	to = find(counts, edge->to_space, edge->to);
	if (!from.file && !to.file)
		return false;
	*placed = *edge;
	placed->from = from.offset;
	placed->from_space = from.file;
	placed->to = to.offset;
	placed->to_space = to.file;
	if (!from.file)
		placed->insn = (struct hwf_insn){.kind = HWF_INSN_INDIRECT, .sub = edge->insn.sub};
	else if (edge->insn.kind == HWF_INSN_DIRECT && in_kernel)
		placed->insn.target =
			kernel_target(counts, edge->from_space, &from, edge->insn.target);
	else if (edge->insn.kind == HWF_INSN_DIRECT)
		placed->insn.target += from.offset - edge->from;
	return !hwf_profile_edge_follows(placed);
}

static void add_edge(struct profile_counts *counts, const struct hwf_profile_edge *edge)
{
	struct hwf_profile_edge placed;

	if (place_edge(counts, edge, &placed))
		hwf_profile_add_edge(hwf_stored_profile_counts(counts->stored), &placed);
}

static int compare_sources(const void *a, const void *b)
{
	const struct source_time *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* From here on, the trace of another source is counted; false without memory. */
static bool choose_source(struct profile_counts *counts, const struct input_source *source)
{
	const size_t length = strlen(source->name) + 1;
	struct source_time *added = malloc(sizeof(*added) + length);
	struct source_time **node;

	if (!added)
		return false;
	added->last = 0;
	memcpy(added->name, source->name, length);
	node = tsearch(added, &counts->sources, compare_sources);
	if (!node || *node != added)
		free(added);
	if (!node)
		return false;
	counts->last = *node;
	counts->source = source;
	return true;
}

static void count(struct profile_counts *counts, const struct hwf_profile *profile)
{
	const struct hwf_profile_block *block;
	struct hwf_profile_edge edge;
	size_t at = 0;

	/* what is mapped may have changed since the counts before */
	counts->place.length = 0;
	while ((block = hwf_profile_next_block(profile, &at)))
		add_block(counts, block);
	at = 0;
	while (hwf_profile_next_edge(profile, &at, &edge))
		add_edge(counts, &edge);
}

/* ---- groups ---- */

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	const uintptr_t p = (uintptr_t)x->part, q = (uintptr_t)y->part;

	return (p > q) - (p < q);
}

/* The counts of a part; NULL without memory */
static struct profile_counts *counts_of(struct profile_counts *whole,
					struct hwf_stored_profile *part)
{
	const struct group key = {.part = part};
	struct group **found = tfind(&key, &whole->groups, compare_groups), *group;

	if (found)
		return (*found)->counts;
	group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	*group = (struct group){part, profile_counts_new(part, whole->options)};
	if (!group->counts || !tsearch(group, &whole->groups, compare_groups)) {
		free_group(group);
		return NULL;
	}
	group->counts->whole = whole;
	return group->counts;
}

static bool count_in_group(struct profile_counts *whole, const struct execution *execution,
			   const struct hwf_profile *profile)
{
	struct hwf_stored_profile *part = NULL;
	struct profile_counts *counts;
	char *name;

	if (!whole->threads && threads_new(&whole->threads, input_recording(execution->input)))
		return false;
	name = profile_group_name(hwf_stored_profile_by(whole->stored), execution, whole->threads);
	if (name)
		part = hwf_stored_profile_group(whole->stored, name);
	free(name);
	counts = part ? counts_of(whole, part) : NULL;
	if (!counts)
		return false;
	counts->last = whole->last;
	counts->first = whole->first;
	counts->visits = whole->visits;
	count(counts, profile);
	return !counts->failed && !counts->files.failed;
}

void profile_counts_take(void *ctx, const struct execution *execution,
			 const struct hwf_profile *profile)
{
	const struct hwf_profile_times times = hwf_profile_times(profile);
	struct profile_counts *counts = ctx;
	size_t at = 0;

	counts->input = execution->input;
	if (execution->source != counts->source && !choose_source(counts, execution->source)) {
		counts->failed = true;
		return;
	}
	counts->first = times.first;
	count(counts, profile);
	if (hwf_stored_profile_by(counts->stored) && hwf_profile_next_block(profile, &at) &&
	    !count_in_group(counts, execution, profile))
		counts->failed = true;
	if (times.last)
		counts->last->last = times.last;
	counts->visits++;
}

/* What is mapped may be another file in another piece, or after another thread. */
static void look_at(struct profile_counts *counts, const struct execution *execution)
{
	counts->input = execution->input;
	if (counts->piece == execution->piece && counts->tid == execution->tid)
		return;
	counts->piece = execution->piece;
	counts->tid = execution->tid;
	counts->place.length = 0;
}

bool profile_counts_block(struct profile_counts *counts, const struct execution *execution,
			  const struct hwf_profile_block *block, struct hwf_profile_block *placed,
			  struct hwf_profile_edge *edge)
{
	look_at(counts, execution);
	return place_block(counts, block, placed, edge);
}

bool profile_counts_edge(struct profile_counts *counts, const struct execution *execution,
			 const struct hwf_profile_edge *edge, struct hwf_profile_edge *placed)
{
	look_at(counts, execution);
	return place_edge(counts, edge, placed);
}

void profile_counts_input(struct profile_counts *counts, const struct input *input)
{
	const struct gap_kind *kinds;
	size_t kind_count;

	kinds = gaps_kinds(input->gaps, &kind_count);
	for (size_t i = 0; i < kind_count; i++)
		hwf_stored_profile_note(counts->stored,
					&(struct hwf_profile_note){.text = kinds[i].reason,
								   .count = kinds[i].count,
								   .bytes = kinds[i].bytes,
								   .kind = HWF_NOTE_GAP});
	counts->failed |= !trace_checksum_add(&counts->trace, input);
	/* its files and address spaces are of this input */
	tdestroy(counts->groups, free_group);
	counts->groups = NULL;
	threads_free(counts->threads);
	counts->threads = NULL;
	profile_kernel_free(counts->kernel);
	counts->kernel = NULL;
	profile_files_forget(&counts->files);
	counts->space = NULL;
	counts->place.length = 0;
	counts->piece = NULL;
	counts->source = NULL;
}

int profile_counts_end(struct profile_counts *counts, const struct input_options *options)
{
	const struct hwf_recording_id id = trace_checksum_id(&counts->trace, options);
	struct hwf_stored_profile *part;
	const char *name;
	size_t at = 0;
	int error = 0;

	if (counts->failed || counts->files.failed || hwf_stored_profile_failed(counts->stored))
		return -ENOMEM;
	while (!error && (part = hwf_stored_profile_next_group(counts->stored, &at, &name)))
		error = hwf_stored_profile_recording(part, &id);
	return error ? error : hwf_stored_profile_recording(counts->stored, &id);
}
