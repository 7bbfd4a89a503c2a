/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of functions by line, as text of LLVM:
 *
 *   FUNCTION:TOTAL:ENTERED
 *    LINE[.DISCRIMINATOR]: COUNT [CALLEE:COUNT]...
 *    LINE[.DISCRIMINATOR]: CALLEE:TOTAL     a call that is inlined, and its lines
 *     LINE[.DISCRIMINATOR]: COUNT
 *
 * With calling contexts, an inlined call is a context as well as any other call:
 *
 *   [CALLER:LINE[.DISCRIMINATOR] @ FUNCTION]:TOTAL:ENTERED
 *    LINE[.DISCRIMINATOR]: COUNT [CALLEE:COUNT]...
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "items.h"
#include "profile_samples.h"

/*
 * LLVM has three numbers in a discriminator: the base, which tells blocks of a line apart; a
 * factor, by which the compiler has multiplied the block; and the number of a copy. From the lowest
 * bit on each has a bit 1 if it is 0; or a bit 0, five bits and a bit 0; or a bit 0, five bits, a
 * bit 1 and seven more bits.
 */
static uint32_t component(uint32_t discriminator)
{
	if (discriminator & 1)
		return 0;
	if (discriminator & 0x40)
		return (discriminator >> 1 & 0x1f) | (discriminator >> 2 & 0xfe0);
	return discriminator >> 1 & 0x1f;
}

static uint32_t after_component(uint32_t discriminator)
{
	if (discriminator & 1)
		return discriminator >> 1;
	return discriminator >> (discriminator & 0x40 ? 14 : 7);
}

static uint32_t factor_of(uint32_t discriminator)
{
	const uint32_t factor = component(after_component(discriminator));

	return factor ? factor : 1;
}

/* The length of a name without @suffix and the word after it, which has no dot */
static size_t length_without(const char *name, size_t length, const char *suffix)
{
	const size_t size = strlen(suffix);

	for (size_t i = length; i-- > 0;) {
		if (name[i] != '.')
			continue;
		/* the dot at the end of the suffix */
		if (i + 1 < size || strncmp(name + i + 1 - size, suffix, size) != 0)
			return length;
		return i + 1 - size;
	}
	return length;
}

/*
 * The bytes of a name that count: LLVM removes the suffixes of functions that it has made global,
 * or split. 0: the text cannot have this name, or its functions have nothing in common.
 */
static size_t length_of(const char *name)
{
	static const char *const left_out[] = {"__cxx_global_var_init", "__tls_init"};
	size_t length;

	if (*name == '[')
		return 0;
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (!strncmp(name, left_out[i], strlen(left_out[i])))
			return 0;
	for (length = 0; name[length]; length++)
		if ((unsigned char)name[length] <= ' ' || name[length] == ':' ||
		    name[length] == '\\' || name[length] == 0x7f)
			return 0;
	length = length_without(name, length, ".llvm.");
	return length_without(name, length, ".part.");
}

const struct samples_rules samples_llvm = {.length_of = length_of,
					   .discriminator_of = component,
					   .factor_of = factor_of,
					   .zeros = true};

const struct samples_rules samples_llvm_contexts = {.length_of = length_of,
						    .discriminator_of = component,
						    .factor_of = factor_of,
						    .contexts = true};

/* struct writer - the text as it is written; @depth: of inlined calls */
struct writer {
	struct text *out;
	unsigned int depth;
	bool failed;
};

static void put_location(struct text *out, struct sampled_place place)
{
	text_decimal(out, place.line);
	if (place.discriminator) {
		text_char(out, '.');
		text_decimal(out, place.discriminator);
	}
}

static void put_place(struct writer *writer, struct sampled_place place)
{
	text_blanks(writer->out, writer->depth);
	put_location(writer->out, place);
	text_string(writer->out, ": ");
}

static void put_named(struct writer *writer, const char *name, uint64_t count)
{
	text_name(writer->out, name);
	text_char(writer->out, ':');
	text_decimal(writer->out, count);
}

