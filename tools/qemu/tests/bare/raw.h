/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers and barriers as they are, for tests of sequences: set() and get() have barriers of
 * their own.
 */
#ifndef HWFLOW_BARE_RAW_H
#define HWFLOW_BARE_RAW_H

#include "bare.h"

#define PRGCTLR "S2_1_C0_C1_0"
#define STATR   "S2_1_C0_C3_0"
#define VICTLR  "S2_1_C0_C0_2"
#define LIMITR  "S3_0_C9_C11_0"
#define PTR     "S3_0_C9_C11_1"
#define BASER   "S3_0_C9_C11_2"
#define SR      "S3_0_C9_C11_3"
#define TRG     "S3_0_C9_C11_6"
#define TRFCR   "S3_0_C1_C2_1"

/* for set() and get() */
#define TRBREG_SR SYSREG(3, 0, 9, 11, 3)

#define WRITE(REG, VALUE) __asm__ volatile("msr " REG ", %0" : : "r"(VALUE) : "memory")
#define READ(REG)                                                             \
	({                                                                    \
		uint64_t value_;                                              \
                                                                              \
		__asm__ volatile("mrs %0, " REG : "=r"(value_) : : "memory"); \
		value_;                                                       \
	})
#define ISB() __asm__ volatile("isb" : : : "memory")
#define TSB() __asm__ volatile("hint #18" : : : "memory")
#define DSB() __asm__ volatile("dsb nsh" : : : "memory")

#endif
