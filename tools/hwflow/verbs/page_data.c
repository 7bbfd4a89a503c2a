/* SPDX-License-Identifier: GPL-2.0-only */
/* The data of a page. */
#include "page_data.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "decode/gaps.h"
#include "hwflow/version.h"
#include "page/page_tree.h"
#include "page_calls.h"
#include "page_code.h"
#include "perfdata/perfdata_read.h"
#include "profile_binaries.h"
#include "summary.h"

/* Parts of the budget */
#define TREE_PART  2u
#define ROWS_PART  8u
#define CALLS_PART 8u
#define CODE_PART  4u

static void put_number(struct text *out, const char *name, uint64_t number)
{
	text_string(out, name);
	json_number(out, number);
}

static void put_name(struct text *out, const char *name, const char *value)
{
	text_string(out, name);
	json_name(out, value);
}

static void put_flag(struct text *out, const char *name, bool value)
{
	text_string(out, name);
	text_decimal(out, value);
}

static void put_sources(struct text *out, const struct input *input)
{
	text_string(out, ",\"sources\":[");
	for (size_t i = 0; i < input->source_count; i++) {
		const struct input_source *source = &input->sources[i];
		uint64_t bytes = 0;

		for (size_t j = 0; j < source->piece_count; j++)
			bytes += source->pieces[j].length;
		json_separate(out, i);
		put_name(out, "[", source->name);
		put_name(out, ",", input_protocol_name(input_protocol_of(source)));
		put_number(out, ",", source->piece_count);
		put_number(out, ",", bytes);
		text_char(out, ']');
	}
	text_char(out, ']');
}

static void put_recording(struct text *out, const struct perfdata_info *info)
{
	if (!info)
		return;
	put_name(out, ",\"host\":", info->hostname);
	put_name(out, ",\"kernel\":", info->osrelease);
	put_name(out, ",\"arch\":", info->arch);
	text_string(out, ",\"command\":[");
	for (size_t i = 0; i < info->argc; i++)
		put_name(out, i ? "," : "", info->argv[i]);
	text_char(out, ']');
}

static void put_threads(struct text *out, const struct page_feed *feed)
{
	const struct page_thread *threads = feed->executed.at;

	text_string(out, ",\"threads\":[");
	for (size_t i = 0; i < feed->executed.count; i++) {
		const struct page_thread *thread = &threads[i];

		json_separate(out, i);
		text_char(out, '[');
		if (thread->tid >= 0)
			text_decimal(out, (uint64_t)thread->tid);
		else
			text_string(out, "null");
		text_char(out, ',');
		if (thread->pid >= 0)
			text_decimal(out, (uint64_t)thread->pid);
		else
			text_string(out, "null");
		put_name(out, ",",
			 thread->tid < 0 ? ""
					 : threads_name(feed->threads, thread->tid, UINT64_MAX));
		put_number(out, ",", thread->instructions);
		text_char(out, ']');
	}
	text_char(out, ']');
}

static void put_input(struct text *out, const struct page_feed *feed)
{
	const struct input *input = feed->timeline->input;

	put_name(out, "\"input\":{\"path\":", input->path);
	put_number(out, ",\"instructions\":", feed->instructions);
	put_number(out, ",\"ranges\":", feed->ranges);
	put_number(out, ",\"bytes\":", input_bytes(input));
	put_flag(out, ",\"selected\":", input->selection != NULL);
	put_flag(out, ",\"samples\":", summary_has_samples(input));
	put_flag(out, ",\"damaged\":", input->damaged);
	put_flag(out, ",\"incomplete\":", input->incomplete);
	put_sources(out, input);
	put_threads(out, feed);
	put_recording(out, input_recording(input));
	text_string(out, "},\n");
}

static void put_measure(struct text *out, const struct measure *measure)
{
	const char *unit = measure->clock ? "ns" : measure->by == SPANS_TIME ? "ticks" : "";

	put_name(out, "\"measure\":{\"name\":", measure_name(measure));
	put_name(out, ",\"unit\":", unit);
	put_flag(out, ",\"time\":", measure->by == SPANS_TIME);
	text_string(out, "},\n");
	page_calls_scale(out);
	text_string(out, ",\n");
}

