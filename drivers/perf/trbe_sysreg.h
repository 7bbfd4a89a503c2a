/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Accesses to the System registers of the Trace Buffer Extension (FEAT_TRBE), and the barriers that
 * order them. No other file of the driver has any.
 */
#ifndef _TRBE_SYSREG_H
#define _TRBE_SYSREG_H

#include <linux/minmax.h>

#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>

#include "ete_caps.h"
#include "ete_hwcheck.h"
#include "trbe_regs.h"

#define TRBE_TRBLIMITR	sys_reg(3, 0, 9, 11, 0)
#define TRBE_TRBPTR	sys_reg(3, 0, 9, 11, 1)
#define TRBE_TRBBASER	sys_reg(3, 0, 9, 11, 2)
#define TRBE_TRBSR	sys_reg(3, 0, 9, 11, 3)
#define TRBE_TRBMAR	sys_reg(3, 0, 9, 11, 4)
#define TRBE_TRBTRG	sys_reg(3, 0, 9, 11, 6)
#define TRBE_TRBIDR	sys_reg(3, 0, 9, 11, 7)

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
	ete_isb(ETE_HWCHECK_CLEAR);
}

/* The value of TRBTRG_EL1 for an interrupt after this number of bytes; 0 for none */
static inline u64 trbe_trigger(u64 bytes)
{
	if (!bytes || ete_omits(ETE_HWCHECK_WARNING))
		return TRBE_TRG_MAX;
	return min(bytes, TRBE_TRG_MAX);
}

static inline void trbe_write_trigger(u64 trigger)
{
	write_sysreg_s(trigger, TRBE_TRBTRG);
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
 * TRBLIMITR_EL1.E and TRCPRGCTLR.EN (S_VKHHY, step 2). E needs no barrier after it: no trace is
 * generated before the barrier of ete_read_status(), which the caller uses to wait for the trace
 * unit.
 */
static inline void trbe_enable(u64 limitr, u32 errata)
{
	ete_isb(ETE_HWCHECK_ENABLE);
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
	ete_dsb_ish(ETE_HWCHECK_COMPLETE);
	write_sysreg_s(0, TRBE_TRBLIMITR);
	ete_isb(ETE_HWCHECK_DISABLE);
	if (errata & TRBE_ERRATUM_DISABLE) {
		__tsb_csync();
		dsb(ish);
	}
}

#endif /* _TRBE_SYSREG_H */
