// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a trace unit's ID registers to what it has. Pure: nothing here reads or writes a register;
 * it is built and tested on any host.
 */
#include <linux/bitfield.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "ete_config.h"

/**
 * ete_caps_selectors() - how many resource selectors a trace unit has
 * @caps: what it can do
 *
 * Return: the number; 0 and 1 need no register, and with NUMRSPAIR 0 there are no others.
 */
unsigned int ete_caps_selectors(const struct ete_caps *caps)
{
	return 2 * (FIELD_GET(ETE_IDR4_NUMRSPAIR, caps->idr[4]) + 1);
}

/**
 * ete_caps_counters() - how many counters a trace unit has
 * @caps: what it can do
 *
 * Return: the number.
 */
unsigned int ete_caps_counters(const struct ete_caps *caps)
{
	return FIELD_GET(ETE_IDR5_NUMCNTR, caps->idr[5]);
}

/**
 * ete_caps_address_pairs() - how many address ranges a trace unit can filter by
 * @caps: what it can do
 *
 * Return: the number, at most ETE_MAX_FILTERS.
 */
unsigned int ete_caps_address_pairs(const struct ete_caps *caps)
{
	return min_t(unsigned int, FIELD_GET(ETE_IDR4_NUMACPAIRS, caps->idr[4]), ETE_MAX_FILTERS);
}

static u32 ete_lesser(u32 a, u32 b, u32 mask)
{
	return min(a & mask, b & mask);
}

/**
 * ete_caps_intersect() - what two trace units can do both
 * @common: of one; becomes that of both
 * @caps: of the other
 *
 * Only what ete_config_check() and ete_config_image() look at. The ID registers that a decoder has
 * to know are those of each trace unit itself, and which registers it has is what
 * ete_caps_registers() says of it.
 */
void ete_caps_intersect(struct ete_caps *common, const struct ete_caps *caps)
{
	const u32 flags0 = ETE_IDR0_TRCBB | ETE_IDR0_TRCCCI | ETE_IDR0_RETSTACK;
	u32 idr0, idr2, idr3, idr4, idr5;

	idr0 = (common->idr[0] & caps->idr[0] & flags0) |
	       ete_lesser(common->idr[0], caps->idr[0], ETE_IDR0_NUMEVENT) |
	       ete_lesser(common->idr[0], caps->idr[0], ETE_IDR0_TSSIZE);
	idr2 = ete_lesser(common->idr[2], caps->idr[2], ETE_IDR2_CIDSIZE) |
	       ete_lesser(common->idr[2], caps->idr[2], ETE_IDR2_VMIDSIZE);
	/* the least count is the greater of the two */
	idr3 = max(common->idr[3] & ETE_IDR3_CCITMIN, caps->idr[3] & ETE_IDR3_CCITMIN);
	idr4 = ete_lesser(common->idr[4], caps->idr[4], ETE_IDR4_NUMACPAIRS) |
	       ete_lesser(common->idr[4], caps->idr[4], ETE_IDR4_NUMRSPAIR);
	idr5 = ete_lesser(common->idr[5], caps->idr[5], ETE_IDR5_NUMEXTINSEL) |
	       ete_lesser(common->idr[5], caps->idr[5], ETE_IDR5_NUMSEQSTATE) |
	       ete_lesser(common->idr[5], caps->idr[5], ETE_IDR5_NUMCNTR);
	common->idr[0] = idr0;
	common->idr[2] = idr2;
	common->idr[3] = idr3;
	common->idr[4] = idr4;
	common->idr[5] = idr5;
}

/* The first so many of registers first to last */
static void ete_have(u64 *present, unsigned int first, unsigned int last, unsigned int count)
{
	for (; count && first <= last; count--, first++)
		present[first / 64] |= 1ULL << (first % 64);
}

static void ete_have_one(u64 *present, unsigned int reg, bool has)
{
	ete_have(present, reg, reg, has);
}

/**
 * ete_caps_registers() - which registers of a configuration a trace unit has
 * @caps: what it can do
 * @present: a bit each, by enum ete_reg; written
 *
 * An access to one that it does not have is UNDEFINED. TRCSYNCPR it may have read-only.
 */
void ete_caps_registers(const struct ete_caps *caps, u64 *present)
{
	unsigned int pairs = FIELD_GET(ETE_IDR4_NUMACPAIRS, caps->idr[4]);
	unsigned int sequencer = !!FIELD_GET(ETE_IDR5_NUMSEQSTATE, caps->idr[5]);
	unsigned int counters = ete_caps_counters(caps);

	memset(present, 0, ETE_REG_WORDS * sizeof(*present));
	ete_have_one(present, ETE_TRCCONFIGR, true);
	ete_have_one(present, ETE_TRCEVENTCTL0R, caps->idr[4] & ETE_IDR4_NUMRSPAIR);
	ete_have_one(present, ETE_TRCEVENTCTL1R, true);
	ete_have_one(present, ETE_TRCRSR, true);
	ete_have_one(present, ETE_TRCSTALLCTLR, caps->idr[3] & ETE_IDR3_STALLCTL);
	ete_have_one(present, ETE_TRCTSCTLR, caps->idr[0] & ETE_IDR0_TSSIZE);
	ete_have_one(present, ETE_TRCSYNCPR, !(caps->idr[3] & ETE_IDR3_SYNCPR));
	ete_have_one(present, ETE_TRCCCCTLR, caps->idr[0] & ETE_IDR0_TRCCCI);
	ete_have_one(present, ETE_TRCBBCTLR, caps->idr[0] & ETE_IDR0_TRCBB && pairs);
	ete_have_one(present, ETE_TRCQCTLR, caps->idr[0] & ETE_IDR0_QFILT);
	ete_have_one(present, ETE_TRCVICTLR, true);
	ete_have_one(present, ETE_TRCVIIECTLR, pairs);
	ete_have_one(present, ETE_TRCVISSCTLR, pairs);
	ete_have_one(present, ETE_TRCVIPCSSCTLR, caps->idr[4] & ETE_IDR4_NUMPC);
	ete_have(present, ETE_TRCSEQEVR, ETE_TRCSEQEVR_LAST, 3 * sequencer);
	ete_have_one(present, ETE_TRCSEQRSTEVR, sequencer);
	ete_have_one(present, ETE_TRCSEQSTR, sequencer);
	ete_have(present, ETE_TRCEXTINSELR, ETE_TRCEXTINSELR_LAST,
		 FIELD_GET(ETE_IDR5_NUMEXTINSEL, caps->idr[5]));
	ete_have(present, ETE_TRCCNTRLDVR, ETE_TRCCNTRLDVR_LAST, counters);
	ete_have(present, ETE_TRCCNTCTLR, ETE_TRCCNTCTLR_LAST, counters);
	ete_have(present, ETE_TRCCNTVR, ETE_TRCCNTVR_LAST, counters);
	ete_have(present, ETE_TRCRSCTLR, ETE_TRCRSCTLR_LAST, ete_caps_selectors(caps) - 2);
	ete_have(present, ETE_TRCACVR, ETE_TRCACVR_LAST, 2 * pairs);
	ete_have(present, ETE_TRCACATR, ETE_TRCACATR_LAST, 2 * pairs);
}
