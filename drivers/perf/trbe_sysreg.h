/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System registers of the Trace Buffer Extension (FEAT_TRBE). Accesses and the barriers that order
 * them are in this header and in no other file of the driver.
 */
#ifndef _TRBE_SYSREG_H
#define _TRBE_SYSREG_H

#include <linux/bits.h>

#include "ete_caps.h"
#include "ete_hwcheck.h"

#ifdef __KERNEL__
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>

#define TRBE_TRBLIMITR	sys_reg(3, 0, 9, 11, 0)
#define TRBE_TRBPTR	sys_reg(3, 0, 9, 11, 1)
#define TRBE_TRBBASER	sys_reg(3, 0, 9, 11, 2)
#define TRBE_TRBSR	sys_reg(3, 0, 9, 11, 3)
#define TRBE_TRBMAR	sys_reg(3, 0, 9, 11, 4)
#define TRBE_TRBTRG	sys_reg(3, 0, 9, 11, 6)
#define TRBE_TRBIDR	sys_reg(3, 0, 9, 11, 7)
#endif

/* TRBLIMITR_EL1. The limit pointer is in bits 63:12; its lower bits are 0. */
#define TRBE_LIMITR_E			BIT_ULL(0)
#define TRBE_LIMITR_FM_FILL		0ULL
#define TRBE_LIMITR_FM_WRAP		BIT_ULL(1)
#define TRBE_LIMITR_FM_CIRCULAR		GENMASK_ULL(2, 1)
#define TRBE_LIMITR_TM_STOP		0ULL
#define TRBE_LIMITR_TM_IRQ		BIT_ULL(3)
#define TRBE_LIMITR_TM_IGNORE		GENMASK_ULL(4, 3)
#define TRBE_LIMITR_NVM			BIT_ULL(5)
#define TRBE_LIMITR_XE			BIT_ULL(6)

/* TRBSR_EL1 */
#define TRBE_SR_MSS			GENMASK_ULL(15, 0)
#define TRBE_SR_BSC			GENMASK_ULL(5, 0)	/* MSS without abort */
#define TRBE_SR_FSC			GENMASK_ULL(5, 0)	/* MSS of a Data Abort */
#define TRBE_SR_S			BIT_ULL(17)
#define TRBE_SR_EA			BIT_ULL(18)
#define TRBE_SR_WRAP			BIT_ULL(20)
#define TRBE_SR_TRG			BIT_ULL(21)
#define TRBE_SR_IRQ			BIT_ULL(22)
#define TRBE_SR_EC_SHIFT		26
#define TRBE_SR_EC			GENMASK_ULL(31, 26)

#define TRBE_BSC_NOT_STOPPED		0
#define TRBE_BSC_FILLED			1
#define TRBE_BSC_TRIGGER		2
#define TRBE_EC_OTHER			0x00
#define TRBE_EC_GRANULE			0x1e
#define TRBE_EC_IMPDEF			0x1f
#define TRBE_EC_STAGE1			0x24
#define TRBE_EC_STAGE2			0x25

/* TRBMAR_EL1: Normal memory, Write-Back, Inner Shareable */
#define TRBE_MAR_ATTR_WB		0xffULL
#define TRBE_MAR_SH_INNER		GENMASK_ULL(9, 8)

/* TRBTRG_EL1: the largest count that every alignment allows */
#define TRBE_TRG_MAX			GENMASK_ULL(31, 11)

/* TRBIDR_EL1 */
#define TRBE_IDR_ALIGN			GENMASK_ULL(3, 0)	/* log2 of bytes */
#define TRBE_IDR_P			BIT_ULL(4)
#define TRBE_IDR_ADDRMODE		GENMASK_ULL(7, 6)
#define TRBE_IDR_MAX			GENMASK_ULL(47, 32)	/* MaxBuffSize */
#define TRBE_IDR_MAX_MANTISSA		GENMASK_ULL(40, 32)
#define TRBE_IDR_MAX_EXPONENT		GENMASK_ULL(45, 41)
#define TRBE_IDR_MAX_RES0		GENMASK_ULL(47, 46)
#define TRBE_IDR_ALIGN_MAX		11

