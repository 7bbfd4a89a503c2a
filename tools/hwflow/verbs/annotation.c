// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions with their source lines, their instructions, and how often each was executed. Rows of
 * instructions that were not executed are made from the file of the function: their count is 0.
 */
#include "annotation.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "core/bits.h"

/* columns of the text of a source line that a tab leads to multiples of */
#define TAB 8u

/* more instructions in a row that were not executed are one row */
#define LONG_STRETCH 8u

/**
 * struct block - the instructions of a function at one place of a file
 * @insns: those that were executed, by place
 * @count: how many
 * @executed: sum of their counts
 */
struct block {
	const struct insn_count *insns;
	size_t count;
	uint64_t executed;
};

/**
 * struct listing - where we are in the listing of a function
 * @annotation: what is printed
 * @block: the function
 * @bytes: the file that has its code
 * @size: bytes of the file
 * @at: place in the file after the last row
 * @isa: instruction set of the last row
 * @line: last source line printed
 */
struct listing {
	const struct annotation *annotation;
	const struct block *block;
	const uint8_t *bytes;
	size_t size;
	uint64_t at;
	uint8_t isa;
	struct source_line line;
};

static const char *short_name(const struct annotation *annotation, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !annotation->full_paths ? slash + 1 : path;
}

/* Where the function begins in its file; of other code the beginning of the file's addresses */
static uint64_t base_of(const struct insn_count *insn)
{
	return insn->file_offset - insn->offset;
}

/* Of an ELF file its own addresses are shown, as other tools do; else those of the process. */
static uint64_t shown_address(const struct block *block, uint64_t offset)
{
	const struct insn_count *insn = block->insns;

	if (insn->function->of_elf)
		return insn->function->start + (offset - base_of(insn));
	return insn->address + (offset - insn->file_offset);
}

/* The text of a source line, with tabs expanded and the carriage return of a DOS line left out */
static void print_text(const char *text, size_t length, FILE *out)
{
	size_t column = 0;

	if (length && text[length - 1] == '\r')
		length--;
	for (size_t i = 0; i < length;) {
		const char *tab = memchr(text + i, '\t', length - i);
		const size_t size = tab ? (size_t)(tab - text) - i : length - i;

		column += print_bytes(out, ESCAPE_LINE, text + i, size);
		if (tab) {
			print(out, "%*s", (int)(TAB - column % TAB), "");
			column += TAB - column % TAB;
		}
		i += size + 1;
	}
}

static void print_line(struct listing *listing, const struct source_line *line)
{
	const struct annotation *annotation = listing->annotation;
	const char *text;
	size_t length;

	if (!line->file || (listing->line.file && listing->line.line == line->line &&
			    !strcmp(listing->line.file, line->file)))
		return;
	listing->line = *line;
	print(annotation->out, "%s:%d", short_name(annotation, line->file), line->line);
	text = source_text_line(annotation->source, line->file, line->line, &length);
	if (text) {
		fputs("  ", annotation->out);
		print_text(text, length, annotation->out);
	}
	fputc('\n', annotation->out);
}

/* The target of a direct branch: its address, and the name of another function */
static void print_target(const struct listing *listing, const struct insn_count *insn,
			 uint64_t address)
{
	FILE *out = listing->annotation->out;
	uint64_t target;

	if (!insn_target(insn->isa, insn->bytes, address, &target))
		return;
	print(out, "  -> %" PRIx64, target);
	if (!insn->target || insn->target == insn->function)
		return;
	if (!insn->target_offset)
		print(out, " %s", insn->target->name);
	else if (insn->target->stem)
		print(out, " %s+%#" PRIx64, insn->target->stem,
		      insn->target->start + insn->target_offset);
	else
		print(out, " %s+%#" PRIx64, insn->target->name, insn->target_offset);
}

