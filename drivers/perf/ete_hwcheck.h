/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Barriers that hwflow-hwcheck can have the driver omit, to find out whether the hardware needs
 * them. Only a module that is built with HWFLOW_HWCHECK=y omits any. It is not for production:
 * without a barrier, trace may be lost or written to memory outside the AUX area.
 */
#ifndef _ETE_HWCHECK_H
#define _ETE_HWCHECK_H

#include <linux/bits.h>

#include <asm/barrier.h>

/* Bits of the module parameter hwcheck; hwflow-hwcheck has the same */
#define ETE_HWCHECK_WARNING	BIT(0)	/* the early warning: the buffer becomes full */
#define ETE_HWCHECK_DRAIN	BIT(1)	/* TSB CSYNC of ete_drain() (R_MRVPT) */
#define ETE_HWCHECK_COMPLETE	BIT(2)	/* DSB of trbe_disable() (R_CKVWP) */
#define ETE_HWCHECK_DISABLE	BIT(3)	/* ISB of trbe_disable() (R_VTNCS) */
#define ETE_HWCHECK_ENABLE	BIT(4)	/* ISB of trbe_enable() (S_VKHHY) */
#define ETE_HWCHECK_CLEAR	BIT(5)	/* ISB of trbe_clear_status() (R_BFJKD) */
#define ETE_HWCHECK_FILTER	BIT(6)	/* ISB of ete_synchronize_filter() (R_NNRHD) */
#define ETE_HWCHECK_STATUS	BIT(7)	/* ISB of ete_read_status() (S_TTPKR) */

#ifdef HWFLOW_HWCHECK
extern unsigned int ete_hwcheck;
#define ete_omits(bit)	(READ_ONCE(ete_hwcheck) & (bit))
#else
#define ete_omits(bit)	(0 & (bit))
#endif

/* The barriers; @bit names the place */
static inline void ete_isb(unsigned long bit)
{
	if (!ete_omits(bit))
		isb();
}

static inline void ete_dsb_ish(unsigned long bit)
{
	if (!ete_omits(bit))
		dsb(ish);
}

static inline void ete_tsb_csync(unsigned long bit)
{
	if (!ete_omits(bit))
		__tsb_csync();
}

#endif /* _ETE_HWCHECK_H */