#define TRBE_ADDRMODE_BOTH		0
#define TRBE_ADDRMODE_VIRTUAL		1
#define TRBE_ADDRMODE_PHYSICAL		2

#ifdef __KERNEL__
static inline u64 trbe_read_idr(void)
{
	return read_sysreg_s(TRBE_TRBIDR);
}

/*
 * Writes of the pointers and the status may be ignored while the buffer is enabled. They are valid
 * only while TRBLIMITR_EL1.E is 0 and that is synchronised (R_DJMDD).
 */
static inline void trbe_write_base(u64 address)
{
	write_sysreg_s(address, TRBE_TRBBASER);
}

static inline void trbe_write_pointer(u64 address)
{
	write_sysreg_s(address, TRBE_TRBPTR);
}

static inline void trbe_write_status(u64 status)
{
	write_sysreg_s(status, TRBE_TRBSR);
}

/*
 * Deassert the interrupt; the buffer is disabled. The interrupt line follows the status once the
 * write is synchronised (R_BFJKD); without the ISB another interrupt could be taken.
 */
static inline void trbe_clear_status(void)
{
	trbe_write_status(0);
	if (!ete_leaves_out(ETE_LEAVE_OUT_CLEAR_ISB))
		isb();
}

static inline void trbe_write_trigger(u64 bytes)
{
	write_sysreg_s(bytes, TRBE_TRBTRG);
}

static inline void trbe_write_attributes(u64 attributes)
{
	write_sysreg_s(attributes, TRBE_TRBMAR);
}

static inline u64 trbe_read_attributes(void)
{
	return read_sysreg_s(TRBE_TRBMAR);
}

static inline u64 trbe_read_pointer(void)
{
	return read_sysreg_s(TRBE_TRBPTR);
}

static inline u64 trbe_read_status(void)
{
	return read_sysreg_s(TRBE_TRBSR);
}

static inline u64 trbe_read_trigger(void)
{
	return read_sysreg_s(TRBE_TRBTRG);
}

static inline u64 trbe_read_limit(void)
{
	return read_sysreg_s(TRBE_TRBLIMITR);
}

/*
 * Enable the buffer. The ISB orders the pointers and the trace unit's registers before
 * TRBLIMITR_EL1.E and TRCPRGCTLR.EN (S_VKHHY, step 2). E needs no barrier behind it: no trace is
 * generated before the barrier of ete_read_status(), which the caller uses to wait for the trace
 * unit.
 */
static inline void trbe_enable(u64 limitr, u32 errata)
{
	if (!ete_leaves_out(ETE_LEAVE_OUT_ENABLE_ISB))
		isb();
	write_sysreg_s(limitr | TRBE_LIMITR_E, TRBE_TRBLIMITR);
	if (errata & TRBE_ERRATUM_ENABLE)
		isb();
}

/*
 * Disable the buffer. Trace is prohibited and drained (ete_drain()). The DSB completes the writes
 * that the buffer has accepted (R_CKVWP), for all PEs that may read the AUX area, hence inner
 * shareable; it also orders TSB CSYNC before TRBLIMITR_EL1.E. The ISB makes pointer and status
 * readable (R_VTNCS).
 */
static inline void trbe_disable(u32 errata)
{
	if (!ete_leaves_out(ETE_LEAVE_OUT_DISABLE_DSB))
		dsb(ish);
	write_sysreg_s(0, TRBE_TRBLIMITR);
	if (!ete_leaves_out(ETE_LEAVE_OUT_DISABLE_ISB))
		isb();
	if (errata & TRBE_ERRATUM_DISABLE) {
		__tsb_csync();
		dsb(ish);
	}
}
#endif

#endif /* _TRBE_SYSREG_H */
