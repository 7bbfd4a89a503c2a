// SPDX-License-Identifier: GPL-2.0-only
/* The calling contexts of a recording or a profile as a table of functions, or as a tree. */
#include "report_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/print.h"
#include "decode/gaps.h"
#include "profile/frame_rows.h"
#include "profile_binaries.h"
#include "profile_decode.h"
#include "shorten.h"
#include "summary.h"

/* Columns before the name in a row */
#define COUNTS_WIDTH 51u

/* Functions are indented up to this level of a tree; those further in say their level. */
#define MOST_INDENTED 24u

static double share_of(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0.0;
}

static bool is_printed(const struct report_calls *report, const struct frame *frame)
{
	return row_filter_matches(report->filter, frame->name, frame->file ? frame->file : "");
}

/* How many of the sorted rows are printed */
static size_t choose(const struct report_calls *report, const struct frame_row *rows, size_t count,
		     uint64_t all)
{
	size_t chosen = report->limit && report->limit < count ? report->limit : count;

	while (chosen && share_of(rows[chosen - 1].total, all) < report->least)
		chosen--;
	return chosen;
}

static void print_titles(const struct report_calls *report, const struct measure *measure)
{
	const char *title = measure_column(measure);

	if (report->view == REPORT_CALLEE)
		print(stdout, "%7s %14s %14s %12s  %s\n", "share", title, "", "calls",
		      "function, and its callers");
	else
		print(stdout, "%7s %14s %14s %12s  %s\n", "share", "with callees", title, "calls",
		      report->view == REPORT_CALLER ? "function, and its callees" : "function");
}

static void print_row(const struct report_calls *report, const struct frame_row *row,
		      const struct frame *frame, uint32_t level, uint64_t all)
{
	const size_t indented = level < MOST_INDENTED ? level : MOST_INDENTED;
	size_t columns = 0;
	char self[24] = "";

	if (report->view != REPORT_CALLEE)
		snprintf(self, sizeof(self), "%" PRIu64, row->self);
	summary_print_share(share_of(row->total, all), stdout);
	print(stdout, " %14" PRIu64 " %14s ", row->total, self);
	if (row->calls)
		print(stdout, "%12" PRIu64, row->calls);
	else
		print(stdout, "%12s", "");
	print(stdout, "  %*s", (int)(2 * indented), "");
	if (level > MOST_INDENTED)
		print(stdout, "[%" PRIu32 "] ", level);
	if (report->width)
		columns = report->width < COUNTS_WIDTH + 2 * indented + SHORTEN_LEAST
				  ? SHORTEN_LEAST
				  : report->width - COUNTS_WIDTH - 2 * indented;
	shorten_print_function(frame->name, frame->file ? frame->file : "", columns, stdout);
}

static void print_rest(const struct report_calls *report, const struct frame_row *rows,
		       size_t chosen, size_t count)
{
	size_t left = 0;

	for (size_t i = chosen; i < count; i++)
		left += rows[i].total != 0;
	if (left)
		print(stdout, "%7s %14s in %zu more: --limit=0%s shows all\n", "", "", left,
		      report->least > 0 ? " --percent-limit=0" : "");
}

static int print_functions(const struct report_calls *report, struct frame_tree *tree,
			   const struct frame_row *nodes)
{
	struct frame_row *rows = frame_rows_of_functions(tree, nodes);
	const size_t count = tree->frames.count;
	size_t chosen;

	if (!rows)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (!is_printed(report, (const struct frame *)tree->frames.at + i))
			rows[i].total = 0;
	frame_rows_sort_functions(tree, rows);
	chosen = choose(report, rows, count, tree->total);
	for (size_t i = 0; i < chosen && rows[i].total; i++)
		print_row(report, &rows[i], (const struct frame *)tree->frames.at + rows[i].number,
			  0, tree->total);
	print_rest(report, rows, chosen, count);
	free(rows);
	return 0;
}

/* Only the chosen nodes stay in the tree, those of a caller in the order of the rows. */
static void link_chosen(struct frame_tree *tree, const struct frame_row *rows, size_t chosen)
{
	struct frame_node *nodes = tree->nodes.at;

	for (size_t i = 0; i < tree->nodes.count; i++)
		nodes[i].first = nodes[i].last = nodes[i].next = 0;
	for (size_t i = 0; i < chosen; i++) {
		const uint32_t number = rows[i].number;
		struct frame_node *parent = &nodes[nodes[number].parent];

		if (parent->last)
			nodes[parent->last].next = number;
		else
			parent->first = number;
		parent->last = number;
	}
}

/* Removes the rows of nodes that the filter leaves out; how many are left. A function that is
 * called has a greater number than its caller, so that one pass marks callers, or what is below
 * them. */
static size_t filter_nodes(const struct report_calls *report, const struct frame_tree *tree,
			   struct frame_row *rows, bool *marks)
{
	const struct frame_node *nodes = tree->nodes.at;
	size_t count = 0;

