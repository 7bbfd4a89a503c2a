// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions with their instructions, and how often each was executed. Rows of instructions that
 * were not executed are made from the file of the function: their count is 0.
 */
#include "annotation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/bits.h"

/* more instructions in a row that were not executed are one row */
#define LONG_STRETCH 8u

/**
 * struct listing - where we are in the listing of a function
 * @annotation: what is listed
 * @sink: takes it
 * @block: the function
 * @bytes: the file that has its code
 * @size: bytes of the file
 * @at: place in the file after the last row
 * @isa: instruction set of the last row
 */
struct listing {
	const struct annotation *annotation;
	const struct annotation_sink *sink;
	const struct annotation_block *block;
	const uint8_t *bytes;
	size_t size;
	uint64_t at;
	uint8_t isa;
};

/* Where the function begins in its file; of other code the beginning of the file's addresses */
static uint64_t base_of(const struct insn_count *insn)
{
	return insn->file_offset - insn->offset;
}

/* Of an ELF file its own addresses are shown, as other tools do; else those of the process. */
static uint64_t shown_address(const struct annotation_block *block, uint64_t offset)
{
	const struct insn_count *insn = block->insns;

	if (insn->function->of_elf)
		return insn->function->start + (offset - base_of(insn));
	return insn->address + (offset - insn->file_offset);
}

static void give_insn(struct listing *listing, const struct insn_count *insn)
{
	const struct annotation *annotation = listing->annotation;
	struct source_line line = {0};

	if (annotation->source) {
		line = insn->line;
		if (!line.file)
			line = symbols_line_in_file(annotation->symbols, insn->file,
						    insn->file_offset);
	}
	listing->sink->insn(listing->sink->ctx, insn,
			    shown_address(listing->block, insn->file_offset), &line);
	listing->at = insn->file_offset + insn->size;
	listing->isa = insn->isa;
}

/* The instruction at a place of the file that was not executed; false behind @until. */
static bool unexecuted(const struct listing *listing, uint64_t at, uint64_t until,
		       struct insn_count *insn)
{
	const struct insn_count *first = listing->block->insns;
	const uint64_t left = until - at;

	if (at >= until || left < 2)
		return false;
	*insn = (struct insn_count){.function = first->function,
				    .file = first->file,
				    .file_offset = at,
				    .isa = listing->isa};
	memcpy(insn->bytes, listing->bytes + at, left < 4 ? left : 4);
	insn->size = (uint8_t)input_insn_size(insn->isa, (uint16_t)hwf_load32(insn->bytes));
	if (insn->size > left)
		insn->size = 2;
	if (insn->size == 2)
		memset(insn->bytes + 2, 0, 2);
	return true;
}

/* The instructions from the last row up to a place in the file: none was executed. */
static void give_unexecuted(struct listing *listing, uint64_t until)
{
	struct insn_count insn;
	uint64_t end = listing->at;
	size_t count = 0;

	if (until > listing->size)
		until = listing->size;
	while (unexecuted(listing, end, until, &insn)) {
		end += insn.size;
		count++;
	}
	if (!listing->annotation->all && count > LONG_STRETCH) {
		listing->sink->stretch(listing->sink->ctx,
				       shown_address(listing->block, listing->at), count);
		listing->at = end;
	}
	while (unexecuted(listing, listing->at, until, &insn))
		give_insn(listing, &insn);
}

static void give_block(const struct annotation *annotation, const struct annotation_sink *sink,
		       const struct annotation_block *block, const struct annotation_block *all)
{
	const struct insn_count *insns = block->insns;
	const struct function *function = insns->function;
	/* only the file of a program has the whole of a function */
	const bool in_elf = function->of_elf || hwf_image_file_elf(insns->file);
	const bool whole = function->bounded && in_elf && insns->offset <= insns->file_offset;
	struct listing listing = {.annotation = annotation,
				  .sink = sink,
				  .block = block,
				  .at = whole ? base_of(insns) : insns->file_offset,
				  .isa = insns->isa};

	if (!sink->begin(sink->ctx, block, all))
		return;
	listing.bytes = hwf_image_file_bytes(insns->file, &listing.size);
	for (size_t i = 0; i < block->count; i++) {
		if (whole)
			give_unexecuted(&listing, insns[i].file_offset);
		give_insn(&listing, &insns[i]);
	}
	/* without a size of the function its end is not known */
	if (whole && function->sized)
		give_unexecuted(&listing, base_of(insns) + (function->end - function->start));
	sink->end(sink->ctx);
}

static int compare_blocks(const void *a, const void *b)
{
	const struct annotation_block *x = a, *y = b;
	int by_name;

	if (x->cost < y->cost || x->cost > y->cost)
		return x->cost > y->cost ? -1 : 1;
	if (x->executed != y->executed)
		return x->executed > y->executed ? -1 : 1;
	by_name = strcmp(x->insns->function->name, y->insns->function->name);
	return by_name ? by_name : (x->insns > y->insns) - (x->insns < y->insns);
}

/* Does the next instruction begin another function, or the same at another place? */
static bool begins_block(const struct annotation_block *last, const struct insn_count *insn)
{
	return !last || last->insns->function != insn->function ||
	       last->insns->file != insn->file || base_of(last->insns) != base_of(insn);
}

/* Groups sorted instructions; returns how many blocks. */
static size_t group(struct annotation_block *blocks, const struct insn_count *insns, size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		if (begins_block(used ? &blocks[used - 1] : NULL, &insns[i]))
			blocks[used++] = (struct annotation_block){.insns = &insns[i]};
		blocks[used - 1].count++;
		blocks[used - 1].executed += insns[i].executed;
		blocks[used - 1].cost += insns[i].cost;
	}
	return used;
}

int annotation_visit(const struct annotation *annotation, const struct annotation_sink *sink)
{
	size_t count, used;
	const struct insn_count *insns = insn_counts_sorted(annotation->counts, &count);
	struct annotation_block *blocks = calloc(count ? count : 1, sizeof(*blocks));
	struct annotation_block all = {.count = count};

	if (!blocks)
		return -ENOMEM;
	used = group(blocks, insns, count);
	qsort(blocks, used, sizeof(*blocks), compare_blocks);
	for (size_t i = 0; i < used; i++) {
		all.executed += blocks[i].executed;
		all.cost += blocks[i].cost;
	}
	for (size_t i = 0; i < used; i++)
		give_block(annotation, sink, &blocks[i], &all);
	free(blocks);
	return 0;
}
