/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's version, which the test chooses.
 */
#ifndef _TEST_VERSION_H
#define _TEST_VERSION_H

#define KERNEL_VERSION(a, b, c)	(((a) << 16) + ((b) << 8) + (c))
#define LINUX_VERSION_CODE	test_version

extern int test_version;

#endif /* _TEST_VERSION_H */
