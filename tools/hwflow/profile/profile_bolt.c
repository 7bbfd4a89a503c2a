/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pre-aggregated profile of llvm-bolt:
 *
 *   B FROM TO COUNT MISPREDICTED   a branch that was taken; 0: an address outside of the file
 *   F FIRST LAST COUNT             execution without a branch, from one instruction to another
 *
 * Addresses are those that the file is linked at, in hexadecimal digits.
 *
 * A block is executed from its first instruction to its branch. Where the branch is not taken,
 * execution goes from it to the instruction behind it, which is a line of its own: BOLT counts the
 * edges between the basic blocks that a line passes through.
 */
#include "base/text.h"
#include "profile_formats.h"

static void put_address(struct text *out, uint64_t address)
{
	text_char(out, ' ');
	text_hex(out, address);
}

static void put_fall_through(struct text *out, uint64_t first, uint64_t last, uint64_t count)
{
	if (!count)
		return;
	text_char(out, 'F');
	put_address(out, first);
	put_address(out, last);
	text_char(out, ' ');
	text_decimal(out, count);
	text_end_line(out);
}

static void put_block(struct text *out, const struct profile_binary *binary,
		      const struct hwf_profile_block *block)
{
	const uint64_t length = block->end - block->start;
	uint64_t start;

	if (!profile_address(binary->elf, block->start, &start))
		return;
	put_fall_through(out, start, start + length - block->insn.size,
			 block->taken + block->not_taken);
	if (block->p0 && block->insn.conditional)
		put_fall_through(out, start + length - block->insn.size, start + length,
				 block->not_taken);
}

static void put_edge(struct text *out, const struct profile_binary *binary,
		     const struct hwf_profile_edge *edge)
{
	const bool leaves = edge->to_space != binary->file;
	const bool arrives = edge->from_space != binary->file;
	uint64_t from = 0, to = 0;

	if ((leaves && arrives) || !edge->count ||
	    (!arrives && !profile_address(binary->elf, edge->from, &from)) ||
	    (!leaves && !profile_address(binary->elf, edge->to, &to)))
		return;
	text_char(out, 'B');
	put_address(out, from);
	put_address(out, to);
	text_char(out, ' ');
	text_decimal(out, edge->count);
	text_string(out, " 0");
	text_end_line(out);
}

int profile_bolt(const struct profile_content *content, struct text *out)
{
	const struct profile_binary *binary = content->binaries;
	const struct hwf_profile *counts = hwf_stored_profile_counts(content->stored);
	const struct hwf_profile_block *block;
	struct hwf_profile_edge edge;
	size_t at = 0;

	while ((block = hwf_profile_next_block(counts, &at)))
		if (block->space == binary->file)
			put_block(out, binary, block);
	at = 0;
	while (hwf_profile_next_edge(counts, &at, &edge))
		put_edge(out, binary, &edge);
	return 0;
}
