/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memset() is the C library's.
 */
#ifndef _TEST_STRING_H
#define _TEST_STRING_H

#include <string.h>

#endif /* _TEST_STRING_H */
