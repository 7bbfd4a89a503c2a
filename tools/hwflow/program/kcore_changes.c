// SPDX-License-Identifier: GPL-2.0-only
#include "kcore_changes.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input_file.h"
#include "holes.h"
#include "kcore.h"
#include "source/input_private.h"

/* bytes of an instruction */
#define WORD 4

/* BRK #imm16 */
#define BRK_MASK  UINT32_C(0xffe0001f)
#define BRK_VALUE UINT32_C(0xd4200000)

/**
 * struct changes - the changes of a recording
 * @space: the kernel's code
 * @file: code at the end, and of the time between
 * @changed: stands for instructions of which there are several versions
 */
struct changes {
	struct hwf_image_space *space;
	struct hwf_image_file *file;
	struct hwf_image_file *changed;
};

static bool is_breakpoint(const uint8_t *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, WORD);
	return (word & BRK_MASK) == BRK_VALUE;
}

/*
 * What is to be mapped at an address whose instruction is @now in the file: @place->file if it
 * stays as it is. @place is the mapping before.
 */
static struct hwf_image_file *choose(const struct changes *changes, uint64_t address,
				     const uint8_t *now, struct hwf_image_place *place)
{
	const uint8_t *bytes;
	size_t size;

	if (!hwf_image_find(changes->space, address, place)) {
		place->file = NULL;
		return changes->file;
	}
	if (place->file == changes->changed)
		return place->file;
	bytes = hwf_image_file_bytes(place->file, &size);
	if (!bytes || place->offset > size || size - place->offset < WORD)
		return changes->file;
	bytes += place->offset;
	if (!memcmp(bytes, now, WORD) || is_breakpoint(now))
		return place->file;
	return is_breakpoint(bytes) ? changes->file : changes->changed;
}

/*
 * Map a segment in runs of instructions that come from the same file. Where the file has a hole
 * there is no code: the mapping before stays.
 */
static int map_segment(const struct changes *changes, const struct hwf_image_segment *segment,
		       struct holes *holes)
{
	size_t size;
	const uint8_t *bytes = hwf_image_file_bytes(changes->file, &size);
	struct hwf_image_file *file = NULL;
	uint64_t from = 0, at = 0;
	int error = 0;

	for (; !error && at <= segment->size; at += WORD) {
		struct hwf_image_place place = {.file = NULL};
		struct hwf_image_file *next = NULL;
		const uint64_t offset = segment->offset + at, data = holes_skip(holes, offset);

		if (data - offset >= WORD && !file) {
			if (data - offset >= segment->size - at)
				break;
			at += (data - offset) / WORD * WORD - WORD;
			continue;
		}
		if (segment->size - at >= WORD && data == offset)
			next = choose(changes, segment->address + at, bytes + segment->offset + at,
				      &place);
		if (next == place.file)
			next = NULL;
		if (next == file)
			continue;
		if (file)
			error = hwf_image_map(changes->space, segment->address + from, at - from,
					      file, segment->offset + from);
		from = at;
		file = next;
	}
	return error;
}

/* Segments of a sound copy do not overlap in the file. */
static int map_segments(const struct changes *changes, const struct hwf_image_elf *elf)
{
	struct holes holes;
	int error = 0;
	size_t left;

	hwf_image_file_bytes(changes->file, &left);
	holes_open(&holes, changes->file);
	for (size_t i = 0; !error && i < elf->segment_count; i++) {
		if (elf->segments[i].size > left) {
			input_error(hwf_image_file_path(changes->file), elf->segments[i].offset,
				    "segments overlap: the file is damaged, and code that the "
				    "kernel loaded during the recording is missing");
			error = -EINVAL;
			break;
		}
		left -= elf->segments[i].size;
		error = map_segment(changes, &elf->segments[i], &holes);
	}
	holes_close(&holes);
	return error;
}

/* Lines START END: code that was there for a part of the recording, and was not copied */
static int map_unknown(const struct changes *changes, struct hwf_image *image,
		       const char *directory)
{
	struct hwf_image_file *unknown;
	uint64_t start, end;
	char path[PATH_MAX];
	FILE *file;
	int error;

	snprintf(path, sizeof(path), "%s/" KCORE_UNKNOWN, directory);
	file = input_file_stream(path, input_file_parent(directory));
	if (!file)
		return 0;
	error = hwf_image_add_missing(
		image, "[kernel code not copied]",
		"a module or BPF program was at this address for a part of the "
		"recording, and its code was not copied in time",
		&unknown);
	while (!error && fscanf(file, "%" SCNx64 " %" SCNx64, &start, &end) == 2) {
		if (start >= end)
			continue;
		error = hwf_image_map(changes->space, start, end - start, unknown, 0);
	}
	fclose(file);
	return error;
}

static int open_file(struct changes *changes, struct hwf_image *image, const char *directory)
{
	const struct hwf_image_identity identity = {
		.name = "[kernel]", .machine = true, .root = input_file_parent(directory)};
	const struct hwf_image_elf *elf;
	char path[PATH_MAX];
	int error;

	snprintf(path, sizeof(path), "%s/" KCORE_MEMORY, directory);
	error = hwf_image_add_file(image, path, &identity, &changes->file);
	if (!error)
		error = hwf_image_file_open(changes->file);
	elf = error ? NULL : hwf_image_file_elf(changes->file);
	if (elf && elf->type == ET_CORE)
		return 0;
	if (error == -ENOMEM)
		return error;
	input_error(
		path, UINT64_MAX,
		"this is not a copy of a kernel's memory; code that the kernel loaded during the "
		"recording is missing");
	return -EINVAL;
}

int kcore_changes_map(struct hwf_image *image, struct hwf_image_space *space, const char *directory)
{
	struct changes changes = {.space = space};
	const struct hwf_image_elf *elf;
	int error;

	if (access(directory, F_OK))
		return 0;
	error = open_file(&changes, image, directory);
	if (!error)
		error = hwf_image_add_missing(
			image, "[changed kernel code]",
			"the kernel changed its code at this address during the recording, and "
			"the recording does not tell when",
			&changes.changed);
	elf = error ? NULL : hwf_image_file_elf(changes.file);
	if (!error)
		error = map_segments(&changes, elf);
	return error ? error : map_unknown(&changes, image, directory);
}
