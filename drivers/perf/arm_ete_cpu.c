// SPDX-License-Identifier: GPL-2.0-only
/*
 * The life of a CPU: which CPUs can be traced, hotplug, low-power states, reboot and crash.
 */
#define pr_fmt(fmt) "arm_ete_pmu: " fmt

#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/printk.h>
#include <linux/reboot.h>
#include <linux/smp.h>

#include <asm/cputype.h>
#include <asm/sysreg.h>
#include <asm/virt.h>

#include "arm_ete.h"
#include "arm_ete_kvm.h"
#include "trbe_sysreg.h"

static unsigned int force_errata;
module_param(force_errata, uint, 0444);
MODULE_PARM_DESC(force_errata, "errata to work around on every CPU, bits as in ete_caps.h");

/*
 * TRCITECR_EL1 traps to EL3 unless firmware has set MDCR_EL3.EnITE, and no register that the kernel
 * can read shows that. A trapped access is an UNDEFINED instruction in the kernel, or stops the
 * machine in firmware.
 */
static bool instrumentation;
module_param(instrumentation, bool, 0444);
MODULE_PARM_DESC(instrumentation, "firmware allows access to TRCITECR_EL1: trace TRCIT if an event asks for it");

#ifdef HWFLOW_HWCHECK
unsigned int ete_hwcheck;
module_param_named(hwcheck, ete_hwcheck, uint, 0600);
MODULE_PARM_DESC(hwcheck, "what to omit, bits as in ete_hwcheck.h");
#endif

static struct ete_pmu *ete_cpu_pmu;

/* The reason why this CPU's ID registers rule out trace, or NULL */
static const char *ete_cpu_features(void)
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

/* The in-tree driver of the trace units, whatever firmware describes them with */
#define ETE_OTHER_DRIVER	"coresight-etm4x"

static int ete_is_bound(struct device *dev, const void *driver)
{
	return READ_ONCE(dev->driver) == driver;
}

/*
 * Whether another driver is bound to trace units. Only the address of the driver is used, because
 * no lock keeps the driver loaded. A probe takes the lock of CPU hotplug under the device's lock,
 * so the device must not be locked here.
 */
static bool ete_units_owned(void)
{
	const struct device_driver *driver = driver_find(ETE_OTHER_DRIVER, &platform_bus_type);
	struct device *dev;

	if (!driver)
		return false;
	dev = bus_find_device(&platform_bus_type, NULL, driver, ete_is_bound);
	put_device(dev);
	return dev;
}

/*
 * Whether this CPU may access TRCITECR_EL1. A kernel at EL1 on a PE with EL2 must not: the access
 * traps unless software at EL2 has set nTRCITECR_EL1 in HDFGRTR2_EL2 and HDFGWTR2_EL2. These bits
 * reset to 0, and Linux itself at EL2 (nVHE) leaves them at 0.
 */
static bool ete_cpu_instrumentation(void)
{
	if (!instrumentation)
		return false;
	if (!FIELD_GET(ETE_DFR1_ITE, read_sysreg(id_aa64dfr1_el1))) {
		pr_warn_once("instrumentation=1 is ignored: a CPU has no FEAT_ITE\n");
		return false;
	}
	if (!is_kernel_in_hyp_mode() && FIELD_GET(ETE_PFR0_EL2, read_sysreg(id_aa64pfr0_el1))) {
		pr_warn_once("instrumentation=1 is ignored: EL2 may trap TRCITECR_EL1\n");
		return false;
	}
	return true;
}

static const char *ete_cpu_identify_buffer(struct trbe *trbe)
{
	u64 idr = trbe_read_idr();
	const char *reason;

	trbe->idr = idr;
	if (idr & TRBE_IDR_P)
		return is_kernel_in_hyp_mode() ?
			"its trace buffer belongs to EL3 or Secure state (TRBIDR_EL1.P)" :
			"its trace buffer belongs to EL2, EL3 or Secure state (TRBIDR_EL1.P)";
	if (trbe_read_limit() & TRBE_LIMITR_XE)
		return "an external debugger uses its trace buffer (TRBLIMITR_EL1.XE)";
	reason = trbe_caps_init(&trbe->caps, idr, PAGE_SIZE);
	if (reason)
		return reason;
	trbe->errata = (force_errata & TRBE_ERRATA) | trbe_caps_errata(read_cpuid_id());
	if (trbe->errata & TRBE_ERRATUM_CORRUPT)
		return "its trace is corrupt (erratum 1902691)";
	return NULL;
}

