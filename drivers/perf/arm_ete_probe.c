// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where trace units and trace buffers are found, and what befalls them: firmware, interrupt, CPUs
 * that come and go, power, the end of the machine.
 */
#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_device.h>
#include <linux/of_platform.h>
#include <linux/platform_device.h>
#include <linux/reboot.h>

#include <asm/cpufeature.h>
#include <asm/mmu.h>
#include <asm/virt.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "arm_ete.h"
#include "arm_ete_compat.h"
#include "trbe_sysreg.h"

#define ETE_NAME		"arm_ete_pmu"

/* ID_AA64DFR0_EL1 */
#define ETE_DFR0_TRACEVER	GENMASK_ULL(7, 4)
#define ETE_DFR0_TRACEFILT	GENMASK_ULL(43, 40)
#define ETE_DFR0_TRACEBUFFER	GENMASK_ULL(47, 44)

static char *pmu_name = ARM_ETE_PMU_NAME;
module_param(pmu_name, charp, 0444);
MODULE_PARM_DESC(pmu_name, "name of the PMU; stock perf knows " ARM_ETE_PMU_NAME);

static unsigned int force_errata;
module_param(force_errata, uint, 0444);
MODULE_PARM_DESC(force_errata, "errata to work around on every CPU, bits as in trbe_errata.h");

/* There is one: a CPU has one trace buffer, and firmware one description of them all. */
static struct ete_pmu ete_pmu;
static struct device *ete_device;
struct workqueue_struct *arm_ete_workqueue;

/**
 * struct ete_erratum - one that the kernel finds by the CPU's ID
 * @bit: as in trbe_errata.h
 * @capability: the kernel's
 */
struct ete_erratum {
	u32 bit;
	unsigned int capability;
};

static u32 ete_probe_errata(void)
{
	static const struct ete_erratum errata[] = {
		{ TRBE_ERRATUM_OVERWRITE, ARM64_WORKAROUND_TRBE_OVERWRITE_FILL_MODE },
		{ TRBE_ERRATUM_OUT_OF_RANGE, ARM64_WORKAROUND_TRBE_WRITE_OUT_OF_RANGE },
		{ TRBE_ERRATUM_DISABLE, ARM64_WORKAROUND_2064142 },
		{ TRBE_ERRATUM_ENABLE, ARM64_WORKAROUND_2038923 },
		{ TRBE_ERRATUM_CORRUPT, ARM64_WORKAROUND_1902691 },
	};
	u32 found = force_errata & TRBE_ERRATA;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(errata); i++)
		if (this_cpu_has_cap(errata[i].capability))
			found |= errata[i].bit;
	return found;
}

/* Why this CPU's ID registers say that it cannot be traced, or NULL */
static const char *ete_probe_features(void)
{
	u64 dfr0 = read_sysreg(id_aa64dfr0_el1);

	if (!FIELD_GET(ETE_DFR0_TRACEBUFFER, dfr0))
		return "it has no trace buffer (ID_AA64DFR0_EL1.TraceBuffer is 0)";
	if (!FIELD_GET(ETE_DFR0_TRACEFILT, dfr0))
		return "it has no trace filter (ID_AA64DFR0_EL1.TraceFilt is 0)";
	if (FIELD_GET(ETE_DFR0_TRACEVER, dfr0) != 1)
		return "its trace unit has no System registers (ID_AA64DFR0_EL1.TraceVer is not 1)";
	return NULL;
}

static const char *ete_probe_buffer(struct ete_cpu *cpu)
{
	u64 idr = trbe_read_idr();
	const char *reason;

	if (idr & TRBE_IDR_P)
		return is_kernel_in_hyp_mode() ?
			"its trace buffer is EL3's or Secure state's (TRBIDR_EL1.P)" :
			"its trace buffer is EL2's, EL3's or Secure state's (TRBIDR_EL1.P)";
	if (trbe_read_limit() & TRBE_LIMITR_XE)
		return "an external debugger uses its trace buffer (TRBLIMITR_EL1.XE)";
	reason = trbe_caps_init(&cpu->buffer, idr, PAGE_SIZE);
	if (reason)
		return reason;
	cpu->errata = ete_probe_errata();
	if (cpu->errata & TRBE_ERRATUM_CORRUPT)
		return "its trace is corrupted (erratum 1902691)";
	return NULL;
}

