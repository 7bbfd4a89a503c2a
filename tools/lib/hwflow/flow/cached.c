/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Atoms through the range cache: what was followed once is an event that only wants its
 * offset, and a pointer to what comes next. The same result as hwf_flow_atom(), faster.
 */
#include "flow/follower.h"
#include "hwflow/range_cache.h"

/* The node of an address; a new one if need be, NULL where there is no run. */
static struct hwf_range_node *node_at(struct hwf_follower *follower, uint64_t address, uint8_t isa)
{
	struct hwf_range_cache *cache = follower->cache;
	struct hwf_range_node *node;
	struct hwf_run run;

	node = hwf_range_cache_find(cache, follower->space, address, isa, HWF_RUN_MAX);
	if (node)
		return node;
	follower->pc = address;
	follower->isa = isa;
	follower->is = isa == HWF_ISA_T32;
	hwf_flow_find_run(follower, &run);
	if (run.status)
		return NULL;
	return hwf_range_cache_add(cache, follower->space, address, isa, HWF_RUN_MAX, &run);
}

/* The node behind a link of another one, which it is stored in unless all was forgotten. */
static struct hwf_range_node *follow_link(struct hwf_follower *follower,
					  struct hwf_range_node **link, uint64_t address,
					  uint8_t isa)
{
	uint32_t flushes = follower->cache->flushes;
	struct hwf_range_node *node = *link;

	if (node)
		return node;
	node = node_at(follower, address, isa);
	if (follower->cache->flushes == flushes)
		*link = node;
	return node;
}

static void go_indirect(struct hwf_follower *follower, uint64_t offset,
			const struct hwf_flow_range *range)
{
	struct hwf_flow_event event;

	follower->pc = range->end;
	follower->isa = range->isa;
	follower->is = range->isa == HWF_ISA_T32;
	follower->has_pc = false;
	follower->pop_pending = follower->config->return_stack;
	if (range->insn.sub == HWF_SUB_ERET && !follower->config->traces_eret)
		hwf_flow_give(follower, &event, offset, HWF_FLOW_EXCEPTION_RETURN);
}

/* A call that was traced as taken at first (R_FFXPW, R_NYHFH): the return stack needs to know. */
static inline void push_return(struct hwf_follower *follower, const struct hwf_flow_range *range,
			       uint64_t atom)
{
	/* what is the same for all Atoms comes first: of E or N alone nothing is to be guessed */
	if (follower->config->return_stack && !follower->push_awaits &&
	    (HWF_P0_TRACED(atom) & (range->insn.sub == HWF_SUB_LINK)))
		hwf_return_stack_push(&follower->stack, range->end, range->isa);
}

/* What comes after the range of a node; NULL where an address has to come first. */
static struct hwf_range_node *after(struct hwf_follower *follower, struct hwf_range_node *node,
				    uint64_t atom)
{
	const struct hwf_flow_range *range = &node->event.u.range;
	bool e = HWF_P0_E(atom);

	push_return(follower, range, atom);
	if (e && range->insn.kind == HWF_INSN_DIRECT)
		return follow_link(follower, &node->after[1], range->insn.target,
				   range->insn.target_isa);
	if (e && range->insn.kind == HWF_INSN_INDIRECT) {
		go_indirect(follower, HWF_P0_OFFSET(atom), range);
		return NULL;
	}
	return follow_link(follower, &node->after[e], range->end, range->isa);
}

/* Back to what the plain walk knows of where we are */
static void set_place(struct hwf_follower *follower, const struct hwf_range_node *node)
{
	follower->pc = node->event.u.range.start;
	follower->isa = node->event.u.range.isa;
	follower->is = follower->isa == HWF_ISA_T32;
}

static struct hwf_range_node *first_node(struct hwf_follower *follower)
{
	if (follower->node && follower->node_flushes == follower->cache->flushes)
		return follower->node;
	/* everything else ends in a gap or an early end: the plain walk does that */
	if (!follower->has_context || follower->pop_pending || !follower->has_pc)
		return NULL;
	return node_at(follower, follower->pc, follower->isa);
}

static void give_range(struct hwf_follower *follower, struct hwf_range_node *node, uint64_t atom)
{
	node->event.offset = HWF_P0_OFFSET(atom);
	node->event.u.range.taken = HWF_P0_E(atom);
	follower->sink(follower->sink_ctx, &node->event);
}

/* One HWF_P0_ATOM() at a node; NULL is where there is none. Returns the node behind it. */
static struct hwf_range_node *step_slowly(struct hwf_follower *follower,
					  struct hwf_range_node *node, uint64_t atom)
{
	if (!node || !(HWF_P0_E(atom) || node->n_is_possible)) {
		if (node)
			set_place(follower, node);
		follower->node = NULL;
		hwf_flow_atom(follower, HWF_P0_OFFSET(atom), HWF_P0_E(atom),
			      HWF_P0_E(atom) != HWF_P0_TRACED(atom));
		return first_node(follower);
	}
	give_range(follower, node, atom);
	return after(follower, node, atom);
}

