// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often execution entered each source line of a binary, as gcov counts.
 *
 * A stretch is code from an address that a branch goes to, or that is after a branch, up to the
 * next such address: all of its instructions are executed equally often. A line is entered
 *
 *   - once for each execution of a stretch that has it after another line,
 *   - and, at the beginning of a stretch, by each branch from another line, by each call, and by
 *     execution that goes on from another line.
 *
 * A loop of one line is not entered again: the line counts as often as its instruction that was
 * executed most often, if that is more. Both numbers are of the copy of a line in one function; the
 * count of the line is the sum over its copies.
 */
#include <errno.h>

#include "code_counts.h"
#include "coverage.h"
#include "symbols/symbols.h"

/**
 * struct line - a line in the function that was visited last of those that have it
 * @function: index of the function
 * @stretch: number of the last stretch that has it
 * @entered: how often it was entered
 * @most: executions of the instruction of it that was executed most often
 * @has_code: an instruction is left of it
 * @is_visited: the members above are set
 */
struct line {
	size_t function;
	size_t stretch;
	uint64_t entered;
	uint64_t most;
	bool has_code;
	bool is_visited;
};

/**
 * struct walk - where we are in the code
 * @code: the code
 * @lines: struct line for each line
 * @starts: addresses at which stretches begin, sorted
 * @next: index of the next one in @starts
 * @stretch: number of the stretch
 * @function: index of the function
 * @before: line of the code up to @end, if that is of the same function; else SIZE_MAX
 * @end: where the last row ended
 */
struct walk {
	const struct coverage_code *code;
	struct line *lines;
	struct items starts;
	size_t next;
	size_t stretch;
	size_t function;
	size_t before;
	uint64_t end;
};

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int add_start(struct walk *walk, uint64_t address)
{
	uint64_t *start = items_add(&walk->starts, sizeof(*start));

	if (!start)
		return -ENOMEM;
	*start = address;
	return 0;
}

/* A call after which as many executions go on as it has had is in the middle of a stretch. */
static bool ends_stretch(const struct code_counts *counts, const struct code_branch *branch)
{
	return !branch->call || branch->conditional ||
	       code_counts_at(counts, branch->end) != code_counts_at(counts, branch->address);
}

static int find_starts(struct walk *walk)
{
	const struct coverage_code *code = walk->code;
	const struct code_arrival *arrivals = code->counts->arrivals.at;
	const struct code_branch *branches = code->counts->branches.at;

	for (size_t i = 0; i < code->counts->arrivals.count; i++)
		if (add_start(walk, arrivals[i].to))
			return -ENOMEM;
	for (size_t i = 0; i < code->counts->branches.count; i++)
		if (ends_stretch(code->counts, &branches[i]) && add_start(walk, branches[i].end))
			return -ENOMEM;
	for (size_t i = 0; i < code->function_count; i++)
		if (add_start(walk, code->functions[i].start))
			return -ENOMEM;
	items_sort(&walk->starts, sizeof(uint64_t), compare_addresses);
	return 0;
}

/* Is @other a part of the function that is visited? */
static bool is_inside(const struct walk *walk, size_t other)
{
	const struct function *functions = walk->code->functions;
	size_t length;

	if (other == walk->function)
		return true;
	if (other == SIZE_MAX || walk->function == SIZE_MAX)
		return false;
	/* NAME and NAME.cold */
	length = strcspn(functions[other].name, ".");
	return length == strcspn(functions[walk->function].name, ".") &&
	       !memcmp(functions[other].name, functions[walk->function].name, length) &&
	       coverage_is_part(functions[other].name) !=
		       coverage_is_part(functions[walk->function].name);
}

