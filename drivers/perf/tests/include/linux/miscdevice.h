/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Devices of the misc class: the test is the kernel that has them.
 */
#ifndef _TEST_MISCDEVICE_H
#define _TEST_MISCDEVICE_H

#include <linux/types.h>

#define KVM_MINOR	232

struct miscdevice {
	int minor;
	const char *name;
};

int misc_register(struct miscdevice *misc);
void misc_deregister(struct miscdevice *misc);

#endif /* _TEST_MISCDEVICE_H */