/* An address of the trace comes first. */
static struct hwf_range_node *go_to(struct hwf_follower *follower, uint64_t target)
{
	hwf_flow_set_pc(follower,
			(struct hwf_el_address){.value = target & ~UINT64_C(1), .is = target & 1});
	return first_node(follower);
}

static void give_count(struct hwf_follower *follower, const struct hwf_p0_beside *beside)
{
	struct hwf_flow_event event;

	event.offset = beside->count_offset;
	event.kind = HWF_FLOW_CYCLE_COUNT;
	event.u.cycle_count = beside->count;
	follower->sink(follower->sink_ctx, &event);
}

static void leave(struct hwf_follower *follower, struct hwf_range_node *node)
{
	follower->node = node;
	if (node) {
		follower->node_flushes = follower->cache->flushes;
		set_place(follower, node);
	}
}

/* The node behind one, where that way was gone before: E or N is a place in a table, no branch. */
static inline struct hwf_range_node *known_after(const struct hwf_range_node *node, uint64_t atom)
{
	return node->after[(atom & HWF_P0_CORRECT) / HWF_P0_CORRECT];
}

/* One HWF_P0_ATOM() at a node; NULL is where there is none. Returns the node behind it. */
static inline struct hwf_range_node *step(struct hwf_follower *follower,
					  struct hwf_range_node *node, uint64_t atom, bool calls)
{
	struct hwf_range_node *next = node ? known_after(node, atom) : NULL;

	if (!next)
		return step_slowly(follower, node, atom);
	give_range(follower, node, atom);
	if (calls)
		push_return(follower, &node->event.u.range, atom);
	return next;
}

void hwf_flow_atoms_cached(struct hwf_follower *follower, uint64_t offset,
			   const struct hwf_ete_atoms *atoms, uint32_t corrected)
{
	struct hwf_range_node *node = first_node(follower);
	const bool calls = follower->config->return_stack;
	uint32_t bits = atoms->bits;

	for (unsigned int left = atoms->count; left; left--, bits >>= 1, corrected >>= 1)
		node = step(follower, node, HWF_P0_ATOM(offset, (bits & 1) | (corrected & 1) << 1),
			    calls);
	leave(follower, node);
}

/* One Atom with what stands beside it, where the path is not known or nothing is remembered. */
static void push_atom(struct hwf_follower *follower, uint64_t atom,
		      const struct hwf_p0_beside *beside)
{
	const struct hwf_element target = hwf_p0_target_element(beside);
	struct hwf_element element = {
		.offset = HWF_P0_OFFSET(atom),
		.kind = HWF_EL_ATOM,
		.corrected = HWF_P0_E(atom) != HWF_P0_TRACED(atom),
		.u.atoms = {.bits = HWF_P0_E(atom), .count = 1},
	};

	if (atom & HWF_P0_TARGETED)
		hwf_follower_push(follower, &target);
	if (atom & HWF_P0_EXCEPTION)
		element = hwf_p0_exception_element(atom, beside);
	hwf_follower_push(follower, &element);
	if (atom & HWF_P0_COUNTED)
		give_count(follower, beside);
}

/* What is more than an Atom: the plain way, and where it goes on */
static struct hwf_range_node *step_plainly(struct hwf_follower *follower,
					   struct hwf_range_node *node, uint64_t atom,
					   const struct hwf_p0_beside *beside)
{
	leave(follower, node);
	push_atom(follower, atom, beside);
	return first_node(follower);
}

/* As hwf_follower_atoms(); @calls is a constant: may there be something for the return stack? */
static inline __attribute__((always_inline)) struct hwf_range_node *follow(
	struct hwf_follower *follower, struct hwf_range_node *node, const uint64_t *atoms,
	const struct hwf_p0_beside *beside, uint32_t count, bool calls)
{
	for (uint32_t i = 0; i < count; i++) {
		if (atoms[i] & (HWF_P0_EXCEPTION | HWF_P0_TARGETED)) {
			if (atoms[i] & HWF_P0_EXCEPTION) {
				node = step_plainly(follower, node, atoms[i], &beside[i]);
				continue;
			}
			node = go_to(follower, beside[i].target);
		}
		node = step(follower, node, atoms[i], calls);
		if (atoms[i] & HWF_P0_COUNTED)
			give_count(follower, &beside[i]);
	}
	return node;
}

void hwf_follower_atoms(struct hwf_follower *follower, const uint64_t *atoms,
			const struct hwf_p0_beside *beside, uint32_t count)
{
	struct hwf_range_node *node;

	if (follower->q_pending || !follower->cache) {
		for (uint32_t i = 0; i < count; i++)
			push_atom(follower, atoms[i], &beside[i]);
		return;
	}
	node = first_node(follower);
	if (follower->config->return_stack)
		node = follow(follower, node, atoms, beside, count, true);
	else
		node = follow(follower, node, atoms, beside, count, false);
	leave(follower, node);
}
