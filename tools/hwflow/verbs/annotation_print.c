// SPDX-License-Identifier: GPL-2.0-only
/* Functions with their source lines, their instructions, and how often each was executed, as text.
 */
#include "annotation.h"

#include <inttypes.h>
#include <string.h>

#include "base/print.h"

/* columns of the text of a source line that a tab leads to multiples of */
#define TAB 8u

/**
 * struct printer - where we are in the text
 * @annotation: what is printed
 * @found: functions to print so far
 * @line: last source line printed of the function
 */
struct printer {
	const struct annotation *annotation;
	size_t found;
	struct source_line line;
};

static const char *short_name(const struct annotation *annotation, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !annotation->full_paths ? slash + 1 : path;
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

static void print_line(struct printer *printer, const struct source_line *line)
{
	const struct annotation *annotation = printer->annotation;
	const char *text;
	size_t length;

	if (!line->file || (printer->line.file && printer->line.line == line->line &&
			    !strcmp(printer->line.file, line->file)))
		return;
	printer->line = *line;
	print(annotation->out, "%s:%d", short_name(annotation, line->file), line->line);
	text = source_text_line(annotation->source, line->file, line->line, &length);
	if (text) {
		fputs("  ", annotation->out);
		print_text(text, length, annotation->out);
	}
	fputc('\n', annotation->out);
}

void annotation_target(const struct insn_count *insn, uint64_t address, FILE *out)
{
	uint64_t target;

	if (!insn_target(insn->isa, insn->bytes, address, &target))
		return;
	print(out, "-> %" PRIx64, target);
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

/* As insn of struct annotation_sink, and so on */
static void print_insn(void *ctx, const struct insn_count *insn, uint64_t address,
		       const struct source_line *line)
{
	struct printer *printer = ctx;
	const struct annotation *annotation = printer->annotation;
	const int digits = insn->size == 2 ? 4 : 8;
	uint64_t target;
	char text[256];

	print_line(printer, line);
	if (annotation->measure)
		print(annotation->out, "%14.0f ", insn->cost);
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
	if (insn_target(insn->isa, insn->bytes, address, &target))
		fputs("  ", annotation->out);
	annotation_target(insn, address, annotation->out);
	fputc('\n', annotation->out);
}

static void print_stretch(void *ctx, uint64_t address, size_t count)
{
	const struct printer *printer = ctx;

	if (printer->annotation->measure)
		print(printer->annotation->out, "%14u ", 0u);
	print(printer->annotation->out, "%14u%26s %12" PRIx64 "  ... %zu instructions\n", 0u, "",
	      address, count);
}

static double share_of(double part, double all)
{
	return all > 0 ? 100 * part / all : 0;
}

static bool print_head(void *ctx, const struct annotation_block *block,
		       const struct annotation_block *all)
{
	struct printer *printer = ctx;
	const struct annotation *annotation = printer->annotation;
	const struct function *function = block->insns->function;
	const char *file = short_name(annotation, function->file);

	if (annotation->name && strcmp(function->name, annotation->name) != 0)
		return false;
	printer->found++;
	if (!annotation->name && annotation->limit && printer->found > annotation->limit)
		return false;
	printer->line = (struct source_line){0};
	print(annotation->out, "%s%s%s%s: %" PRIu64 " instructions, %.2f%%", function->name,
	      *file ? "  (" : "", file, *file ? ")" : "", block->executed,
	      share_of((double)block->executed, (double)all->executed));
	if (annotation->measure)
		print(annotation->out, "; %s %.0f, %.2f%%", measure_column(annotation->measure),
		      block->cost, share_of(block->cost, all->cost));
	fputs("\n\n", annotation->out);
	if (annotation->measure)
		print(annotation->out, "%14s ", measure_column(annotation->measure));
	print(annotation->out, "%14s %12s %12s %12s\n", "executed", "taken", "not taken",
	      "address");
	return true;
}

static void print_end(void *ctx)
{
	const struct printer *printer = ctx;

	fputc('\n', printer->annotation->out);
}

int annotation_print(const struct annotation *annotation, size_t *found)
{
	struct printer printer = {.annotation = annotation};
	const struct annotation_sink sink = {.begin = print_head,
					     .insn = print_insn,
					     .stretch = print_stretch,
					     .end = print_end,
					     .ctx = &printer};
	const int error = annotation_visit(annotation, &sink);

	*found = printer.found;
	return error;
}
