/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of functions by line, as the file of AutoFDO that GCC reads: 32-bit words and strings,
 * little-endian; a count is two words.
 *
 *   magic, version, 0
 *   section: names      count; of each its bytes with the last zero, and these
 *   section: functions  count; of each how often it was entered; in version 3 its number in
 *                       the order in which they began to run; and FUNCTION
 *   section: modules    0
 *
 *   FUNCTION            number of its name, count of lines, count of inlined calls; and
 *     line              PLACE, count of targets, how often
 *       target          7, number of its name, how often
 *     inlined call      PLACE, FUNCTION
 *
 * A section begins with its tag and the bytes after that word. PLACE has the line in its upper half
 * and the discriminator in its lower half. The name 0 is that of no function.
 *
 * Version 3 has a summary of the counts of lines before the names, which gives GCC the least count
 * that is hot. It has names of files: a list before the names, and for each name the number of its
 * file. With an empty list GCC compares the names of functions alone.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "items.h"
#include "profile_samples.h"

#define MAGIC         0x67636461u /* "gcda" */
#define TAG_SUMMARY   0xa8000000u
#define TAG_NAMES     0xaa000000u
#define TAG_FUNCTIONS 0xac000000u
#define TAG_MODULES   0xae000000u
#define TARGET        7u

/* GCC compares names up to the first dot: what follows is the number of a clone or of a part. */
static size_t length_of(const char *name)
{
	return strcspn(name, ".");
}

static uint32_t discriminator_of(uint32_t discriminator)
{
	return discriminator & 0xffff;
}

static uint32_t factor_of(uint32_t discriminator)
{
	(void)discriminator;
	return 1;
}

/* GCC 16 has clones of the same names, and compares other names with their dots. */
static size_t length_without_clones(const char *name)
{
	static const char *const suffixes[] = {".isra", ".constprop", ".part", ".cold",
					       ".lto_priv"};
	size_t length = strlen(name), stem, size;
	bool found;

	do {
		found = false;
		for (stem = length; stem && isdigit((unsigned char)name[stem - 1]);)
			stem--;
		stem = stem && stem < length && name[stem - 1] == '.' ? stem - 1 : length;
		for (size_t i = 0; !found && i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
			size = strlen(suffixes[i]);
			found = stem > size && !strncmp(name + stem - size, suffixes[i], size);
			if (found)
				length = stem - size;
		}
	} while (found);
	return length;
}

const struct samples_rules samples_gcc = {.length_of = length_of,
					  .discriminator_of = discriminator_of,
					  .factor_of = factor_of,
					  .clones = true,
					  .indirect = true,
					  .zeros = true};

/* GCC 16 estimates the count of a block that has the count 0. */
const struct samples_rules samples_gcc16 = {.length_of = length_without_clones,
					    .discriminator_of = discriminator_of,
					    .factor_of = factor_of,
					    .clones = true,
					    .indirect = true,
					    .order = true};

/**
 * struct writer - the file as it is made
 * @version: of the file
 * @names: const char *: sorted, each once
 * @words: uint32_t: the section of functions
 * @counts: uint64_t: of all lines
 * @failed: memory ran out
 */
struct writer {
	unsigned int version;
	struct items names;
	struct items words;
	struct items counts;
	bool failed;
};

static void add_name(struct writer *writer, const char *name)
{
	const char **added = items_add(&writer->names, sizeof(*added));

	if (added)
		*added = name;
	else
		writer->failed = true;
}

static void add_target_name(const void *node, VISIT visit, void *ctx)
{
	if (samples_is_visited(visit))
		add_name(ctx, (*(const struct sampled_target *const *)node)->name);
}

static void add_line_names(const void *node, VISIT visit, void *ctx)
{
	if (samples_is_visited(visit))
		twalk_r((*(const struct sampled_line *const *)node)->targets, add_target_name, ctx);
}