/*
 * Disable a trace unit and a trace buffer that firmware or a crashed kernel may have left enabled,
 * and read the ID registers. The trace unit is claimed when an event starts. If another driver is
 * bound to the trace units (owned is true), a claim belongs to that driver. Returns the reason why
 * the CPU cannot be traced, or NULL.
 */
static const char *ete_cpu_identify(struct ete_cpu *cpu, bool owned)
{
	const char *reason = ete_cpu_features();

	if (!reason)
		reason = ete_cpu_identify_buffer(&cpu->trbe);
	if (reason)
		return reason;
	ete_unit_reset(&cpu->unit, owned);
	trbe_reset(&cpu->trbe);
	cpu->unit.caps.instrumentation = ete_cpu_instrumentation();
	return ete_unit_identify(&cpu->unit);
}

/* Whether an event made for the PMU's capabilities can run on the CPU */
static bool ete_cpu_suffices(const struct ete_cpu *cpu, const struct ete_pmu *pmu)
{
	struct trbe_caps buffer = pmu->buffer;
	struct ete_caps unit = pmu->caps;

	ete_caps_intersect(&unit, &cpu->unit.caps);
	trbe_caps_intersect(&buffer, &cpu->trbe.caps);
	return !memcmp(&unit, &pmu->caps, sizeof(unit)) &&
	       !memcmp(&buffer, &pmu->buffer, sizeof(buffer));
}

/*
 * Add the CPU to the PMU, whose capabilities become those that all its CPUs share. While an event
 * exists they do not change, so the CPU must have all of them. Returns false if it has not.
 */
static bool ete_cpu_admit(struct ete_pmu *pmu, const struct ete_cpu *cpu)
{
	bool in_use, admitted;

	mutex_lock(&pmu->lock);
	in_use = atomic_read(&pmu->events);
	admitted = !in_use || ete_cpu_suffices(cpu, pmu);
	if (admitted)
		cpumask_set_cpu(cpu->trbe.cpu, &pmu->cpus);
	if (!in_use)
		arm_ete_pmu_update(pmu);
	mutex_unlock(&pmu->lock);
	return admitted;
}

/* Called on the CPU itself */
static int ete_cpu_online(unsigned int number)
{
	struct ete_pmu *pmu = ete_cpu_pmu;
	struct ete_cpu *cpu = per_cpu_ptr(pmu->cpu, number);
	const char *reason;
	unsigned long flags;
	bool owned;

	if (!cpu->irq || cpu->trbe.online)
		return 0;
	owned = ete_units_owned();
	local_irq_save(flags);
	reason = ete_cpu_identify(cpu, owned);
	local_irq_restore(flags);
	if (!reason && !ete_cpu_admit(pmu, cpu))
		reason = "it lacks a trace capability that open events rely on";
	if (reason) {
		pr_warn("cpu%u cannot be traced: %s\n", number, reason);
		return 0;
	}
	enable_percpu_irq(cpu->irq, IRQ_TYPE_NONE);
	local_irq_save(flags);
	WRITE_ONCE(cpu->trbe.online, true);
	/* if CPU hotplug failed to take the CPU offline, its event still exists */
	trbe_record_resume(&cpu->trbe);
	local_irq_restore(flags);
	return 0;
}

/* Called on the CPU itself with interrupts off. The trace unit is free for the next kernel. */
static void ete_cpu_leave(struct ete_cpu *cpu)
{
	WRITE_ONCE(cpu->trbe.online, false);
	trbe_record_cut(&cpu->trbe);
	ete_unit_release(&cpu->unit);
}

/*
 * Called on the CPU itself. perf removes the events of the CPU later: the record of a CPU-wide
 * event is closed here, and perf stops an event without an open record.
 */
static int ete_cpu_offline(unsigned int number)
{
	struct ete_cpu *cpu = per_cpu_ptr(ete_cpu_pmu->cpu, number);
	unsigned long flags;

	if (!cpu->trbe.online)
		return 0;
	local_irq_save(flags);
	ete_cpu_leave(cpu);
	local_irq_restore(flags);
	trbe_teardown(&cpu->trbe);
	disable_percpu_irq(cpu->irq);
	return 0;
}

