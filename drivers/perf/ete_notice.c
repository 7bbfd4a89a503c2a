// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages from where printk() is not to be called. perf starts and stops events with the lock of a
 * run queue held, and who prints to a console may wake another one who waits for it, by that very
 * lock. They are printed as soon as interrupts are on again.
 */
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/stdarg.h>

#include "arm_ete.h"

static void ete_notice_print(struct irq_work *work)
{
	struct ete_notices *notices = container_of(work, struct ete_notices, work);
	unsigned int i;

	for (i = 0; i < notices->count; i++)
		pr_err_ratelimited("%s\n", notices->text[i]);
	notices->count = 0;
}

/**
 * ete_notice_setup() - there is nothing to be said
 * @cpu: a CPU
 */
void ete_notice_setup(struct ete_cpu *cpu)
{
	cpu->notices.work = IRQ_WORK_INIT_HARD(ete_notice_print);
	cpu->notices.count = 0;
}

/**
 * ete_notice_teardown() - wait until all has been said
 * @cpu: a CPU, of which no more will be
 *
 * Context: process; may sleep.
 */
void ete_notice_teardown(struct ete_cpu *cpu)
{
	irq_work_sync(&cpu->notices.work);
}

/**
 * ete_notice() - say something of a CPU, soon
 * @cpu: this CPU
 * @format: as of printf(), of one line without its end
 *
 * What comes while ETE_NOTICES have not been printed yet is dropped: it is about the same.
 *
 * Context: interrupts off.
 */
void ete_notice(struct ete_cpu *cpu, const char *format, ...)
{
	struct ete_notices *notices = &cpu->notices;
	va_list arguments;
	int length;

	if (notices->count == ETE_NOTICES)
		return;
	length = scnprintf(notices->text[notices->count], ETE_NOTICE_SIZE, "arm_ete_pmu: cpu%d: ",
			   cpu->number);
	va_start(arguments, format);
	vscnprintf(notices->text[notices->count] + length, ETE_NOTICE_SIZE - length, format,
		   arguments);
	va_end(arguments);
	notices->count++;
	irq_work_queue(&notices->work);
}
