// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capabilities of trace units and trace buffers from their ID registers, and errata from MIDR_EL1.
 * No function here accesses a register; the file is built and tested on any host.
 */
#include <linux/bitfield.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "ete_caps.h"
#include "ete_regs.h"
#include "trbe_regs.h"

/**
 * ete_caps_selectors() - number of resource selectors of a trace unit
 * @caps: its capabilities
 *
 * Return: the number, with selectors 0 and 1, which have no register; NUMRSPAIR 0 means these only.
 */
unsigned int ete_caps_selectors(const struct ete_caps *caps)
{
	return 2 * (FIELD_GET(ETE_IDR4_NUMRSPAIR, caps->idr[4]) + 1);
}

/**
 * ete_caps_counters() - number of counters of a trace unit
 * @caps: its capabilities
 *
 * Return: the number.
 */
unsigned int ete_caps_counters(const struct ete_caps *caps)
{
	return FIELD_GET(ETE_IDR5_NUMCNTR, caps->idr[5]);
}

/**
 * ete_caps_address_pairs() - number of address filters that a trace unit can apply
 * @caps: its capabilities
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
 * ete_caps_intersect() - the capabilities that two trace units share
 * @common: capabilities of one; the function reduces them to those of both
 * @caps: capabilities of the other
 *
 * The result has the fields that ete_config_check() and ete_config_image() read, and no others. A
 * decoder needs the ID registers of each trace unit itself.
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
	/* CCITMIN is a lower bound: the greater one holds for both */
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
	common->instrumentation &= caps->instrumentation;
}

/*
 * MaxBuffSize is a 9-bit mantissa and a 5-bit exponent, in units of 4 KB; 0 is no limit. Only a
 * hypervisor presents other values (D24.4.2).
 */
static u64 trbe_caps_largest(u64 idr)
{
	u64 mantissa = FIELD_GET(TRBE_IDR_MAX_MANTISSA, idr);
	u64 exponent = FIELD_GET(TRBE_IDR_MAX_EXPONENT, idr);

	if (!(idr & TRBE_IDR_MAX))
		return ~0ULL;
	return exponent ? (0x200 | mantissa) << (exponent + 11) : mantissa << 12;
}

/**
 * trbe_caps_init() - capabilities of a trace buffer
 * @caps: written
 * @idr: TRBIDR_EL1
 * @page: bytes of a page, the unit in which an AUX area is allocated
 *
 * Return: NULL, or the reason why the trace buffer cannot be used.
 */
const char *trbe_caps_init(struct trbe_caps *caps, u64 idr, u64 page)
{
	u64 align = FIELD_GET(TRBE_IDR_ALIGN, idr);

	if (align > TRBE_IDR_ALIGN_MAX)
		return "TRBIDR_EL1.Align is reserved";
	caps->align = 1ULL << align;
	switch (FIELD_GET(TRBE_IDR_ADDRMODE, idr)) {
	case TRBE_ADDRMODE_BOTH:
		caps->modes = TRBE_MODE_VIRTUAL | TRBE_MODE_PHYSICAL;
		break;
	case TRBE_ADDRMODE_VIRTUAL:
		caps->modes = TRBE_MODE_VIRTUAL;
		break;
	case TRBE_ADDRMODE_PHYSICAL:
		caps->modes = TRBE_MODE_PHYSICAL;
		break;
	default:
		return "TRBIDR_EL1.AddrMode is reserved";
	}
	if (idr & TRBE_IDR_MAX_RES0)
		return "TRBIDR_EL1.MaxBuffSize is reserved";
	caps->largest = trbe_caps_largest(idr);
	if (caps->largest < page)
		return "its trace buffer must be smaller than a page (TRBIDR_EL1.MaxBuffSize)";
	return NULL;
}

/**
 * trbe_caps_intersect() - the capabilities that two trace buffers share
 * @common: capabilities of one; the function reduces them to those of both
 * @caps: capabilities of the other
 */
void trbe_caps_intersect(struct trbe_caps *common, const struct trbe_caps *caps)
{
	common->align = max(common->align, caps->align);
	common->largest = min(common->largest, caps->largest);
	common->modes &= caps->modes;
}

/**
 * trbe_caps_check() - compare a trace buffer with the addressing mode that an event requests
 * @caps: capabilities of the trace buffer
 * @physical: the event requests untranslated addresses
 *
 * Return: NULL, or the reason why the event is refused.
 */
