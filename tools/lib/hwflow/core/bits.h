/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Little-endian values in memory, and bits of a value. */
#ifndef HWF_CORE_BITS_H
#define HWF_CORE_BITS_H

#include <stdint.h>

/* Compilers make one load of each of these expressions. */
static inline uint32_t hwf_load16(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8;
}

static inline uint32_t hwf_load32(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t hwf_load64(const uint8_t *at)
{
	return at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
	       (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
	       (uint64_t)at[7] << 56;
}

/* The lowest @count bits, 64 at most */
static inline uint64_t hwf_low_bits(unsigned int count)
{
	return count < 64 ? (UINT64_C(1) << count) - 1 : ~UINT64_C(0);
}

/* Field @low .. @low + @width - 1 of a register */
static inline uint32_t hwf_field(uint32_t value, unsigned int low, unsigned int width)
{
	return (value >> low) & (uint32_t)hwf_low_bits(width);
}

#endif /* HWF_CORE_BITS_H */
