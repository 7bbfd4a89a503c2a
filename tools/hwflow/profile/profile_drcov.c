// SPDX-License-Identifier: GPL-2.0-only
/*
 * Log of DynamoRIO's drcov, version 2: which blocks were executed, without counts. Lines of text:
 *
 *   DRCOV VERSION: 2
 *   DRCOV FLAVOR: drcov
 *   Module Table: version 2, count N
 *   Columns: id, base, end, entry, path
 *   ID, BASE, END, ENTRY, PATH                 a line for each module
 *   BB Table: N bbs
 *
 * and then 8 bytes for each block, little-endian: offset from BASE (4), bytes of the block (2), ID
 * (2). A module has the addresses that it is linked at. A block begins wherever execution arrived,
 * and goes on to its branch, as the blocks of DynamoRIO do.
 */
#include <errno.h>

#include "base/error.h"
#include "base/text.h"
#include "items.h"
#include "profile_formats.h"

/* A module begins at a page of this size. */
#define PAGE UINT64_C(0x1000)

/* Bytes of a longer block that are an entry of their own: whole instructions */
#define LONGEST UINT16_C(0xfffc)

/* struct module - addresses of a binary, END not included */
struct module {
	uint64_t base;
	uint64_t end;
};

/* struct block - of module @id; offsets from its base */
struct block {
	uint32_t start;
	uint16_t size;
	uint16_t id;
};

static int compare_blocks(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->size > y->size) - (x->size < y->size);
}

static struct module module_of(const struct hwf_image_elf *elf)
{
	struct module module = {UINT64_MAX, 0};

	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];

		if (segment->address < module.base)
			module.base = segment->address & -PAGE;
		if (segment->address + segment->size > module.end)
			module.end = segment->address + segment->size;
	}
	return module;
}

/* Adds the entries of a block; 0, -ENOMEM, or -EFBIG. */
static int add_block(struct items *blocks, uint64_t start, uint64_t length, size_t id)
{
	for (uint64_t size; length; start += size, length -= size) {
		struct block *block = items_add(blocks, sizeof(*block));

		if (!block)
			return -ENOMEM;
		if (start > UINT32_MAX || id > UINT16_MAX)
			return -EFBIG;
		size = length < LONGEST ? length : LONGEST;
		*block = (struct block){(uint32_t)start, (uint16_t)size, (uint16_t)id};
	}
	return 0;
}

static int add_blocks(struct items *blocks, struct hwf_stored_profile *stored,
		      const struct profile_binary *binary, size_t id)
{
	const struct hwf_profile *counts = hwf_stored_profile_counts(stored);
	const struct module module = module_of(binary->elf);
	const struct hwf_profile_block *block;
	uint64_t start;
	size_t at = 0;

	while ((block = hwf_profile_next_block(counts, &at))) {
		int error = 0;

		if (block->space == binary->file && block->taken + block->not_taken &&
		    profile_address(binary->elf, block->start, &start))
			error = add_block(blocks, start - module.base, block->end - block->start,
					  id);
		if (error)
			return error;
	}
	return 0;
}

static void put_module(struct text *out, const struct profile_binary *binary, size_t id)
{
	const struct module module = module_of(binary->elf);

	text_decimal(out, id);
	text_string(out, ", 0x");
	text_hex_zeros(out, module.base, 16);
	text_string(out, ", 0x");
	text_hex_zeros(out, module.end, 16);
	text_string(out, ", 0x");
	text_hex_zeros(out, binary->elf->entry, 16);
	text_named_name(out, ", ", binary->file->name);
	text_end_line(out);
}

static void put_block(struct text *out, const struct block *block)
{
	const uint64_t value =
		block->start | (uint64_t)block->size << 32 | (uint64_t)block->id << 48;

	for (unsigned int i = 0; i < 64; i += 8)
		text_char(out, (char)(value >> i & 0xff));
}

/* Each block once: two may differ in what the format does not have. */
static void put_blocks(struct text *out, struct items *items)
{
	const struct block *blocks = items->at;
	size_t count = 0;

	items_sort(items, sizeof(*blocks), compare_blocks);
	for (size_t i = 0; i < items->count; i++)
		count += !i || compare_blocks(&blocks[i - 1], &blocks[i]);
	text_named_decimal(out, "BB Table: ", count);
	text_string(out, " bbs");
	text_end_line(out);
	for (size_t i = 0; i < items->count; i++)
		if (!i || compare_blocks(&blocks[i - 1], &blocks[i]))
			put_block(out, &blocks[i]);
}

int profile_drcov(const struct profile_content *content, struct text *out)
{
	const struct profile_binary *binary = content->binaries, *end = binary + content->count;
	struct items blocks = {NULL, 0, 0};
	size_t modules = 0;
	int error = 0;

	for (; !error && binary < end; binary++)
		if (binary->elf)
			error = add_blocks(&blocks, content->stored, binary, modules++);
	if (!error) {
		text_string(out, "DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\n");
		text_named_decimal(out, "Module Table: version 2, count ", modules);
		text_string(out, "\nColumns: id, base, end, entry, path\n");
		modules = 0;
		for (binary = content->binaries; binary < end; binary++)
			if (binary->elf)
				put_module(out, binary, modules++);
		put_blocks(out, &blocks);
	}
	free(blocks.at);
	if (error == -EFBIG)
		verb_error("--for=drcov: the format has no number for a file with code at more "
			   "than 4 GB, or for more than 65536 files; choose one with --dso");
	return error;
}
