// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which exceptions are traced: those behind something traced (TRCRSR.TA).
 *
 * Code at EL0 traps, and traps again: the second time before anything was executed. Its first
 * instructions may trap as well. The handler is at EL1, where trace is prohibited, or which
 * TRCVICTLR leaves out.
 */
#include "packets.h"

#define TRFCR_EL1 SYSREG(3, 0, 1, 2, 1)
#define E0TRE     BIT(0)
#define E1TRE     BIT(1)
/* as VIEW_EL0, of EL1, and of nothing */
#define VIEW_EL1 (UINT64_C(0x5f0000) | BIT(9) | 1)
#define TA       BIT(12)

enum { TRAP = 3, CALL = 2 };

__asm__(".pushsection .text\n"
	"traps:	nop\n"
	"	udf	#0\n"
	"	udf	#0\n"
	"	nop\n"
	"untrapped:\n"
	"	ret\n"
	".popsection");

extern void traps(void *), untrapped(void *);

static void run(void (*function)(void *), unsigned first, uint64_t trfcr)
{
	count_begin();
	set(TRCREG(PRGCTLR), 1);
	set(TRFCR_EL1, trfcr);
	traps_first = first;
	call_at(0, function, NULL);
	traps_first = 0;
	set(TRFCR_EL1, 0);
	disable_unit();
	count_end();
}

static bool active(void)
{
	return get(TRCREG(RSR)) & TA;
}

static bool were(unsigned traps, unsigned calls, unsigned trace_on)
{
	bool good = got.exception[TRAP] == traps && got.exception[CALL] == calls &&
		    got.exceptions == traps + calls && got.trace_on == trace_on && !got.unknown;

	if (!good) {
		show_packets();
		note("%u traps, %u calls, %u exceptions", got.exception[TRAP], got.exception[CALL],
		     got.exceptions);
	}
	return good;
}

static void test_active_through_prohibited(void)
{
	run(traps, 0, E0TRE);
	ok(were(2, 1, 3), "behind a prohibited region, an exception before the first instruction "
			  "(R_DPMBQ, R_BJQDP)");
	ok(active(), "an exception is traced: TRCRSR.TA is set (R_BFSWZ)");
	run(untrapped, 2, E0TRE);
	ok(were(2, 1, 3), "and one before anything else, TRCRSR.TA being set (R_DPMBQ)");
	set(TRCREG(RSR), 0);
	run(untrapped, 2, E0TRE);
	ok(were(0, 1, 1), "and one before anything else, TRCRSR.TA being clear (R_DPMBQ)");
	ok(active(), "an instruction is traced: TRCRSR.TA is set (R_BFSWZ)");
	run(untrapped, 1, 0);
	ok(were(0, 0, 0) && active(),
	   "all prohibited: nothing is traced, TRCRSR.TA stays (R_BJQDP)");
}

static void test_active_left_out(void)
{
	run(traps, 0, E0TRE | E1TRE);
	ok(were(1, 1, 2), "behind code that ViewInst leaves out, none (R_DPMBQ, R_MLTTK)");
	ok(!active(), "an instruction is not traced: TRCRSR.TA is clear (R_MLTTK)");
	set(TRCREG(VICTLR), VIEW_EL0 | BIT(11));
	run(traps, 0, E0TRE | E1TRE);
	ok(were(1, 1, 2), "and TRCVICTLR.TRCERR makes no difference: they are no System Errors");
	set(TRCREG(VICTLR), VIEW_EL0);
	set(TRCREG(RSR), TA);
	run(untrapped, 1, E0TRE | E1TRE);
	/* from EL2 and EL3, where it is prohibited, EL1 comes in between after the trap only */
	ok(were(base_el > 1, 1, 1 + (base_el > 1)), "nor before anything else, but for that");
}

/* EL1 is traced and EL0 is not: what comes before its first instruction is. */
static void test_active_at_the_first_instruction(void)
{
	set(TRCREG(VICTLR), VIEW_EL1);
	run(untrapped, 0, E0TRE | E1TRE);
	ok(were(0, 0, 2), "left out: an exception behind an instruction is not traced (R_MLTTK)");
	run(untrapped, 1, E0TRE | E1TRE);
	ok(were(1, 0, 2), "left out: an exception before the first instruction is (R_DPMBQ)");
	run(untrapped, 2, E0TRE | E1TRE);
	ok(were(2, 0, 2), "and a second one likewise");
	run(traps, 0, E0TRE | E1TRE);
	ok(were(1, 0, 3), "and one that comes back to another one");
	set(TRCREG(RSR), 0);
	set(TRCREG(PRGCTLR), 1);
	set(TRFCR_EL1, E1TRE);
	set(TRCREG(PRGCTLR), 0);
	set(TRFCR_EL1, 0);
	disable_unit();
	ok(active(), "disabled while it traces: TRCRSR.TA is set (R_BFSWZ)");
}

void test_active(void)
{
	/* few packets are known here; commits and padding are not */
	if (option("trbe-align", 0) || option("ete-maxspec", 0))
		return;
	controls_off();
	program_nothing();
	test_active_through_prohibited();
	test_active_left_out();
	if (base_el == 1)
		test_active_at_the_first_instruction();
	program_nothing();
}