static void print_row(struct listing *listing, const struct insn_count *insn)
{
	const struct annotation *annotation = listing->annotation;
	const uint64_t address = shown_address(listing->block, insn->file_offset);
	const int digits = insn->size == 2 ? 4 : 8;
	char text[256];

	if (annotation->source) {
		struct source_line line = insn->line;

		if (!line.file)
			line = symbols_line_in_file(annotation->symbols, insn->file,
						    insn->file_offset);
		print_line(listing, &line);
	}
	print(annotation->out, "%14" PRIu64, insn->executed);
	if (insn->branch)
		print(annotation->out, " %12" PRIu64 " %12" PRIu64, insn->taken, insn->not_taken);
	else
		print(annotation->out, "%26s", "");
	print(annotation->out, " %12" PRIx64 "  %0*" PRIx32, address, digits,
	      insn_opcode(insn->isa, insn->bytes, insn->size));
	if (disassembler_text(annotation->disassembler, insn->isa, address, insn->bytes, insn->size,
			      text, sizeof(text)))
		print(annotation->out, "%*s  %s", 8 - digits, "", text);
	print_target(listing, insn, address);
	fputc('\n', annotation->out);
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

/* Rows of the instructions from the last row up to a place in the file: none was executed. */
static void print_unexecuted(struct listing *listing, uint64_t until)
{
	const struct annotation *annotation = listing->annotation;
	struct insn_count insn;
	uint64_t end = listing->at;
	size_t count = 0;

	if (until > listing->size)
		until = listing->size;
	while (unexecuted(listing, end, until, &insn)) {
		end += insn.size;
		count++;
	}
	if (!annotation->all && count > LONG_STRETCH) {
		print(annotation->out, "%14u%26s %12" PRIx64 "  ... %zu instructions\n", 0u, "",
		      shown_address(listing->block, listing->at), count);
		listing->at = end;
	}
	while (unexecuted(listing, listing->at, until, &insn))
		print_row(listing, &insn);
}

static void print_head(const struct listing *listing, uint64_t all)
{
	const struct annotation *annotation = listing->annotation;
	const struct block *block = listing->block;
	const struct function *function = block->insns->function;
	const char *file = short_name(annotation, function->file);

	print(annotation->out,
	      "%s%s%s%s: %" PRIu64 " instructions, %.2f%%\n\n%14s %12s %12s %12s\n", function->name,
	      *file ? "  (" : "", file, *file ? ")" : "", block->executed,
	      all ? 100.0 * (double)block->executed / (double)all : 0.0, "executed", "taken",
	      "not taken", "address");
}

static void print_block(const struct annotation *annotation, const struct block *block,
			uint64_t all)
{
	const struct insn_count *insns = block->insns;
	const struct function *function = insns->function;
	/* only the file of a program has the whole of a function */
	const bool in_elf = function->of_elf || hwf_image_file_elf(insns->file);
	const bool whole = function->bounded && in_elf && insns->offset <= insns->file_offset;
	struct listing listing = {.annotation = annotation,
				  .block = block,
				  .at = whole ? base_of(insns) : insns->file_offset,
				  .isa = insns->isa};

	listing.bytes = hwf_image_file_bytes(insns->file, &listing.size);
	print_head(&listing, all);
	for (size_t i = 0; i < block->count; i++) {
		if (whole)
			print_unexecuted(&listing, insns[i].file_offset);
		print_row(&listing, &insns[i]);
	}
	/* without a size of the function its end is not known */
	if (whole && function->sized)
		print_unexecuted(&listing, base_of(insns) + (function->end - function->start));
	fputc('\n', annotation->out);
}

static int compare_blocks(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	int by_name;

	if (x->executed != y->executed)
		return x->executed > y->executed ? -1 : 1;
	by_name = strcmp(x->insns->function->name, y->insns->function->name);
	return by_name ? by_name : (x->insns > y->insns) - (x->insns < y->insns);
}

/* Does the next instruction begin another function, or the same at another place? */
static bool begins_block(const struct block *last, const struct insn_count *insn)
{
	return !last || last->insns->function != insn->function ||
	       last->insns->file != insn->file || base_of(last->insns) != base_of(insn);
}

/* Groups sorted instructions; returns how many blocks. */
static size_t group(struct block *blocks, const struct insn_count *insns, size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		if (begins_block(used ? &blocks[used - 1] : NULL, &insns[i]))
			blocks[used++] = (struct block){.insns = &insns[i]};
		blocks[used - 1].count++;
		blocks[used - 1].executed += insns[i].executed;
	}
	return used;
}

int annotation_print(const struct annotation *annotation, size_t *found)
{
	size_t count, used;
	const struct insn_count *insns = insn_counts_sorted(annotation->counts, &count);
	struct block *blocks = calloc(count ? count : 1, sizeof(*blocks));
	uint64_t all = 0;

	*found = 0;
	if (!blocks)
		return -ENOMEM;
	used = group(blocks, insns, count);
	qsort(blocks, used, sizeof(*blocks), compare_blocks);
	for (size_t i = 0; i < used; i++)
		all += blocks[i].executed;
	for (size_t i = 0; i < used; i++) {
		const struct block *block = &blocks[i];

		if (annotation->name && strcmp(block->insns->function->name, annotation->name) != 0)
			continue;
		++*found;
		if (annotation->name || !annotation->limit || *found <= annotation->limit)
			print_block(annotation, block, all);
	}
	free(blocks);
	return 0;
}
