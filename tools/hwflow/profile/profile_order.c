/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions in the order in which they were executed first:
 *
 *   order      a symbol a line, as linkers and llvm-bolt read them
 *   temporal   the same as one trace of a profile of LLVM, as llvm-profdata and lld read it
 *
 * A function comes as early as the earliest of its blocks, in the mean over the recordings that
 * executed that block.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile_formats.h"
#include "symbols/symbols.h"

/**
 * struct begun - a function that was executed
 * @name: its symbol
 * @ranks: of the block that came first: sum of its ranks
 * @recordings: and in how many recordings it was executed; 0: no block is known
 */
struct begun {
	const char *name;
	uint64_t ranks;
	uint64_t recordings;
};

/* Has a block a lower mean rank? */
static bool precedes(const struct hwf_profile_block *block, const struct begun *begun)
{
	return !begun->recordings || (unsigned __int128)block->ranks * begun->recordings <
					     (unsigned __int128)begun->ranks * block->recordings;
}

static int compare_begun(const void *a, const void *b)
{
	const struct begun *x = a, *y = b;
	const unsigned __int128 p = (unsigned __int128)x->ranks * y->recordings;
	const unsigned __int128 q = (unsigned __int128)y->ranks * x->recordings;

	if (p != q)
		return p < q ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* The functions that were executed, in order, for free(); NULL without memory */
static struct begun *sort(const struct profile_content *content, size_t *count)
{
	const struct profile_binary *binary = content->binaries;
	const struct hwf_profile *counts = hwf_stored_profile_counts(content->stored);
	const struct hwf_profile_block *block;
	const struct function *functions, *function;
	struct begun *list;
	size_t at = 0, all;
	uint64_t address;

	functions = symbols_functions(binary->symbols, binary->image, &all);
	list = calloc(all + 1, sizeof(*list));
	if (!list)
		return NULL;
	while ((block = hwf_profile_next_block(counts, &at))) {
		if (block->space != binary->file || !block->recordings ||
		    !profile_address(binary->elf, block->start, &address))
			continue;
		function = profile_function(functions, all, address);
		if (function && precedes(block, &list[function - functions]))
			list[function - functions] =
				(struct begun){function->name, block->ranks, block->recordings};
	}
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (list[i].recordings)
			list[(*count)++] = list[i];
	qsort(list, *count, sizeof(*list), compare_begun);
	return list;
}

int profile_order(const struct profile_content *content, struct text *out)
{
	size_t count;
	struct begun *list = sort(content, &count);

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		text_format(out, "%s\n", list[i].name);
	free(list);
	return 0;
}

int profile_temporal(const struct profile_content *content, struct text *out)
{
	size_t count, recordings;
	struct begun *list = sort(content, &count);

	if (!list)
		return -ENOMEM;
	hwf_stored_profile_recordings(content->stored, &recordings);
	text_format(out, ":ir\n:temporal_prof_traces\n");
	text_format(out, "# number of traces, and of those before they were sampled\n1\n1\n");
	text_format(out, "# weight\n%zu\n", recordings);
	for (size_t i = 0; i < count; i++)
		text_format(out, "%s%s", i ? ", " : "", list[i].name);
	text_end_line(out);
	/* what a trace names has to have counters */
	for (size_t i = 0; i < count; i++)
		text_format(out, "\n%s\n# hash, counters, counts\n0\n1\n1\n", list[i].name);
	free(list);
	return 0;
}
