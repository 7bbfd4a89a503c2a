// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often the code of a binary was executed, by address. Blocks overlap: the count of an
 * instruction is the sum of the counts of all blocks that have it.
 */
#include "code_counts.h"

#include <errno.h>

/* struct span - addresses from @start to the next span; its count */
struct span {
	uint64_t start;
	uint64_t count;
};

static int compare_spans(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static int compare_arrivals(const void *a, const void *b)
{
	const struct code_arrival *x = a, *y = b;

	return (x->to > y->to) - (x->to < y->to);
}

static int compare_branches(const void *a, const void *b)
{
	const struct code_branch *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

/* Adds the change of the count at the beginning of a block, and at its end. */
static int add_span(struct code_counts *counts, uint64_t start, uint64_t change)
{
	struct span *span = items_add(&counts->spans, sizeof(*span));

	if (!span)
		return -ENOMEM;
	*span = (struct span){start, change};
	return 0;
}

static int add_block(struct code_counts *counts, const struct profile_binary *binary,
		     const struct hwf_profile_block *block)
{
	const uint64_t count = block->taken + block->not_taken;
	struct code_branch *branch;
	uint64_t start, end;

	if (!profile_address(binary->elf, block->start, &start))
		return 0;
	end = start + (block->end - block->start);
	if (add_span(counts, start, count) || add_span(counts, end, -count))
		return -ENOMEM;
	if (!block->p0 ||
	    (block->insn.kind != HWF_INSN_DIRECT && block->insn.kind != HWF_INSN_INDIRECT))
		return 0;
	branch = items_add(&counts->branches, sizeof(*branch));
	if (!branch)
		return -ENOMEM;
	*branch = (struct code_branch){
		.address = end - block->insn.size,
		.end = end,
		.taken = block->taken,
		.not_taken = block->not_taken,
		.call = block->insn.sub == HWF_SUB_LINK,
		.conditional = block->insn.conditional,
	};
	return 0;
}

static int add_edge(struct code_counts *counts, const struct profile_binary *binary,
		    const struct hwf_profile_edge *edge)
{
	struct code_arrival *arrival;
	uint64_t to, from = 0;

	if (!edge->count || !profile_address(binary->elf, edge->to, &to))
		return 0;
	/* a return to the instruction after a call */
	if (edge->insn.sub == HWF_SUB_RET || edge->insn.sub == HWF_SUB_IMPLIED_RET) {
		const struct code_branch *branches = counts->branches.at;
		size_t low = 0, high = counts->branches.count;

		while (low < high) {
			const size_t middle = low + (high - low) / 2;

			if (branches[middle].end < to)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < counts->branches.count && branches[low].end == to && branches[low].call)
			return 0;
	}
	arrival = items_add(&counts->arrivals, sizeof(*arrival));
	if (!arrival)
		return -ENOMEM;
	*arrival = (struct code_arrival){
		.to = to,
		.count = edge->count,
		.inside = edge->from_space == binary->file &&
			  profile_address(binary->elf, edge->from, &from),
		.call = edge->insn.sub == HWF_SUB_LINK,
	};
	arrival->from = from;
	return 0;
}

/* Sums changes up: each span has its count then. */
static void sum_spans(struct code_counts *counts)
{
	struct span *spans = counts->spans.at;
	uint64_t sum = 0;
	size_t used = 0;

	items_sort(&counts->spans, sizeof(*spans), compare_spans);
	for (size_t i = 0; i < counts->spans.count; i++) {
		sum += spans[i].count;
		if (!used || spans[used - 1].start != spans[i].start)
			used++;
		spans[used - 1] = (struct span){spans[i].start, sum};
	}
	counts->spans.count = used;
}

static void sum_branches(struct code_counts *counts)
{
	struct code_branch *branches = counts->branches.at;
	size_t used = 0;

	items_sort(&counts->branches, sizeof(*branches), compare_branches);
	for (size_t i = 0; i < counts->branches.count; i++) {
		if (used && branches[used - 1].address == branches[i].address) {
			branches[used - 1].taken += branches[i].taken;
			branches[used - 1].not_taken += branches[i].not_taken;
		} else {
			branches[used++] = branches[i];
		}
	}
	counts->branches.count = used;
}

int code_counts_init(struct code_counts *counts, struct hwf_stored_profile *stored,
		     const struct profile_binary *binary)
{
	const struct hwf_profile *profile = hwf_stored_profile_counts(stored);
	const struct hwf_profile_block *block;
	struct hwf_profile_edge edge;
	size_t at = 0;

	*counts = (struct code_counts){.spans = {0}};
	while ((block = hwf_profile_next_block(profile, &at)))
		if (block->space == binary->file && add_block(counts, binary, block))
			return -ENOMEM;
	sum_spans(counts);
	sum_branches(counts);
	at = 0;
	while (hwf_profile_next_edge(profile, &at, &edge))
		if (edge.to_space == binary->file && add_edge(counts, binary, &edge))
			return -ENOMEM;
	items_sort(&counts->arrivals, sizeof(struct code_arrival), compare_arrivals);
	return 0;
}

/* The number of spans that begin at an address or before it */
static size_t spans_up_to(const struct code_counts *counts, uint64_t address)
{
	const struct span *spans = counts->spans.at;
	size_t low = 0, high = counts->spans.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (spans[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t code_counts_at(const struct code_counts *counts, uint64_t address)
{
	const struct span *spans = counts->spans.at;
	const size_t index = spans_up_to(counts, address);

	return index ? spans[index - 1].count : 0;
}

uint64_t code_counts_most(const struct code_counts *counts, uint64_t start, uint64_t end)
{
	const struct span *spans = counts->spans.at;
	size_t index = spans_up_to(counts, start);
	uint64_t most = index ? spans[index - 1].count : 0;

	for (; index < counts->spans.count && spans[index].start < end; index++)
		if (spans[index].count > most)
			most = spans[index].count;
	return most;
}

const struct code_arrival *code_counts_arrivals(const struct code_counts *counts, uint64_t to,
						size_t *count)
{
	const struct code_arrival *arrivals = counts->arrivals.at;
	size_t low = 0, high = counts->arrivals.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (arrivals[middle].to < to)
			low = middle + 1;
		else
			high = middle;
	}
	for (*count = 0; low + *count < counts->arrivals.count; ++*count)
		if (arrivals[low + *count].to != to)
			break;
	return arrivals ? arrivals + low : NULL;
}

const struct code_branch *code_counts_branch(const struct code_counts *counts, uint64_t address)
{
	const struct code_branch key = {.address = address};

	return counts->branches.count ? bsearch(&key, counts->branches.at, counts->branches.count,
						sizeof(struct code_branch), compare_branches)
				      : NULL;
}

void code_counts_free(struct code_counts *counts)
{
	free(counts->spans.at);
	free(counts->arrivals.at);
	free(counts->branches.at);
}