/*
 * Low-power states. Called on the CPU itself with interrupts off. The claim is released, because
 * the CPU may lose its registers, or a debugger may use the trace unit meanwhile. Without an event,
 * no register is accessed.
 */
static int ete_cpu_pm(struct notifier_block *block, unsigned long action, void *unused)
{
	struct ete_cpu *cpu = this_cpu_ptr(ete_cpu_pmu->cpu);

	if (!cpu->trbe.online)
		return NOTIFY_OK;
	switch (action) {
	case CPU_PM_ENTER:
		trbe_record_sleep(&cpu->trbe);
		ete_unit_release(&cpu->unit);
		break;
	case CPU_PM_ENTER_FAILED:
	case CPU_PM_EXIT:
		trbe_record_wake(&cpu->trbe);
		break;
	}
	return NOTIFY_OK;
}

/*
 * Called last, at entry and at exit: coresight-etm4x saves and restores the trace filter of each
 * CPU up to Linux 6.17, whether it owns the trace unit or not. If a notifier before this one
 * fails, this one is not called at all, and there is nothing to undo.
 */
static struct notifier_block ete_cpu_pm_block = {
	.notifier_call = ete_cpu_pm,
	.priority = INT_MIN,
};

static void ete_cpu_silence(void *unused)
{
	struct ete_cpu *cpu = this_cpu_ptr(ete_cpu_pmu->cpu);

	if (cpu->trbe.online)
		ete_cpu_leave(cpu);
}

/* Called before the machine goes down or starts another kernel, which then owns the memory */
static int ete_reboot(struct notifier_block *block, unsigned long action, void *unused)
{
	WRITE_ONCE(ete_cpu_pmu->off, true);
	on_each_cpu(ete_cpu_silence, NULL, 1);
	return NOTIFY_OK;
}

static struct notifier_block ete_reboot_block = { .notifier_call = ete_reboot };

/*
 * Handover to a crash kernel. Its page tables differ, so a trace buffer that is still enabled would
 * write to arbitrary memory. Panic notifiers run too late, unless the kernel was booted with
 * crash_kexec_post_notifiers. But the CPU that panics masks all interrupts before the handover, so
 * the driver requests an interrupt that nothing raises, for its mask function. The other CPUs are
 * stopped by then, in memory that the crash kernel does not use.
 */
static int ete_handover_irq;
static bool ete_handover_armed;

/* Called with interrupts off; also when the line is freed, and after a reboot notifier */
static void ete_handover_mask(struct irq_data *data)
{
	struct ete_cpu *cpu;

	if (!READ_ONCE(ete_handover_armed))
		return;
	WRITE_ONCE(ete_cpu_pmu->off, true);
	cpu = this_cpu_ptr(ete_cpu_pmu->cpu);
	if (cpu->trbe.online) {
		trbe_record_abandon(&cpu->trbe);
		ete_unit_release(&cpu->unit);
	}
}

/* Without this function Linux 6.14 and later would take the line as masked, and not mask it */
static void ete_handover_unmask(struct irq_data *data)
{
}

static struct irq_chip ete_handover_chip = {
	.name = "arm_ete_pmu",
	.irq_mask = ete_handover_mask,
	.irq_unmask = ete_handover_unmask,
};

static irqreturn_t ete_handover_interrupt(int irq, void *unused)
{
	return IRQ_NONE;
}

static int ete_handover_setup(void)
{
	int err, irq;

	/* no owner, as its reference to the module would prevent that the module is unloaded */
	irq = __irq_alloc_descs(-1, 1, 1, NUMA_NO_NODE, NULL, NULL);
	if (irq < 0)
		return irq;
	irq_set_chip_and_handler(irq, &ete_handover_chip, handle_simple_irq);
	/* Linux 6.14 and later masks only lines that were requested */
	err = request_irq(irq, ete_handover_interrupt, IRQF_NO_SUSPEND | IRQF_NOBALANCING,
			  "arm_ete_pmu handover", NULL);
	if (err) {
		irq_free_desc(irq);
		return err;
	}
	ete_handover_irq = irq;
	WRITE_ONCE(ete_handover_armed, true);
	return 0;
}

static void ete_handover_teardown(void)
{
	WRITE_ONCE(ete_handover_armed, false);
	free_irq(ete_handover_irq, NULL);
	irq_free_desc(ete_handover_irq);
}