/* Has a CPU that came late what the events were made for? */
static bool ete_cpu_suffices(const struct ete_cpu *cpu)
{
	struct ete_caps unit = ete_pmu.caps;
	struct trbe_caps buffer = ete_pmu.buffer;

	ete_caps_intersect(&unit, &cpu->caps);
	trbe_caps_intersect(&buffer, &cpu->buffer);
	return !memcmp(&unit, &ete_pmu.caps, sizeof(unit)) &&
	       !memcmp(&buffer, &ete_pmu.buffer, sizeof(buffer));
}

/* On the CPU itself, with interrupts off. Why it cannot be traced, or NULL. */
static const char *ete_cpu_take(struct ete_cpu *cpu, bool again)
{
	const char *reason = ete_probe_features();

	if (!reason)
		reason = ete_probe_buffer(cpu);
	if (!reason)
		reason = ete_unit_claim(cpu, again);
	if (reason)
		return reason;
	if (!again)
		trbe_session_reset(cpu);
	return NULL;
}

static int ete_cpu_online(unsigned int number)
{
	struct ete_cpu *cpu = per_cpu_ptr(ete_pmu.cpu, number);
	const char *reason;
	unsigned long flags;

	if (!cpumask_test_cpu(number, &ete_pmu.wired))
		return 0;
	local_irq_save(flags);
	reason = ete_cpu_take(cpu, false);
	local_irq_restore(flags);
	if (!reason && ete_pmu.registered && !ete_cpu_suffices(cpu)) {
		ete_unit_release(cpu);
		reason = "its trace unit or its trace buffer can do less than those of the others";
	}
	if (reason) {
		pr_warn(ETE_NAME ": cpu%u is not traced: %s\n", number, reason);
		return 0;
	}
	enable_percpu_irq(ete_pmu.irq, IRQ_TYPE_NONE);
	cpumask_set_cpu(number, &ete_pmu.cpus);
	WRITE_ONCE(cpu->online, true);
	return 0;
}

/* On the CPU itself, with interrupts off. The next kernel, too, finds the trace unit free. */
static void ete_cpu_leave(struct ete_cpu *cpu)
{
	WRITE_ONCE(cpu->online, false);
	trbe_session_stop(cpu);
	ete_unit_release(cpu);
}

/*
 * perf takes its events off the CPU later than this: what is being recorded is ended here, and what
 * perf does to the event then finds it ended.
 */
static int ete_cpu_offline(unsigned int number)
{
	struct ete_cpu *cpu = per_cpu_ptr(ete_pmu.cpu, number);
	unsigned long flags;

	if (!cpu->online)
		return 0;
	local_irq_save(flags);
	ete_cpu_leave(cpu);
	local_irq_restore(flags);
	disable_percpu_irq(ete_pmu.irq);
	return 0;
}

