/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions and inlined calls of the code of a file, from its DWARF. */
#ifndef HWFLOW_SOURCE_FRAMES_H
#define HWFLOW_SOURCE_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "source_lines.h"

/** struct source_frames - functions and inlined calls of a file */
struct source_frames;

/**
 * struct source_frame - a function that code is of, or that is inlined in it
 * @name: its name for the linker, or if it has none, in the source; NULL: DWARF has none
 * @file: file with its declaration; NULL: DWARF has none
 * @line: of its declaration; 0: DWARF has none
 * @at: where in the function: the call of the next frame, or of the innermost frame, the code
 */
struct source_frame {
	const char *name;
	const char *file;
	uint32_t line;
	struct source_position at;
};

/**
 * struct source_range - addresses
 * @start: first address
 * @end: address after the last
 */
struct source_range {
	uint64_t start;
	uint64_t end;
};

/**
 * struct source_stack - the frames of an address
 * @end: all addresses up to this one have the same frames and positions
 * @entry: address that the function of the first frame is called at
 * @frames: from the function that the code is of to the innermost call; valid until the next call
 *	for the file
 * @count: how many; 0: DWARF has no function there
 */
struct source_stack {
	uint64_t end;
	uint64_t entry;
	const struct source_frame *frames;
	size_t count;
};

/**
 * source_frames_new() - begin with a file
 * @lines: source lines of the file; must outlive the result
 *
 * Return: NULL without memory.
 */
struct source_frames *source_frames_new(struct source_lines *lines);

/**
 * source_frames_find() - the frames of an address
 * @frames: the file
 * @address: the address
 *
 * The first call for a unit reads its functions, as source_lines_find() reads lines.
 *
 * Return: the frames; names are valid as long as @frames.
 */
struct source_stack source_frames_find(struct source_frames *frames, uint64_t address);

/**
 * source_frames_range() - the ranges of the function of an address
 * @frames: the file
 * @address: the address
 * @index: number of the range
 * @range: receives it
 *
 * Return: false if the function has no such range.
 */
bool source_frames_range(struct source_frames *frames, uint64_t address, size_t index,
			 struct source_range *range);

/** source_frames_free() - free everything; NULL is allowed */
void source_frames_free(struct source_frames *frames);

#endif /* HWFLOW_SOURCE_FRAMES_H */
