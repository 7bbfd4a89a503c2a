/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Branch packets of up to four bytes: all that are frequent, with nothing asked but if it is one.
 */
#ifndef HWF_FAST_ETM3_BRANCH_H
#define HWF_FAST_ETM3_BRANCH_H

#include "hwflow/etmv3_flow.h"

/* Is it an instruction set in which hwf_etm3_take_branch() may be used? Branches there keep it. */
static inline bool hwf_etm3_branch_keeps_isa(const struct hwf_etm3_address_state *state)
{
	return state->isa == HWF_ISA_A32 || state->isa == HWF_ISA_T32;
}

static inline unsigned int hwf_etm3_shift(const struct hwf_etm3_address_state *state)
{
	return state->isa == HWF_ISA_A32 ? 2 : 1;
}

/*
 * A branch packet that says no more than where it goes, of at most four bytes, with room for four
 * (ETMV3_BRANCH, ETMV3_BRANCH_ALTERNATIVE). @address takes it. Its size, or 0 where it is not of
 * that kind; no branch in the code hangs on either.
 */
static inline uint32_t hwf_etm3_take_branch(bool alternative, unsigned int shift, uint32_t *address,
					    const uint8_t *bytes)
{
	const uint32_t word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
			      (uint32_t)bytes[3] << 24;
	const uint32_t ends = ~word & 0x80808080u;
	const uint32_t value = (word >> 1 & 0x3f) | (word >> 2 & 0x1fc0) | (word >> 3 & 0xfe000) |
			       (word >> 4 & 0x7f00000);
	/* bit 7 of the last byte */
	const unsigned int last = (unsigned int)__builtin_ctz(ends | 0x80000000u);
	/* the alternative encoding has one bit less in it, which says if there is an exception */
	const unsigned int marked = alternative & (last > 7);
	const uint32_t plain = (word & 1) & (ends != 0) & ~(marked & word >> (last - 1));
	const unsigned int bits = last - last / 8 - 1 - marked;
	const uint32_t known = ((1u << (bits + shift)) - 1) & -plain;

	*address = (*address & ~known) | (value << shift & known);
	return ((last + 1) / 8) & -plain;
}

#endif /* HWF_FAST_ETM3_BRANCH_H */
