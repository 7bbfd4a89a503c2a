// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where trace units and trace buffers are found: firmware and interrupt. The driver as a whole, as
 * it comes and goes.
 */
#include <linux/bitfield.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_device.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>

#include <asm/mmu.h>
#include <asm/virt.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "arm_ete.h"
#include "arm_ete_compat.h"

#define ETE_NAME		"arm_ete_pmu"

static char *pmu_name = ARM_ETE_PMU_NAME;
module_param(pmu_name, charp, 0444);
MODULE_PARM_DESC(pmu_name, "name of the PMU; stock perf knows " ARM_ETE_PMU_NAME);

/* There is one: a CPU has one trace buffer, and firmware one description of them all. */
struct ete_pmu ete_pmu;
static struct device *ete_device;
struct workqueue_struct *arm_ete_workqueue;

/* What all CPUs can do that can be traced; a CPU that cannot shows the IDs of the first that can */
static int ete_gather_caps(struct device *dev)
{
	unsigned int first = cpumask_first(&ete_pmu.cpus), number;

	if (first >= nr_cpu_ids) {
		dev_err(dev, "no CPU can be traced\n");
		return -ENODEV;
	}
	ete_pmu.caps = per_cpu_ptr(ete_pmu.cpu, first)->caps;
	ete_pmu.buffer = per_cpu_ptr(ete_pmu.cpu, first)->buffer;
	for_each_cpu(number, &ete_pmu.cpus) {
		const struct ete_cpu *cpu = per_cpu_ptr(ete_pmu.cpu, number);

		ete_caps_intersect(&ete_pmu.caps, &cpu->caps);
		trbe_caps_intersect(&ete_pmu.buffer, &cpu->buffer);
		ete_pmu.errata |= cpu->errata;
	}
	for_each_possible_cpu(number)
		if (!cpumask_test_cpu(number, &ete_pmu.cpus))
			per_cpu_ptr(ete_pmu.cpu, number)->caps =
				per_cpu_ptr(ete_pmu.cpu, first)->caps;
	return 0;
}

static int ete_add_sysfs(void)
{
	unsigned int number, done;
	int err;

	for_each_possible_cpu(number) {
		err = arm_ete_sysfs_add(&ete_pmu, number);
		if (err)
			goto err_remove;
	}
	return 0;

err_remove:
	for_each_possible_cpu(done) {
		if (done == number)
			break;
		arm_ete_sysfs_remove(&ete_pmu, done);
	}
	return err;
}

static void ete_remove_sysfs(void)
{
	unsigned int number;

	for_each_possible_cpu(number)
		arm_ete_sysfs_remove(&ete_pmu, number);
}

/* What is not possible on this machine, whatever its CPUs can do */
static const char *ete_refusal(void)
{
	if (arm64_kernel_unmapped_at_el0())
		return "its buffer is not mapped while user code runs (KPTI): boot with kpti=0";
	if (is_protected_kvm_enabled())
		return "the host is not trusted by pKVM, which owns the trace buffers";
	if (FIELD_GET(ETE_PFR0_RME, read_sysreg(id_aa64pfr0_el1)))
		return "the machine has Realms (FEAT_RME), and it has not been tried on one";
	return NULL;
}

static int ete_take_name(struct device *dev)
{
	int err = arm_ete_pmu_register(&ete_pmu, dev, pmu_name);

	if (err == -EEXIST)
		dev_err(dev, "there is a PMU named %s: unload the driver that has it, or choose another by pmu_name=\n",
			pmu_name);
	return err;
}

/* The CPUs, then what is made of them */
static int ete_bring_up(struct device *dev)
{
	int err;

	err = arm_ete_cpus_add();
	if (err)
		return err;
	err = ete_gather_caps(dev);
	if (err)
		goto err_hotplug;
	err = arm_ete_cpus_watch();
	if (err)
		goto err_hotplug;
	err = ete_take_name(dev);
	if (err)
		goto err_notifiers;
	WRITE_ONCE(ete_pmu.registered, true);
	err = ete_add_sysfs();
	if (err)
		goto err_pmu;
	/* from here on it cannot fail: who opens an event has the driver stay */
	WRITE_ONCE(ete_pmu.ready, true);
	return 0;

err_pmu:
	arm_ete_pmu_unregister(&ete_pmu);
err_notifiers:
	arm_ete_cpus_unwatch();
err_hotplug:
	arm_ete_cpus_remove();
	return err;
}

/* Nothing of the CPUs is used any more, once what waits to be done later has been */
static void ete_settle(void)
{
	unsigned int number;

	for_each_possible_cpu(number) {
		trbe_wait_teardown(per_cpu_ptr(ete_pmu.cpu, number));
		ete_notice_teardown(per_cpu_ptr(ete_pmu.cpu, number));
	}
}

