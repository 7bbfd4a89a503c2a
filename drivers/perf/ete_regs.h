/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of the System registers of the Embedded Trace Extension (FEAT_ETE), of the trace filter
 * (FEAT_TRF) and of software instrumentation (FEAT_ITE).
 */
#ifndef _ETE_REGS_H
#define _ETE_REGS_H

#include <linux/bits.h>
#include <linux/types.h>

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

/* ID_AA64DFR0_EL1 */
#define ETE_DFR0_TRACEVER		GENMASK_ULL(7, 4)
#define ETE_DFR0_TRACEFILT		GENMASK_ULL(43, 40)
#define ETE_DFR0_TRACEBUFFER		GENMASK_ULL(47, 44)

/* ID_AA64DFR1_EL1 */
#define ETE_DFR1_ITE			GENMASK_ULL(47, 44)

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

/* Claim tag of self-hosted trace; an external debugger sets another tag */
#define ETE_CLAIM_SELF_HOSTED		BIT(1)

/* TRFCR_EL1; in a kernel at EL2 the same encoding accesses TRFCR_EL2 */
#define ETE_TRFCR_E0			BIT(0)
#define ETE_TRFCR_EX			BIT(1)	/* the kernel's own exception level */
#define ETE_TRFCR_CX			BIT(3)	/* TRFCR_EL2: CONTEXTIDR_EL2 is traced */
#define ETE_TRFCR_TS_VIRTUAL		BIT(5)
#define ETE_TRFCR_TS_PHYSICAL		GENMASK(6, 5)

/*
 * TRCITECR_EL1: the Exception levels whose TRCIT instructions are traced; in a kernel at EL2 the
 * same encoding accesses TRCITECR_EL2
 */
#define ETE_ITECR_E0			BIT(0)
#define ETE_ITECR_EX			BIT(1)	/* the kernel's own exception level */

/* The trace filter that prohibits trace at all Exception levels and is otherwise equal */
static inline u64 ete_trfcr_closed(u64 trfcr)
{
	return trfcr & ~(u64)(ETE_TRFCR_E0 | ETE_TRFCR_EX);
}

#endif /* _ETE_REGS_H */
