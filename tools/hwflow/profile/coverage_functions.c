// SPDX-License-Identifier: GPL-2.0-only
/* Functions with source lines, and how often each was called. */
#include <errno.h>

#include "code_counts.h"
#include "coverage.h"
#include "symbols/symbols.h"

/* What compilers add to the name of a function: to that of a part of it, and to that of a copy */
static const char *const parts[] = {".cold", ".part."};
static const char *const copies[] = {".constprop.", ".isra.", ".llvm.", ".lto_priv."};

bool coverage_is_part(const char *name)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

/* The name without what a compiler has added; NULL without memory */
static char *source_name(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
		const char *found = strstr(name, copies[i]);

		if (found && found > name && (size_t)(found - name) < length)
			length = (size_t)(found - name);
	}
	return strndup(name, length);
}

/* The first row of a function: that of its declaration, which may have no code; or NULL */
static const struct coverage_row *first_row(const struct coverage_code *code, uint64_t start)
{
	const struct coverage_row *rows = code->rows.at;
	size_t low = 0, high = code->rows.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (rows[middle].start < start)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < code->rows.count && rows[low].start == start)
		return &rows[low];
	/* in the line of the function before it */
	return coverage_row_at(code, start);
}

/* How often a function was called: its first instruction was executed, and no loop went there. */
static uint64_t calls(const struct coverage_code *code, const struct function *function)
{
	const struct code_arrival *arrivals;
	uint64_t executed = code_counts_at(code->counts, function->start), loops = 0;
	size_t count;

	arrivals = code_counts_arrivals(code->counts, function->start, &count);
	for (size_t i = 0; i < count; i++)
		if (arrivals[i].inside && !arrivals[i].call &&
		    arrivals[i].from - function->start < function->end - function->start)
			loops += arrivals[i].count;
	return executed > loops ? executed - loops : 0;
}

int coverage_add_functions(struct coverage *coverage, const struct coverage_code *code)
{
	const struct coverage_line *lines = code->lines.at;

	for (size_t i = 0; i < code->function_count; i++) {
		const struct function *function = &code->functions[i];
		const struct coverage_row *row = first_row(code, function->start);
		struct coverage_function *added;

		if (!row || coverage_is_part(function->name))
			continue;
		added = items_add(&coverage->functions, sizeof(*added));
		if (!added)
			return -ENOMEM;
		*added = (struct coverage_function){lines[row->line].file, lines[row->line].number,
						    source_name(function->name),
						    calls(code, function)};
		if (!added->name)
			return -ENOMEM;
	}
	return 0;
}
