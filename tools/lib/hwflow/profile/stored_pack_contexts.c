// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* The calling contexts of a .hwprof file, and their shares. */
#include "profile/profile_private.h"
#include "profile/stored_put.h"

/**
 * struct sorted_contexts - the contexts that are written
 * @items: all contexts of the profile, by their numbers
 * @sorted: those that have counts, or a context below them that has; sorted by caller, then by key
 * @count: how many
 * @places: by the number of a context, its place in @sorted, from 1
 * @first: by the number of a caller, the place of its first context; 0: it has none
 * @numbers: by the number of a context, its number in the file, from 1; 0: it is left out
 */
struct sorted_contexts {
	const struct hwf_profile_context *items;
	const struct hwf_profile_context **sorted;
	size_t count;
	size_t *places;
	size_t *first;
	uint32_t *numbers;
};

static int by_caller(const void *a, const void *b)
{
	const struct hwf_profile_context *const *x = a, *const *y = b;
	const int order = compare_numbers((*x)->caller, (*y)->caller);

	return order ? order : hwf_stored_compare_contexts(*x, *y);
}

/* Callers have lower numbers: in descending order the contexts of a caller come before it. */
static bool sort_contexts(struct sorted_contexts *sorted, const struct hwf_stored_contexts *all)
{
	sorted->items = all->items;
	sorted->sorted = calloc(all->count + 1, sizeof(*sorted->sorted));
	sorted->places = calloc(all->count + 1, sizeof(*sorted->places));
	sorted->first = calloc(all->count + 1, sizeof(*sorted->first));
	sorted->numbers = calloc(all->count + 1, sizeof(*sorted->numbers));
	if (!sorted->sorted || !sorted->places || !sorted->first || !sorted->numbers)
		return false;
	for (size_t i = all->count; i; i--) {
		const struct hwf_profile_context *context = &all->items[i];

		if (!context->calls && !context->instructions && !sorted->first[i])
			continue;
		sorted->sorted[sorted->count++] = context;
		sorted->first[context->caller] = 1;
	}
	if (sorted->count)
		qsort(sorted->sorted, sorted->count, sizeof(*sorted->sorted), by_caller);
	for (size_t i = sorted->count; i; i--) {
		sorted->places[sorted->sorted[i - 1] - all->items] = i;
		sorted->first[sorted->sorted[i - 1]->caller] = i;
	}
	return true;
}

