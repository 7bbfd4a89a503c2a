// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tests of the trace unit's resources have in common.
 */
#include "laps.h"

#define TRFCR_EL1 SYSREG(3, 0, 1, 2, 1)

__asm__(".pushsection .text\n"
	".balign 64\n"
	".global lap_1, lap_2, lap_3, lap_4, lap_5, lap_after\n"
	"code_of_laps:\n"
	"	ldr	x0, [x0]\n"
	"lap_1:	nop\n"
	"lap_2:	nop\n"
	"lap_3:	nop\n"
	"lap_4:	subs	x0, x0, #1\n"
	"lap_5:	b.ne	lap_1\n"
	"lap_after:\n"
	"	nop\n"
	"	ret\n"
	".popsection");

extern void code_of_laps(void *laps);

void select_resources(unsigned n, unsigned group, uint64_t select)
{
	set(TRCREG(RSCTLR + 4 * n), (uint64_t)group << 16 | select);
}

void compare_address(unsigned n, const char *label)
{
	set(TRCREG(ACVR + 8 * n), address_of(label));
	set(TRCREG(ACATR + 8 * n), 0);
}

void compare_range(unsigned n, const char *first, const char *last)
{
	compare_address(2 * n, first);
	compare_address(2 * n + 1, last);
}

static void clear(unsigned offset, unsigned step, uint64_t count)
{
	for (unsigned i = 0; i < count; i++)
		set(TRCREG(offset + i * step), 0);
}

void disable_unit(void)
{
	set(TRCREG(PRGCTLR), 0);
	/* IDLE, PMSTABLE */
	while (get(TRCREG(STATR)) != 3)
		;
	/* and those of the trace buffer unit */
	__asm__ volatile("isb; hint #18; dsb sy; isb" ::: "memory");
}

void program_nothing(void)
{
	bool selectors = option("ete-resource-pairs", 8), pairs = option("ete-address-pairs", 4);
	bool inputs = option("ete-pe-comparators", 0), sequencer = option("ete-sequencer", 4);

	set(OSLAR_EL1, 0);
	disable_unit();
	set(TRCREG(CONFIGR), 0);
	clear(EVENTCTL0R, 4, selectors ? 2 : 0);
	set(TRCREG(RSR), 0x1000);
	clear(STALLCTLR, 4, option("ete-stall", 0));
	set(TRCREG(TSCTLR), 0);
	set(TRCREG(SYNCPR), 0);
	set(TRCREG(VICTLR), VIEW_EL0);
	clear(BBCTLR, 4, pairs);
	clear(QCTLR, 4, option("ete-q-filter", 0));
	clear(VIIECTLR, 4, pairs ? 2 : 0);
	clear(VIPCSSCTLR, 4, inputs);
	clear(SEQEVR, 4, sequencer ? 3 : 0);
	clear(SEQRSTEVR, 4, sequencer ? 2 : 0);
	clear(EXTINSELR, 4, option("ete-external-inputs", 4));
	clear(CNTRLDVR, 4, option("ete-counters", 2));
	clear(CNTCTLR, 4, option("ete-counters", 2));
	clear(CNTVR, 4, option("ete-counters", 2));
	clear(RSCTLR + 8, 4, selectors ? 2 * option("ete-resource-pairs", 8) - 2 : 0);
	clear(SSCCR, 4, option("ete-single-shot", 1));
	clear(SSCSR, 4, option("ete-single-shot", 1));
	clear(SSPCICR, 4, inputs ? option("ete-single-shot", 1) : 0);
	clear(ACVR, 8, 2 * option("ete-address-pairs", 4));
	clear(ACATR, 8, 2 * option("ete-address-pairs", 4));
}

void run_laps_then(uint64_t laps, void (*then)(void))
{
	set(TRCREG(PRGCTLR), 1);
	set(TRFCR_EL1, 1);
	call_at(0, code_of_laps, &laps);
	if (then)
		then();
	set(TRFCR_EL1, 0);
	disable_unit();
}

void run_laps(uint64_t laps)
{
	run_laps_then(laps, NULL);
}

uint64_t count_event(unsigned event, uint64_t laps)
{
	set(TRCREG(CNTCTLR), event);
	set(TRCREG(CNTVR), 0xffff);
	run_laps(laps);
	return 0xffff - get(TRCREG(CNTVR));
}
