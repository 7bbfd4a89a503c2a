/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of the System registers of the Trace Buffer Extension (FEAT_TRBE).
 */
#ifndef _TRBE_REGS_H
#define _TRBE_REGS_H

#include <linux/bits.h>

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

#endif /* _TRBE_REGS_H */
