/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System registers of the Embedded Trace Extension (FEAT_ETE) and of the trace filter (FEAT_TRF).
 * Accesses and the barriers that order them are in this header and in no other file of the driver.
 */
#ifndef _ETE_SYSREG_H
#define _ETE_SYSREG_H

#include <linux/bits.h>
#include <linux/types.h>

#include "ete_caps.h"
#include "ete_hwcheck.h"

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

/* TRCCONFIGR: its other bits are in the uapi header; bit 0 is RES1 */
#define ETE_CONFIGR_RES1		BIT(0)

/* TRCEVENTCTL1R */
#define ETE_EVENTCTL1_INSTEN(n)		BIT(n)

/* TRCRSR */
#define ETE_RSR_TA			BIT(12)

/* An event selector names one resource selector: 0 is always FALSE, 1 always TRUE */
#define ETE_SEL_FALSE			0
#define ETE_SEL_TRUE			1

/* TRCVICTLR */
#define ETE_VICTLR_EVENT(sel)		(sel)
#define ETE_VICTLR_EVENT_MASK		GENMASK(7, 0)
#define ETE_VICTLR_SSSTATUS		BIT(9)
#define ETE_VICTLR_S(el)		BIT(16 + (el))
#define ETE_VICTLR_NS(el)		BIT(20 + (el))

/* TRCVIIECTLR, TRCVISSCTLR */
#define ETE_VIIECTLR_INCLUDE(pair)	BIT(pair)
#define ETE_VIIECTLR_EXCLUDE(pair)	BIT(16 + (pair))
#define ETE_VISSCTLR_START(sac)		BIT(sac)
#define ETE_VISSCTLR_STOP(sac)		BIT(16 + (sac))

/* TRCSYNCPR: synchronise every 4 KB, which Arm recommends (Table K10-3) */
#define ETE_SYNCPR_4K			12

/* TRCRSCTLRn */
#define ETE_RSCTLR(group, select)	((group) << 16 | (select))
#define ETE_GROUP_EXTIN			0
#define ETE_GROUP_COUNTER		2
#define ETE_GROUP_SEQUENCER(state)	BIT(4 + (state))

/* TRCCNTCTLRn */
#define ETE_CNTCTLR_CNTEVENT(sel)	(sel)
#define ETE_CNTCTLR_RLDEVENT(sel)	((sel) << 8)
#define ETE_CNTCTLR_RLDSELF		BIT(16)

/* TRCSEQEVRn */
#define ETE_SEQEVR_F(sel)		(sel)
#define ETE_SEQEVR_B(sel)		((sel) << 8)

/* TRCIDRn */
#define ETE_IDR0_TRCBB			BIT(5)
#define ETE_IDR0_TRCCCI			BIT(7)
#define ETE_IDR0_RETSTACK		BIT(9)
#define ETE_IDR0_NUMEVENT		GENMASK(11, 10)
#define ETE_IDR0_QFILT			BIT(14)
#define ETE_IDR0_TSSIZE			GENMASK(28, 24)
#define ETE_IDR2_CIDSIZE		GENMASK(9, 5)
#define ETE_IDR2_VMIDSIZE		GENMASK(14, 10)
#define ETE_IDR2_VMIDOPT		GENMASK(30, 29)
#define ETE_IDR3_CCITMIN		GENMASK(11, 0)
#define ETE_IDR3_SYNCPR			BIT(25)
#define ETE_IDR3_STALLCTL		BIT(26)
#define ETE_IDR4_NUMACPAIRS		GENMASK(3, 0)
#define ETE_IDR4_NUMPC			GENMASK(15, 12)
#define ETE_IDR4_NUMRSPAIR		GENMASK(19, 16)
#define ETE_IDR5_NUMEXTINSEL		GENMASK(11, 9)
#define ETE_IDR5_TRACEIDSIZE		GENMASK(21, 16)
#define ETE_IDR5_NUMSEQSTATE		GENMASK(27, 25)
#define ETE_IDR5_NUMCNTR		GENMASK(30, 28)

/* ID_AA64PFR0_EL1 */
#define ETE_PFR0_EL2			GENMASK_ULL(11, 8)

/* TRCDEVARCH: ARCHVER and ARCHPART of an ETE */
#define ETE_DEVARCH_ID			GENMASK(15, 0)
#define ETE_DEVARCH_ETE			0x5a13

/* TRCSTATR */
#define ETE_STATR_IDLE			BIT(0)
#define ETE_STATR_PMSTABLE		BIT(1)

/* TRCTRACEIDR */
#define ETE_TRACEIDR_MASK		GENMASK(6, 0)

/* Claim tag of self-hosted trace; an external debugger sets another one */
#define ETE_CLAIM_SELF_HOSTED		BIT(1)

/* TRFCR_EL1; in a kernel at EL2 the same encoding accesses TRFCR_EL2 */
#define ETE_TRFCR_E0			BIT(0)
#define ETE_TRFCR_EX			BIT(1)	/* the kernel's own exception level */
#define ETE_TRFCR_CX			BIT(3)	/* TRFCR_EL2: CONTEXTIDR_EL2 is traced */
#define ETE_TRFCR_TS_VIRTUAL		BIT(5)
#define ETE_TRFCR_TS_PHYSICAL		GENMASK(6, 5)

/* The trace filter that prohibits trace at all Exception levels and is otherwise equal */
static inline u64 ete_trfcr_closed(u64 trfcr)
{
	return trfcr & ~(u64)(ETE_TRFCR_E0 | ETE_TRFCR_EX);
}

#ifdef __KERNEL__
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>

#define ETE_TRFCR		sys_reg(3, 0, 1, 2, 1)
#define ETE_TRFCR_GUEST		sys_reg(3, 5, 1, 2, 1)	/* TRFCR_EL12 */
#define ETE_OSLAR		sys_reg(2, 0, 1, 0, 4)

#define ete_read(offset)		((u32)read_sysreg_s(ETE_SYS(offset)))
#define ete_write(value, offset)	write_sysreg_s(value, ETE_SYS(offset))

/* The ISB orders TRCPRGCTLR and all earlier accesses, reads too, before this read (S_TTPKR) */
static inline u32 ete_read_status(void)
{
	if (!ete_leaves_out(ETE_LEAVE_OUT_STATUS_ISB))
		isb();
	return ete_read(ETE_TRCSTATR);
}

static inline void ete_write_filter(u64 trfcr)
{
	write_sysreg_s(trfcr, ETE_TRFCR);
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
	if (!ete_leaves_out(ETE_LEAVE_OUT_FILTER_ISB))
		isb();
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
	if (ete_leaves_out(ETE_LEAVE_OUT_TSB))
		return;
	__tsb_csync();
	if (errata & TRBE_ERRATUM_TSB)
		__tsb_csync();
}
#endif

#endif /* _ETE_SYSREG_H */
