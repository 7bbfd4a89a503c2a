/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layout for clang -fbasic-block-sections=list and for the linker, from the map of basic blocks:
 *
 *   propeller         v1, then of each function "f NAME" and "c ID...": blocks in their order;
 * those that are not named go to a section of their own propeller-order   the functions in their
 * order, a symbol a line
 *
 * Blocks become chains: from the heaviest edge to the lightest, the end of a chain is joined to the
 * beginning of another (Pettis and Hansen, 1990). Functions become clusters in the same way: each
 * goes behind the one that calls it most, as long as both are on one page (C3: Ottoni and Maher,
 * 2017); the clusters with the most execution in the fewest bytes come first.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "block_map.h"
#include "profile_formats.h"
#include "symbols/symbols.h"

/* Functions are joined as long as their code is not longer */
#define PAGE 4096u

#define NONE UINT32_MAX

/* struct edge - from a block or function to another, by number */
struct edge {
	uint32_t from;
	uint32_t to;
	uint64_t weight;
};

/* struct edges - a list of them */
struct edges {
	struct edge *items;
	size_t count;
	size_t room;
};

/**
 * struct chain - a block or function, and what is joined to it
 * @next: behind it; NONE: nothing
 * @head: of the chain that it is in, perhaps by way of others
 * @tail: of a head: the last of its chain
 * @bytes: of a head: of the whole chain
 * @heat: likewise: instructions that were executed, by their bytes
 */
struct chain {
	uint32_t next;
	uint32_t head;
	uint32_t tail;
	uint64_t bytes;
	uint64_t heat;
};

/**
 * struct layout - what is laid out
 * @map: basic blocks and functions
 * @counts: by block: how often it was executed
 * @jumps: edges of blocks, within functions
 * @calls: edges of functions
 * @blocks: by block
 * @functions: by function
 * @names: by function; NULL: it has none, or shares it with another
 * @failed: memory ran out
 */
struct layout {
	struct block_map map;
	uint64_t *counts;
	struct edges jumps;
	struct edges calls;
	struct chain *blocks;
	struct chain *functions;
	const char **names;
	bool failed;
};

static void add_edge(struct layout *layout, struct edges *edges, uint32_t from, uint32_t to,
		     uint64_t weight)
{
	if (!weight || from == to)
		return;
	if (edges->count == edges->room) {
		const size_t room = 2 * edges->room + 1024;
		struct edge *items = reallocarray(edges->items, room, sizeof(*items));

		if (!items) {
			layout->failed = true;
			return;
		}
		edges->items = items;
		edges->room = room;
	}
	edges->items[edges->count++] = (struct edge){from, to, weight};
}

static uint32_t number_of(const struct layout *layout, const struct basic_block *block)
{
	return (uint32_t)(block - layout->map.blocks);
}

/* The block behind another one, to which execution falls through; NULL if there is none */
static const struct basic_block *block_behind(const struct layout *layout,
					      const struct basic_block *block)
{
	const struct basic_block *next = block_map_find(&layout->map, block->end);

	return next && next->start == block->end && next->function == block->function ? next : NULL;
}

/* Execution goes on behind a call, and behind a branch that is not taken. */
static uint64_t falls_through(const struct hwf_profile_block *block)
{
	return block->not_taken + (!block->p0 || block->insn.call ? block->taken : 0);
}

/* What was executed from one address to another, without a branch that was taken */
static void count_run(struct layout *layout, const struct hwf_profile_block *run, uint64_t start)
{
	const uint64_t end = start + (run->end - run->start);
	const uint64_t times = run->taken + run->not_taken;
	const struct basic_block *block = block_map_find(&layout->map, start), *next;

	for (; block && block->start < end; block = next) {
		/* a call returns into the middle of a block, which has begun before */
		if (start <= block->start)
			layout->counts[number_of(layout, block)] += times;
		next = block_behind(layout, block);
		if (next && block->end <= end)
			add_edge(layout, &layout->jumps, number_of(layout, block),
				 number_of(layout, next),
				 block->end < end ? times : falls_through(run));
	}
}

