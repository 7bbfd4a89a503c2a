// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages from contexts that must not print.
 *
 * perf starts and stops events with the lock of a run queue held. A console may wake a task, for
 * which it takes this lock, so printk() must not be called there.
 */
#define pr_fmt(fmt) "arm_ete_pmu: " fmt

#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/stdarg.h>

#include "ete_notice.h"

static void ete_notices_print(struct irq_work *work)
{
	struct ete_notices *notices = container_of(work, struct ete_notices, work);
	unsigned int i;

	for (i = 0; i < notices->count; i++)
		pr_err_ratelimited("%s\n", notices->text[i]);
	notices->count = 0;
}

/**
 * ete_notice() - print a message about a CPU as soon as interrupts are on
 * @notices: the messages of this CPU
 * @format: of printf(), for one line without its end
 *
 * While ETE_NOTICES messages wait, a further message is dropped.
 *
 * Context: interrupts off.
 */
void ete_notice(struct ete_notices *notices, const char *format, ...)
{
	va_list arguments;
	int length;

	if (notices->count == ETE_NOTICES)
		return;
	length = scnprintf(notices->text[notices->count], ETE_NOTICE_SIZE, "cpu%d: ", notices->cpu);
	va_start(arguments, format);
	vscnprintf(notices->text[notices->count] + length, ETE_NOTICE_SIZE - length, format,
		   arguments);
	va_end(arguments);
	notices->count++;
	irq_work_queue(&notices->work);
}

/**
 * ete_notices_setup() - initialise the messages about a CPU
 * @notices: the messages
 * @cpu: number of the CPU
 */
void ete_notices_setup(struct ete_notices *notices, int cpu)
{
	notices->cpu = cpu;
	notices->work = IRQ_WORK_INIT_HARD(ete_notices_print);
}

/**
 * ete_notices_teardown() - wait until all messages about a CPU are printed
 * @notices: the messages; no further message is added
 *
 * Context: process; may sleep.
 */
void ete_notices_teardown(struct ete_notices *notices)
{
	irq_work_sync(&notices->work);
}