/* NOLINTNEXTLINE(misc-no-recursion): LINE_DEPTH bounds it */
static void add_names(const void *node, VISIT visit, void *ctx)
{
	const struct sampled *function = *(const struct sampled *const *)node;

	if (!samples_is_visited(visit))
		return;
	add_name(ctx, function->name);
	twalk_r(function->lines, add_line_names, ctx);
	twalk_r(function->inlined, add_names, ctx);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_names(struct writer *writer)
{
	const char **names = writer->names.at;
	size_t kept = 0;

	items_sort(&writer->names, sizeof(*names), compare_names);
	for (size_t i = 0; i < writer->names.count; i++)
		if (!kept || strcmp(names[kept - 1], names[i]) != 0)
			names[kept++] = names[i];
	writer->names.count = kept;
}

static uint32_t number_of(const struct writer *writer, const char *name)
{
	const char *const *names = writer->names.at;
	const char *const *found =
		bsearch(&name, names, writer->names.count, sizeof(*names), compare_names);

	return found ? (uint32_t)(found - names) + 1 : 0;
}

static void add_word(struct writer *writer, size_t value)
{
	uint32_t *word = items_add(&writer->words, sizeof(*word));

	if (word)
		*word = (uint32_t)value;
	else
		writer->failed = true;
}

/* Counts of GCC are signed. */
static void add_count(struct writer *writer, uint64_t count)
{
	if (count > INT64_MAX)
		count = INT64_MAX;
	add_word(writer, (uint32_t)count);
	add_word(writer, count >> 32);
}

static void add_place(struct writer *writer, struct sampled_place place)
{
	add_word(writer, place.line << 16 | place.discriminator);
}

static void count_node(const void *node, VISIT visit, void *ctx)
{
	(void)node;
	*(size_t *)ctx += samples_is_visited(visit);
}

static void add_size(struct writer *writer, const void *tree)
{
	size_t count = 0;

	twalk_r(tree, count_node, &count);
	add_word(writer, count);
}

static void add_target(const void *node, VISIT visit, void *ctx)
{
	const struct sampled_target *target = *(const struct sampled_target *const *)node;
	struct writer *writer = ctx;

	if (!samples_is_visited(visit))
		return;
	add_word(writer, TARGET);
	add_count(writer, number_of(writer, target->name));
	add_count(writer, target->count);
}

static void keep_count(struct writer *writer, uint64_t count)
{
	uint64_t *kept = items_add(&writer->counts, sizeof(*kept));

	if (kept)
		*kept = count;
	else
		writer->failed = true;
}

static void add_line(const void *node, VISIT visit, void *ctx)
{
	const struct sampled_line *line = *(const struct sampled_line *const *)node;
	struct writer *writer = ctx;

	if (!samples_is_visited(visit))
		return;
	add_place(writer, line->place);
	add_size(writer, line->targets);
	add_count(writer, line->count);
	keep_count(writer, line->count);
	twalk_r(line->targets, add_target, writer);
}

static void add_inlined(const void *node, VISIT visit, void *ctx);

/* NOLINTNEXTLINE(misc-no-recursion): LINE_DEPTH bounds it */
static void add_function(struct writer *writer, const struct sampled *function)
{
	add_word(writer, number_of(writer, function->name));
	add_size(writer, function->lines);
	add_size(writer, function->inlined);
	twalk_r(function->lines, add_line, writer);
	twalk_r(function->inlined, add_inlined, writer);
}

/* NOLINTNEXTLINE(misc-no-recursion): LINE_DEPTH bounds it */
static void add_inlined(const void *node, VISIT visit, void *ctx)
{
	const struct sampled *function = *(const struct sampled *const *)node;

	if (!samples_is_visited(visit))
		return;
	add_place(ctx, function->call);
	add_function(ctx, function);
}

/* A part is called once for each call of its function, whose beginning is inlined in the caller. */
static uint64_t entered(const struct sampled *function)
{
	return function->entered > function->part_entered ? function->entered
							  : function->part_entered;
}

static void put_word(struct text *out, size_t word)
{
	for (unsigned int i = 0; i < 32; i += 8)
		text_char(out, (char)(word >> i & 0xff));
}

static void put_section(struct text *out, size_t tag, size_t bytes)
{
	put_word(out, tag);
	put_word(out, bytes);
}

static void put_name(struct text *out, const char *name)
{
	const size_t size = strlen(name) + 1;

	put_word(out, size);
	text_bytes(out, name, size);
}

/* The name of a function, of no file */
static void put_function_name(const struct writer *writer, struct text *out, const char *name)
{
	put_name(out, name);
	if (writer->version >= 3)
		put_word(out, UINT32_MAX);
}

static void put_names(const struct writer *writer, struct text *out)
{
	const char *const *names = writer->names.at;
	const size_t count = writer->names.count;
	const size_t words = writer->version >= 3 ? 2 : 1;
	size_t bytes = 4 * words + 4 * words + 1;

	for (size_t i = 0; i < count; i++)
		bytes += 4 * words + strlen(names[i]) + 1;
	put_section(out, TAG_NAMES, bytes);
	if (writer->version >= 3)
		put_word(out, 0);
	put_word(out, count + 1);
	put_function_name(writer, out, "");
	for (size_t i = 0; i < count; i++)
		put_function_name(writer, out, names[i]);
}

static void put_count(struct text *out, uint64_t count)
{
	if (count > INT64_MAX)
		count = INT64_MAX;
	put_word(out, count & UINT32_MAX);
	put_word(out, count >> 32);
}

static int compare_counts(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* How many of the largest counts make up so many millionths of all, and the least of these */
static void put_cutoff(const struct writer *writer, struct text *out, uint32_t cutoff,
		       unsigned __int128 total)
{
	const uint64_t *counts = writer->counts.at;
	unsigned __int128 sum = 0;
	size_t i;

	for (i = 0; i < writer->counts.count && sum < total * cutoff / 1000000; i++)
		sum += counts[i];
	put_word(out, cutoff);
	put_count(out, i ? counts[i - 1] : 0);
	put_count(out, i);
}

/* Lines and functions of all; @most: how often the function is entered that is entered most */
static void put_summary(const struct writer *writer, struct text *out, size_t functions,
			uint64_t most)
{
	static const uint32_t cutoffs[] = {10000,  100000, 200000, 300000, 400000, 500000,
					   600000, 700000, 800000, 900000, 950000, 990000,
					   999000, 999900, 999990, 999999};
	const uint64_t *counts = writer->counts.at;
	unsigned __int128 total = 0;

	for (size_t i = 0; i < writer->counts.count; i++)
		total += counts[i];
	put_word(out, TAG_SUMMARY);
	put_count(out, total < INT64_MAX ? (uint64_t)total : INT64_MAX);
	put_count(out, writer->counts.count ? counts[0] : 0);
	put_count(out, most);
	put_count(out, writer->counts.count);
	put_count(out, functions);
	put_count(out, sizeof(cutoffs) / sizeof(cutoffs[0]));
	for (size_t i = 0; i < sizeof(cutoffs) / sizeof(cutoffs[0]); i++)
		put_cutoff(writer, out, cutoffs[i], total);
}

/* By the mean rank of the block that was executed first; functions without one come last */
static int compare_ranks(const void *a, const void *b)
{
	const struct sampled *x = *(const struct sampled *const *)a;
	const struct sampled *y = *(const struct sampled *const *)b;
	const unsigned __int128 p = (unsigned __int128)x->ranks * y->recordings;
	const unsigned __int128 q = (unsigned __int128)y->ranks * x->recordings;

	if (!x->recordings != !y->recordings)
		return x->recordings ? -1 : 1;
	if (p != q)
		return p < q ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The number of a function in their order, from 1 on; 0: it is not known */
static uint64_t turn_of(const struct samples_list *order, const struct sampled *function)
{
	const void **found = function->recordings ? bsearch(&function, order->nodes, order->count,
							    sizeof(*order->nodes), compare_ranks)
						  : NULL;

	return found ? (uint64_t)(found - order->nodes) + 1 : 0;
}

/* Adds the section of functions; returns how often that one is entered that is entered most. */
static uint64_t add_functions(struct writer *writer, const struct samples *samples,
			      const struct samples_list *functions)
{
	const struct samples_list order = samples_list(samples->functions, compare_ranks);
	uint64_t most = 0;

	writer->failed |= !order.nodes;
	add_word(writer, functions->count);
	for (size_t i = 0; functions->nodes && i < functions->count; i++) {
		const struct sampled *function = functions->nodes[i];

		most = entered(function) > most ? entered(function) : most;
		add_count(writer, entered(function));
		if (writer->version >= 3 && order.nodes)
			add_count(writer, turn_of(&order, function));
		add_function(writer, function);
	}
	free(order.nodes);
	return most;
}

static int write_version(const struct samples *samples, unsigned int version, struct text *out)
{
	const struct samples_list functions = samples_functions(samples);
	struct writer writer = {.version = version, .failed = samples->failed || !functions.nodes};
	const uint32_t *words;
	uint64_t most;

	twalk_r(samples->functions, add_names, &writer);
	sort_names(&writer);
	most = add_functions(&writer, samples, &functions);
	items_sort(&writer.counts, sizeof(uint64_t), compare_counts);
	put_word(out, MAGIC);
	put_word(out, version);
	put_word(out, 0);
	if (version >= 3)
		put_summary(&writer, out, functions.count, most);
	put_names(&writer, out);
	put_section(out, TAG_FUNCTIONS, 4 * writer.words.count);
	words = writer.words.at;
	for (size_t i = 0; i < writer.words.count; i++)
		put_word(out, words[i]);
	put_section(out, TAG_MODULES, 4);
	put_word(out, 0);
	free(functions.nodes);
	free(writer.names.at);
	free(writer.words.at);
	free(writer.counts.at);
	if (writer.failed)
		return -ENOMEM;
	return functions.count ? 0 : -ENODATA;
}

int samples_write_gcc(const struct samples *samples, struct text *out)
{
	return write_version(samples, 2, out);
}

int samples_write_gcc16(const struct samples *samples, struct text *out)
{
	return write_version(samples, 3, out);
}
