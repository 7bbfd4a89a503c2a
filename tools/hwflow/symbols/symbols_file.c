// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of one file: those with names, and, where these have no name, those of the unwind
 * table, which has the bounds of functions only.
 */
#include "symbols_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inner_files.h"
#include "landing_pads.h"
#include "segments.h"
#include "source_frames.h"
#include "source_lines.h"
#include "symbols_calls.h"
#include "symbols_frames.h"
#include "symbols_kernel.h"
#include "symbols_plt.h"
#include "symbols_read.h"

Elf *symbols_file_elf(const struct symbols_file *file)
{
	GElf_Addr bias;

	return file->module ? dwfl_module_getelf(file->module, &bias) : NULL;
}

/* The name of a file without its folder, in messages and as part of other names */
static const char *short_name(const struct symbols_file *node)
{
	const char *name = hwf_image_file_name(node->file), *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/* Code outside of all functions has the name of its file, in brackets. */
static void name_other(struct symbols_file *node)
{
	const char *name = hwf_image_file_name(node->file);

	/* [vdso] has brackets already */
	if (*name == '[' || asprintf(&node->other_name, "[%s]", short_name(node)) < 0)
		node->other_name = NULL;
	node->other = (struct function){.name = node->other_name ? node->other_name : name,
					.file = name,
					.end = UINT64_MAX,
					.id = (*node->next_id)++};
}

struct symbols_file *symbols_file_new(struct hwf_image_file *file, const char *path,
				      const struct debug_files *debug, uint32_t *next_id)
{
	struct symbols_file *node = calloc(1, sizeof(*node));
	size_t size;

	if (!node)
		return NULL;
	node->file = file;
	node->path = path;
	node->next_id = next_id;
	name_other(node);
	if (hwf_image_file_open(file) || !hwf_image_file_elf(file))
		return node;
	node->other.of_elf = true;
	hwf_image_file_bytes(file, &size);
	node->names = (uint64_t)size * NAMES_PER_BYTE;
	node->code = segments_by_address(hwf_image_file_elf(file));
	node->offsets = segments_by_offset(hwf_image_file_elf(file));
	symbols_read(node, debug);
	return node;
}

struct hwf_image_file *symbols_file_inner(struct symbols_file *file, uint64_t offset,
					  uint64_t *begin)
{
	const struct hwf_image_segment *segment = segments_find(file->offsets, offset);

	if (segment && segment->executable)
		return NULL;
	if (!file->inner)
		file->inner = inner_files_new(file->file);
	return file->inner ? inner_files_find(file->inner, offset, 1, begin) : NULL;
}

static void read_frames(struct symbols_file *node)
{
	Elf *elf = symbols_file_elf(node);

	node->frames_read = true;
	/* the unwind table of an object file has no addresses yet */
	if (elf && hwf_image_file_elf(node->file)->type != ET_REL) {
		node->frame_count = frames_read(elf, &node->frames);
		node->frame_count = calls_add_frames(elf, &node->frames, node->frame_count);
	}
	node->unnamed = calloc(node->frame_count + 1, sizeof(*node->unnamed));
	if (!node->unnamed)
		node->frame_count = 0;
}

/* The function that has these bounds and no name; NULL without memory. */
static const struct function *unnamed_get(struct symbols_file *node, size_t index)
{
	struct function *function = node->unnamed[index];
	char *name;

	if (function)
		return function;
	function = calloc(1, sizeof(*function));
	if (!function ||
	    asprintf(&name, "%s+%#" PRIx64, short_name(node), node->frames[index].start) < 0) {
		free(function);
		return NULL;
	}
	*function = (struct function){.name = name,
				      .stem = short_name(node),
				      .file = hwf_image_file_name(node->file),
				      .start = node->frames[index].start,
				      .end = node->frames[index].end,
				      .id = (*node->next_id)++,
				      .of_elf = true,
				      .bounded = true};
	node->unnamed[index] = function;
	return function;
}

/*
 * The function without a name that has an address: one that begins behind @after. NULL if there
 * is none. In both cases @first and @last are cut to where the answer holds.
 */
static const struct function *find_unnamed(struct symbols_file *node, uint64_t own, uint64_t after,
					   uint64_t *first, uint64_t *last)
{
	size_t low = 0, high;

	if (!node->frames_read)
		read_frames(node);
	high = node->frame_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (node->frames[middle].start <= own)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < node->frame_count && node->frames[low].start - 1 < *last)
		*last = node->frames[low].start - 1;
	if (!low)
		return NULL;
	if (own >= node->frames[low - 1].end) {
		if (node->frames[low - 1].end > *first)
			*first = node->frames[low - 1].end;
		return NULL;
	}
	if (node->frames[low - 1].start < after)
		return NULL;
	if (node->frames[low - 1].start > *first)
		*first = node->frames[low - 1].start;
	if (node->frames[low - 1].end - 1 < *last)
		*last = node->frames[low - 1].end - 1;
	return unnamed_get(node, low - 1);
}

