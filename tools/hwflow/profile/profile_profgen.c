/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unsymbolized profile of llvm-profgen, which makes of it what clang reads. A number of lines, and
 * the lines, of ranges and then of branches:
 *
 *   FIRST-LAST:COUNT   from one instruction to another, without a branch that was taken
 *   FROM->TO:COUNT     a branch that was taken
 *
 * Numbers are hexadecimal. They count from the page of the first segment with code.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "profile_formats.h"

/* llvm-profgen takes the pages of the segment to be of this size. */
#define PAGE 0x1000u

/* struct line - FROM, TO and COUNT of a line */
struct line {
	uint64_t from;
	uint64_t to;
	uint64_t count;
};

/* struct lines - the lines of ranges or of branches */
struct lines {
	struct line *items;
	size_t count;
	size_t room;
};

static int add(struct lines *lines, uint64_t from, uint64_t to, uint64_t count)
{
	if (lines->count == lines->room) {
		const size_t room = 2 * lines->room + 1024;
		struct line *items = reallocarray(lines->items, room, sizeof(*items));

		if (!items)
			return -ENOMEM;
		lines->items = items;
		lines->room = room;
	}
	lines->items[lines->count++] = (struct line){from, to, count};
	return 0;
}

/* Where the numbers count from */
static uint64_t base_of(const struct hwf_image_elf *elf)
{
	for (size_t i = 0; i < elf->segment_count; i++)
		if (elf->segments[i].executable)
			return elf->segments[i].address & ~(uint64_t)(PAGE - 1);
	return 0;
}

static int add_blocks(struct lines *lines, const struct profile_binary *binary,
		      const struct hwf_profile *counts)
{
	const uint64_t base = base_of(binary->elf);
	const struct hwf_profile_block *block;
	uint64_t start;
	size_t at = 0;

	while ((block = hwf_profile_next_block(counts, &at))) {
		const uint64_t count = block->taken + block->not_taken;
		const uint64_t last = block->end - block->start - block->insn.size;

		if (block->space == binary->file && count &&
		    profile_address(binary->elf, block->start, &start) &&
		    add(lines, start - base, start - base + last, count))
			return -ENOMEM;
	}
	return 0;
}

static int add_edges(struct lines *lines, const struct profile_binary *binary,
		     const struct hwf_profile *counts)
{
	const uint64_t base = base_of(binary->elf);
	struct hwf_profile_edge edge;
	uint64_t from, to;
	size_t at = 0;

	while (hwf_profile_next_edge(counts, &at, &edge))
		if (edge.from_space == binary->file && edge.to_space == binary->file &&
		    edge.count && profile_address(binary->elf, edge.from, &from) &&
		    profile_address(binary->elf, edge.to, &to) &&
		    add(lines, from - base, to - base, edge.count))
			return -ENOMEM;
	return 0;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Each range and each branch once: two blocks may differ in what the format does not have. */
static void put(struct lines *lines, const char *between, struct text *out)
{
	size_t count = 0;

	if (lines->count)
		qsort(lines->items, lines->count, sizeof(*lines->items), compare_lines);
	for (size_t i = 0; i < lines->count; i++) {
		struct line *line = &lines->items[i];

		if (count && !compare_lines(&lines->items[count - 1], line))
			lines->items[count - 1].count += line->count;
		else
			lines->items[count++] = *line;
	}
	text_decimal(out, count);
	text_end_line(out);
	for (size_t i = 0; i < count; i++) {
		text_hex(out, lines->items[i].from);
		text_string(out, between);
		text_hex(out, lines->items[i].to);
		text_char(out, ':');
		text_decimal(out, lines->items[i].count);
		text_end_line(out);
	}
	free(lines->items);
}

int profile_profgen(const struct profile_content *content, struct text *out)
{
	const struct profile_binary *binary = content->binaries;
	const struct hwf_profile *counts = hwf_stored_profile_counts(content->stored);
	struct lines ranges = {0}, branches = {0};

	if (add_blocks(&ranges, binary, counts) || add_edges(&branches, binary, counts)) {
		free(ranges.items);
		free(branches.items);
		return -ENOMEM;
	}
	put(&ranges, "-", out);
	put(&branches, "->", out);
	return 0;
}
