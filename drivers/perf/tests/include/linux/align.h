/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the driver takes of it is in linux/math.h.
 */
#ifndef _TEST_ALIGN_H
#define _TEST_ALIGN_H

#include <linux/math.h>

#endif /* _TEST_ALIGN_H */
