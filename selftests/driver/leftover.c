// SPDX-License-Identifier: GPL-2.0-only
/*
 * In a kernel at EL2: EL1 and EL0 of virtual machines may be traced, as a kernel that was there
 * before, or firmware, may have left it. Each time the module is loaded.
 */
#include <linux/module.h>
#include <linux/smp.h>

#include <asm/sysreg.h>
#include <asm/virt.h>

#define LEFTOVER_TRFCR_EL12	sys_reg(3, 5, 1, 2, 1)
#define LEFTOVER_ALLOWED	3	/* E0TRE, E1TRE */

static void leftover_allow(void *unused)
{
	write_sysreg_s(LEFTOVER_ALLOWED, LEFTOVER_TRFCR_EL12);
}

static int __init leftover_init(void)
{
	if (!is_kernel_in_hyp_mode())
		return -ENODEV;
	on_each_cpu(leftover_allow, NULL, 1);
	return 0;
}

static void __exit leftover_exit(void)
{
}

module_init(leftover_init);
module_exit(leftover_exit);

MODULE_DESCRIPTION("For tests: allows trace of virtual machines");
MODULE_AUTHOR("the hwflow project");
MODULE_LICENSE("GPL");
