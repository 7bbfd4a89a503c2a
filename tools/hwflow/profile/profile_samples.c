/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of functions by line: their collection. */
#include "profile_samples.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/source_frames.h"

static struct sampled_place place_of(const struct samples *samples,
				     const struct source_frame *frame)
{
	return (struct sampled_place){(frame->at.line - frame->line) & 0xffff,
				      samples->rules->discriminator_of(frame->at.discriminator)};
}

static size_t length_of(const struct samples *samples, const char *name)
{
	return name ? samples->rules->length_of(name) : 0;
}

static int compare_places(struct sampled_place a, struct sampled_place b)
{
	if (a.line != b.line)
		return a.line < b.line ? -1 : 1;
	return (a.discriminator > b.discriminator) - (a.discriminator < b.discriminator);
}

static int compare_functions(const void *a, const void *b)
{
	const struct sampled *x = a, *y = b;
	const int by_place = compare_places(x->call, y->call);

	return by_place ? by_place : strcmp(x->name, y->name);
}

static int compare_lines(const void *a, const void *b)
{
	const struct sampled_line *x = a, *y = b;

	return compare_places(x->place, y->place);
}

static int compare_targets(const void *a, const void *b)
{
	const struct sampled_target *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* The node of a tree that is like @key, of @size bytes: a copy of @key if it is new; NULL without
 * memory */
static void *get(struct samples *samples, void **tree, const void *key, size_t size,
		 int (*compare)(const void *a, const void *b))
{
	void **found = tfind(key, tree, compare);
	void *added;

	if (found)
		return *found;
	added = malloc(size);
	if (added)
		memcpy(added, key, size);
	if (added && tsearch(added, tree, compare))
		return added;
	free(added);
	samples->failed = true;
	return NULL;
}

/* The function of a name at a call; NULL if profiles do not have it */
static struct sampled *get_function(struct samples *samples, struct samples_call call,
				    const char *name)
{
	void **tree = call.caller ? &call.caller->inlined : &samples->functions;
	const size_t length = length_of(samples, name);
	struct sampled key = {.name = length ? strndup(name, length) : NULL,
			      .caller = call.caller,
			      .call = call.place,
			      .depth = call.caller ? call.caller->depth + 1 : 1};
	struct sampled *function;

	if (!key.name) {
		samples->failed |= length != 0;
		return NULL;
	}
	function = get(samples, tree, &key, sizeof(key), compare_functions);
	if (!function || function->name != key.name)
		free(key.name);
	return function;
}

/*
 * The place of the innermost frame, or of the last one before a frame that has no name. Adds to the
 * total of all functions that have the code, or with contexts of the innermost one.
 */
static struct samples_call innermost(struct samples *samples, const struct source_stack *stack,
				     uint64_t total)
{
	struct samples_call call = samples->call;
	struct sampled *last = NULL;

	for (size_t i = 0; i < stack->count; i++) {
		struct sampled *function = get_function(samples, call, stack->frames[i].name);

		if (!function)
			break;
		if (!samples->rules->contexts)
			function->total += total;
		last = function;
		call = (struct samples_call){function, place_of(samples, &stack->frames[i])};
	}
	if (last && samples->rules->contexts)
		last->total += total;
	return last ? call : (struct samples_call){0};
}

struct samples_call samples_find_call(struct samples *samples, const struct source_stack *stack)
{
	return innermost(samples, stack, 0);
}

static struct sampled_line *get_line(struct samples *samples, struct sampled *function,
				     struct sampled_place place)
{
	const struct sampled_line key = {.place = place};

	return get(samples, &function->lines, &key, sizeof(key), compare_lines);
}

void samples_add(struct samples *samples, const struct source_stack *stack, uint64_t bytes,
		 uint64_t count)
{
	const struct samples_call at = innermost(samples, stack, bytes * count);
	struct sampled_line *line = at.caller ? get_line(samples, at.caller, at.place) : NULL;

	if (!line)
		return;
	count *= samples->rules->factor_of(stack->frames[stack->count - 1].at.discriminator);
	if (samples->rules->clones && line->entry != stack->entry) {
		line->entry = stack->entry;
		line->most = 0;
	}
	if (line->most < count) {
		line->count += count - line->most;
		line->most = count;
	}
}

static void add_target(struct samples *samples, struct sampled_line *line, const char *callee,
		       size_t length, uint64_t count)
{
	struct sampled_target *target, key = {.name = strndup(callee, length)};

	if (!key.name) {
		samples->failed = true;
		return;
	}
	target = get(samples, &line->targets, &key, sizeof(key), compare_targets);
	if (!target || target->name != key.name)
		free(key.name);
	if (!target)
		return;
	target->count += count;
	line->called += count;
}

void samples_add_call(struct samples *samples, const struct source_stack *stack, const char *callee,
		      uint64_t count)
{
	const size_t length = length_of(samples, callee);
	const struct samples_call at =
		length ? innermost(samples, stack, 0) : (struct samples_call){0};
	struct sampled_line *line = at.caller ? get_line(samples, at.caller, at.place) : NULL;

	if (line)
		add_target(samples, line, callee, length, count);
}

void samples_add_inlined(struct samples *samples, const struct sampled *inlined, uint64_t most)
{
	struct sampled_line *line = get_line(samples, inlined->caller, inlined->call);

	if (line)
		add_target(samples, line, inlined->name, strlen(inlined->name),
			   line->count && line->count < most ? line->count : most);
}

void samples_add_entry(struct samples *samples, const char *name, bool part, uint64_t count)
{
	struct sampled *function = get_function(samples, samples->call, name);

	if (function && part)
		function->part_entered += count;
	else if (function)
		function->entered += count;
}

void samples_add_rank(struct samples *samples, const char *name, uint64_t ranks,
		      uint64_t recordings)
{
	struct sampled *function = get_function(samples, samples->call, name);

	if (!function ||
	    (function->recordings && (unsigned __int128)ranks * function->recordings >=
					     (unsigned __int128)function->ranks * recordings))
		return;
	function->ranks = ranks;
	function->recordings = recordings;
}

static void count_node(const void *node, VISIT visit, void *ctx)
{
	(void)node;
	((struct samples_list *)ctx)->count += samples_is_visited(visit);
}

static void add_node(const void *node, VISIT visit, void *ctx)
{
	struct samples_list *list = ctx;

	if (samples_is_visited(visit))
		list->nodes[list->count++] = *(const void *const *)node;
}

struct samples_list samples_list(const void *tree, int (*compare)(const void *a, const void *b))
{
	struct samples_list list = {0};

	twalk_r(tree, count_node, &list);
	list.nodes = calloc(list.count + 1, sizeof(*list.nodes));
	list.count = 0;
	if (!list.nodes)
		return list;
	twalk_r(tree, add_node, &list);
	qsort(list.nodes, list.count, sizeof(*list.nodes), compare);
	return list;
}

static int compare_totals(const void *a, const void *b)
{
	const struct sampled *x = *(const struct sampled *const *)a;
	const struct sampled *y = *(const struct sampled *const *)b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return strcmp(x->name, y->name);
}

struct samples_list samples_functions(const struct samples *samples)
{
	return samples_list(samples->functions, compare_totals);
}

static void free_target(void *node)
{
	struct sampled_target *target = node;

	free(target->name);
	free(target);
}

static void free_line(void *node)
{
	struct sampled_line *line = node;

	tdestroy(line->targets, free_target);
	free(line);
}

/* NOLINTNEXTLINE(misc-no-recursion): LINE_DEPTH bounds it */
static void free_function(void *node)
{
	struct sampled *function = node;

	tdestroy(function->lines, free_line);
	tdestroy(function->inlined, free_function);
	free(function->name);
	free(function);
}

void samples_free(struct samples *samples)
{
	tdestroy(samples->functions, free_function);
	samples->functions = NULL;
}
