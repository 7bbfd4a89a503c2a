/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Filters of a RISC-V trace encoder: comparators (RISCV_COMPARATOR), and what filters make of them
 * (RISCV_FILTER).
 */
#include "hwflow/te_filter.h"

/* what a block may have on a bus: all values from @low to @high */
struct te_span {
	uint64_t low;
	uint64_t high;
};

static bool te_bus_exists(const struct hwf_te_filter_params *params, unsigned int bus)
{
	return bus == HWF_TE_BUS_ADDRESS ||
	       (bus == HWF_TE_BUS_CONTEXT && params->filter_context_p) ||
	       (bus == HWF_TE_BUS_TVAL && params->filter_tval_p && params->filter_ecause_p);
}

static bool te_user_exists(const struct hwf_te_filter_params *params,
			   const struct hwf_te_match *match)
{
	for (unsigned int i = 0; i < HWF_TE_USER_WORDS; i++) {
		unsigned int bits =
			params->user_width_p > 64 * i ? params->user_width_p - 64 * i : 0;
		uint64_t valid = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;

		if (match->user_mask[i] & ~valid)
			return false;
	}
	return true;
}

static bool te_match_exists(const struct hwf_te_filter_params *params,
			    const struct hwf_te_match *match)
{
	unsigned int choices = 1u << params->ecause_choice_p;

	if (match->privileges && !params->filter_privilege_p)
		return false;
	if ((match->on_cause || match->on_interrupt) && !params->filter_ecause_p)
		return false;
	if (match->on_interrupt && !params->filter_interrupt_p)
		return false;
	if (match->on_cause && choices < 64 && match->causes >> choices)
		return false;
	return te_user_exists(params, match);
}

int hwf_te_filters_check(const struct hwf_te_filters *filters)
{
	const struct hwf_te_filter_params *params = &filters->params;
	unsigned int there = (1u << params->comparators) - 1;

	if (params->comparators > HWF_TE_COMPARATORS || params->filters > HWF_TE_FILTERS ||
	    params->ecause_choice_p > 6 || params->filter_ecause_p > 15 ||
	    params->user_width_p > 64 * HWF_TE_USER_WORDS)
		return HWF_ERR_BAD_CONFIG;
	for (unsigned int i = 0; i < HWF_TE_FILTERS; i++) {
		const struct hwf_te_filter *filter = &filters->filter[i];
		unsigned int used = filter->all | filter->start | filter->stop;

		if (!filter->enable)
			continue;
		if (i >= params->filters || (used & ~there) ||
		    !te_match_exists(params, &filter->match))
			return HWF_ERR_BAD_CONFIG;
		for (unsigned int c = 0; c < params->comparators; c++)
			if ((used >> c & 1) && (filters->comparator[c].op > HWF_TE_ALWAYS ||
						!te_bus_exists(params, filters->comparator[c].bus)))
				return HWF_ERR_BAD_CONFIG;
	}
	return 0;
}

bool hwf_te_compare(const struct hwf_te_comparator *comparator, uint64_t bus)
{
	switch (comparator->op) {
	case HWF_TE_EQ:
		return bus == comparator->value;
	case HWF_TE_NEQ:
		return bus != comparator->value;
	case HWF_TE_LT:
		return bus < comparator->value;
	case HWF_TE_LTE:
		return bus <= comparator->value;
	case HWF_TE_GT:
		return bus > comparator->value;
	case HWF_TE_GTE:
		return bus >= comparator->value;
	default:
		return comparator->op == HWF_TE_ALWAYS;
	}
}

void hwf_te_filter_init(struct hwf_te_filter_state *state, const struct hwf_te_filters *filters,
			struct hwf_te_trap_entry *nested)
{
	*state = (struct hwf_te_filter_state){
		.filters = filters,
		.nested = nested,
		.room = 1u << (filters ? filters->params.filter_ecause_p : 0),
	};
}

/* Leaves in @span what an ordering leaves of it; false where that is nothing. */
static bool te_span_cut(struct te_span *span, const struct hwf_te_comparator *comparator)
{
	uint64_t low = 0, high = UINT64_MAX;

	switch (comparator->op) {
	case HWF_TE_EQ:
		low = comparator->value;
		high = comparator->value;
		break;
	case HWF_TE_LT:
		if (!comparator->value)
			return false;
		high = comparator->value - 1;
		break;
	case HWF_TE_LTE:
		high = comparator->value;
		break;
	case HWF_TE_GT:
		if (comparator->value == UINT64_MAX)
			return false;
		low = comparator->value + 1;
		break;
	case HWF_TE_GTE:
		low = comparator->value;
		break;
	}
	span->low = span->low > low ? span->low : low;
	span->high = span->high < high ? span->high : high;
	return span->low <= span->high;
}

/*
 * Is there an address of the block for which all of @comparators on the address hold? Where more
 * than one address is left, one that is not the other side of a "not equal" is among them.
 */
static bool te_addresses_match(const struct hwf_te_filters *filters, unsigned int comparators,
			       const struct hwf_te_filter_input *input)
{
	struct te_span span = {input->first, input->last};
	const struct hwf_te_comparator *c = filters->comparator;

	for (unsigned int i = 0; i < HWF_TE_COMPARATORS; i++)
		if ((comparators >> i & 1) && c[i].bus == HWF_TE_BUS_ADDRESS &&
		    !te_span_cut(&span, &c[i]))
			return false;
	for (unsigned int i = 0; i < HWF_TE_COMPARATORS && span.low == span.high; i++)
		if ((comparators >> i & 1) && c[i].bus == HWF_TE_BUS_ADDRESS &&
		    !hwf_te_compare(&c[i], span.low))
			return false;
	return true;
}

