/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Capabilities of a trace unit and of a trace buffer, and the errata of the PE that has them.
 */
#ifndef _ETE_CAPS_H
#define _ETE_CAPS_H

#include <linux/bits.h>
#include <linux/types.h>

/* A trace unit has at most this number of address comparator pairs, one for each address filter */
#define ETE_MAX_FILTERS 8

/* TRCIDR0 to TRCIDR13 */
#define ETE_NR_IDR 14

/**
 * struct ete_caps - capabilities of a trace unit: its ID registers, and what its PE adds
 * @idr: TRCIDRn
 * @authstatus: TRCAUTHSTATUS
 * @devarch: TRCDEVARCH
 * @instrumentation: 1 if the PE has FEAT_ITE and TRCITECR_EL1 may be accessed, otherwise 0
 */
struct ete_caps {
	u32 idr[ETE_NR_IDR];
	u32 authstatus;
	u32 devarch;
	u32 instrumentation;
};

/* Bits of trbe_caps.modes: how the trace buffer takes its addresses */
#define TRBE_MODE_VIRTUAL	1
#define TRBE_MODE_PHYSICAL	2

/**
 * struct trbe_caps - capabilities of a trace buffer
 * @align: alignment of the current write pointer, in bytes
 * @largest: maximum of bytes from the base pointer to the limit pointer
 * @modes: TRBE_MODE_ bits
 */
struct trbe_caps {
	u64 align;
	u64 largest;
	u64 modes;
};

/*
 * Errata of trace buffers, one bit each; the table of ete_caps.c lists the PEs that have them.
 *
 * OVERWRITE: a buffer in Fill mode that becomes full overwrites up to TRBE_OVERWRITE_BYTES at its
 *	base pointer.
 * OUT_OF_RANGE: up to one page after the limit pointer is written.
 * TSB: one TSB CSYNC may not flush.
 * DISABLE: register writes are ignored after the buffer was disabled, until TSB CSYNC and DSB.
 * ENABLE: after the buffer was enabled, parts of the PE may disagree on whether trace is
 *	prohibited, until another ISB.
 * CORRUPT: trace is corrupt; there is no workaround.
 */
#define TRBE_ERRATUM_OVERWRITE		BIT(0)
#define TRBE_ERRATUM_OUT_OF_RANGE	BIT(1)
#define TRBE_ERRATUM_TSB		BIT(2)
#define TRBE_ERRATUM_DISABLE		BIT(3)
#define TRBE_ERRATUM_ENABLE		BIT(4)
#define TRBE_ERRATUM_CORRUPT		BIT(5)
#define TRBE_ERRATA			GENMASK(5, 0)

#define TRBE_OVERWRITE_BYTES		256

void ete_caps_intersect(struct ete_caps *common, const struct ete_caps *caps);
unsigned int ete_caps_address_pairs(const struct ete_caps *caps);
unsigned int ete_caps_selectors(const struct ete_caps *caps);
unsigned int ete_caps_counters(const struct ete_caps *caps);

const char *trbe_caps_init(struct trbe_caps *caps, u64 idr, u64 page);
void trbe_caps_intersect(struct trbe_caps *common, const struct trbe_caps *caps);
const char *trbe_caps_check(const struct trbe_caps *caps, bool physical);
u32 trbe_caps_errata(u32 midr);

#endif /* _ETE_CAPS_H */
