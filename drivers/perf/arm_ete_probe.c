// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trace buffer devices, as the device tree or ACPI describes them, and the module.
 *
 * A device is one interrupt and the CPUs that it is wired to. A machine with several kinds of CPUs
 * may have several devices; all CPUs belong to one PMU.
 */
#define pr_fmt(fmt) "arm_ete_pmu: " fmt

#include <linux/acpi.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/of.h>
#include <linux/of_device.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include <asm/mmu.h>
#include <asm/virt.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "arm_ete.h"
#include "arm_ete_compat.h"

#define ETE_NAME		"arm_ete_pmu"

/* The platform device that Linux 6.7 and later creates from the MADT, and this driver before */
#define ETE_ACPI_DEVICE		"arm,trbe"

static char *pmu_name = ARM_ETE_PMU_NAME;
module_param(pmu_name, charp, 0444);
MODULE_PARM_DESC(pmu_name, "name of the PMU; stock perf knows " ARM_ETE_PMU_NAME);

/**
 * struct ete_device - a trace buffer device
 * @irq: its interrupt
 * @cpus: the CPUs that the interrupt is wired to
 * @trbe: argument of the interrupt handler: a pointer to the trace buffer of each CPU. Two devices
 *	may share the number of their interrupt, for different CPUs, and the kernel requires
 *	different arguments of their handlers.
 */
struct ete_device {
	int irq;
	struct cpumask cpus;
	struct trbe * __percpu *trbe;
};

/* The PMU of all devices, their number, and the lock of both */
static struct ete_pmu ete_pmu;
static unsigned int ete_nr_devices;
static DEFINE_MUTEX(ete_devices_lock);

static const struct of_device_id ete_of_match[] = {
	{ .compatible = "arm,trace-buffer-extension" },
	{ }
};
MODULE_DEVICE_TABLE(of, ete_of_match);

static const struct platform_device_id ete_id_table[] = {
	{ ETE_ACPI_DEVICE, 0 },
	{ }
};
MODULE_DEVICE_TABLE(platform, ete_id_table);

/* The reason why this machine cannot be traced at all, or NULL */
static const char *ete_refusal(void)
{
	if (arm64_kernel_unmapped_at_el0())
		return "the kernel is not mapped while user code runs (KPTI): boot with kpti=0";
	if (is_protected_kvm_enabled())
		return "pKVM owns the trace buffers and does not trust the host";
	return NULL;
}

/* Register the PMU when the first device has added its CPUs */
static int ete_register(struct device *dev)
{
	int err;

	if (cpumask_empty(&ete_pmu.cpus)) {
		dev_err(dev, "no CPU can be traced\n");
		return -ENODEV;
	}
	err = arm_ete_pmu_register(&ete_pmu, dev, pmu_name);
	if (err == -EEXIST)
		dev_err(dev, "a PMU named %s exists: unload the driver that has it and load this one again, or choose another name by pmu_name=\n",
			pmu_name);
	return err;
}

static int ete_add_device(struct device *dev, struct ete_device *device)
{
	unsigned int number;
	int err;

	if (!ete_nr_devices) {
		memset(&ete_pmu, 0, sizeof(ete_pmu));
		err = arm_ete_cpus_setup(&ete_pmu);
		if (err)
			return err;
	}
	for_each_possible_cpu(number)
		*per_cpu_ptr(device->trbe, number) = &per_cpu_ptr(ete_pmu.cpu, number)->trbe;
	err = ete_compat_request_irq(device->irq, trbe_record_interrupt, ETE_NAME, &device->cpus,
				     device->trbe);
	if (err)
		goto err_cpus;
	arm_ete_cpus_add(&device->cpus, device->irq);
	if (!ete_nr_devices) {
		err = ete_register(dev);
		if (err)
			goto err_irq;
	}
	ete_nr_devices++;
	return 0;

err_irq:
	arm_ete_cpus_remove(&device->cpus);
	free_percpu_irq(device->irq, device->trbe);
err_cpus:
	if (!ete_nr_devices)
		arm_ete_cpus_teardown(&ete_pmu);
	return err;
}