/* Power: interrupts are off, on the CPU itself */
static int ete_cpu_pm(struct notifier_block *block, unsigned long what, void *unused)
{
	struct ete_cpu *cpu = this_cpu_ptr(ete_pmu.cpu);
	const char *reason;

	if (!cpu->online)
		return NOTIFY_OK;
	switch (what) {
	case CPU_PM_ENTER:
		trbe_session_sleep(cpu);
		break;
	case CPU_PM_ENTER_FAILED:
	case CPU_PM_EXIT:
		reason = ete_cpu_take(cpu, true);
		if (reason) {
			cpu->unit.broken = true;
			pr_warn_ratelimited(ETE_NAME ": cpu%d is not traced any more: %s\n",
					    cpu->number, reason);
		}
		trbe_session_wake(cpu);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block ete_cpu_pm_block = { .notifier_call = ete_cpu_pm };

static void ete_cpu_silence(void *unused)
{
	struct ete_cpu *cpu = this_cpu_ptr(ete_pmu.cpu);

	if (cpu->online)
		ete_cpu_leave(cpu);
}

/* Before the machine is switched off, or another kernel is started: that one owns the memory */
static int ete_reboot(struct notifier_block *block, unsigned long what, void *unused)
{
	WRITE_ONCE(ete_pmu.off, true);
	on_each_cpu(ete_cpu_silence, NULL, 1);
	return NOTIFY_OK;
}

static struct notifier_block ete_reboot_block = { .notifier_call = ete_reboot };

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

static int ete_add_notifiers(void)
{
	int err = cpu_pm_register_notifier(&ete_cpu_pm_block);

	if (err)
		return err;
	err = register_reboot_notifier(&ete_reboot_block);
	if (err)
		goto err_cpu_pm;
	err = arm_ete_handover_setup(&ete_pmu);
	if (err)
		goto err_reboot;
	return 0;

err_reboot:
	unregister_reboot_notifier(&ete_reboot_block);
err_cpu_pm:
	cpu_pm_unregister_notifier(&ete_cpu_pm_block);
	return err;
}

static void ete_remove_notifiers(void)
{
	arm_ete_handover_teardown();
	unregister_reboot_notifier(&ete_reboot_block);
	cpu_pm_unregister_notifier(&ete_cpu_pm_block);
}

/* The CPUs, then what is made of them */
static int ete_bring_up(struct device *dev)
{
	int err;

	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/arm/ete:online", ete_cpu_online,
				ete_cpu_offline);
	if (err < 0)
		return err;
	ete_pmu.hotplug = err;
	err = ete_gather_caps(dev);
	if (err)
		goto err_hotplug;
	err = ete_add_notifiers();
	if (err)
		goto err_hotplug;
	err = ete_take_name(dev);
	if (err)
		goto err_notifiers;
	WRITE_ONCE(ete_pmu.registered, true);
	err = ete_add_sysfs();
	if (err)
		goto err_pmu;
	return 0;

err_pmu:
	arm_ete_pmu_unregister(&ete_pmu);
err_notifiers:
	ete_remove_notifiers();
err_hotplug:
	cpuhp_remove_state(ete_pmu.hotplug);
	return err;
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
	ete_pmu.irq = platform_get_irq(pdev, 0);
	if (ete_pmu.irq < 0)
		return ete_pmu.irq;
	err = irq_get_percpu_devid_partition(ete_pmu.irq, &ete_pmu.wired);
	if (err) {
		dev_err(dev, "the interrupt is not one of each CPU\n");
		return err;
	}
	ete_pmu.cpu = alloc_percpu(struct ete_cpu);
	if (!ete_pmu.cpu)
		return -ENOMEM;
	for_each_possible_cpu(number) {
		per_cpu_ptr(ete_pmu.cpu, number)->number = number;
		trbe_wait_setup(per_cpu_ptr(ete_pmu.cpu, number));
	}
	err = request_percpu_irq(ete_pmu.irq, trbe_session_interrupt, ETE_NAME, ete_pmu.cpu);
	if (err)
		goto err_cpu;
	err = ete_bring_up(dev);
	if (err)
		goto err_irq;
	ete_device = dev;
	dev_info(dev, "%s: CPUs %*pbl\n", pmu_name, cpumask_pr_args(&ete_pmu.cpus));
	return 0;

err_irq:
	free_percpu_irq(ete_pmu.irq, ete_pmu.cpu);
err_cpu:
	free_percpu(ete_pmu.cpu);
	return err;
}

/* No event is left, for each holds the module */
static void ete_take_down(void)
{
	unsigned int number;

	ete_remove_sysfs();
	arm_ete_pmu_unregister(&ete_pmu);
	ete_remove_notifiers();
	cpuhp_remove_state(ete_pmu.hotplug);
	free_percpu_irq(ete_pmu.irq, ete_pmu.cpu);
	flush_workqueue(arm_ete_workqueue);
	for_each_possible_cpu(number)
		trbe_wait_teardown(per_cpu_ptr(ete_pmu.cpu, number));
	free_percpu(ete_pmu.cpu);
	ete_device = NULL;
}

#ifdef ETE_HAS_VOID_REMOVE
static void ete_remove(struct platform_device *pdev)
{
	ete_take_down();
}
#else
static int ete_remove(struct platform_device *pdev)
{
	ete_take_down();
	return 0;
}
#endif

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
