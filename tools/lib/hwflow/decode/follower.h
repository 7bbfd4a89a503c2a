/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Functions that the files of the flow stage share. */
#ifndef HWF_DECODE_FOLLOWER_H
#define HWF_DECODE_FOLLOWER_H

#include "hwflow/flow.h"
#include "hwflow/p0.h"

/* R_GZSSX: push_awaits: elements that must come after a Trace Info before a call is pushed */
#define HWF_PUSH_AWAITS_ADDRESS 0x1u
#define HWF_PUSH_AWAITS_CONTEXT 0x2u

/*
 * struct hwf_follower_graph - how a follower uses a graph of ranges. The plain walk knows nothing
 * of graphs: a decoder, which is above it, gives it these.
 * @atoms: Atoms, oldest first; each is one range. @corrected as in struct hwf_element
 * @before_event: an event of this kind is given next
 * @jump: execution continues at an address of the trace behind the last counted range
 */
struct hwf_follower_graph {
	void (*atoms)(struct hwf_follower *follower, uint64_t offset,
		      const struct hwf_ete_atoms *atoms, uint32_t corrected);
	void (*before_event)(struct hwf_follower *follower, uint64_t offset, uint8_t kind);
	void (*jump)(struct hwf_follower *follower, uint64_t address);
};

/* Give an event to the sink. */
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

/* Continue at an address of the trace; no jump is counted. */
static inline void hwf_flow_put_pc(struct hwf_follower *follower, struct hwf_el_address address)
{
	follower->pc = address.value;
	follower->is = address.is;
	follower->isa = hwf_flow_isa(&follower->context, address.is);
	follower->has_pc = true;
	follower->pop_pending = false;
	follower->returned = false;
	follower->push_awaits &= (uint8_t)~HWF_PUSH_AWAITS_ADDRESS;
	follower->gap_open = false;
}

/* Continue at an address of the trace; count the jump to it if ranges are counted. */
void hwf_flow_set_pc(struct hwf_follower *follower, struct hwf_el_address address);

/* The run from the follower's address: by the run() of its code, or by a walk. */
void hwf_flow_find_run(const struct hwf_follower *follower, struct hwf_run *run);

/* One Atom; @corrected: a Mispredict flipped it */
void hwf_flow_atom(struct hwf_follower *follower, uint64_t offset, bool e, bool corrected);

/* Does an event not depend on the ranges before and behind it? It does not interrupt counting. */
static inline bool hwf_flow_is_independent(uint8_t kind)
{
	switch (kind) {
	case HWF_FLOW_CYCLE_COUNT:
	case HWF_FLOW_TIMESTAMP:
	case HWF_FLOW_TIMESTAMP_MARKER:
	case HWF_FLOW_EVENT:
	case HWF_FLOW_INSTRUMENTATION:
		return true;
	default:
		return false;
	}
}

/* Take the target of an untraced return from the return stack; false if it is empty. */
bool hwf_flow_pop_return(struct hwf_follower *follower);

/* Are address and context known? If not, a gap is given. */
bool hwf_flow_ready(struct hwf_follower *follower, uint64_t offset);

/* Continue behind a P0 instruction that ends at @end. */
void hwf_flow_go_on(struct hwf_follower *follower, uint64_t offset, const struct hwf_insn *insn,
		    uint64_t end, uint8_t isa, bool taken);

/* Give the range from @start to the end of @run. */
void hwf_flow_range(struct hwf_follower *follower, uint64_t offset, uint64_t start,
		    const struct hwf_run *run, bool taken, bool p0);

/* A walk from the follower's address ended early: give its instructions, then a gap. */
void hwf_flow_broken_run(struct hwf_follower *follower, uint64_t offset, const struct hwf_run *run);

/*
 * Walk from the follower's address to @address; with @source, past the instruction there. With
 * @source the walk may pass P0 instructions that can be not taken; any other P0 instruction ends
 * it.
 * @run receives the instructions. Return: false if the walk failed; a gap was given
 */
bool hwf_flow_walk_to(struct hwf_follower *follower, uint64_t offset, uint64_t address, bool source,
		      struct hwf_run *run);

/* A Q element; it waits if its address is in another packet. */
void hwf_flow_push_q(struct hwf_follower *follower, const struct hwf_element *element);

/*
 * Complete a waiting Q element. Return: true if @element belongs to it and is processed; false if
 * @element is to be processed like any other
 */
bool hwf_flow_complete_q(struct hwf_follower *follower, const struct hwf_element *element);

static inline bool hwf_context_equal(const struct hwf_context *a, const struct hwf_context *b)
{
	return a->el == b->el && a->security == b->security && a->sf == b->sf &&
	       a->has_vmid == b->has_vmid && a->has_cid == b->has_cid && a->vmid == b->vmid &&
	       a->cid == b->cid;
}

#endif /* HWF_DECODE_FOLLOWER_H */
