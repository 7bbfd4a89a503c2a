// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracefile of lcov, which genhtml makes pages of. A section for each source file:
 *
 *   SF:FILE
 *   FN:LINE,NAME, FNDA:COUNT,NAME            a function; FNF, FNH: how many, and how many were
 * called BRDA:LINE,BLOCK,OUTCOME,COUNT            a conditional branch; BRF, BRH DA:LINE,COUNT a
 * line; LF, LH end_of_record
 *
 * BLOCK numbers the branches of a line. OUTCOME is 0 for taken and 1 for not taken; COUNT of a
 * branch that was not executed is "-".
 */
#include <errno.h>

#include "base/error.h"
#include "base/text.h"
#include "coverage.h"

/**
 * struct section - where the items of the next file begin: all are sorted by file
 * @coverage: the items
 * @out: the tracefile
 * @lines: index in @coverage->lines
 * @functions: likewise
 * @branches: likewise
 */
struct section {
	const struct coverage *coverage;
	struct text *out;
	size_t lines;
	size_t functions;
	size_t branches;
};

static int compare_places(uint32_t file, uint32_t line, uint32_t other_file, uint32_t other_line)
{
	if (file != other_file)
		return file < other_file ? -1 : 1;
	return (line > other_line) - (line < other_line);
}

static int compare_lines(const void *a, const void *b)
{
	const struct coverage_line *x = a, *y = b;

	return compare_places(x->file, x->number, y->file, y->number);
}

static int compare_functions(const void *a, const void *b)
{
	const struct coverage_function *x = a, *y = b;
	const int by_place = compare_places(x->file, x->line, y->file, y->line);

	return by_place ? by_place : strcmp(x->name, y->name);
}

static int compare_branches(const void *a, const void *b)
{
	const struct coverage_branch *x = a, *y = b;
	const int by_place = compare_places(x->file, x->line, y->file, y->line);

	return by_place ? by_place : (x->order > y->order) - (x->order < y->order);
}

static void put_number(struct text *out, char before, uint64_t number)
{
	text_char(out, before);
	text_decimal(out, number);
}

/* Copies of a function, and a function that is in several binaries, are one function. */
static void put_functions(struct section *section, uint32_t file)
{
	const struct coverage_function *functions = section->coverage->functions.at;
	const size_t count = section->coverage->functions.count;
	struct text *out = section->out;
	size_t found = 0, hit = 0, at = section->functions;

	while (at < count && functions[at].file == file) {
		const struct coverage_function *function = &functions[at];
		uint64_t calls = 0;

		for (; at < count && !compare_functions(function, &functions[at]); at++)
			calls += functions[at].count;
		text_named_decimal(out, "FN:", function->line);
		text_named_name(out, ",", function->name);
		text_end_line(out);
		text_named_decimal(out, "FNDA:", calls);
		text_named_name(out, ",", function->name);
		text_end_line(out);
		found++;
		hit += calls != 0;
	}
	section->functions = at;
	text_named_decimal(out, "FNF:", found);
	text_end_line(out);
	text_named_decimal(out, "FNH:", hit);
	text_end_line(out);
}

/* One outcome of a branch */
static void put_outcome(struct text *out, const struct coverage_branch *branch, size_t block,
			uint64_t outcome, uint64_t count)
{
	text_named_decimal(out, "BRDA:", branch->line);
	put_number(out, ',', block);
	put_number(out, ',', outcome);
	if (branch->taken || branch->not_taken)
		put_number(out, ',', count);
	else
		text_string(out, ",-");
	text_end_line(out);
}

static void put_branches(struct section *section, uint32_t file)
{
	const struct coverage_branch *branches = section->coverage->branches.at;
	const size_t count = section->coverage->branches.count;
	struct text *out = section->out;
	size_t found = 0, hit = 0, at = section->branches, block = 0;

	for (; at < count && branches[at].file == file; at++) {
		const struct coverage_branch *branch = &branches[at];

		block = found && branch[-1].line == branch->line ? block + 1 : 0;
		put_outcome(out, branch, block, 0, branch->taken);
		put_outcome(out, branch, block, 1, branch->not_taken);
		found += 2;
		hit += (branch->taken != 0) + (size_t)(branch->not_taken != 0);
	}
	section->branches = at;
	text_named_decimal(out, "BRF:", found);
	text_end_line(out);
	text_named_decimal(out, "BRH:", hit);
	text_end_line(out);
}

static void put_lines(struct section *section, uint32_t file)
{
	const struct coverage_line *lines = section->coverage->lines.at;
	const size_t count = section->coverage->lines.count;
	struct text *out = section->out;
	size_t found = 0, hit = 0, at = section->lines;

	while (at < count && lines[at].file == file) {
		const struct coverage_line *line = &lines[at];
		uint64_t entered = 0;

		for (; at < count && !compare_lines(line, &lines[at]); at++)
			entered += lines[at].count;
		text_named_decimal(out, "DA:", line->number);
		put_number(out, ',', entered);
		text_end_line(out);
		found++;
		hit += entered != 0;
	}
	section->lines = at;
	text_named_decimal(out, "LF:", found);
	text_end_line(out);
	text_named_decimal(out, "LH:", hit);
	text_end_line(out);
}

static void put_coverage(struct coverage *coverage, struct text *out)
{
	char *const *files = coverage->files.at;
	struct section section = {.coverage = coverage, .out = out};

	items_sort(&coverage->lines, sizeof(struct coverage_line), compare_lines);
	items_sort(&coverage->functions, sizeof(struct coverage_function), compare_functions);
	items_sort(&coverage->branches, sizeof(struct coverage_branch), compare_branches);
	text_string(out, "TN:");
	text_end_line(out);
	for (uint32_t i = 0; i < coverage->files.count; i++) {
		text_named_name(out, "SF:", files[i]);
		text_end_line(out);
		put_functions(&section, i);
		put_branches(&section, i);
		put_lines(&section, i);
		text_string(out, "end_of_record");
		text_end_line(out);
	}
}

int profile_lcov(const struct profile_content *content, struct text *out)
{
	struct coverage coverage = {.files = {0}};
	int error = 0;

	for (size_t i = 0; !error && i < content->count; i++)
		if (content->binaries[i].elf)
			error = coverage_add(&coverage, content->stored, &content->binaries[i]);
	if (!error && !coverage.lines.count) {
		verb_error("no source lines: programs need debug information (compile with -g); "
			   "--debug-dir=DIR finds separate debug files");
		error = -ENODATA;
	}
	if (!error)
		put_coverage(&coverage, out);
	coverage_free(&coverage);
	return error;
}
