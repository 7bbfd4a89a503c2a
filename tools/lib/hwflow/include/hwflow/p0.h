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
 * typedef hwf_p0_atoms_fn - takes Atoms that were executed, and exceptions that were taken
 * @ctx: the taker's own
 * @atoms: HWF_P0_ATOM() each, the oldest first; valid during the call only
 * @beside: one for each of them, likewise
 * @count: how many, at least 1
 */
typedef void hwf_p0_atoms_fn(void *ctx, const uint64_t *atoms, const struct hwf_p0_beside *beside,
			     uint32_t count);

/**
 * struct hwf_p0 - the elements that wait for their resolution
 *
 * P0 elements are one word each, in a ring: an Atom, or the mark that it is another one. These
 * others, and what is no P0 element, are riders in a ring of their own, with the number of P0
 * elements before them: they leave together with the next one. What are many are no riders, but
 * stand beside their word: exceptions, a Target Address before it and a Cycle Count behind it.
 * Fields are the library's; a caller may set @atoms.
 */
struct hwf_p0 {
	const struct hwf_ete_config *config;
	hwf_element_fn *sink;
	void *sink_ctx;
	hwf_p0_atoms_fn *atoms; /* takes Atoms in place of @sink; NULL for none */
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

/** HWF_P0_ROW_ATOMS - most Atoms of a row */
#define HWF_P0_ROW_ATOMS 4

/**
 * struct hwf_p0_row - what a packet of one or two bytes does in the ring
 * @e: its Atoms: 1 for E, as in HWF_P0_ATOM()
 * @numbers: P0 elements it commits; from bit 32 on, those it cancels; here and in what follows, as
 *	bytes in the ring
 * @times: the second byte times this is added to @numbers
 * @floor: so many behind the youngest rider have to be left
 * @atoms: how many; more than there can be where it is no row
 * @mispredict: HWF_P0_CORRECT, which is one as well, for a Mispredict; that comes last
 * @targets: HWF_P0_TARGETED where an address that then stands before what comes next still does
 * @most: a greater second byte makes another packet of it
 * @size: of the packet
 */
struct hwf_p0_row {
	uint64_t e[HWF_P0_ROW_ATOMS];
	uint64_t numbers;
	uint64_t times;
	uint32_t floor;
	uint32_t atoms;
	uint8_t mispredict;
	uint8_t targets;
	uint8_t most;
	uint8_t size;
};

/**
 * struct hwf_p0_rows - one for each header byte; depends on the configuration alone
 * @row: of each packet
 * @behind: of those that have no Atoms, behind a packet of Atoms; others do nothing there
 * @size: bytes of @behind
 */
struct hwf_p0_rows {
	struct hwf_p0_row row[256];
	struct hwf_p0_row behind[256];
	uint8_t size[256];
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
