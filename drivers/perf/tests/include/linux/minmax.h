/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lesser and the greater of two, each of them looked at once.
 */
#ifndef _TEST_MINMAX_H
#define _TEST_MINMAX_H

#define min_t(type, a, b) ({ type _a = (a); type _b = (b); _a < _b ? _a : _b; })
#define max_t(type, a, b) ({ type _a = (a); type _b = (b); _a > _b ? _a : _b; })
#define min(a, b)	min_t(__typeof__(a), a, b)
#define max(a, b)	max_t(__typeof__(a), a, b)

#endif /* _TEST_MINMAX_H */
