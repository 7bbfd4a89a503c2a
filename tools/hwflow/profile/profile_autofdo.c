/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sample profiles, which clang and GCC read. They have the counts of all code, and the calls that
 * are inlined in it; of a function that was executed in part, the other lines have the count 0, if
 * the compiler uses that.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "profile_autofdo.h"
#include "symbols/symbols.h"

/* struct change - from an address on, code is executed so much more often, modulo 2^64 */
struct change {
	uint64_t address;
	uint64_t count;
};

/* struct executed - node of autofdo.executed, by entry: a function of which code was executed */
struct executed {
	uint64_t entry;
	uint64_t address; /* of that code */
};

/* The name in the symbol table of the function that begins at an address; "": there is none */
static const char *symbol_of(const struct autofdo *autofdo, uint64_t entry)
{
	const struct function *function =
		profile_function(autofdo->functions, autofdo->function_count, entry);

	return function && function->start == entry ? function->name : "";
}

static bool is_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2);
}

/* GCC gives functions of one unit of C++, and functions in functions (NAME.0), no linkage name. */
static bool is_linkage_name(const char *symbol, const char *name)
{
	const size_t length = name ? strlen(name) : 0;

	return length && ((is_mangled(symbol) && !is_mangled(name)) ||
			  (!strncmp(symbol, name, length) && symbol[length] == '.' &&
			   isdigit((unsigned char)symbol[length + 1])));
}

/* GCC inlines the rest of a function in its beginning, with a call at its declaration. */
static bool is_rest(const struct source_frame *frame, const struct source_frame *inner)
{
	return frame->name && inner->name && !strcmp(frame->name, inner->name) &&
	       frame->at.line == frame->line;
}

/* The frames as the source has them, the first one with the linkage name of its function */
static void correct_frames(struct autofdo *autofdo, struct source_stack *stack)
{
	const char *symbol = symbol_of(autofdo, stack->entry);
	struct source_frame *frame;

	autofdo->frames.count = 0;
	for (size_t i = 0; i < stack->count; i++) {
		if (i + 1 < stack->count && is_rest(&stack->frames[i], &stack->frames[i + 1]))
			continue;
		frame = items_add(&autofdo->frames, sizeof(*frame));
		if (!frame) {
			autofdo->samples.failed = true;
			return;
		}
		*frame = stack->frames[i];
		if (autofdo->frames.count == 1 && is_linkage_name(symbol, frame->name))
			frame->name = symbol;
	}
	stack->frames = autofdo->frames.at;
	stack->count = autofdo->frames.count;
}

struct source_stack autofdo_frames(struct autofdo *autofdo, uint64_t address)
{
	struct source_stack stack =
		symbols_frames(autofdo->binary->symbols, autofdo->binary->image, address);

	if (stack.count && autofdo->samples.rules->clones)
		correct_frames(autofdo, &stack);
	return stack;
}

void autofdo_enter(struct autofdo *autofdo, uint64_t entry)
{
	autofdo->samples.call = autofdo->entry == entry ? autofdo->call : (struct samples_call){0};
}

static int compare_executed(const void *a, const void *b)
{
	const struct executed *x = a, *y = b;

	return (x->entry > y->entry) - (x->entry < y->entry);
}

static void add_executed(struct autofdo *autofdo, uint64_t entry, uint64_t address)
{
	const struct executed key = {entry, address};
	struct executed *added;

	if (tfind(&key, &autofdo->executed, compare_executed))
		return;
	added = malloc(sizeof(*added));
	if (added) {
		*added = key;
		if (tsearch(added, &autofdo->executed, compare_executed))
			return;
	}
	free(added);
	autofdo->samples.failed = true;
}

/* Adds code that was executed @count times. */
static void add_code(struct autofdo *autofdo, uint64_t start, uint64_t end, uint64_t count)
{
	while (start < end) {
		const struct source_stack stack = autofdo_frames(autofdo, start);
		const uint64_t stop = stack.end < end ? stack.end : end;

		if (stop <= start)
			return;
		if (stack.count) {
			autofdo_enter(autofdo, stack.entry);
			samples_add(&autofdo->samples, &stack, stop - start, count);
			if (count && autofdo->samples.rules->zeros)
				add_executed(autofdo, stack.entry, start);
		}
		start = stop;
	}
}

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* The addresses of a block; false if it is no code of the binary */
static bool find_block(const struct profile_binary *binary, const struct hwf_profile_block *block,
		       uint64_t *start, uint64_t *end)
{
	if (block->space != binary->file || !profile_address(binary->elf, block->start, start) ||
	    !profile_address(binary->elf, block->end - 1, end) ||
	    *end - *start != block->end - 1 - block->start)
		return false;
	++*end;
	return true;
}

int autofdo_add_blocks(struct autofdo *autofdo, const struct hwf_profile *counts)
{
	const struct hwf_profile_block *block;
	struct change *changes;
	uint64_t start, end, count = 0;
	size_t used = 0, at = 0;

	while (hwf_profile_next_block(counts, &at))
		used += 2;
	changes = calloc(used + 1, sizeof(*changes));
	if (!changes)
		return -ENOMEM;
	used = 0;
	at = 0;
	while ((block = hwf_profile_next_block(counts, &at))) {
		if (!find_block(autofdo->binary, block, &start, &end))
			continue;
		changes[used++] = (struct change){start, block->taken + block->not_taken};
		changes[used++] = (struct change){end, -(block->taken + block->not_taken)};
	}
	qsort(changes, used, sizeof(*changes), compare_changes);
	for (size_t i = 0; i < used; i++) {
		count += changes[i].count;
		if (count && i + 1 < used)
			add_code(autofdo, changes[i].address, changes[i + 1].address, count);
	}
	free(changes);
	return 0;
}