static int ete_probe(struct platform_device *pdev)
{
	const char *refusal = ete_refusal();
	struct device *dev = &pdev->dev;
	struct ete_device *device;
	int err;

	if (refusal) {
		dev_err(dev, "%s\n", refusal);
		return -ENODEV;
	}
	device = devm_kzalloc(dev, sizeof(*device), GFP_KERNEL);
	if (!device)
		return -ENOMEM;
	device->trbe = devm_alloc_percpu(dev, struct trbe *);
	if (!device->trbe)
		return -ENOMEM;
	device->irq = ete_compat_get_irq(pdev, &device->cpus);
	if (device->irq < 0)
		return dev_err_probe(dev, device->irq, "no interrupt of each CPU\n");
	mutex_lock(&ete_devices_lock);
	err = ete_add_device(dev, device);
	if (!err)
		dev_info(dev, "%s: CPUs %*pbl\n", pmu_name, cpumask_pr_args(&ete_pmu.cpus));
	mutex_unlock(&ete_devices_lock);
	if (err)
		return err;
	platform_set_drvdata(pdev, device);
	return 0;
}

/* No event exists, for each holds a reference to the module */
static ETE_REMOVE_TYPE ete_remove(struct platform_device *pdev)
{
	struct ete_device *device = platform_get_drvdata(pdev);

	mutex_lock(&ete_devices_lock);
	ete_nr_devices--;
	if (!ete_nr_devices)
		arm_ete_pmu_unregister(&ete_pmu);
	arm_ete_cpus_remove(&device->cpus);
	free_percpu_irq(device->irq, device->trbe);
	if (!ete_nr_devices) {
		flush_workqueue(trbe_workqueue);
		arm_ete_cpus_teardown(&ete_pmu);
	}
	mutex_unlock(&ete_devices_lock);
	return ETE_REMOVE_RESULT;
}

static struct platform_driver ete_driver = {
	.probe = ete_probe,
	.remove = ete_remove,
	.id_table = ete_id_table,
	.driver = {
		.name = ETE_NAME,
		.of_match_table = ete_of_match,
		.suppress_bind_attrs = true,
	},
};

#ifdef CONFIG_ACPI
/* ACPI 6.5, 5.2.12.14: the last field of a GICC entry, for which older kernels have no name */
#define ETE_MADT_TRBE_OFFSET	80
#define ETE_MADT_TRBE_END	(ETE_MADT_TRBE_OFFSET + sizeof(u16))

static struct platform_device *ete_acpi_device;

/* The trace buffer interrupt of a GICC entry; 0 for none */
static u32 ete_acpi_gsi(const struct acpi_madt_generic_interrupt *gicc)
{
	u16 gsi;

	if (gicc->header.length < ETE_MADT_TRBE_END)
		return 0;
	memcpy(&gsi, (const u8 *)gicc + ETE_MADT_TRBE_OFFSET, sizeof(gsi));
	return gsi;
}

/*
 * The interrupt of all enabled CPUs that have one; 0 if they differ, for a PPI has one number. The
 * kernel's own copy of a GICC entry ends with the last field that the kernel knows, so the function
 * reads the table.
 */
static u32 ete_acpi_find_gsi(const struct acpi_table_header *table)
{
	const struct acpi_subtable_header *part;
	u32 at, gsi = 0;

	for (at = sizeof(struct acpi_table_madt); at + sizeof(*part) <= table->length;
	     at += part->length) {
		const struct acpi_madt_generic_interrupt *gicc;
		u32 own;

		part = (const void *)((const u8 *)table + at);
		if (part->length < sizeof(*part) || part->length > table->length - at)
			return 0;
		gicc = (const void *)part;
		if (part->type != ACPI_MADT_TYPE_GENERIC_INTERRUPT ||
		    part->length < offsetofend(struct acpi_madt_generic_interrupt, flags) ||
		    !(gicc->flags & ACPI_MADT_ENABLED))
			continue;
		own = ete_acpi_gsi(gicc);
		if (own && gsi && own != gsi)
			return 0;
		gsi = own ?: gsi;
	}
	return gsi;
}

