/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A field of a register, by its mask.
 */
#ifndef _TEST_BITFIELD_H
#define _TEST_BITFIELD_H

#include <linux/bits.h>

#define FIELD_GET(mask, value)	(((value) & (mask)) >> __builtin_ctzll(mask))

#endif /* _TEST_BITFIELD_H */
