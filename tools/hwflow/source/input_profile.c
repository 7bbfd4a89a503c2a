// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stored profile in place of a recording: no trace, but the counts of all its recordings. Each
 * file is mapped at an address of its own, so that what names addresses and reads code is as for a
 * recording.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input_file.h"
#include "hwflow/image.h"
#include "hwflow/stored_profile.h"
#include "input_private.h"
#include "program/binary.h"
#include "program/elf_tree.h"
#include "protocol.h"

/* Files are mapped so far apart, and none is larger. */
#define FILE_SPACE (UINT64_C(1) << 40)
#define FILES_MAX  (UINT64_C(1) << 22)

/* What the one source is called */
#define SOURCE "profile"

/**
 * struct profile_input - private_data of such an input
 * @state: what each kind has
 * @stored: the profile
 * @counts: its counts, by address
 * @image: its files
 * @view: of @image
 * @space: where they are mapped
 * @mapped: how many there are in it
 * @outside: address of code that is in no file; 0: the profile has none
 */
struct profile_input {
	struct input_state state;
	struct hwf_stored_profile *stored;
	struct hwf_profile *counts;
	struct hwf_image *image;
	struct hwf_image_view *view;
	struct hwf_image_space *space;
	uint64_t mapped;
	uint64_t outside;
};

static const struct hwf_code *profile_code(struct input *input, const struct input_source *source,
					   const struct input_piece *piece)
{
	const struct profile_input *profile = input->private_data;

	(void)source;
	(void)piece;
	return hwf_image_view_code(profile->view);
}

static const struct hwf_profile *profile_counts(const struct input *input)
{
	const struct profile_input *profile = input->private_data;

	return profile->counts;
}

static void profile_close(struct input *input)
{
	struct profile_input *profile = input->private_data;

	hwf_image_view_free(profile->view);
	hwf_image_free(profile->image);
	hwf_profile_free(profile->counts);
	hwf_stored_profile_free(profile->stored);
	free(profile);
}

static const struct input_kind profile_kind = {
	.code = profile_code,
	.counts = profile_counts,
	.close = profile_close,
};

static uint64_t address_of(const struct profile_input *profile, const void *space, uint64_t offset)
{
	const struct hwf_profile_file *file = space;

	return file ? (file->number + 1) * FILE_SPACE + offset : profile->outside;
}

/* Maps a file as a whole, behind those before; 0 or -errno */
static int map(struct profile_input *profile, struct hwf_image_file *file)
{
	if (profile->mapped == FILES_MAX)
		return -E2BIG;
	return hwf_image_map(profile->space, ++profile->mapped * FILE_SPACE, FILE_SPACE, file, 0);
}

/*
 * Maps a kernel, whose offsets are from _stext. One that is not there, or that has no such symbol,
 * is mapped as if it were one piece: its code is missing.
 */
static int map_kernel(struct profile_input *profile, const struct hwf_profile_file *file,
		      struct hwf_image_file *added)
{
	const struct hwf_image_elf *elf =
		hwf_image_file_open(added) ? NULL : hwf_image_file_elf(added);
	uint64_t start, first;
	int error;

	if (elf && !binary_stext(added, &start)) {
		elf = NULL;
		error = hwf_image_add_missing(profile->image, file->name,
					      "its file has no symbol _stext", &added);
		if (error)
			return error;
	}
	if (!elf)
		return map(profile, added);
	error = map(profile, NULL);
	first = profile->mapped * FILE_SPACE;
	for (size_t i = 0; i < elf->segment_count && !error; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];
		const uint64_t skip = segment->address < start ? start - segment->address : 0;
		const uint64_t at = segment->address + skip - start;

		if (segment->executable && skip < segment->size && at < FILE_SPACE)
			error = hwf_image_map(profile->space, first + at,
					      segment->size - skip < FILE_SPACE - at
						      ? segment->size - skip
						      : FILE_SPACE - at,
					      added, segment->offset + skip);
	}
	return error;
}

static int map_files(struct profile_input *profile, const char *symfs)
{
	struct elf_tree *tree = symfs ? elf_tree_new(symfs) : NULL;
	const struct hwf_profile_file *file;
	struct hwf_image_file *added;
	int error = 0;
	size_t at = 0;

	while (!error && (file = hwf_stored_profile_next_file(profile->stored, &at))) {
		error = binary_add(profile->image, file, tree, &added);
		if (!error)
			error = file->id_kind == HWF_FILE_ID_KERNEL
					? map_kernel(profile, file, added)
					: map(profile, added);
	}
	elf_tree_free(tree);
	return error;
}

/* Code that is in no file is a file of its own name, of one block. Branches to and from such code
 * are of the first of these files. */
static int map_left_out(struct profile_input *profile, const struct hwf_profile_note *note)
{
	struct hwf_profile_block block = {
		.space = profile->space, .instructions = 1, .not_taken = note->count};
	struct hwf_image_file *added;
	int error =
		hwf_image_add_missing(profile->image, note->text,
				      "its code is in no file: it is not in the profile", &added);

	if (!error)
		error = map(profile, added);
	block.start = profile->mapped * FILE_SPACE;
	block.end = block.start + 4;
	block.isa = HWF_ISA_A64;
	if (!error)
		hwf_profile_add_block(profile->counts, &block);
	if (!profile->outside)
		profile->outside = block.start;
	return error;
}