/* How often execution came to a line from elsewhere, at the beginning of a stretch */
static uint64_t entries(const struct walk *walk, size_t line, uint64_t address)
{
	const struct code_counts *counts = walk->code->counts;
	uint64_t entered = 0, by_branch = 0, executed;
	const struct code_arrival *arrivals;
	size_t count;

	arrivals = code_counts_arrivals(counts, address, &count);
	for (size_t i = 0; i < count; i++) {
		const struct code_arrival *arrival = &arrivals[i];
		const struct coverage_row *row =
			arrival->inside ? coverage_row_at(walk->code, arrival->from) : NULL;

		by_branch += arrival->count;
		if (!row || row->line != line || arrival->call ||
		    !is_inside(walk, coverage_function_at(walk->code, arrival->from)))
			entered += arrival->count;
	}
	executed = code_counts_at(counts, address);
	/* a branch may be the last one before a gap */
	if (walk->before != line && executed > by_branch)
		entered += executed - by_branch;
	return entered;
}

/* Adds the counts of the function that was visited last. */
static void settle(const struct walk *walk, size_t index)
{
	struct coverage_line *lines = walk->code->lines.at;
	struct line *line = &walk->lines[index];
	/* of a part it is not known what was an entry of the function */
	const bool part = line->function != SIZE_MAX &&
			  coverage_is_part(walk->code->functions[line->function].name);

	lines[index].count += line->most > line->entered && !part ? line->most : line->entered;
	*line = (struct line){.has_code = line->has_code};
}

/* The line in a function */
static struct line *visit_line(const struct walk *walk, size_t index, size_t function)
{
	struct line *line = &walk->lines[index];

	if (line->is_visited && line->function != function)
		settle(walk, index);
	line->function = function;
	line->is_visited = true;
	return line;
}

/* Visits code of a line in one stretch. */
static void visit(struct walk *walk, size_t index, uint64_t start, uint64_t end, bool begins)
{
	const uint64_t most = code_counts_most(walk->code->counts, start, end);
	struct line *line = visit_line(walk, index, walk->function);

	if (begins)
		line->entered += entries(walk, index, start);
	else if (line->stretch != walk->stretch)
		line->entered += most;
	line->stretch = walk->stretch;
	if (most > line->most)
		line->most = most;
	walk->before = index;
	walk->end = end;
}

/* Sets the stretch and the function of an address; is it the first one of a stretch? */
static bool begin(struct walk *walk, uint64_t address)
{
	const uint64_t *starts = walk->starts.at;
	const size_t function = coverage_function_at(walk->code, address);
	bool begins = address != walk->end || function != walk->function;

	if (begins)
		walk->before = SIZE_MAX;
	walk->function = function;
	while (walk->next < walk->starts.count && starts[walk->next] <= address) {
		begins |= starts[walk->next] == address;
		walk->next++;
	}
	walk->stretch += begins;
	return begins;
}

static void visit_row(struct walk *walk, const struct coverage_row *row)
{
	const uint64_t *starts = walk->starts.at;
	struct line *line;

	if (row->start == row->end) {
		if (walk->lines[row->line].has_code)
			return;
		line = visit_line(walk, row->line, coverage_function_at(walk->code, row->start));
		if (code_counts_at(walk->code->counts, row->start) > line->most)
			line->most = code_counts_at(walk->code->counts, row->start);
		return;
	}
	for (uint64_t start = row->start, end; start < row->end; start = end) {
		const bool begins = begin(walk, start);

		end = row->end;
		if (walk->next < walk->starts.count && starts[walk->next] < end)
			end = starts[walk->next];
		visit(walk, row->line, start, end, begins);
	}
}

int coverage_count_lines(struct coverage_code *code)
{
	const struct coverage_row *rows = code->rows.at;
	struct walk walk = {.code = code, .function = SIZE_MAX, .before = SIZE_MAX};
	int error = 0;

	walk.lines = calloc(code->lines.count + 1, sizeof(*walk.lines));
	if (!walk.lines || find_starts(&walk))
		error = -ENOMEM;
	for (size_t i = 0; !error && i < code->rows.count; i++)
		walk.lines[rows[i].line].has_code |= rows[i].start != rows[i].end;
	for (size_t i = 0; !error && i < code->rows.count; i++)
		visit_row(&walk, &rows[i]);
	for (size_t i = 0; !error && i < code->lines.count; i++)
		settle(&walk, i);
	free(walk.starts.at);
	free(walk.lines);
	return error;
}