static u32 ete_acpi_common_gsi(void)
{
	struct acpi_table_header *table;
	u32 gsi;

	if (ACPI_FAILURE(acpi_get_table(ACPI_SIG_MADT, 0, &table)))
		return 0;
	gsi = ete_acpi_find_gsi(table);
	acpi_put_table(table);
	return gsi;
}

static int ete_acpi_match(struct device *dev, const void *name)
{
	return !strcmp(to_platform_device(dev)->name, name);
}

/*
 * Create the platform device if the kernel does not create it, and firmware describes trace
 * buffers
 */
static int ete_acpi_add_device(void)
{
	struct device *known = bus_find_device(&platform_bus_type, NULL, ETE_ACPI_DEVICE,
					       ete_acpi_match);
	struct resource interrupt = { .flags = IORESOURCE_IRQ };
	int irq, err;
	u32 gsi;

	put_device(known);
	if (acpi_disabled || known)
		return 0;
	gsi = ete_acpi_common_gsi();
	if (!gsi)
		return 0;
	irq = acpi_register_gsi(NULL, gsi, ACPI_LEVEL_SENSITIVE, ACPI_ACTIVE_HIGH);
	if (irq < 0)
		return irq;
	interrupt.start = irq;
	interrupt.end = irq;
	ete_acpi_device = platform_device_register_simple(ETE_ACPI_DEVICE, PLATFORM_DEVID_NONE,
							  &interrupt, 1);
	if (!IS_ERR(ete_acpi_device))
		return 0;
	err = PTR_ERR(ete_acpi_device);
	ete_acpi_device = NULL;
	acpi_unregister_gsi(gsi);
	return err;
}

static void ete_acpi_remove_device(void)
{
	if (!ete_acpi_device)
		return;
	platform_device_unregister(ete_acpi_device);
	acpi_unregister_gsi(ete_acpi_common_gsi());
}
#else
static int ete_acpi_add_device(void)
{
	return 0;
}

static void ete_acpi_remove_device(void)
{
}
#endif

static int ete_is_trace_buffer(struct device *dev, const void *unused)
{
	return of_match_device(ete_of_match, dev) ||
	       !strcmp(to_platform_device(dev)->name, ETE_ACPI_DEVICE);
}

/*
 * Explain why no device was bound. The module stays loaded: a device whose interrupt controller
 * comes later is probed then. If probing failed, ete_probe() has printed the reason.
 */
static void ete_explain(void)
{
	struct device *dev = bus_find_device(&platform_bus_type, NULL, NULL, ete_is_trace_buffer);

	if (!dev) {
		pr_err("firmware describes no trace buffers (device tree: arm,trace-buffer-extension; ACPI: TRBE interrupt in the MADT)\n");
		return;
	}
	device_lock(dev);
	if (dev->driver && dev->driver != &ete_driver.driver)
		pr_err("the trace buffers are in use by %s: unload it (modprobe -r coresight-trbe coresight-etm4x) and load this module again; see modprobe.d/arm_ete_pmu.conf\n",
		       dev->driver->name);
	device_unlock(dev);
	put_device(dev);
}

static int __init ete_init(void)
{
	int err;

	trbe_workqueue = alloc_workqueue(ETE_NAME, WQ_UNBOUND, 0);
	if (!trbe_workqueue)
		return -ENOMEM;
	err = ete_acpi_add_device();
	if (err)
		goto err_workqueue;
	err = platform_driver_register(&ete_driver);
	if (err)
		goto err_device;
	if (!ete_nr_devices)
		ete_explain();
	return 0;

err_device:
	ete_acpi_remove_device();
err_workqueue:
	destroy_workqueue(trbe_workqueue);
	return err;
}

static void __exit ete_exit(void)
{
	platform_driver_unregister(&ete_driver);
	ete_acpi_remove_device();
	destroy_workqueue(trbe_workqueue);
}

module_init(ete_init);
module_exit(ete_exit);

MODULE_DESCRIPTION("Program flow trace by ETE and TRBE, a perf PMU");
MODULE_AUTHOR("the hwflow project");
MODULE_LICENSE("GPL");
