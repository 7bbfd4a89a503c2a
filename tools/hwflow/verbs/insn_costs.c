/* SPDX-License-Identifier: GPL-2.0-only */
/* Time or cycles of instructions. */
#include "insn_costs.h"

#include "base/array.h"

/* Ranges that wait at most: if there are more, what passes until the next reading is of none */
#define MOST_WAITING 0x10000u

static uint64_t clock_of(const struct insn_costs *costs, const struct execution *execution)
{
	return costs->measure->by == SPANS_CYCLES ? execution->cycles : execution->timestamp;
}

/* Ranges from here on are of the next interval; before the first reading none waits. */
static void forget(struct insn_costs *costs)
{
	costs->count = 0;
	costs->instructions = 0;
}

/* The thread goes on at another time. A clock that was read since then says when. */
static void begin(struct insn_costs *costs, const struct execution *execution)
{
	const uint64_t clock = clock_of(costs, execution);
	const bool is_next =
		costs->source == execution->source &&
		(costs->piece == execution->piece || costs->measure->by == SPANS_CYCLES);

	costs->is_read = clock != (is_next ? costs->reading : 0);
	costs->source = execution->source;
	costs->piece = execution->piece;
	costs->tid = execution->tid;
	costs->reading = clock;
	forget(costs);
}

static void read_clock(struct insn_costs *costs, const struct execution *execution)
{
	const uint64_t clock = clock_of(costs, execution);
	const uint64_t before = measure_now(costs->measure, costs->reading);
	const uint64_t now = measure_now(costs->measure, clock);

	/* a recording may have timestamps that go backwards */
	if (clock == costs->reading || (costs->is_read && now <= before))
		return;
	for (size_t i = 0; i < costs->count; i++)
		insn_counts_cost(costs->counts, execution, &costs->waiting[i],
				 (double)(now - before) / (double)costs->instructions);
	forget(costs);
	costs->reading = clock;
	costs->is_read = true;
}

static void add(struct insn_costs *costs, const struct execution *execution,
		const struct hwf_flow_range *range)
{
	struct hwf_profile_block *waiting;

	if (costs->count == MOST_WAITING) {
		costs->is_read = false;
		forget(costs);
		return;
	}
	waiting = array_room(costs->waiting, costs->count, &costs->room, sizeof(*waiting));
	if (!waiting) {
		costs->failed = true;
		return;
	}
	costs->waiting = waiting;
	waiting[costs->count++] = (struct hwf_profile_block){.space = execution->space,
							     .start = range->start,
							     .instructions = range->instructions,
							     .isa = range->isa};
	costs->instructions += range->instructions;
}

void insn_costs_branch(struct insn_costs *costs, const struct execution *execution,
		       const struct hwf_branch *branch)
{
	if (branch->kind == HWF_BRANCH_START)
		begin(costs, execution);
}

void insn_costs_range(struct insn_costs *costs, const struct execution *execution,
		      const struct hwf_flow_range *range)
{
	if (costs->source != execution->source || costs->piece != execution->piece ||
	    costs->tid != execution->tid)
		begin(costs, execution);
	read_clock(costs, execution);
	if (costs->is_read)
		add(costs, execution, range);
}

void insn_costs_free(struct insn_costs *costs)
{
	free(costs->waiting);
}