	for (size_t i = 1; i < tree->nodes.count; i++)
		marks[i] = report->view == REPORT_CALLEE && nodes[i].parent
				   ? marks[nodes[i].parent]
				   : is_printed(report, frame_tree_frame(tree, &nodes[i]));
	for (size_t i = tree->nodes.count - 1; i > 0; i--)
		marks[nodes[i].parent] |= marks[i];
	for (size_t i = 1; i < tree->nodes.count; i++)
		if (marks[rows[i - 1].number])
			rows[count++] = rows[i - 1];
	return count;
}

static int print_tree(const struct report_calls *report, struct frame_tree *tree,
		      const struct frame_row *nodes)
{
	size_t count = tree->nodes.count - 1;
	struct frame_row *rows = malloc((count + 1) * sizeof(*rows));
	bool *marks = calloc(count + 1, sizeof(*marks));
	const struct frame_node *node = NULL;
	size_t chosen;

	if (!rows || !marks) {
		free(rows);
		free(marks);
		return -1;
	}
	/* without the root */
	memcpy(rows, nodes + 1, count * sizeof(*rows));
	count = filter_nodes(report, tree, rows, marks);
	free(marks);
	frame_rows_sort_nodes(tree, rows, count);
	chosen = choose(report, rows, count, tree->total);
	link_chosen(tree, rows, chosen);
	while ((node = frame_tree_next(tree, node)))
		print_row(report, &nodes[node - (const struct frame_node *)tree->nodes.at],
			  frame_tree_frame(tree, node), node->depth - 1, tree->total);
	print_rest(report, rows, chosen, count);
	free(rows);
	return 0;
}

static bool is_any_printed(const struct report_calls *report, const struct frame_tree *tree)
{
	const struct frame *frames = tree->frames.at;

	for (size_t i = 0; i < tree->frames.count; i++)
		if (is_printed(report, &frames[i]))
			return true;
	return false;
}

static int print_calls(const struct report_calls *report, const struct measure *measure,
		       struct frame_tree *tree)
{
	struct frame_row *nodes;
	int error;

	if (report->view == REPORT_CALLEE && frame_tree_invert(tree))
		return -1;
	nodes = frame_rows_of_nodes(tree);
	if (!nodes)
		return -1;
	if (report->view != REPORT_CALLEE)
		frame_rows_add_callees(tree, nodes);
	print_titles(report, measure);
	error = report->view == REPORT_INCLUSIVE ? print_functions(report, tree, nodes)
						 : print_tree(report, tree, nodes);
	free(nodes);
	return error;
}

/* Prints what was counted; an exit status */
static int print_counts(const struct report_calls *report, const struct profile_decode *decode,
			const struct input *input, const struct input_options *options)
{
	struct profile_binaries found = {0};
	struct frame_tree tree = {.total = 0};
	int status = profile_binaries_find(&found, decode->stored, PROFILE_BINARIES, NULL, options);

	if (!status || status == EXIT_GAPS) {
		const struct profile_content content = {decode->stored, found.items, found.count,
							measure_words[decode->measure.by]};
		bool failed = frame_tree_make(&tree, &content, FRAMES_BINARIES);

		if (!failed) {
			summary_print_input(input,
					    input->stored ? tree.total : decode->instructions,
					    decode->ranges, stdout);
			fputc('\n', stdout);
			failed = print_calls(report, &decode->measure, &tree);
			fputc('\n', stdout);
		}
		if (failed)
			status = verb_error("out of memory");
		else if (row_filter_is_set(report->filter) && !is_any_printed(report, &tree))
			status = row_filter_no_match(input->path);
	}
	frame_tree_free(&tree);
	profile_binaries_free(&found);
	return status;
}

int report_calls_run(const struct report_calls *report, struct input *input,
		     const struct input_options *options)
{
	struct profile_decode decode = {
		.verb = "report", .stored = input->stored, .no_blocks = true};
	int status, printed;
	size_t gaps;

	if (input->stored && report->measure != SPANS_INSTRUCTIONS) {
		input_error(input->path, UINT64_MAX,
			    "a profile counts instructions: --measure=time and --measure=cycles "
			    "are for recordings");
		return EXIT_USAGE;
	}
	status = measure_choose(&decode.measure, report->measure, input);
	if (status)
		return status;
	if (input->stored && !hwf_stored_profile_has_contexts(input->stored)) {
		input_error(input->path, UINT64_MAX,
			    "the profile has no calling contexts; make it with 'hwflow profile "
			    "--call-graph' from its recordings");
		return EXIT_UNREADABLE;
	}
	gaps_kinds(input->gaps, &gaps);
	status = gaps ? EXIT_GAPS : EXIT_GOOD;
	if (!input->stored) {
		decode.stored = hwf_stored_profile_new();
		if (!decode.stored)
			return verb_error("out of memory");
		hwf_stored_profile_keep_contexts(decode.stored);
		status = profile_decode(&decode, input, options);
		if (status == EXIT_USAGE) {
			hwf_stored_profile_free(decode.stored);
			return status;
		}
	}
	printed = print_counts(report, &decode, input, options);
	summary_print_gaps(input, stdout);
	gaps_print(input->gaps);
	if (!input->stored)
		hwf_stored_profile_free(decode.stored);
	return printed > status ? printed : status;
}
