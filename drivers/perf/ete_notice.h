/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages from contexts that must not print.
 */
#ifndef _ETE_NOTICE_H
#define _ETE_NOTICE_H

#include <linux/irq_work.h>

#define ETE_NOTICES	2
#define ETE_NOTICE_SIZE	320

/**
 * struct ete_notices - messages about a CPU that wait to be printed
 * @work: prints them
 * @cpu: number of the CPU
 * @count: number of messages
 * @text: the messages
 */
struct ete_notices {
	struct irq_work work;
	int cpu;
	unsigned int count;
	char text[ETE_NOTICES][ETE_NOTICE_SIZE];
};

void ete_notices_setup(struct ete_notices *notices, int cpu);
void ete_notices_teardown(struct ete_notices *notices);
__printf(2, 3) void ete_notice(struct ete_notices *notices, const char *format, ...);

#endif /* _ETE_NOTICE_H */