const char *trbe_caps_check(const struct trbe_caps *caps, bool physical)
{
	if (physical && !(caps->modes & TRBE_MODE_PHYSICAL))
		return "the trace buffer always translates addresses: physical=1 is not possible";
	if (!physical && !(caps->modes & TRBE_MODE_VIRTUAL))
		return "the trace buffer does not translate addresses: physical=1 is required";
	return NULL;
}

/* Implementer and part number of a PE; its variant and revision as 0xVR */
#define TRBE_PE(implementer, part)	((implementer) << 24 | (part) << 4)
#define TRBE_PE_MASK			(GENMASK(31, 24) | GENMASK(15, 4))
#define TRBE_PE_CORTEX_A510		TRBE_PE(0x41U, 0xd46U)
#define TRBE_PE_CORTEX_A710		TRBE_PE(0x41U, 0xd47U)
#define TRBE_PE_CORTEX_X2		TRBE_PE(0x41U, 0xd48U)
#define TRBE_PE_NEOVERSE_N2		TRBE_PE(0x41U, 0xd49U)
#define TRBE_PE_AZURE_COBALT_100	TRBE_PE(0x6dU, 0xd49U)

/**
 * struct trbe_erratum - an erratum of one kind of PE
 * @bit: TRBE_ERRATUM_ bit
 * @pe: TRBE_PE_ number
 * @last: last variant and revision that has it, as 0xVR; 0xff for all
 * @number: Arm's number of it
 */
struct trbe_erratum {
	u32 bit;
	u32 pe;
	u32 last;
	u32 number;
};

/*
 * The kernel detects these errata only if it is built with the in-tree driver, so the module has a
 * table of its own. Azure Cobalt 100 is a Neoverse N2 and has its errata.
 */
static const struct trbe_erratum trbe_errata[] = {
	{ TRBE_ERRATUM_OVERWRITE, TRBE_PE_CORTEX_A710, 0xff, 2119858 },
	{ TRBE_ERRATUM_OVERWRITE, TRBE_PE_CORTEX_X2, 0x20, 2119858 },
	{ TRBE_ERRATUM_OVERWRITE, TRBE_PE_NEOVERSE_N2, 0xff, 2139208 },
	{ TRBE_ERRATUM_OVERWRITE, TRBE_PE_AZURE_COBALT_100, 0xff, 2139208 },
	{ TRBE_ERRATUM_OUT_OF_RANGE, TRBE_PE_CORTEX_A710, 0xff, 2224489 },
	{ TRBE_ERRATUM_OUT_OF_RANGE, TRBE_PE_CORTEX_X2, 0x20, 2224489 },
	{ TRBE_ERRATUM_OUT_OF_RANGE, TRBE_PE_NEOVERSE_N2, 0xff, 2253138 },
	{ TRBE_ERRATUM_OUT_OF_RANGE, TRBE_PE_AZURE_COBALT_100, 0xff, 2253138 },
	{ TRBE_ERRATUM_TSB, TRBE_PE_CORTEX_A710, 0xff, 2054223 },
	{ TRBE_ERRATUM_TSB, TRBE_PE_NEOVERSE_N2, 0xff, 2067961 },
	{ TRBE_ERRATUM_TSB, TRBE_PE_AZURE_COBALT_100, 0xff, 2067961 },
	{ TRBE_ERRATUM_DISABLE, TRBE_PE_CORTEX_A510, 0x02, 2064142 },
	{ TRBE_ERRATUM_ENABLE, TRBE_PE_CORTEX_A510, 0x02, 2038923 },
	{ TRBE_ERRATUM_CORRUPT, TRBE_PE_CORTEX_A510, 0x01, 1902691 },
};

/**
 * trbe_caps_errata() - errata of a PE's trace buffer
 * @midr: MIDR_EL1
 *
 * Return: TRBE_ERRATUM_ bits.
 */
u32 trbe_caps_errata(u32 midr)
{
	u32 revision = (midr >> 16 & 0xf0) | (midr & 0xf), found = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(trbe_errata); i++)
		if ((midr & TRBE_PE_MASK) == trbe_errata[i].pe && revision <= trbe_errata[i].last)
			found |= trbe_errata[i].bit;
	return found;
}
