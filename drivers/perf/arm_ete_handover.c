// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last moment of a kernel that panics. A crash kernel translates addresses by other tables: a
 * trace buffer that is still enabled writes anywhere in it, as soon as something is traced there.
 *
 * Nobody is told of that moment: panic notifiers are called after it, unless the kernel was booted
 * with crash_kexec_post_notifiers. But the CPU that panics masks each interrupt before it goes, so
 * the driver has one, which nothing raises, for the sake of its mask. The other CPUs have been
 * stopped by then, or are off, in memory that the crash kernel does not touch.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>

#include "arm_ete.h"

static int ete_handover_irq;
static struct ete_pmu *ete_handover_pmu;

/*
 * Interrupts are off. Where another kernel is started without a panic a reboot notifier was there
 * before, and nothing is left to do. The line is masked when it is given back, too.
 */
static void ete_handover_mask(struct irq_data *data)
{
	struct ete_pmu *pmu = READ_ONCE(ete_handover_pmu);
	struct ete_cpu *cpu;

	if (!pmu)
		return;
	WRITE_ONCE(pmu->off, true);
	cpu = this_cpu_ptr(pmu->cpu);
	if (cpu->online) {
		trbe_session_abandon(cpu);
		ete_unit_release(cpu);
	}
}

static struct irq_chip ete_handover_chip = {
	.name = "arm_ete_pmu",
	.irq_mask = ete_handover_mask,
};

static irqreturn_t ete_handover_interrupt(int irq, void *unused)
{
	return IRQ_NONE;
}

/**
 * arm_ete_handover_setup() - nothing is traced when another kernel takes over
 * @pmu: the driver
 *
 * Context: process; may sleep.
 *
 * Return: 0, or -ENOMEM, or as request_irq().
 */
int arm_ete_handover_setup(struct ete_pmu *pmu)
{
	int err, irq;

	/* of no module's: a line that is asked for holds its owner, and that would be ourselves */
	irq = __irq_alloc_descs(-1, 0, 1, NUMA_NO_NODE, NULL, NULL);
	if (irq < 0)
		return irq;
	irq_set_chip_and_handler(irq, &ete_handover_chip, handle_simple_irq);
	/* from 6.14 on only lines that somebody has asked for are masked */
	err = request_irq(irq, ete_handover_interrupt, IRQF_NO_SUSPEND | IRQF_NOBALANCING,
			  "arm_ete_pmu handover", NULL);
	if (err) {
		irq_free_desc(irq);
		return err;
	}
	ete_handover_irq = irq;
	WRITE_ONCE(ete_handover_pmu, pmu);
	return 0;
}

/**
 * arm_ete_handover_teardown() - the line is given back
 *
 * Context: process; may sleep.
 */
void arm_ete_handover_teardown(void)
{
	WRITE_ONCE(ete_handover_pmu, NULL);
	free_irq(ete_handover_irq, NULL);
	irq_free_desc(ete_handover_irq);
}
