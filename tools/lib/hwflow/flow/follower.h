/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Between the files of the flow stage. */
#ifndef HWF_FLOW_FOLLOWER_H
#define HWF_FLOW_FOLLOWER_H

#include "hwflow/flow.h"
#include "hwflow/graph.h"
#include "hwflow/p0.h"

/* R_GZSSX: what has to come after a Trace Info before calls go onto the return stack */
#define HWF_PUSH_AWAITS_ADDRESS 0x1u
#define HWF_PUSH_AWAITS_CONTEXT 0x2u

/* Hand an event on. */
void hwf_flow_give(struct hwf_follower *follower, struct hwf_flow_event *event, uint64_t offset,
		   uint8_t kind);

/* Execution is not known from here to the next address. */
void hwf_flow_gap(struct hwf_follower *follower, uint64_t offset, enum hwf_gap reason);

/* IS1 is T32, IS0 is A32 or A64 as the context says. */
static inline uint8_t hwf_flow_isa(const struct hwf_context *context, uint8_t is)
{
	if (context->sf)
		return HWF_ISA_A64;
	return is ? HWF_ISA_T32 : HWF_ISA_A32;
}

/* Execution goes on at an address of the trace. */
void hwf_flow_set_pc(struct hwf_follower *follower, struct hwf_el_address address);

/* The run from the follower's address, from the program's cache or by walking. */
void hwf_flow_find_run(const struct hwf_follower *follower, struct hwf_run *run);

/* Atoms, oldest first; each is one range. @corrected as in struct hwf_element */
void hwf_flow_atoms_uncached(struct hwf_follower *follower, uint64_t offset,
			     const struct hwf_ete_atoms *atoms, uint32_t corrected);
void hwf_flow_atoms_graph(struct hwf_follower *follower, uint64_t offset,
			  const struct hwf_ete_atoms *atoms, uint32_t corrected);

static inline void hwf_flow_atoms(struct hwf_follower *follower, uint64_t offset,
				  const struct hwf_ete_atoms *atoms, uint32_t corrected)
{
	if (follower->graph)
		hwf_flow_atoms_graph(follower, offset, atoms, corrected);
	else
		hwf_flow_atoms_uncached(follower, offset, atoms, corrected);
}

/* One of them, E or N, perhaps the other one once */
void hwf_flow_atom(struct hwf_follower *follower, uint64_t offset, bool e, bool corrected);

/*
 * An N Atom on what is always taken contradicts the program. In T32 an IT block that the walk
 * did not see the beginning of may make any instruction conditional.
 */
static inline bool hwf_flow_n_is_possible(uint8_t isa, const struct hwf_insn *insn)
{
	return insn->conditional || isa == HWF_ISA_T32;
}

/* Steps of the graph that wait; events go behind them. */
void hwf_flow_give_steps(struct hwf_follower *follower);

/*
 * Behind the last range that was counted execution goes on at an address of the trace: if that
 * ended with a jump it is counted.
 */
void hwf_flow_count_jump(struct hwf_follower *follower, uint64_t address);

/* The last range that was counted is given after all: an event comes behind it. */
void hwf_flow_end_silence(struct hwf_follower *follower, uint64_t offset);

/* A return whose address did not come is on the return stack; false where that has none. */
bool hwf_flow_pop_return(struct hwf_follower *follower);

/* True with address and context known; else a gap is given. */
bool hwf_flow_ready(struct hwf_follower *follower, uint64_t offset);

/* Behind a P0 instruction that ends at @end and was taken, or executed, or not taken */
void hwf_flow_go_on(struct hwf_follower *follower, uint64_t offset, const struct hwf_insn *insn,
		    uint64_t end, uint8_t isa, bool taken);

/* Hand on executed instructions from @start to the end of @run. */
void hwf_flow_range(struct hwf_follower *follower, uint64_t offset, uint64_t start,
		    const struct hwf_run *run, bool taken, bool p0);

/* The walk from the follower's address ended early: what there was, then a gap. */
void hwf_flow_broken_run(struct hwf_follower *follower, uint64_t offset, const struct hwf_run *run);

/*
 * Walk from the follower's address to @address; with @source past the instruction there.
 * P0 instructions on the way are possible only where they can be not taken, and only with
 * @source. @run receives the whole stretch. False where the walk failed; a gap was given.
 */
bool hwf_flow_walk_to(struct hwf_follower *follower, uint64_t offset, uint64_t address, bool source,
		      struct hwf_run *run);

/* A Q element, which waits if its address comes in a packet of its own */
void hwf_flow_push_q(struct hwf_follower *follower, const struct hwf_element *element);

/*
 * With a Q element waiting: take what belongs to it. True if @element is dealt with, false if
 * it is still to be taken as any other.
 */
bool hwf_flow_hold_for_q(struct hwf_follower *follower, const struct hwf_element *element);

static inline bool hwf_context_equal(const struct hwf_context *a, const struct hwf_context *b)
{
	return a->el == b->el && a->security == b->security && a->sf == b->sf &&
	       a->has_vmid == b->has_vmid && a->has_cid == b->has_cid && a->vmid == b->vmid &&
	       a->cid == b->cid;
}

#endif /* HWF_FLOW_FOLLOWER_H */