static void put_gaps(struct text *out, struct page_feed *feed)
{
	size_t count;
	const struct gap_kind *kinds = gaps_kinds(feed->timeline->input->gaps, &count);

	text_string(out, "\"gaps\":{\"kinds\":[");
	for (size_t i = 0; i < count; i++) {
		json_separate(out, i);
		put_name(out, "[", kinds[i].reason);
		put_name(out, ",", kinds[i].file);
		put_name(out, ",", kinds[i].remedy);
		put_number(out, ",", kinds[i].count);
		put_number(out, ",", kinds[i].bytes);
		put_name(out, ",", kinds[i].first);
		text_char(out, ']');
	}
	text_string(out, "],\n\"places\":");
	page_part_write(&feed->gaps, out);
	put_number(out, ",\"left\":", feed->gaps.left);
	text_string(out, "},\n");
}

/* A member whose value is a list, and the number of values that are left out */
static void put_part(struct text *out, const char *name, struct page_part *part)
{
	text_format(out, "\"%s\":", name);
	page_part_write(part, out);
	text_format(out, ",\n\"%s_left\":%" PRIu64 ",\n", name, part->left);
	page_part_free(part);
}

/* The functions and the tree of calls, with the names that the binaries of this machine have */
static int put_contexts(struct text *out, struct page_feed *feed, uint64_t budget)
{
	static struct page_part rows, nodes;
	struct profile_binaries found = {0};
	struct frame_tree tree = {.total = 0};
	int status = profile_binaries_find(&found, feed->stored, PROFILE_BINARIES, NULL,
					   feed->timeline->options);

	page_part_init(&rows, budget / ROWS_PART);
	page_part_init(&nodes, budget / TREE_PART);
	if (!status || status == EXIT_GAPS) {
		const struct profile_content content = {
			.stored = feed->stored, .binaries = found.items, .count = found.count};
		int error = frame_tree_make(&tree, &content, FRAMES_BINARIES);

		if (!error)
			error = page_tree_rows(&rows, &tree, feed->functions);
		if (!error)
			error = page_tree_nodes(&nodes, &tree, feed->functions);
		if (error)
			status = verb_error("out of memory");
	}
	put_number(out, "\"total\":", tree.total);
	text_string(out, ",\n");
	put_part(out, "rows", &rows);
	put_part(out, "tree", &nodes);
	frame_tree_free(&tree);
	profile_binaries_free(&found);
	return status;
}

static int put_calls(struct text *out, struct page_feed *feed, uint64_t budget)
{
	static struct page_part part;
	int error;

	page_part_init(&part, budget);
	error = page_calls(&part, feed);
	put_part(out, "calls", &part);
	return error ? verb_error("out of memory") : EXIT_GOOD;
}

static int put_code(struct text *out, struct page_feed *feed, uint64_t budget)
{
	static struct page_part part;
	const struct annotation code = {
		.counts = feed->insns,
		.symbols = feed->symbols,
		.source = source_text_new(feed->timeline->options->given_symfs),
		.disassembler = disassembler_new(),
	};
	int error = -1;

	page_part_init(&part, budget);
	part.skips = true;
	if (code.source)
		error = page_code(&part, &code, feed->functions);
	put_flag(out, "\"disassembled\":", code.disassembler != NULL);
	text_string(out, ",\n");
	put_part(out, "code", &part);
	source_text_free(code.source);
	disassembler_free(code.disassembler);
	return error ? verb_error("out of memory") : EXIT_GOOD;
}

int page_data(struct text *out, struct page_feed *feed, uint64_t budget)
{
	int status, gaps;

	text_string(out, "{\"version\":1,\n\"tool\":\"hwflow " HWF_VERSION "\",\n");
	put_input(out, feed);
	put_measure(out, &feed->timeline->measure);
	put_gaps(out, feed);
	gaps = put_contexts(out, feed, budget);
	if (gaps && gaps != EXIT_GAPS)
		return gaps;
	status = put_calls(out, feed, budget / CALLS_PART);
	if (!status)
		status = put_code(out, feed, budget / CODE_PART);
	text_string(out, "\"functions\":");
	page_functions_write(feed->functions, out);
	text_string(out, ",\n\"timeline\":{");
	return status ? status : gaps;
}

void page_data_end(struct text *out, const struct page_feed *feed)
{
	const struct timeline *timeline = feed->timeline->timeline;

	text_string(out, ",\n\"ids\":[");
	for (size_t i = 0; i < feed->id_count; i++) {
		if (i)
			text_char(out, ',');
		if (feed->ids[i] == PAGE_NO_FUNCTION)
			text_string(out, "-1");
		else
			text_decimal(out, feed->ids[i]);
	}
	put_number(out, "],\n\"untimed\":", timeline->untimed);
	put_flag(out, ",\"others\":", feed->timeline->has_others);
	text_string(out, "}}");
}
