// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another driver of the trace units, with the name and the claim of the kernel's own. It claims the
 * trace unit of each CPU and opens its trace filter, also when a CPU comes online, until it is
 * unloaded.
 */
#include <linux/cpuhotplug.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/smp.h>

#include <asm/sysreg.h>

#define TRFCR		sys_reg(3, 0, 1, 2, 1)
#define TRCCLAIMSET	sys_reg(2, 1, 7, 8, 6)
#define TRCCLAIMCLR	sys_reg(2, 1, 7, 9, 6)
#define CLAIM_SELF	BIT(1)
#define TRFCR_OPEN	0x23

static struct platform_device *bound_device;

static int bound_starts(unsigned int cpu)
{
	write_sysreg_s(CLAIM_SELF, TRCCLAIMSET);
	write_sysreg_s(TRFCR_OPEN, TRFCR);
	isb();
	return 0;
}

static void bound_claim(void *unused)
{
	bound_starts(smp_processor_id());
}

static void bound_unclaim(void *unused)
{
	write_sysreg_s(0, TRFCR);
	write_sysreg_s(CLAIM_SELF, TRCCLAIMCLR);
	isb();
}

static int bound_probe(struct platform_device *device)
{
	return 0;
}

static struct platform_driver bound_driver = {
	.probe = bound_probe,
	.driver = { .name = "coresight-etm4x" },
};

static int __init bound_init(void)
{
	int err = platform_driver_register(&bound_driver);

	if (err)
		return err;
	bound_device = platform_device_register_simple("coresight-etm4x", PLATFORM_DEVID_NONE,
						       NULL, 0);
	if (IS_ERR(bound_device)) {
		err = PTR_ERR(bound_device);
		goto err_driver;
	}
	err = cpuhp_setup_state_nocalls(CPUHP_AP_ARM_CORESIGHT_STARTING, "test/bound:starting",
					bound_starts, NULL);
	if (err)
		goto err_device;
	on_each_cpu(bound_claim, NULL, 1);
	return 0;

err_device:
	platform_device_unregister(bound_device);
err_driver:
	platform_driver_unregister(&bound_driver);
	return err;
}

static void __exit bound_exit(void)
{
	cpuhp_remove_state_nocalls(CPUHP_AP_ARM_CORESIGHT_STARTING);
	on_each_cpu(bound_unclaim, NULL, 1);
	platform_device_unregister(bound_device);
	platform_driver_unregister(&bound_driver);
}

module_init(bound_init);
module_exit(bound_exit);

MODULE_DESCRIPTION("A driver that owns the trace units, for tests");
MODULE_LICENSE("GPL");