static int by_text(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* Names in ascending order, each once, for free(); NULL without memory */
static const char **put_context_names(struct payload *payload, const struct sorted_contexts *sorted,
				      size_t *count)
{
	const char **names = calloc(sorted->count + 1, sizeof(*names));
	size_t all = 0;

	if (!names)
		return NULL;
	for (size_t i = 0; i < sorted->count; i++)
		if (!sorted->sorted[i]->file)
			names[all++] = sorted->sorted[i]->name;
	qsort(names, all, sizeof(*names), by_text);
	*count = 0;
	for (size_t i = 0; i < all; i++)
		if (!i || strcmp(names[i], names[i - 1]) != 0)
			names[(*count)++] = names[i];
	put(payload, *count);
	for (size_t i = 0; i < *count; i++)
		put_text(payload, names[i]);
	return names;
}

static void put_context(struct payload *payload, const struct sorted_contexts *sorted,
			const struct hwf_profile_context *context, const char *const *names,
			size_t name_count)
{
	put(payload, context->open);
	if (context->caller) {
		put(payload, rank_of(context->site_file));
		if (context->site_file)
			put_difference(payload, context->site,
				       sorted->items[context->caller].entry);
	}
	put(payload, rank_of(context->file));
	if (context->file)
		put(payload, context->entry);
	else
		put(payload, (uint64_t)((const char **)bsearch(&context->name, names, name_count,
							       sizeof(*names), by_text) -
					names));
	put(payload, context->calls);
	put(payload, context->instructions);
}

/* The place of the next context of the same caller, or of its caller, and so on; 0: there is none.
 * @up counts callers. */
static size_t next_place(const struct sorted_contexts *sorted, size_t at, uint64_t *up)
{
	while (at) {
		const struct hwf_profile_context *context = sorted->sorted[at - 1];

		++*up;
		if (at < sorted->count && sorted->sorted[at]->caller == context->caller)
			return at + 1;
		at = sorted->places[context->caller];
	}
	return 0;
}

/* A context, then each that it called in order, with all below it, without recursion */
static void put_tree(struct payload *payload, const struct sorted_contexts *sorted,
		     const char *const *names, size_t name_count)
{
	size_t at = sorted->first[0];
	uint32_t number = 0;
	uint64_t up = 0;

	while (at) {
		const struct hwf_profile_context *context = sorted->sorted[at - 1];
		const size_t below = sorted->first[context - sorted->items];

		sorted->numbers[context - sorted->items] = ++number;
		put(payload, up);
		put_context(payload, sorted, context, names, name_count);
		up = 0;
		at = below ? below : next_place(sorted, at, &up);
	}
}

/* Of a share, what the file has: numbers of contexts in the file, and places in its lists of blocks
 * and edges, from 1; false: its context or its item is left out */
static bool place_share(struct hwf_stored_share *share, const uint32_t *numbers,
			const uint32_t *places)
{
	const uint32_t context = numbers[share->context];

	if ((share->context && !context) || !places[share->item - 1] ||
	    !(share->taken | share->not_taken | share->diverted))
		return false;
	share->context = context;
	share->item = places[share->item - 1];
	return true;
}

static bool put_shares(struct payload *payload, const struct hwf_stored_shares *shares,
		       const uint32_t *numbers, const uint32_t *places, bool are_blocks)
{
	struct hwf_stored_share *placed = calloc(shares->count + 1, sizeof(*placed));
	struct hwf_stored_share before = {0};
	size_t count = 0;

	if (!placed)
		return false;
	for (size_t i = 0; i < shares->count; i++) {
		placed[count] = shares->items[i];
		count += place_share(&placed[count], numbers, places);
	}
	qsort(placed, count, sizeof(*placed), hwf_stored_compare_shares);
	put(payload, count);
	for (size_t i = 0; i < count; i++) {
		const struct hwf_stored_share *share = &placed[i];

		put(payload, share->context - before.context);
		put(payload, share->item - (share->context == before.context ? before.item : 0));
		put(payload, share->taken);
		if (are_blocks) {
			put(payload, share->not_taken);
			put(payload, share->diverted);
		}
		before = *share;
	}
	free(placed);
	return true;
}

static bool put_block_shares(struct payload *payload, const struct hwf_stored_profile *stored,
			     const uint32_t *numbers)
{
	const struct hwf_profile *counts = stored->counts;
	size_t count;
	const struct hwf_profile_block **sorted = hwf_stored_sort_blocks(counts, &count);
	uint32_t *places = calloc(counts->block_count + 1, sizeof(*places));
	bool good = false;

	if (sorted && places) {
		for (size_t i = 0; i < count; i++)
			places[sorted[i] - counts->blocks] = (uint32_t)i + 1;
		good = put_shares(payload, &stored->contexts.blocks, numbers, places, true);
	}
	free(sorted);
	free(places);
	return good;
}

static bool put_edge_shares(struct payload *payload, const struct hwf_stored_profile *stored,
			    const uint32_t *numbers)
{
	const struct hwf_profile *counts = stored->counts;
	size_t count;
	const struct hwf_profile_edge **sorted = hwf_stored_sort_edges(counts, &count);
	uint32_t *places = calloc(counts->edge_count + 1, sizeof(*places));
	bool good = false;

	if (sorted && places) {
		for (size_t i = 0; i < count; i++)
			places[sorted[i] - counts->edges] = (uint32_t)i + 1;
		good = put_shares(payload, &stored->contexts.edges, numbers, places, false);
	}
	free(sorted);
	free(places);
	return good;
}

/* A profile without contexts ends before them, and one without their shares before those. */
bool hwf_stored_put_contexts(struct payload *payload, const struct hwf_stored_profile *stored)
{
	const struct hwf_stored_contexts *contexts = &stored->contexts;
	struct sorted_contexts sorted = {0};
	const char **names = NULL;
	size_t name_count;
	bool good;

	if (!contexts->kept)
		return true;
	put(payload, HWF_STORED_CONTEXTS);
	if (sort_contexts(&sorted, contexts))
		names = put_context_names(payload, &sorted, &name_count);
	good = names != NULL;
	if (good) {
		put(payload, sorted.count);
		put_tree(payload, &sorted, names, name_count);
	}
	if (good && contexts->has_counts) {
		put(payload, HWF_STORED_SHARES);
		good = put_block_shares(payload, stored, sorted.numbers) &&
		       put_edge_shares(payload, stored, sorted.numbers);
	}
	free(names);
	free(sorted.sorted);
	free(sorted.places);
	free(sorted.first);
	free(sorted.numbers);
	return good;
}
