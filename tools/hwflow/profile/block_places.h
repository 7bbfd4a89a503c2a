/* SPDX-License-Identifier: GPL-2.0-only */
/* The code of a block, by functions and positions in the source. */
#ifndef HWFLOW_PROFILE_BLOCK_PLACES_H
#define HWFLOW_PROFILE_BLOCK_PLACES_H

#include "profile_formats.h"
#include "symbols/source_frames.h"

/**
 * struct block_place - code of a block up to another function or position
 * @function: the function, by symbols
 * @stack: functions and positions, by DWARF; valid during the call only
 * @line: without @stack: the line of its one instruction, by the line tables
 * @address: its first address; an offset if the binary was not found
 * @instructions: how many
 * @is_last: it has the last instruction of the block
 */
struct block_place {
	const struct function *function;
	struct source_stack stack;
	struct source_line line;
	uint64_t address;
	uint32_t instructions;
	bool is_last;
};

/** typedef block_place_fn - takes a place; 0, or another value to take no more */
typedef int block_place_fn(void *ctx, const struct block_place *place);

/**
 * block_places() - the places of a block
 * @binary: that has its code
 * @block: the block
 * @take: called for each place, in order
 * @ctx: its first argument
 *
 * Return: 0, or what @take has returned.
 */
int block_places(const struct profile_binary *binary, const struct hwf_profile_block *block,
		 block_place_fn *take, void *ctx);

/** block_insn_size() - bytes of the instruction at an offset in a binary */
unsigned int block_insn_size(const struct profile_binary *binary, unsigned int isa,
			     uint64_t offset);

#endif /* HWFLOW_PROFILE_BLOCK_PLACES_H */
