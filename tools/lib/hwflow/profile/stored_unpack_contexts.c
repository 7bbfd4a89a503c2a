// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* The calling contexts of a .hwprof file, and their shares, read. */
#include "profile/profile_private.h"
#include "profile/stored_get.h"

/**
 * struct context_names - names of code in no file
 * @texts: in ascending order
 * @used: a context has the name
 * @count: how many
 */
struct context_names {
	char **texts;
	bool *used;
	size_t count;
};

static void get_names(struct payload *payload, struct hwf_stored_profile *stored,
		      struct context_names *names)
{
	const size_t count = get_count(payload, 1);

	names->texts = calloc(count + 1, sizeof(*names->texts));
	names->used = calloc(count + 1, sizeof(*names->used));
	if (!names->texts || !names->used) {
		stored->failed = true;
		return;
	}
	while (names->count < count && !payload->bad) {
		char *text = get_text(payload);

		if (!text)
			return;
		payload->bad |= names->count && strcmp(names->texts[names->count - 1], text) >= 0;
		names->texts[names->count++] = text;
	}
}

static void get_context(struct payload *payload, const struct hwf_stored_profile *stored,
			const struct context_names *names, struct hwf_profile_context *context)
{
	const struct hwf_profile_context *items = stored->contexts.items;
	size_t name;

	context->open = (uint8_t)get_at_most(payload, HWF_CONTEXT_OPENS - 1);
	if (context->caller)
		context->site_file = file_of(payload, stored, get(payload));
	if (context->site_file)
		context->site = get_difference(payload, items[context->caller].entry);
	context->file = file_of(payload, stored, get(payload));
	if (context->file) {
		context->entry = get(payload);
	} else {
		name = (size_t)get_at_most(payload, names->count);
		payload->bad |= name >= names->count;
		if (!payload->bad) {
			context->name = names->texts[name];
			names->used[name] = true;
		}
	}
	context->calls = get(payload);
	context->instructions = get(payload);
}

/* Has a context counts of its own? A context without any is left out unless it has called another.
 */
static bool has_counts(const struct hwf_profile_context *context)
{
	return context->calls || context->instructions;
}

/* Its caller is the context read before it, or so many callers above that. */
static void get_next_context(struct payload *payload, struct hwf_stored_profile *stored,
			     const struct context_names *names)
{
	const struct hwf_profile_context *items = stored->contexts.items;
	struct hwf_profile_context context = {.caller = (uint32_t)stored->contexts.count};
	const uint64_t up = get(payload);
	uint32_t sibling = 0;

	for (uint64_t i = 0; i < up && !payload->bad; i++) {
		payload->bad |= !context.caller || (!i && !has_counts(&items[context.caller]));
		if (payload->bad)
			return;
		sibling = context.caller;
		context.caller = items[sibling].caller;
	}
	get_context(payload, stored, names, &context);
	if (payload->bad)
		return;
	payload->bad |= sibling && hwf_stored_compare_contexts(&items[sibling], &context) >= 0;
	if (!payload->bad)
		hwf_stored_append_context(stored, &context);
}

void hwf_stored_get_contexts(struct payload *payload, struct hwf_stored_profile *stored)
{
	struct context_names names = {0};
	size_t count;

	stored->contexts.kept = true;
	get_names(payload, stored, &names);
	count = get_count(payload, 6);
	for (size_t i = 0; i < count && !payload->bad && !stored->failed; i++)
		get_next_context(payload, stored, &names);
	if (count && !payload->bad && !stored->failed)
		payload->bad |= !has_counts(&stored->contexts.items[stored->contexts.count]);
	for (size_t i = 0; i < names.count; i++) {
		payload->bad |= !names.used[i];
		free(names.texts[i]);
	}
	free(names.texts);
	free(names.used);
}

/* A share is after the one before it, has a count, and is of a context and an item of the profile.
 */
static void get_share(struct payload *payload, struct hwf_stored_share *share,
		      const struct hwf_stored_share *before, uint32_t contexts, size_t items,
		      bool is_block)
{
	uint64_t item;

	*share = (struct hwf_stored_share){0};
	share->context =
		before->context + (uint32_t)get_at_most(payload, contexts - before->context);
	item = share->context == before->context ? before->item : 0;
	share->item = (uint32_t)(item + get_at_most(payload, items - item));
	share->taken = get(payload);
	if (is_block) {
		share->not_taken = get(payload);
		share->diverted = get(payload);
	}
	payload->bad |= share->item == item || !(share->taken | share->not_taken | share->diverted);
}

static void get_share_list(struct payload *payload, struct hwf_stored_profile *stored,
			   struct hwf_stored_shares *shares, size_t items, bool are_blocks)
{
	const size_t count = get_count(payload, are_blocks ? 5 : 3);
	const uint32_t contexts = (uint32_t)stored->contexts.count;
	struct hwf_stored_share share, before = {0};

	for (size_t i = 0; i < count; i++) {
		get_share(payload, &share, &before, contexts, items, are_blocks);
		if (payload->bad || !hwf_stored_append_share(stored, shares, &share))
			return;
		before = share;
	}
	shares->is_sorted = true;
}

void hwf_stored_get_shares(struct payload *payload, struct hwf_stored_profile *stored)
{
	struct hwf_stored_contexts *contexts = &stored->contexts;

	contexts->has_counts = true;
	get_share_list(payload, stored, &contexts->blocks, stored->counts->block_count, true);
	if (!payload->bad)
		get_share_list(payload, stored, &contexts->edges, stored->counts->edge_count,
			       false);
}
