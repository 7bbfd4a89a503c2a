/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether KVM may be told of trace buffers.
 */
#ifndef _ARM_ETE_KVM_H
#define _ARM_ETE_KVM_H

#include <linux/errno.h>
#include <linux/miscdevice.h>
#include <linux/version.h>

/*
 * Linux 6.14 to 6.17: kvm_enable_trbe() and kvm_disable_trbe() write to per-CPU data of the
 * hypervisor, which does not exist where KVM is not initialised: at EL1, and with
 * kvm-arm.mode=none. No function that is exported reports that, but KVM registers /dev/kvm if and
 * only if it is initialised, so a misc device with its minor number can be registered if it is not.
 */
#define ETE_KVM_CHECK							\
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0) &&		\
	 LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0))

/**
 * ete_kvm_can_be_told() - whether kvm_enable_trbe() and kvm_disable_trbe() can be called
 *
 * Later kernels check in these functions.
 *
 * Context: process; may sleep.
 * Return: true if they can.
 */
static inline bool ete_kvm_can_be_told(void)
{
	struct miscdevice device = { .minor = KVM_MINOR, .name = "arm_ete_pmu_no_kvm" };
	int err;

	if (!ETE_KVM_CHECK)
		return true;
	err = misc_register(&device);
	if (!err)
		misc_deregister(&device);
	return err == -EBUSY;
}

#endif /* _ARM_ETE_KVM_H */