static void count_branch(struct layout *layout, uint64_t from, uint64_t to, uint64_t times)
{
	const struct basic_block *source = block_map_find(&layout->map, from);
	const struct basic_block *target = block_map_find(&layout->map, to);

	if (!source || !target || target->start != to)
		return;
	if (source->function == target->function)
		add_edge(layout, &layout->jumps, number_of(layout, source),
			 number_of(layout, target), times);
	else if (layout->map.entries[target->function] == to)
		add_edge(layout, &layout->calls, source->function, target->function, times);
}

static void count(struct layout *layout, const struct hwf_profile *counts,
		  const struct profile_binary *binary)
{
	const struct hwf_profile_block *block;
	struct hwf_profile_edge edge;
	uint64_t start, to;
	size_t at = 0;

	while ((block = hwf_profile_next_block(counts, &at)))
		if (block->space == binary->file &&
		    profile_address(binary->elf, block->start, &start))
			count_run(layout, block, start);
	at = 0;
	while (hwf_profile_next_edge(counts, &at, &edge))
		if (edge.from_space == binary->file && edge.to_space == binary->file &&
		    profile_address(binary->elf, edge.from, &start) &&
		    profile_address(binary->elf, edge.to, &to))
			count_branch(layout, start, to, edge.count);
}

static int compare_ends(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static int compare_weights(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return compare_ends(a, b);
}

/* Each edge once, the heaviest first */
static void sort_edges(struct edges *edges)
{
	size_t count = 0;

	if (!edges->count)
		return;
	qsort(edges->items, edges->count, sizeof(*edges->items), compare_ends);
	for (size_t i = 0; i < edges->count; i++) {
		if (count && !compare_ends(&edges->items[count - 1], &edges->items[i]))
			edges->items[count - 1].weight += edges->items[i].weight;
		else
			edges->items[count++] = edges->items[i];
	}
	edges->count = count;
	qsort(edges->items, count, sizeof(*edges->items), compare_weights);
}

static uint32_t head_of(struct chain *chains, uint32_t number)
{
	while (chains[number].head != number) {
		chains[number].head = chains[chains[number].head].head;
		number = chains[number].head;
	}
	return number;
}

static void join(struct chain *chains, uint32_t first, uint32_t second)
{
	chains[chains[first].tail].next = second;
	chains[first].tail = chains[second].tail;
	chains[first].bytes += chains[second].bytes;
	chains[first].heat += chains[second].heat;
	chains[second].head = first;
}

static void join_blocks(struct layout *layout)
{
	struct chain *chains = layout->blocks;

	sort_edges(&layout->jumps);
	for (size_t i = 0; i < layout->jumps.count; i++) {
		const struct edge *edge = &layout->jumps.items[i];
		const struct basic_block *to = &layout->map.blocks[edge->to];
		const uint32_t first = head_of(chains, edge->from);

		/* nothing comes before the entry of a function */
		if (chains[first].tail == edge->from && head_of(chains, edge->to) == edge->to &&
		    first != edge->to && layout->map.entries[to->function] != to->start)
			join(chains, first, edge->to);
	}
}

static void join_functions(struct layout *layout)
{
	struct chain *chains = layout->functions;

	sort_edges(&layout->calls);
	for (size_t i = 0; i < layout->calls.count; i++) {
		const struct edge *edge = &layout->calls.items[i];
		const uint32_t first = head_of(chains, edge->from);

		if (head_of(chains, edge->to) == edge->to && first != edge->to &&
		    chains[first].bytes + chains[edge->to].bytes <= PAGE)
			join(chains, first, edge->to);
	}
}

/* The name of the function that begins at an address; NULL if none does */
static const char *name_at(const struct function *functions, size_t count, uint64_t address)
{
	const struct function *function = profile_function(functions, count, address);

	return function && function->start == address ? function->name : NULL;
}

static int by_name(const void *a, const void *b)
{
	const char *const *const *x = a, *const *const *y = b;

	return strcmp(**x, **y);
}

/* clang knows functions by their names alone: two functions of one name have none. */
static void drop_shared(struct layout *layout)
{
	const char ***sorted = calloc(layout->map.functions + 1, sizeof(*sorted));
	size_t count = 0, same;

	if (!sorted) {
		layout->failed = true;
		return;
	}
	for (uint32_t i = 0; i < layout->map.functions; i++)
		if (layout->names[i])
			sorted[count++] = &layout->names[i];
	qsort(sorted, count, sizeof(*sorted), by_name);
	for (size_t i = 0; i < count; i = same) {
		for (same = i + 1; same < count && !strcmp(*sorted[i], *sorted[same]); same++)
			*sorted[same] = NULL;
		if (same > i + 1)
			*sorted[i] = NULL;
	}
	free(sorted);
}

static bool allocate(struct layout *layout)
{
	const struct block_map *map = &layout->map;

	layout->counts = calloc(map->count + 1, sizeof(*layout->counts));
	layout->blocks = calloc(map->count + 1, sizeof(*layout->blocks));
	layout->functions = calloc(map->functions + (size_t)1, sizeof(*layout->functions));
	layout->names = calloc(map->functions + (size_t)1, sizeof(*layout->names));
	if (!layout->counts || !layout->blocks || !layout->functions || !layout->names)
		return false;
	for (uint32_t i = 0; i < map->count; i++)
		layout->blocks[i] = (struct chain){.next = NONE, .head = i, .tail = i};
	for (uint32_t i = 0; i < map->functions; i++)
		layout->functions[i] = (struct chain){.next = NONE, .head = i, .tail = i};
	return true;
}

/* Functions that were executed, with the bytes of their blocks that were */
static void weigh(struct layout *layout)
{
	for (size_t i = 0; i < layout->map.count; i++) {
		const struct basic_block *block = &layout->map.blocks[i];
		const uint64_t bytes = block->end - block->start;

		if (!layout->counts[i])
			continue;
		layout->functions[block->function].bytes += bytes;
		layout->functions[block->function].heat += bytes * layout->counts[i];
	}
}

static void layout_free(struct layout *layout)
{
	block_map_free(&layout->map);
	free(layout->counts);
	free(layout->jumps.items);
	free(layout->calls.items);
	free(layout->blocks);
	free(layout->functions);
	free(layout->names);
}

static int lay_out(struct layout *layout, const struct profile_content *content)
{
	const struct profile_binary *binary = content->binaries;
	const struct function *functions;
	const char *reason;
	size_t size, named;
	const uint8_t *bytes = hwf_image_file_bytes(binary->image, &size);
	int status;

	*layout = (struct layout){0};
	/* this checks the file, too */
	functions = symbols_functions(binary->symbols, binary->image, &named);
	status = block_map_read(&layout->map, bytes, size, &reason);
	if (status == -ENOENT)
		verb_error("%s: it has no map of its basic blocks; build it with clang "
			   "-fbasic-block-address-map",
			   hwf_image_file_name(binary->image));
	else if (status && status != -ENOMEM)
		verb_error("%s: %s", hwf_image_file_name(binary->image), reason);
	if (status)
		return status;
	if (!allocate(layout))
		return -ENOMEM;
	for (uint32_t i = 0; i < layout->map.functions; i++)
		layout->names[i] = name_at(functions, named, layout->map.entries[i]);
	drop_shared(layout);
	count(layout, hwf_stored_profile_counts(content->stored), binary);
	weigh(layout);
	return layout->failed ? -ENOMEM : 0;
}

static bool is_empty(const struct basic_block *block)
{
	return block->start == block->end;
}

/* A block, behind the empty ones that fall through to it */
static void put_block(const struct layout *layout, uint32_t number, struct text *out)
{
	const struct basic_block *blocks = layout->map.blocks;
	uint32_t first = number;

	while (first && is_empty(&blocks[first - 1]) &&
	       blocks[first - 1].start == blocks[number].start &&
	       blocks[first - 1].function == blocks[number].function)
		first--;
	for (; first <= number; first++)
		text_format(out, " %" PRIu32, blocks[first].id);
}

static void put_chain(const struct layout *layout, uint32_t number, struct text *out)
{
	for (; number != NONE; number = layout->blocks[number].next)
		put_block(layout, number, out);
}

/* One function, whose blocks are @all by number, @count of them: the chain of the entry is first.
 */
static void put_function(struct layout *layout, const uint32_t *all, size_t count, struct text *out)
{
	const struct basic_block *blocks = layout->map.blocks;
	const uint32_t function = blocks[all[0]].function;
	uint32_t entry = NONE;

	for (size_t i = 0; i < count; i++)
		if (blocks[all[i]].start == layout->map.entries[function] &&
		    !is_empty(&blocks[all[i]]))
			entry = all[i];
	if (entry == NONE)
		return;
	text_format(out, "f %s\nc", layout->names[function]);
	put_chain(layout, entry, out);
	for (size_t i = 0; i < count; i++)
		if (all[i] != entry && layout->counts[all[i]] &&
		    head_of(layout->blocks, all[i]) == all[i])
			put_chain(layout, all[i], out);
	text_end_line(out);
}

/* Chains that are not joined stay in the order that the compiler gave them. */
static int by_function(const void *a, const void *b, void *ctx)
{
	const struct basic_block *blocks = ctx;
	const uint32_t *x = a, *y = b;

	if (blocks[*x].function != blocks[*y].function)
		return blocks[*x].function < blocks[*y].function ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

static bool put_functions(struct layout *layout, struct text *out)
{
	const struct basic_block *blocks = layout->map.blocks;
	uint32_t *order = calloc(layout->map.count + 1, sizeof(*order));
	size_t next;

	if (!order)
		return false;
	for (uint32_t i = 0; i < layout->map.count; i++)
		order[i] = i;
	qsort_r(order, layout->map.count, sizeof(*order), by_function, layout->map.blocks);
	for (size_t i = 0; i < layout->map.count; i = next) {
		const uint32_t function = blocks[order[i]].function;

		for (next = i; next < layout->map.count && blocks[order[next]].function == function;
		     next++)
			;
		if (layout->names[function] && layout->functions[function].heat)
			put_function(layout, &order[i], next - i, out);
	}
	free(order);
	return true;
}

int profile_propeller(const struct profile_content *content, struct text *out)
{
	struct layout layout;
	int status = lay_out(&layout, content);

	if (!status) {
		join_blocks(&layout);
		text_format(out, "v1\n");
		if (!put_functions(&layout, out))
			status = -ENOMEM;
	}
	layout_free(&layout);
	return status;
}

/* Clusters by instructions executed in each byte, the densest first */
static int by_density(const void *a, const void *b, void *ctx)
{
	const struct chain *chains = ctx, *x = &chains[*(const uint32_t *)a];
	const struct chain *y = &chains[*(const uint32_t *)b];
	const unsigned __int128 p = (unsigned __int128)x->heat * y->bytes;
	const unsigned __int128 q = (unsigned __int128)y->heat * x->bytes;

	if (p != q)
		return p > q ? -1 : 1;
	return (x > y) - (x < y);
}

int profile_propeller_order(const struct profile_content *content, struct text *out)
{
	struct layout layout;
	uint32_t *clusters = NULL;
	size_t count = 0;
	int status = lay_out(&layout, content);

	if (!status) {
		join_functions(&layout);
		clusters = calloc(layout.map.functions + (size_t)1, sizeof(*clusters));
		status = clusters ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; !status && i < layout.map.functions; i++)
		if (layout.functions[i].heat && head_of(layout.functions, i) == i)
			clusters[count++] = i;
	if (count)
		qsort_r(clusters, count, sizeof(*clusters), by_density, layout.functions);
	for (size_t i = 0; i < count; i++)
		for (uint32_t at = clusters[i]; at != NONE; at = layout.functions[at].next)
			if (layout.names[at])
				text_format(out, "%s\n", layout.names[at]);
	free(clusters);
	layout_free(&layout);
	return status;
}
