/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * To the next multiple of a power of two, and to the last.
 */
#ifndef _TEST_MATH_H
#define _TEST_MATH_H

#define round_up(x, to)		((((x) - 1) | ((__typeof__(x))(to) - 1)) + 1)
#define round_down(x, to)	((x) & ~((__typeof__(x))(to) - 1))

#endif /* _TEST_MATH_H */