static int add_blocks(struct profile_input *profile, const struct hwf_profile *stored)
{
	const struct hwf_profile_block *block;
	size_t at = 0;

	while ((block = hwf_profile_next_block(stored, &at))) {
		struct hwf_profile_block here = *block;

		if (block->end > FILE_SPACE)
			return -E2BIG;
		here.space = profile->space;
		here.start = address_of(profile, block->space, block->start);
		here.end = address_of(profile, block->space, block->end);
		if (block->insn.kind == HWF_INSN_DIRECT)
			here.insn.target = address_of(profile, block->space, block->insn.target);
		hwf_profile_add_block(profile->counts, &here);
	}
	return 0;
}

static void add_edges(struct profile_input *profile, const struct hwf_profile *stored)
{
	struct hwf_profile_edge edge;
	size_t at = 0;

	while (hwf_profile_next_edge(stored, &at, &edge)) {
		const struct hwf_profile_file *from = edge.from_space;

		edge.from = address_of(profile, from, edge.from);
		edge.to = address_of(profile, edge.to_space, edge.to);
		if (edge.insn.kind == HWF_INSN_DIRECT)
			edge.insn.target = address_of(profile, from, edge.insn.target);
		edge.from_space = profile->space;
		edge.to_space = profile->space;
		hwf_profile_add_edge(profile->counts, &edge);
	}
}

static int add_counts(struct profile_input *profile)
{
	const struct hwf_profile *stored = hwf_stored_profile_counts(profile->stored);
	const struct hwf_profile_note *note;
	int error = add_blocks(profile, stored);
	size_t at = 0;

	while (!error && (note = hwf_stored_profile_next_note(profile->stored, &at)))
		if (note->kind == HWF_NOTE_LEFT_OUT)
			error = map_left_out(profile, note);
	add_edges(profile, stored);
	return error ? error : hwf_profile_failed(profile->counts) ? -ENOMEM : 0;
}

static int make_image(struct profile_input *profile, const char *symfs)
{
	const struct hwf_image_filter all = {0};
	int error = hwf_image_new(&profile->image, NULL, NULL);

	if (error)
		return error;
	hwf_image_set_open(profile->image, input_file_map);
	error = hwf_image_add_space(profile->image, &all, NULL, &profile->space);
	if (!error)
		error = hwf_image_view_new(&profile->view, profile->image, false);
	return error ? error : map_files(profile, symfs);
}

bool input_is_profile(const struct file_map *map)
{
	const size_t size = sizeof(HWF_PROFILE_MAGIC) - 2;

	return map->size >= size && !memcmp(map->bytes, HWF_PROFILE_MAGIC, size);
}

int input_unpack_profile(struct hwf_stored_profile **stored, const struct file_map *map,
			 const struct input_options *options)
{
	const char *reason;

	if (options->select.time || options->select.offset || options->source ||
	    options->cpu != INPUT_ANY || options->tid != INPUT_ANY) {
		input_error(options->path, UINT64_MAX,
			    "a profile has no times, offsets, CPUs or threads: --time, --offset, "
			    "--source, --cpu and --tid are for recordings");
		return EXIT_USAGE;
	}
	if (!hwf_stored_profile_unpack(stored, map->bytes, map->size, &reason))
		return EXIT_GOOD;
	input_error(options->path, UINT64_MAX, "%s; make it again from its recordings", reason);
	return EXIT_UNREADABLE;
}

/* The whole profile is a piece without trace. */
static bool add_source(struct input *input)
{
	struct input_source *source = input_add_source(input, SOURCE, input->path);
	struct input_piece *piece = source ? input_add_piece(source) : NULL;

	if (!piece)
		return false;
	source->protocol = protocol_number(INPUT_ETE);
	source->cpu = INPUT_ANY;
	source->pid = INPUT_ANY;
	source->tid = INPUT_ANY;
	piece->pid = INPUT_ANY;
	piece->tid = INPUT_ANY;
	return true;
}

int input_open_profile(struct input *input, const struct input_options *options)
{
	struct profile_input *profile = calloc(1, sizeof(*profile));
	struct file_map map;
	int status, error;

	if (!profile)
		return EXIT_UNREADABLE;
	profile->state = (struct input_state){.kind = &profile_kind, .options = options};
	input->private_data = profile;
	error = file_map(&map, options->path, 0);
	if (error) {
		input_error(options->path, UINT64_MAX, "%s", input_file_error(error));
		return EXIT_UNREADABLE;
	}
	status = input_unpack_profile(&profile->stored, &map, options);
	file_unmap(&map);
	if (status)
		return status;
	input->stored = profile->stored;
	profile->counts = hwf_profile_new();
	error = profile->counts ? make_image(profile, options->symfs) : -ENOMEM;
	if (!error)
		error = add_counts(profile);
	if (!error && !add_source(input))
		error = -ENOMEM;
	if (!error)
		return 0;
	input_error(options->path, UINT64_MAX, "%s",
		    error == -E2BIG ? "the profile has too many files, or too large ones"
				    : "out of memory");
	return EXIT_UNREADABLE;
}
