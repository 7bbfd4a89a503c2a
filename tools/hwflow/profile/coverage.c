// SPDX-License-Identifier: GPL-2.0-only
/* Source lines, functions and branches of binaries. */
#include "coverage.h"

#include <errno.h>
#include <search.h>

#include "code_counts.h"
#include "symbols/symbols.h"

/* struct numbered - node of coverage.numbers */
struct numbered {
	const char *name;
	uint32_t number;
};

/* struct reader - rows of a binary, while they are read */
struct reader {
	struct coverage *coverage;
	struct coverage_code *code;
	const char *name; /* of the last row, as the debug information has it */
	uint32_t number;
};

static int compare_numbered(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/*
 * A name without its parts "//", "/./" and "/NAME/..": what lcov's geninfo makes of it, and one
 * name for a header that files of several directories include.
 */
static char *plain_name(const char *name)
{
	char *plain = calloc(1, strlen(name) + 1), *end = plain;

	while (plain && *name) {
		const size_t slash = *name == '/';
		const size_t length = slash + strcspn(name + slash, "/");
		char *last = strrchr(plain, '/');

		if (last && length == 3 && !memcmp(name, "/..", 3) && *plain == '/') {
			end = last;
			*end = '\0';
		} else if (!slash || (length > 1 && (length > 2 || name[1] != '.'))) {
			memcpy(end, name, length);
			end += length;
			*end = '\0';
		}
		name += length;
	}
	return plain;
}

/* The number of a file, which is added if it is new; false without memory */
static bool number_of(struct coverage *coverage, const char *name, uint32_t *number)
{
	struct numbered key = {.name = plain_name(name)}, **found, *node;
	char **file;

	if (!key.name)
		return false;
	found = tfind(&key, &coverage->numbers, compare_numbered);
	if (found) {
		free((char *)(uintptr_t)key.name);
		*number = (*found)->number;
		return true;
	}
	file = items_add(&coverage->files, sizeof(*file));
	if (!file) {
		free((char *)(uintptr_t)key.name);
		return false;
	}
	*file = (char *)(uintptr_t)key.name;
	*number = (uint32_t)(coverage->files.count - 1);
	node = malloc(sizeof(*node));
	if (!node)
		return false;
	*node = (struct numbered){key.name, *number};
	if (tsearch(node, &coverage->numbers, compare_numbered))
		return true;
	free(node);
	return false;
}

/* Takes a row, and a line for it. */
static int take_row(void *ctx, const struct source_row *from)
{
	struct reader *reader = ctx;
	struct coverage_code *code = reader->code;
	const uint16_t machine = code->binary->elf->machine;
	struct coverage_line *line;
	struct coverage_row *row;

	/* a compiler has no line for code of its own */
	if (from->line.line <= 0)
		return 0;
	if (!number_of(reader->coverage, from->line.file, &reader->number))
		return -ENOMEM;
	line = items_add(&code->lines, sizeof(*line));
	row = line ? items_add(&code->rows, sizeof(*row)) : NULL;
	if (!row)
		return -ENOMEM;
	*line = (struct coverage_line){reader->number, (uint32_t)from->line.line, 0};
	*row = (struct coverage_row){hwf_image_elf_address(machine, from->start),
				     hwf_image_elf_address(machine, from->end),
				     code->lines.count - 1};
	return 0;
}

static int compare_lines(const void *a, const void *b)
{
	const struct coverage_line *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Lines once each, and the rows with their indexes; 0 or -ENOMEM */
static int number_lines(struct coverage_code *code)
{
	struct coverage_row *rows = code->rows.at;
	struct coverage_line *lines = code->lines.at, *all;
	const size_t count = code->lines.count;
	size_t used = 0;

	if (!count)
		return 0;
	all = malloc(count * sizeof(*all));
	if (!all)
		return -ENOMEM;
	memcpy(all, lines, count * sizeof(*all));
	qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count; i++)
		if (!used || compare_lines(&lines[used - 1], &lines[i]))
			lines[used++] = lines[i];
	code->lines.count = used;
	for (size_t i = 0; i < code->rows.count; i++) {
		const struct coverage_line *line =
			bsearch(&all[rows[i].line], lines, used, sizeof(*lines), compare_lines);

		rows[i].line = (size_t)(line - lines);
	}
	free(all);
	return 0;
}

static int add_lines(struct coverage *coverage, const struct coverage_code *code)
{
	const struct coverage_line *lines = code->lines.at;

	for (size_t i = 0; i < code->lines.count; i++) {
		struct coverage_line *line = items_add(&coverage->lines, sizeof(*line));

		if (!line)
			return -ENOMEM;
		*line = lines[i];
	}
	return 0;
}

int coverage_add(struct coverage *coverage, struct hwf_stored_profile *stored,
		 const struct profile_binary *binary)
{
	struct code_counts counts = {.spans = {0}};
	struct coverage_code code = {.binary = binary, .counts = &counts};
	struct reader reader = {.coverage = coverage, .code = &code};
	int error = symbols_rows(binary->symbols, binary->image, take_row, &reader);

	code.functions = symbols_functions(binary->symbols, binary->image, &code.function_count);
	error = error ? error : number_lines(&code);
	if (!error && code.rows.count)
		error = code_counts_init(&counts, stored, binary);
	error = error ? error : coverage_count_lines(&code);
	error = error ? error : add_lines(coverage, &code);
	error = error ? error : coverage_add_functions(coverage, &code);
	error = error ? error : coverage_add_branches(coverage, &code);
	code_counts_free(&counts);
	free(code.rows.at);
	free(code.lines.at);
	return error;
}

void coverage_free(struct coverage *coverage)
{
	char **files = coverage->files.at;
	struct coverage_function *functions = coverage->functions.at;

	tdestroy(coverage->numbers, free);
	for (size_t i = 0; i < coverage->files.count; i++)
		free(files[i]);
	for (size_t i = 0; i < coverage->functions.count; i++)
		free(functions[i].name);
	free(coverage->files.at);
	free(coverage->lines.at);
	free(coverage->functions.at);
	free(coverage->branches.at);
}
