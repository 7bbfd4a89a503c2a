/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of contexts.c that are inlined: their lines are of another file than those around them.
 */
static inline __attribute__((always_inline)) int inner(int x)
{
	return leaf(x * 2) + 1;
}

static inline __attribute__((always_inline)) int outer(int x)
{
	return inner(x + 3) ^ 5;
}

static inline __attribute__((always_inline)) int scaled(int x)
{
	return x * 3 + 7;
}
