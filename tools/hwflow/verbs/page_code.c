/* SPDX-License-Identifier: GPL-2.0-only */
/* Source lines and instructions of functions for a page. */
#include "page_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "profile/items.h"

/* Lines without instructions between two that have some are in the page if they are no more. */
#define LINES_BETWEEN 40

/* Bytes of a source line at most */
#define LINE_BYTES 400u

/**
 * struct code - where we are in the functions
 * @annotation: what is written
 * @part: receives it
 * @functions: numbers of functions
 * @out: receives a function
 * @files: const char *: names of the source files of the function
 * @lines: struct source_line: lines that its instructions are of
 * @has_rows: it has a row
 * @failed: memory ran out
 */
struct code {
	const struct annotation *annotation;
	struct page_part *part;
	struct page_functions *functions;
	struct text *out;
	struct items files;
	struct items lines;
	bool has_rows;
	bool failed;
};

/* The number of a source file of the function */
static size_t number_of(struct code *code, const char *file)
{
	const char **files = code->files.at;
	const char **added;
	size_t i = 0;

	while (i < code->files.count && strcmp(files[i], file) != 0)
		i++;
	if (i < code->files.count)
		return i;
	added = items_add(&code->files, sizeof(*added));
	if (added)
		*added = file;
	code->failed |= !added;
	return i;
}

static void begin_row(struct code *code, uint64_t address)
{
	struct text *out = code->out;

	json_separate(out, code->has_rows);
	code->has_rows = true;
	text_named_hex(out, "[\"", address);
	text_string(out, "\",");
}

static void put_line(struct code *code, const struct source_line *line)
{
	struct source_line *added;

	if (!line->file) {
		text_string(code->out, ",-1,0");
		return;
	}
	added = items_add(&code->lines, sizeof(*added));
	if (added)
		*added = *line;
	code->failed |= !added;
	text_named_decimal(code->out, ",", number_of(code, line->file));
	text_named_decimal(code->out, ",", line->line > 0 ? (uint64_t)line->line : 0);
}

static void put_target(struct code *code, const struct insn_count *insn, uint64_t address)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (file) {
		annotation_target(insn, address, file);
		fclose(file);
	}
	if (text)
		json_string(code->out, text);
	code->failed |= !text;
	free(text);
}

/* As insn of struct annotation_sink, and so on */
static void take_insn(void *ctx, const struct insn_count *insn, uint64_t address,
		      const struct source_line *line)
{
	struct code *code = ctx;
	struct text *out = code->out;
	char text[256] = "";

	begin_row(code, address);
	text_char(out, '"');
	text_hex_zeros(out, insn_opcode(insn->isa, insn->bytes, insn->size), 2u * insn->size);
	text_string(out, "\",");
	disassembler_text(code->annotation->disassembler, insn->isa, address, insn->bytes,
			  insn->size, text, sizeof(text));
	json_name(out, text);
	text_char(out, ',');
	json_number(out, insn->executed);
	put_line(code, line);
	text_char(out, ',');
	put_target(code, insn, address);
	if (insn->branch) {
		text_char(out, ',');
		json_number(out, insn->taken);
		text_char(out, ',');
		json_number(out, insn->not_taken);
	}
	text_char(out, ']');
}

static void take_stretch(void *ctx, uint64_t address, size_t count)
{
	struct code *code = ctx;

	begin_row(code, address);
	text_decimal(code->out, count);
	text_char(code->out, ']');
}

static bool take_begin(void *ctx, const struct annotation_block *block,
		       const struct annotation_block *all)
{
	struct code *code = ctx;
	const struct function *function = block->insns->function;

	(void)all;
	code->out = page_part_item(code->part);
	if (!code->out)
		return false;
	code->files.count = code->lines.count = 0;
	code->has_rows = false;
	text_named_decimal(code->out, "{\"f\":",
			   page_function(code->functions, function->name, function->file));
	text_string(code->out, ",\"n\":");
	json_number(code->out, block->executed);
	text_string(code->out, ",\"rows\":[");
	return true;
}

static int compare_lines(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;
	const int order = strcmp(x->file, y->file);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* A line of source text, cut at the end of a character if it is long */
static int put_text(struct code *code, const char *bytes, size_t size)
{
	char *escaped;

	if (size && bytes[size - 1] == '\r')
		size--;
	if (size > LINE_BYTES)
		size = LINE_BYTES;
	/* a tab stays: the page expands it */
	escaped = calloc(size + 1, ESCAPE_GROWTH);
	if (!escaped)
		return -ENOMEM;
	for (size_t at = 0, length = 0; at < size;) {
		const char *tab = memchr(bytes + at, '\t', size - at);
		const size_t more = tab ? (size_t)(tab - bytes) - at : size - at;

		length += escape_bytes(ESCAPE_LINE, bytes + at, more, escaped + length);
		if (tab)
			escaped[length++] = '\t';
		at += more + 1;
	}
	json_string(code->out, escaped);
	free(escaped);
	return 0;
}

/* The lines of a file up to a line of an instruction */
static void put_lines(struct code *code, const char *file, int from, int to, bool *has_lines)
{
	for (int line = from; line <= to; line++) {
		size_t size;
		const char *text = source_text_line(code->annotation->source, file, line, &size);

		if (!text)
			continue;
		json_separate(code->out, *has_lines);
		*has_lines = true;
		text_named_decimal(code->out, "[", (uint64_t)line);
		text_char(code->out, ',');
		code->failed |= put_text(code, text, size) != 0;
		text_char(code->out, ']');
	}
}

static void put_file(struct code *code, const char *file)
{
	const struct source_line *lines = code->lines.at;
	bool has_lines = false;
	int last = 0;

	text_char(code->out, '[');
	json_name(code->out, file);
	text_string(code->out, ",[");
	for (size_t i = 0; i < code->lines.count; i++) {
		const int line = lines[i].line;

		if (strcmp(lines[i].file, file) != 0 || line <= last)
			continue;
		put_lines(code, file, last && line - last <= LINES_BETWEEN ? last + 1 : line, line,
			  &has_lines);
		last = line;
	}
	text_string(code->out, "]]");
}

static void take_end(void *ctx)
{
	struct code *code = ctx;
	const char *const *files = code->files.at;

	items_sort(&code->lines, sizeof(struct source_line), compare_lines);
	text_string(code->out, "],\"files\":[");
	for (size_t i = 0; i < code->files.count; i++) {
		if (i)
			text_char(code->out, ',');
		put_file(code, files[i]);
	}
	text_string(code->out, "]}");
	page_part_end_item(code->part);
}

int page_code(struct page_part *part, const struct annotation *annotation,
	      struct page_functions *functions)
{
	struct code code = {.annotation = annotation, .part = part, .functions = functions};
	const struct annotation_sink sink = {.begin = take_begin,
					     .insn = take_insn,
					     .stretch = take_stretch,
					     .end = take_end,
					     .ctx = &code};
	const int error = annotation_visit(annotation, &sink);

	free(code.files.at);
	free(code.lines.at);
	return code.failed ? -ENOMEM : error;
}