static void ete_cpu_setup(struct ete_cpu *cpu, int number, bool kvm)
{
	cpu->ts_source = 1;
	cpu->unit.kvm = kvm;
	cpu->unit.trace_id = ARM_ETE_PMU_TRACE_ID(number);
	trbe_setup(&cpu->trbe, number, &cpu->unit);
}

/**
 * arm_ete_cpus_setup() - allocate the CPUs and register for hotplug, low-power states and reboot
 * @pmu: the PMU; there is one
 *
 * No CPU is used before arm_ete_cpus_add().
 *
 * Context: process; may sleep.
 * Return: 0 or a negative error.
 */
int arm_ete_cpus_setup(struct ete_pmu *pmu)
{
	bool kvm = ete_kvm_can_be_told();
	unsigned int number;
	int err;

	mutex_init(&pmu->lock);
	pmu->cpu = alloc_percpu(struct ete_cpu);
	if (!pmu->cpu)
		return -ENOMEM;
	for_each_possible_cpu(number)
		ete_cpu_setup(per_cpu_ptr(pmu->cpu, number), number, kvm);
	ete_cpu_pmu = pmu;
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/arm/ete:online", ete_cpu_online,
				ete_cpu_offline);
	if (err < 0)
		goto err_free;
	pmu->hotplug = err;
	err = cpu_pm_register_notifier(&ete_cpu_pm_block);
	if (err)
		goto err_hotplug;
	err = register_reboot_notifier(&ete_reboot_block);
	if (err)
		goto err_cpu_pm;
	err = ete_handover_setup();
	if (err)
		goto err_reboot;
	return 0;

err_reboot:
	unregister_reboot_notifier(&ete_reboot_block);
err_cpu_pm:
	cpu_pm_unregister_notifier(&ete_cpu_pm_block);
err_hotplug:
	cpuhp_remove_state(pmu->hotplug);
err_free:
	free_percpu(pmu->cpu);
	return err;
}

/**
 * arm_ete_cpus_teardown() - undo arm_ete_cpus_setup()
 * @pmu: the PMU, which no event and no interrupt uses any more
 *
 * Context: process; may sleep: it waits for timers and messages that are due.
 */
void arm_ete_cpus_teardown(struct ete_pmu *pmu)
{
	unsigned int number;

	ete_handover_teardown();
	unregister_reboot_notifier(&ete_reboot_block);
	cpu_pm_unregister_notifier(&ete_cpu_pm_block);
	cpuhp_remove_state(pmu->hotplug);
	for_each_possible_cpu(number)
		trbe_teardown(&per_cpu_ptr(pmu->cpu, number)->trbe);
	free_percpu(pmu->cpu);
}

static int ete_cpu_call_online(void *unused)
{
	return ete_cpu_online(smp_processor_id());
}

static int ete_cpu_call_offline(void *unused)
{
	return ete_cpu_offline(smp_processor_id());
}

/**
 * arm_ete_cpus_add() - use the CPUs of a trace buffer device
 * @cpus: CPUs that the device's interrupt is wired to
 * @irq: the interrupt, which has a handler
 *
 * CPUs that are offline follow when they come online. The log names each CPU that cannot be traced.
 *
 * Context: process; may sleep.
 */
void arm_ete_cpus_add(const struct cpumask *cpus, int irq)
{
	unsigned int number;

	cpus_read_lock();
	for_each_cpu(number, cpus)
		per_cpu_ptr(ete_cpu_pmu->cpu, number)->irq = irq;
	for_each_cpu_and(number, cpus, cpu_online_mask)
		smp_call_on_cpu(number, ete_cpu_call_online, NULL, false);
	cpus_read_unlock();
}

/**
 * arm_ete_cpus_remove() - stop to use the CPUs of a trace buffer device
 * @cpus: its CPUs
 *
 * Context: process; may sleep.
 */
void arm_ete_cpus_remove(const struct cpumask *cpus)
{
	unsigned int number;

	cpus_read_lock();
	for_each_cpu_and(number, cpus, cpu_online_mask)
		smp_call_on_cpu(number, ete_cpu_call_offline, NULL, false);
	for_each_cpu(number, cpus)
		per_cpu_ptr(ete_cpu_pmu->cpu, number)->irq = 0;
	cpus_read_unlock();
}
