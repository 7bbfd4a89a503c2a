// SPDX-License-Identifier: GPL-2.0-only
/*
 * While the module is loaded, behind arm_ete_pmu, each AUX area that our driver gets holds a
 * pattern first: what a process would find there if it were not written over.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mm.h>

/* stale.c and unprivileged.sh look for it: d1 7e a3 99 4b c6 58 e7, again and again */
#define PATTERN 0xe758c64b99a37ed1ULL

/* trbe_aux_setup(pages, nr_pages, ...) */
static int pattern_fill(struct kprobe *probe, struct pt_regs *regs)
{
	u64 **pages = (u64 **)regs->regs[0];
	unsigned long page, word;

	for (page = 0; page < (u32)regs->regs[1]; page++)
		for (word = 0; word < PAGE_SIZE / sizeof(u64); word++)
			pages[page][word] = PATTERN;
	return 0;
}

static struct kprobe pattern_probe = {
	.symbol_name = "trbe_aux_setup",
	.pre_handler = pattern_fill,
};

static int __init pattern_init(void)
{
	return register_kprobe(&pattern_probe);
}

static void __exit pattern_exit(void)
{
	unregister_kprobe(&pattern_probe);
}

module_init(pattern_init);
module_exit(pattern_exit);

MODULE_DESCRIPTION("For tests: AUX areas hold a pattern first");
MODULE_AUTHOR("the hwflow project");
MODULE_LICENSE("GPL");
