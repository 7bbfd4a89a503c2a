/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What hwflow-hwcheck has the driver leave out on purpose, to find out whether the hardware needs
 * it. Only a module that is built with HWFLOW_HWCHECK=y can leave anything out. It is no module for
 * production: without a barrier, trace may be lost or written to memory that is not the AUX area.
 */
#ifndef _ETE_HWCHECK_H
#define _ETE_HWCHECK_H

#include <linux/bits.h>

/* Bits of the module parameter hwcheck; hwflow-hwcheck has the same */
#define ETE_LEAVE_OUT_WARNING		BIT(0)	/* the early warning: the buffer becomes full */
#define ETE_LEAVE_OUT_TSB		BIT(1)	/* TSB CSYNC of ete_drain() (R_MRVPT) */
#define ETE_LEAVE_OUT_DISABLE_DSB	BIT(2)	/* DSB of trbe_disable() (R_CKVWP) */
#define ETE_LEAVE_OUT_DISABLE_ISB	BIT(3)	/* ISB of trbe_disable() (R_VTNCS) */
#define ETE_LEAVE_OUT_ENABLE_ISB	BIT(4)	/* ISB of trbe_enable() (S_VKHHY) */
#define ETE_LEAVE_OUT_CLEAR_ISB		BIT(5)	/* ISB of trbe_clear_status() (R_BFJKD) */
#define ETE_LEAVE_OUT_FILTER_ISB	BIT(6)	/* ISB of ete_synchronize_filter() (R_NNRHD) */
#define ETE_LEAVE_OUT_STATUS_ISB	BIT(7)	/* ISB of ete_read_status() (S_TTPKR) */

#ifdef HWFLOW_HWCHECK
extern unsigned int ete_hwcheck;
#define ete_leaves_out(what)	(READ_ONCE(ete_hwcheck) & (what))
#else
#define ete_leaves_out(what)	(0 & (what))
#endif

#endif /* _ETE_HWCHECK_H */
