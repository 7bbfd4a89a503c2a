/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accesses to the System registers of the Embedded Trace Extension (FEAT_ETE), of the trace filter
 * (FEAT_TRF) and of software instrumentation (FEAT_ITE), and the barriers that order them. No other
 * file of the driver has any.
 */
#ifndef _ETE_SYSREG_H
#define _ETE_SYSREG_H

#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>

#include "ete_caps.h"
#include "ete_hwcheck.h"
#include "ete_regs.h"

/*
 * The System register of a trace unit whose offset in the external view is given: op0 is 2, op1 is
 * 1, CRn is bits 11:9 of the offset, CRm bits 5:2, op2 bits 8:6.
 */
#define ETE_SYS(offset) \
	sys_reg(2, 1, ((offset) >> 9) & 7, ((offset) >> 2) & 15, ((offset) >> 6) & 7)

#define ETE_TRCPRGCTLR		0x004
#define ETE_TRCSTATR		0x00c
#define ETE_TRCAUXCTLR		0x018
#define ETE_TRCTRACEIDR		0x040
#define ETE_TRCVICTLR_OFFSET	0x080
/* TRCIDR8 to TRCIDR13; then TRCIDR0 to TRCIDR7 */
#define ETE_TRCIDR_HIGH(n)	(0x180 + 4 * ((n) - 8))
#define ETE_TRCIDR(n)		(0x1e0 + 4 * (n))
#define ETE_TRCCLAIMSET		0xfa0
#define ETE_TRCCLAIMCLR		0xfa4
#define ETE_TRCAUTHSTATUS	0xfb8
#define ETE_TRCDEVARCH		0xfbc

#define ETE_TRFCR		sys_reg(3, 0, 1, 2, 1)
#define ETE_TRFCR_GUEST		sys_reg(3, 5, 1, 2, 1)	/* TRFCR_EL12 */
#define ETE_ITECR		sys_reg(3, 0, 1, 2, 3)	/* TRCITECR_EL1 */
#define ETE_OSLAR		sys_reg(2, 0, 1, 0, 4)

#define ete_read(offset)		((u32)read_sysreg_s(ETE_SYS(offset)))
#define ete_write(value, offset)	write_sysreg_s(value, ETE_SYS(offset))

/* The ISB orders TRCPRGCTLR and all earlier accesses, reads too, before this read (S_TTPKR) */
static inline u32 ete_read_status(void)
{
	ete_isb(ETE_HWCHECK_STATUS);
	return ete_read(ETE_TRCSTATR);
}

static inline void ete_write_filter(u64 trfcr)
{
	write_sysreg_s(trfcr, ETE_TRFCR);
}

/*
 * Only where ete_caps.instrumentation is set: elsewhere the access may be UNDEFINED or trapped. The
 * write takes effect at the barriers that enable trace.
 */
static inline void ete_write_instrumentation(u64 trcitecr)
{
	write_sysreg_s(trcitecr, ETE_ITECR);
}

static inline u32 ete_read_claim(void)
{
	return ete_read(ETE_TRCCLAIMCLR);
}

/*
 * Set or clear the claim tag of self-hosted trace. The ISB makes a later read of the tags see the
 * write: a direct write takes effect at a Context synchronization event.
 */
static inline void ete_write_claim(bool set)
{
	if (set)
		ete_write(ETE_CLAIM_SELF_HOSTED, ETE_TRCCLAIMSET);
	else
		ete_write(ETE_CLAIM_SELF_HOSTED, ETE_TRCCLAIMCLR);
	isb();
}

/*
 * Unlock the OS Lock: while it is locked, the trace unit cannot be enabled. The ISB makes the write
 * take effect before the accesses that follow.
 */
static inline void ete_unlock(void)
{
	write_sysreg_s(0, ETE_OSLAR);
	isb();
}

/* A kernel at EL2 sets the trace filter of EL1 and EL0 of virtual machines here (TRFCR_EL12) */
static inline void ete_write_guest_filter(u64 trfcr)
{
	write_sysreg_s(trfcr, ETE_TRFCR_GUEST);
}

/*
 * The filter written before applies to every instruction from here on (R_NNRHD); where it prohibits
 * trace, the resources of the trace unit pause (I_ZYZGZ).
 */
static inline void ete_synchronize_filter(void)
{
	ete_isb(ETE_HWCHECK_FILTER);
}

/*
 * Resolve all speculative start and stop points. TRCVICTLR.SSSTATUS is UNKNOWN if one is
 * speculative when the trace unit is disabled; Arm recommends these two barriers (H9.3,
 * TRCVICTLR).
 */
static inline void ete_settle_points(void)
{
	dsb(nsh);
	isb();
}

/*
 * Flush all trace from the trace unit to the trace buffer (R_MRVPT). The caller has prohibited
 * trace, and a Context synchronization event has occurred since. An interrupted TSB CSYNC is
 * executed again after the interrupt (I_ZLDPS).
 */
static inline void ete_drain(u32 errata)
{
	ete_tsb_csync(ETE_HWCHECK_DRAIN);
	if (errata & TRBE_ERRATUM_TSB)
		ete_tsb_csync(ETE_HWCHECK_DRAIN);
}

#endif /* _ETE_SYSREG_H */