/* The function by name, or the place between two of them. */
static const struct function *find_named(const struct symbols_file *node, uint64_t own,
					 uint64_t *first, uint64_t *last)
{
	size_t low = 0, high = node->count;

	*first = 0;
	*last = UINT64_MAX;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (node->functions[middle].start <= own)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < node->count)
		*last = node->functions[low].start - 1;
	if (!low)
		return &node->other;
	if (own >= node->functions[low - 1].end) {
		*first = node->functions[low - 1].end;
		return &node->other;
	}
	*first = node->functions[low - 1].start;
	*last = node->functions[low - 1].end - 1;
	return &node->functions[low - 1];
}

const struct function *symbols_file_find(struct symbols_file *file, uint64_t own, uint64_t *first,
					 uint64_t *last)
{
	const struct function *named = find_named(file, own, first, last), *unnamed;

	if (named->sized)
		return named;
	/* a symbol without a size goes on to the next function of the unwind table */
	unnamed =
		find_unnamed(file, own, named == &file->other ? 0 : named->start + 1, first, last);
	return unnamed ? unnamed : named;
}

enum landing_pad symbols_file_landing_pad(struct symbols_file *file, uint64_t offset, uint64_t *pad)
{
	const struct hwf_image_segment *segment = segments_find(file->offsets, offset);
	Elf *elf = symbols_file_elf(file);
	enum landing_pad answer;
	uint64_t address;

	if (!elf || !segment)
		return LANDING_PAD_UNKNOWN;
	if (!file->pads)
		file->pads = landing_pads_new(elf);
	answer = landing_pads_find(file->pads, segment->address + (offset - segment->offset),
				   &address);
	if (answer != LANDING_PAD_AT)
		return answer;
	segment = segments_find(file->code, address);
	if (!segment)
		return LANDING_PAD_UNKNOWN;
	*pad = segment->offset + (address - segment->address);
	return LANDING_PAD_AT;
}

void symbols_file_free(struct symbols_file *file)
{
	if (!file)
		return;
	source_frames_free(file->calls);
	source_lines_free(file->lines);
	debug_module_end(&file->debug);
	plt_free(file->stubs, file->stub_count);
	kernel_symbols_free(file->kernel, file->kernel_count);
	free(file->other_name);
	for (size_t i = 0; file->shown && i < file->count; i++)
		free(file->shown[i]);
	for (size_t i = 0; file->unnamed && i < file->frame_count; i++) {
		if (file->unnamed[i])
			free((void *)(uintptr_t)file->unnamed[i]->name);
		free(file->unnamed[i]);
	}
	free(file->unnamed);
	free(file->frames);
	landing_pads_free(file->pads);
	free(file->shown);
	free(file->asked);
	inner_files_free(file->inner);
	segments_free(file->code);
	segments_free(file->offsets);
	free(file->functions);
	free(file);
}
