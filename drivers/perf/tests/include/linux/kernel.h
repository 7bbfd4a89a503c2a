/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many an array has.
 */
#ifndef _TEST_KERNEL_H
#define _TEST_KERNEL_H

#include <linux/types.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#endif /* _TEST_KERNEL_H */