static bool te_values_match(const struct hwf_te_filters *filters, unsigned int comparators,
			    unsigned int bus, uint64_t value)
{
	for (unsigned int i = 0; i < HWF_TE_COMPARATORS; i++)
		if ((comparators >> i & 1) && filters->comparator[i].bus == bus &&
		    !hwf_te_compare(&filters->comparator[i], value))
			return false;
	return true;
}

static bool te_uses_bus(const struct hwf_te_filters *filters, unsigned int comparators,
			unsigned int bus)
{
	for (unsigned int i = 0; i < HWF_TE_COMPARATORS; i++)
		if ((comparators >> i & 1) && filters->comparator[i].bus == bus)
			return true;
	return false;
}

static bool te_cause_matches(const struct hwf_te_filters *filters, const struct hwf_te_match *match,
			     uint16_t cause)
{
	unsigned int choice = filters->params.ecause_choice_p;
	unsigned int low = cause & ((1u << choice) - 1);

	return (match->causes >> low & 1) && cause >> choice == match->cause >> choice;
}

/* Are we in a handler, or in what is nested in it, that the filter asks for? */
static bool te_handler_matches(const struct hwf_te_filter_state *state,
			       const struct hwf_te_match *match, unsigned int comparators)
{
	const struct hwf_te_filters *filters = state->filters;
	uint32_t known = state->depth < state->room ? state->depth : state->room;

	if (!match->on_cause && !match->on_interrupt &&
	    !te_uses_bus(filters, comparators, HWF_TE_BUS_TVAL))
		return true;
	for (uint32_t i = 0; i < known; i++) {
		const struct hwf_te_trap_entry *trap = &state->nested[i];

		if ((!match->on_cause || te_cause_matches(filters, match, trap->cause)) &&
		    (!match->on_interrupt || trap->interrupt == match->interrupt) &&
		    te_values_match(filters, comparators, HWF_TE_BUS_TVAL, trap->tval))
			return true;
	}
	return false;
}

static bool te_user_matches(const struct hwf_te_match *match, const struct hwf_te_cycle *cycle)
{
	for (unsigned int i = 0; i < HWF_TE_USER_WORDS; i++)
		if ((cycle->user[i] ^ match->user[i]) & match->user_mask[i])
			return false;
	return true;
}

/* Does one of these comparators match by itself? That of the trap value looks at the newest trap.
 */
static bool te_any_matches(const struct hwf_te_filter_state *state, unsigned int comparators,
			   const struct hwf_te_filter_input *input)
{
	const struct hwf_te_filters *filters = state->filters;
	bool in_trap = state->depth && state->depth <= state->room;

	for (unsigned int i = 0; i < HWF_TE_COMPARATORS; i++) {
		const struct hwf_te_comparator *c = &filters->comparator[i];

		if (!(comparators >> i & 1))
			continue;
		if (c->bus == HWF_TE_BUS_ADDRESS && te_addresses_match(filters, 1u << i, input))
			return true;
		if (c->bus == HWF_TE_BUS_CONTEXT && hwf_te_compare(c, input->cycle->context))
			return true;
		if (c->bus == HWF_TE_BUS_TVAL && in_trap &&
		    hwf_te_compare(c, state->nested[state->depth - 1].tval))
			return true;
	}
	return false;
}

static bool te_filter_matches(struct hwf_te_filter_state *state, unsigned int number,
			      const struct hwf_te_filter_input *input)
{
	const struct hwf_te_filter *filter = &state->filters->filter[number];
	const struct hwf_te_match *match = &filter->match;
	const uint16_t bit = (uint16_t)(1u << number);
	bool started = true;

	if (filter->start || filter->stop) {
		if (te_any_matches(state, filter->start, input))
			state->started |= bit;
		started = state->started & bit;
		if (te_any_matches(state, filter->stop, input))
			state->started &= (uint16_t)~bit;
	}
	return started && (!match->privileges || match->privileges >> input->cycle->priv & 1) &&
	       te_user_matches(match, input->cycle) &&
	       te_addresses_match(state->filters, filter->all, input) &&
	       te_values_match(state->filters, filter->all, HWF_TE_BUS_CONTEXT,
			       input->cycle->context) &&
	       te_handler_matches(state, match, filter->all);
}

static void te_trap_enter(struct hwf_te_filter_state *state,
			  const struct hwf_te_filter_input *input)
{
	if (state->depth < state->room)
		state->nested[state->depth] = (struct hwf_te_trap_entry){
			.tval = input->cycle->tval,
			.cause = input->cycle->cause,
			.interrupt = input->trap == HWF_TE_INTERRUPT,
		};
	if (state->depth < UINT32_MAX)
		state->depth++;
}

bool hwf_te_filter_block(struct hwf_te_filter_state *state, const struct hwf_te_filter_input *input)
{
	bool any = false, qualified = false;

	if (!state->filters)
		return true;
	for (unsigned int i = 0; i < HWF_TE_FILTERS; i++) {
		if (!state->filters->filter[i].enable)
			continue;
		any = true;
		/* each of them has to see the block */
		qualified |= te_filter_matches(state, i, input);
	}
	if (input->trap)
		te_trap_enter(state, input);
	else if (input->trap_return && state->depth)
		state->depth--;
	return qualified || !any;
}