static void add_ranks(struct autofdo *autofdo, const struct hwf_profile *counts)
{
	const struct hwf_profile_block *block;
	struct source_stack stack;
	uint64_t start, end;
	size_t at = 0;

	while ((block = hwf_profile_next_block(counts, &at))) {
		if (!block->recordings || !find_block(autofdo->binary, block, &start, &end))
			continue;
		stack = autofdo_frames(autofdo, start);
		if (stack.count)
			samples_add_rank(&autofdo->samples, stack.frames[0].name, block->ranks,
					 block->recordings);
	}
}

/* The code of a range that is in the file: its lines are there, with a count of 0 at least. */
static void add_range(struct autofdo *autofdo, const struct source_range *range)
{
	const struct hwf_image_elf *elf = autofdo->binary->elf;

	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];
		const uint64_t last = segment->address + segment->size;
		const uint64_t start =
			range->start > segment->address ? range->start : segment->address;
		const uint64_t end = range->end < last ? range->end : last;

		if (!segment->executable || start >= end || end - start > autofdo->left)
			continue;
		autofdo->left -= end - start;
		add_code(autofdo, start, end, 0);
	}
}

static void add_function(const void *node, VISIT visit, void *ctx)
{
	const struct executed *executed = *(const struct executed *const *)node;
	struct autofdo *autofdo = ctx;
	const struct profile_binary *binary = autofdo->binary;
	struct source_range range;

	if (visit != postorder && visit != leaf)
		return;
	for (size_t i = 0;
	     symbols_frames_range(binary->symbols, binary->image, executed->address, i, &range);
	     i++)
		add_range(autofdo, &range);
}

static bool has_targets(const struct autofdo *autofdo, const struct hwf_profile_edge *edge)
{
	return !autofdo->samples.rules->indirect || edge->insn.kind == HWF_INSN_INDIRECT;
}

bool autofdo_is_entry(struct autofdo *autofdo, const struct hwf_profile_edge *edge,
		      struct autofdo_entry *entered)
{
	const struct profile_binary *binary = autofdo->binary;
	struct source_stack stack;
	uint64_t from, to;

	if (edge->to_space != binary->file || !edge->count ||
	    !profile_address(binary->elf, edge->to, &to))
		return false;
	stack = autofdo_frames(autofdo, to);
	if (!stack.count || stack.entry != to)
		return false;
	entered->name = stack.frames[0].name;
	entered->address = to;
	stack.count = 0;
	if (edge->from_space == binary->file && profile_address(binary->elf, edge->from, &from))
		stack = autofdo_frames(autofdo, from);
	entered->from = stack;
	return !stack.count || stack.entry != to || edge->insn.sub == HWF_SUB_LINK;
}

static void add_edge(struct autofdo *autofdo, const struct hwf_profile_edge *edge)
{
	struct autofdo_entry entered;

	if (!autofdo_is_entry(autofdo, edge, &entered))
		return;
	samples_add_entry(&autofdo->samples, entered.name,
			  strstr(symbol_of(autofdo, entered.address), ".part."), edge->count);
	if (entered.from.count && has_targets(autofdo, edge))
		samples_add_call(&autofdo->samples, &entered.from, entered.name, edge->count);
}

int autofdo_no_samples(const struct autofdo *autofdo)
{
	verb_error("%s: it has no DWARF for code that was executed; build it with -g, or "
		   "name the directory that has its debug file with --debug-dir=DIR",
		   autofdo->binary->file->name);
	return -ENODATA;
}

static int write_samples(const struct profile_content *content, const struct samples_rules *rules,
			 int (*put)(const struct samples *samples, struct text *out),
			 struct text *out)
{
	const struct profile_binary *binary = content->binaries;
	const struct hwf_profile *counts = hwf_stored_profile_counts(content->stored);
	struct autofdo autofdo = {.binary = binary, .samples.rules = rules};
	struct hwf_profile_edge edge;
	size_t at = 0;
	int error;

	for (size_t i = 0; i < binary->elf->segment_count; i++)
		autofdo.left +=
			binary->elf->segments[i].executable ? binary->elf->segments[i].size : 0;
	if (rules->clones)
		autofdo.functions =
			symbols_functions(binary->symbols, binary->image, &autofdo.function_count);
	error = autofdo_add_blocks(&autofdo, counts);
	if (!error) {
		if (rules->zeros)
			twalk_r(autofdo.executed, add_function, &autofdo);
		while (hwf_profile_next_edge(counts, &at, &edge))
			add_edge(&autofdo, &edge);
		if (rules->order)
			add_ranks(&autofdo, counts);
		error = put(&autofdo.samples, out);
	}
	if (error == -ENODATA)
		autofdo_no_samples(&autofdo);
	tdestroy(autofdo.executed, free);
	samples_free(&autofdo.samples);
	free(autofdo.frames.at);
	return error;
}

int profile_autofdo(const struct profile_content *content, struct text *out)
{
	return write_samples(content, &samples_llvm, samples_write_llvm, out);
}

int profile_gcc(const struct profile_content *content, struct text *out)
{
	return write_samples(content, &samples_gcc, samples_write_gcc, out);
}

int profile_gcc16(const struct profile_content *content, struct text *out)
{
	return write_samples(content, &samples_gcc16, samples_write_gcc16, out);
}
