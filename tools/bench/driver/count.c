// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU: how often each page of the kernel's upper half, or with all=on each page, is
 * executed, in instructions. At each mark of pingpong.c it writes what was executed since the one
 * before:
 *
 *   mark
 *   PAGE INSTRUCTIONS
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qemu-plugin.h>

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define PAGE_BITS 12
#define SLOTS     65536
#define KERNEL    0xffff000000000000ULL
#define MARK      0xd5032b5fU /* hint #0x5a */

/* A hash table of pages: one CPU, so nothing is locked */
static struct page {
	uint64_t address;
	uint64_t instructions;
} pages[SLOTS];
static FILE *out;
static bool count_all;

static struct page *page_of(uint64_t address)
{
	uint64_t at = address >> PAGE_BITS, slot = at * 0x9e3779b97f4a7c15ULL >> 48;

	while (pages[slot].address != at && pages[slot].address)
		slot = (slot + 1) % SLOTS;
	pages[slot].address = at;
	return &pages[slot];
}

static void executed(unsigned int cpu, void *page)
{
	(void)cpu;
	((struct page *)page)->instructions++;
}

static void marked(unsigned int cpu, void *unused)
{
	(void)cpu;
	(void)unused;
	fprintf(out, "mark\n");
	for (int i = 0; i < SLOTS; i++) {
		if (pages[i].instructions)
			fprintf(out, "%" PRIx64 " %" PRIu64 "\n", pages[i].address << PAGE_BITS,
				pages[i].instructions);
		pages[i].instructions = 0;
	}
	fflush(out);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		uint32_t word = 0;

		qemu_plugin_insn_data(insn, &word, sizeof(word));
		if (word == MARK)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, QEMU_PLUGIN_CB_NO_REGS,
							       NULL);
		else if (count_all || address >= KERNEL)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, executed, QEMU_PLUGIN_CB_NO_REGS, page_of(address));
	}
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	(void)info;
	if (argc < 1 || argc > 2 || strncmp(argv[0], "out=", 4) != 0 ||
	    (argc == 2 && strcmp(argv[1], "all=on") != 0)) {
		fprintf(stderr, "count: want out=FILE[,all=on]\n");
		return -1;
	}
	count_all = argc == 2;
	out = fopen(argv[0] + 4, "w");
	if (!out) {
		perror(argv[0] + 4);
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
