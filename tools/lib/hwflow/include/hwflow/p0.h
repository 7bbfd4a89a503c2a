/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * P0 resolution: which of the traced P0 elements were executed (Arm ARM D4.3.8).
 */
#ifndef HWFLOW_P0_H
#define HWFLOW_P0_H

#include "hwflow/element.h"

#ifdef __cplusplus
extern "C" {
#endif

/** HWF_P0_ATOM() - one Atom: byte offset of its packet, and 1 for E, or 0 */
#define HWF_P0_ATOM(offset, e) ((uint64_t)(offset) << 5 | (uint64_t)(e)*9)
/** HWF_P0_OFFSET() - offset of an HWF_P0_ATOM() */
#define HWF_P0_OFFSET(atom) ((atom) >> 5)
/** HWF_P0_E() - is an HWF_P0_ATOM() an E Atom? */
#define HWF_P0_E(atom) ((bool)((atom) >> 3 & 1))
/** HWF_P0_TRACED() - was it traced as an E Atom? */
#define HWF_P0_TRACED(atom) ((bool)((atom)&1))
/** HWF_P0_CORRECT - a Mispredict flips this bit of an HWF_P0_ATOM() */
#define HWF_P0_CORRECT 0x8u
/** HWF_P0_TARGETED - bit of an HWF_P0_ATOM(): a Target Address stands before it */
#define HWF_P0_TARGETED 0x4u
/** HWF_P0_COUNTED - bit of an HWF_P0_ATOM(): a Cycle Count stands behind it */
#define HWF_P0_COUNTED 0x2u
/** HWF_P0_EXCEPTION - bit of an HWF_P0_ATOM(): it is none, but an exception */
#define HWF_P0_EXCEPTION 0x10u

/**
 * struct hwf_p0_beside - what stands beside an Atom, or in place of one
 * @target: with HWF_P0_TARGETED: the address, IS in bit 0
 * @target_offset: of its packet
 * @count: with HWF_P0_COUNTED
 * @count_offset: of its packet
 * @ret: with HWF_P0_EXCEPTION: where it returns to, IS in bit 0; as struct hwf_el_exception, as
 *	what follows
 * @type: see @ret
 * @ret_is_target: see @ret
 */
struct hwf_p0_beside {
	uint64_t target;
	uint64_t target_offset;
	struct hwf_el_cycle_count count;
	uint64_t count_offset;
	uint64_t ret;
	uint16_t type;
	bool ret_is_target;
};

/** hwf_p0_target_element() - what stands before @atom, with HWF_P0_TARGETED, as an element */
struct hwf_element hwf_p0_target_element(const struct hwf_p0_beside *beside);

/** hwf_p0_exception_element() - @atom, with HWF_P0_EXCEPTION, as an element */
struct hwf_element hwf_p0_exception_element(uint64_t atom, const struct hwf_p0_beside *beside);

/**
 * struct hwf_p0 - the elements that wait for their resolution
 *
 * P0 elements are one word each, in a ring: an Atom, or the mark that it is another one. These
 * others, and what is no P0 element, are riders in a ring of their own, with the number of P0
 * elements before them: they leave together with the next one. What are many are no riders, but
 * stand beside their word: exceptions, a Target Address before it and a Cycle Count behind it.
 * Fields are the library's.
 */
struct hwf_p0 {
	const struct hwf_ete_config *config;
	hwf_element_fn *sink;
	void *sink_ctx;
	struct hwf_element *riders;
	uint32_t *positions; /* of riders */
	uint64_t *entries;   /* P0 elements */
	struct hwf_p0_beside *beside;
	uint32_t rider_mask;
	uint32_t first; /* the oldest rider */
	uint32_t used;  /* riders */
	uint32_t entry_mask;
	uint32_t head;      /* of the oldest P0 element */
	uint32_t committed; /* of the oldest that waits; those before it are to be given */
	uint32_t tail;      /* behind the youngest */
	uint32_t unseen;    /* uncommitted P0 elements from before the start of trace; the oldest */
	bool targeted; /* a Target Address stands at @tail, behind any rider: an Atom is to come */
	bool lost;
};

/** HWF_OP_BOTH() - a number of P0 elements in both halves of a word, as struct hwf_op has it */
#define HWF_OP_BOTH(number) ((uint64_t)(number) << 32 | (uint64_t)(number))

/**
 * struct hwf_op - what a packet of one or two bytes does with P0 elements: Atoms, Commit, Cancel,
 * Mispredict, in this order
 * @add: its Atoms: how many there are more in all, and in the high half how many more wait
 * @sub: likewise, those that it cancels; those that it commits or cancels
 * @times: the second byte times this is added to @sub
 * @mispredict: all bits set for a Mispredict
 * @taken: the Atoms, the oldest in bit 0
 * @size: bytes of the packet; 0: it does something else
 *
 * The second byte of such a packet is a number of seven bits. With the eighth it is a longer
 * packet; but then it says more than the window holds.
 */
struct hwf_op {
	uint64_t add;
	uint64_t sub;
	uint64_t times;
	uint64_t mispredict;
	uint32_t taken;
	uint8_t size;
};

/**
 * struct hwf_ops - one for each header byte; depends on the configuration alone
 * @op: of each packet
 * @behind: of those that have no Atoms, to stand behind a packet of Atoms; others do nothing there,
 *	and have the size 0
 * @counting: as @behind, with Cycle Counts of one byte, of which only the Commit matters
 */
struct hwf_ops {
	struct hwf_op op[256];
	struct hwf_op behind[256];
	struct hwf_op counting[256];
};

/** HWF_WINDOW_ROOM - P0 elements that may pass before those that are left move to the beginning */
#define HWF_WINDOW_ROOM 256u

/**
 * struct hwf_window_beside - what stands before a P0 element of the window, or in its place
 * @target: a Target Address that stands before it, IS in bit 0
 * @target_offset: of its packet
 * @exception: it is that
 */
struct hwf_window_beside {
	uint64_t target;
	uint64_t target_offset;
	struct hwf_el_exception exception;
};

/**
 * struct hwf_window_memory - what stands beside the bits of the window
 * @offset: of the packets of P0 elements, as in struct hwf_steps
 * @beside: of P0 elements that have something there
 */
struct hwf_window_memory {
	uint32_t offset[HWF_WINDOW_ROOM + 72];
	struct hwf_window_beside beside[HWF_WINDOW_ROOM + 72];
};

/**
 * hwf_p0_ring_size() - elements of memory that a trace unit needs
 * @config: of the trace unit
 *
 * Return: a number of struct hwf_element, a power of two; enough for MAXSPEC P0 elements
 * and eight others for each, within reason: see hwf_p0_push().
 */
uint32_t hwf_p0_ring_size(const struct hwf_ete_config *config);

/**
 * hwf_p0_init() - begin with nothing to resolve
 * @p0: to initialise
 * @config: of the trace unit; must outlive @p0
 * @ring: memory, the caller's; must outlive @p0
 * @size: elements of it, a power of two, at least 64
 * @sink: takes the elements of execution, in order; no HWF_EL_COMMIT and the like among them
 * @sink_ctx: its first argument
 */
void hwf_p0_init(struct hwf_p0 *p0, const struct hwf_ete_config *config, struct hwf_element *ring,
		 uint32_t size, hwf_element_fn *sink, void *sink_ctx);

/**
 * hwf_p0_push() - take one element
 * @p0: the stage
 * @element: from the element stage
 *
 * Where a trace resolves more than was traced, or more waits than the ring holds, the stage
 * gives HWF_EL_NO_SYNC with HWF_ERR_UNDERFLOW or HWF_ERR_NO_SPACE and
 * drops everything up to the next Trace Info.
 */
void hwf_p0_push(struct hwf_p0 *p0, const struct hwf_element *element);

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_P0_H */
