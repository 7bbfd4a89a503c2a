// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs, and what befalls them: whether one can be traced, those that come and go, power, the end of
 * the machine.
 */
#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/module.h>
#include <linux/reboot.h>

#include <asm/cpufeature.h>
#include <asm/virt.h>

#include "arm_ete.h"
#include "trbe_sysreg.h"

/* ID_AA64DFR0_EL1 */
#define ETE_DFR0_TRACEVER	GENMASK_ULL(7, 4)
#define ETE_DFR0_TRACEFILT	GENMASK_ULL(43, 40)
#define ETE_DFR0_TRACEBUFFER	GENMASK_ULL(47, 44)

static unsigned int force_errata;
module_param(force_errata, uint, 0444);
MODULE_PARM_DESC(force_errata, "errata to work around on every CPU, bits as in trbe_errata.h");

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
		pr_warn("arm_ete_pmu: cpu%u is not traced: %s\n", number, reason);
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
			pr_warn_ratelimited("arm_ete_pmu: cpu%d is not traced any more: %s\n",
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

/**
 * arm_ete_cpus_watch() - be told of power, of a reboot and of another kernel
 *
 * Return: 0, or a negative error.
 */
int arm_ete_cpus_watch(void)
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

/**
 * arm_ete_cpus_unwatch() - be told no more
 */
void arm_ete_cpus_unwatch(void)
{
	arm_ete_handover_teardown();
	unregister_reboot_notifier(&ete_reboot_block);
	cpu_pm_unregister_notifier(&ete_cpu_pm_block);
}

/**
 * arm_ete_cpus_add() - take the CPUs that are there, and those that come
 *
 * Context: process; what it does to a CPU it does there. ete_pmu has the interrupt, and the CPUs
 * that are wired to it.
 * Return: 0, or a negative error. CPUs that cannot be traced are no error.
 */
int arm_ete_cpus_add(void)
{
	int state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/arm/ete:online", ete_cpu_online,
				      ete_cpu_offline);

	if (state < 0)
		return state;
	ete_pmu.hotplug = state;
	return 0;
}

/**
 * arm_ete_cpus_remove() - give them back
 */
void arm_ete_cpus_remove(void)
{
	cpuhp_remove_state(ete_pmu.hotplug);
}
