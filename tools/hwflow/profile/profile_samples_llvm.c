/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of functions by line, as text of LLVM:
 *
 *   FUNCTION:TOTAL:ENTERED
 *    LINE[.DISCRIMINATOR]: COUNT [CALLEE:COUNT]...
 *    LINE[.DISCRIMINATOR]: CALLEE:TOTAL     a call that is inlined, and its lines
 *     LINE[.DISCRIMINATOR]: COUNT
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
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

/* struct writer - the text as it is written; @depth: of inlined calls */
struct writer {
	struct text *out;
	unsigned int depth;
	bool failed;
};

static void put_place(struct writer *writer, struct sampled_place place)
{
	text_blanks(writer->out, writer->depth);
	text_decimal(writer->out, place.line);
	if (place.discriminator) {
		text_char(writer->out, '.');
		text_decimal(writer->out, place.discriminator);
	}
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
static void put_line(const void *node, VISIT visit, void *ctx)
{
	const struct sampled_line *line = *(const struct sampled_line *const *)node;
	struct writer *writer = ctx;

	if (!samples_is_visited(visit))
		return;
	put_place(writer, line->place);
	text_decimal(writer->out,
		     writer->depth == 1 && line->called > line->count ? line->called : line->count);
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