static int compare_counts(const void *a, const void *b)
{
	const struct sampled_target *x = *(const struct sampled_target *const *)a;
	const struct sampled_target *y = *(const struct sampled_target *const *)b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The targets of a line, those that are called most often first */
static void put_targets(struct writer *writer, const struct sampled_line *line)
{
	const struct samples_list targets = samples_list(line->targets, compare_counts);

	writer->failed |= !targets.nodes;
	for (size_t i = 0; targets.nodes && i < targets.count; i++) {
		const struct sampled_target *target = targets.nodes[i];

		text_char(writer->out, ' ');
		put_named(writer, target->name, target->count);
	}
	free(targets.nodes);
}

/* LLVM takes a line of a function that is not inlined to be executed as often as it calls. */
static uint64_t outer_count(const struct sampled_line *line)
{
	return line->called > line->count ? line->called : line->count;
}

static void put_line(const void *node, VISIT visit, void *ctx)
{
	const struct sampled_line *line = *(const struct sampled_line *const *)node;
	struct writer *writer = ctx;

	if (!samples_is_visited(visit))
		return;
	put_place(writer, line->place);
	text_decimal(writer->out, writer->depth == 1 ? outer_count(line) : line->count);
	put_targets(writer, line);
	text_end_line(writer->out);
}

/* NOLINTNEXTLINE(misc-no-recursion): LINE_DEPTH bounds it */
static void put_inlined(const void *node, VISIT visit, void *ctx)
{
	const struct sampled *function = *(const struct sampled *const *)node;
	struct writer *writer = ctx;

	if (!samples_is_visited(visit))
		return;
	put_place(writer, function->call);
	put_named(writer, function->name, function->total);
	text_end_line(writer->out);
	writer->depth++;
	twalk_r(function->lines, put_line, writer);
	twalk_r(function->inlined, put_inlined, writer);
	writer->depth--;
}

int samples_write_llvm(const struct samples *samples, struct text *out)
{
	const struct samples_list functions = samples_functions(samples);
	struct writer writer = {
		.out = out, .depth = 1, .failed = samples->failed || !functions.nodes};

	for (size_t i = 0; functions.nodes && i < functions.count; i++) {
		const struct sampled *function = functions.nodes[i];

		put_named(&writer, function->name, function->total);
		text_char(out, ':');
		text_decimal(out, function->entered);
		text_end_line(out);
		twalk_r(function->lines, put_line, &writer);
		twalk_r(function->inlined, put_inlined, &writer);
	}
	free(functions.nodes);
	if (writer.failed)
		return -ENOMEM;
	return functions.count ? 0 : -ENODATA;
}

/* ---- calling contexts ---- */

/**
 * struct context_list - the functions by calling contexts
 * @samples: the samples
 * @items: struct listed
 * @failed: memory ran out
 */
struct context_list {
	struct samples *samples;
	struct items items;
	bool failed;
};

/* struct listed - a function in a context; @place: in the order of the tree */
struct listed {
	const struct sampled *function;
	size_t place;
};

static void take_first(const void *node, VISIT visit, void *ctx)
{
	const struct sampled_line **first = ctx;

	if (samples_is_visited(visit) && !*first)
		*first = *(const struct sampled_line *const *)node;
}

/* How often an inlined call was entered at most: as often as its first line, as LLVM takes it. */
static uint64_t entered_inlined(const struct sampled *function)
{
	const struct sampled_line *first = NULL;

	twalk_r(function->lines, take_first, &first);
	return first && outer_count(first) ? outer_count(first) : function->total > 0;
}

/* Lists a function and all below it. An inlined call has no branch, by which its caller would have
 * a target: it has one by the lines of the call. */
/* NOLINTNEXTLINE(misc-no-recursion): the depth of samples.call and LINE_DEPTH bound it */
static void list_context(const void *node, VISIT visit, void *ctx)
{
	const struct sampled *function = *(const struct sampled *const *)node;
	struct context_list *list = ctx;
	struct listed *listed;
	uint64_t entered;

	if (!samples_is_visited(visit))
		return;
	twalk_r(function->inlined, list_context, list);
	entered = function->caller && !function->entered ? entered_inlined(function) : 0;
	if (entered)
		samples_add_inlined(list->samples, function, entered);
	if (!function->lines && !function->entered)
		return;
	listed = items_add(&list->items, sizeof(*listed));
	if (listed)
		*listed = (struct listed){function, list->items.count};
	else
		list->failed = true;
}

static int compare_listed(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	if (x->function->total != y->function->total)
		return x->function->total > y->function->total ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* NOLINTNEXTLINE(misc-no-recursion): the depth of samples.call and LINE_DEPTH bound it */
static void put_callers(struct text *out, const struct sampled *function)
{
	if (!function->caller)
		return;
	put_callers(out, function->caller);
	text_name(out, function->caller->name);
	text_char(out, ':');
	put_location(out, function->call);
	text_string(out, " @ ");
}

int samples_write_llvm_contexts(struct samples *samples, struct text *out)
{
	struct context_list list = {.samples = samples};
	struct writer writer = {.out = out, .depth = 1};
	const struct listed *listed;

	twalk_r(samples->functions, list_context, &list);
	items_sort(&list.items, sizeof(*listed), compare_listed);
	listed = list.items.at;
	for (size_t i = 0; i < list.items.count; i++) {
		text_char(out, '[');
		put_callers(out, listed[i].function);
		text_name(out, listed[i].function->name);
		text_string(out, "]:");
		text_decimal(out, listed[i].function->total);
		text_char(out, ':');
		text_decimal(out, listed[i].function->entered);
		text_end_line(out);
		twalk_r(listed[i].function->lines, put_line, &writer);
	}
	free(list.items.at);
	if (writer.failed || list.failed || samples->failed)
		return -ENOMEM;
	return list.items.count ? 0 : -ENODATA;
}