static int ete_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	const char *refusal = ete_refusal();
	unsigned int number;
	int err;

	if (refusal) {
		dev_err(dev, "%s\n", refusal);
		return -EOPNOTSUPP;
	}
	if (ete_device) {
		dev_err(dev, "there are trace buffers by another description already\n");
		return -EBUSY;
	}
	memset(&ete_pmu, 0, sizeof(ete_pmu));
	ete_pmu.irq = ete_compat_get_irq(pdev, &ete_pmu.wired);
	if (ete_pmu.irq < 0)
		return dev_err_probe(dev, ete_pmu.irq, "no interrupt of each CPU\n");
	ete_pmu.cpu = alloc_percpu(struct ete_cpu);
	if (!ete_pmu.cpu)
		return -ENOMEM;
	for_each_possible_cpu(number) {
		per_cpu_ptr(ete_pmu.cpu, number)->number = number;
		trbe_wait_setup(per_cpu_ptr(ete_pmu.cpu, number));
		ete_notice_setup(per_cpu_ptr(ete_pmu.cpu, number));
	}
	err = ete_compat_request_irq(ete_pmu.irq, trbe_session_interrupt, ETE_NAME, &ete_pmu.wired,
				     ete_pmu.cpu);
	if (err) {
		dev_err(dev, "the interrupt %d is in use, or not one of each CPU\n", ete_pmu.irq);
		goto err_cpu;
	}
	err = ete_bring_up(dev);
	if (err)
		goto err_irq;
	ete_device = dev;
	dev_info(dev, "%s: CPUs %*pbl\n", pmu_name, cpumask_pr_args(&ete_pmu.cpus));
	return 0;

err_irq:
	free_percpu_irq(ete_pmu.irq, ete_pmu.cpu);
	ete_settle();
err_cpu:
	free_percpu(ete_pmu.cpu);
	return err;
}

/* No event is left, for each holds the module */
static void ete_take_down(void)
{
	ete_remove_sysfs();
	arm_ete_pmu_unregister(&ete_pmu);
	arm_ete_cpus_unwatch();
	arm_ete_cpus_remove();
	free_percpu_irq(ete_pmu.irq, ete_pmu.cpu);
	flush_workqueue(arm_ete_workqueue);
	ete_settle();
	free_percpu(ete_pmu.cpu);
	ete_device = NULL;
}

static ETE_REMOVE_TYPE ete_remove(struct platform_device *pdev)
{
	ete_take_down();
	return ETE_REMOVE_RESULT;
}

static const struct of_device_id ete_of_match[] = {
	{ .compatible = "arm,trace-buffer-extension" },
	{ }
};
MODULE_DEVICE_TABLE(of, ete_of_match);

static const struct platform_device_id ete_id_table[] = {
	{ ARM_ETE_ACPI_DEVICE, 0 },
	{ }
};
MODULE_DEVICE_TABLE(platform, ete_id_table);

static struct platform_driver ete_driver = {
	.probe = ete_probe,
	.remove = ete_remove,
	.id_table = ete_id_table,
	.driver = {
		.name = ETE_NAME,
		.of_match_table = ete_of_match,
		.suppress_bind_attrs = true,
		.probe_type = PROBE_FORCE_SYNCHRONOUS,
	},
};

static int ete_is_trace_buffer(struct device *dev, const void *unused)
{
	return of_match_device(ete_of_match, dev) ||
	       !strcmp(to_platform_device(dev)->name, ARM_ETE_ACPI_DEVICE);
}

/* Nothing was bound: say why, for one who loads a module that does nothing cannot know */
static int ete_explain(void)
{
	struct device *dev = bus_find_device(&platform_bus_type, NULL, NULL, ete_is_trace_buffer);
	int err = -ENODEV;

	if (!dev) {
		pr_err(ETE_NAME ": firmware describes no trace buffers (device tree: arm,trace-buffer-extension; ACPI: TRBE interrupt in the MADT)\n");
		return err;
	}
	device_lock(dev);
	if (dev->driver && dev->driver != &ete_driver.driver) {
		pr_err(ETE_NAME ": the trace buffers are in use by %s: unload it (modprobe -r coresight-trbe coresight-etm4x), and see modprobe.d/arm_ete_pmu.conf\n",
		       dev->driver->name);
		err = -EBUSY;
	}
	device_unlock(dev);
	put_device(dev);
	return err;
}

static int __init ete_init(void)
{
	int err;

	arm_ete_workqueue = alloc_workqueue(ETE_NAME, WQ_UNBOUND, 0);
	if (!arm_ete_workqueue)
		return -ENOMEM;
	err = arm_ete_acpi_add_device();
	if (err)
		goto err_workqueue;
	err = platform_driver_register(&ete_driver);
	if (err)
		goto err_device;
	if (!ete_device) {
		err = ete_explain();
		goto err_driver;
	}
	return 0;

err_driver:
	platform_driver_unregister(&ete_driver);
err_device:
	arm_ete_acpi_remove_device();
err_workqueue:
	destroy_workqueue(arm_ete_workqueue);
	return err;
}

static void __exit ete_exit(void)
{
	platform_driver_unregister(&ete_driver);
	arm_ete_acpi_remove_device();
	destroy_workqueue(arm_ete_workqueue);
}

module_init(ete_init);
module_exit(ete_exit);

MODULE_DESCRIPTION("Program flow trace by ETE and TRBE, a perf PMU");
MODULE_AUTHOR("the hwflow project");
MODULE_LICENSE("GPL");
