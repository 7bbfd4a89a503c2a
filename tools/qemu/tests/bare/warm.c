// SPDX-License-Identifier: GPL-2.0-only
/*
 * A Warm reset in the middle of a trace, and what there is after it (trace-warm-reset). The buffer
 * is where no part of the program is loaded to.
 *
 * warm-view=0  EL1 is traced; 1: TRCVICTLR leaves it out; 2: so it does, with TRCRESET
 * warm-trfcr   TRFCR_EL1
 * warm-reset=0 nothing is traced of the reset; 1: it is; 2: it is behind Trace On; 3: so it is, and
 * does not get out of the trace unit
 */
#include "packets.h"

#define TRBREG(OP2) SYSREG(3, 0, 9, 11, OP2)
enum { LIMITR, PTR, BASER, SR, MAR, MPAM, TRG };
#define TRFCR_EL1 SYSREG(3, 0, 1, 2, 1)
#define CLAIMSET  0xfa0
#define CLAIMCLR  0xfa4

#define BUFFER   UINT64_C(0x46000000)
#define TRCRESET BIT(10)
/* Non-secure EL1 alone */
#define VIEW_EL1  (UINT64_C(0x5f0000) | BIT(9) | 1)
#define VIEW_NONE (UINT64_C(0x7f0000) | BIT(9) | 1)

enum { PE_RESET = 0 };

static void trace_until_reset(void)
{
	static const uint64_t views[] = {VIEW_EL1, VIEW_NONE, VIEW_NONE | TRCRESET};

	program_nothing();
	set(TRCREG(VICTLR), views[option("warm-view", 0)]);
	set(TRCREG(RSR), 0);
	set(TRCREG(CCCTLR), 0x123);
	set(TRCREG(CLAIMSET), 5);
	set(TRBREG(BASER), BUFFER);
	set(TRBREG(PTR), BUFFER);
	set(TRBREG(SR), 0);
	set(TRBREG(TRG), 0x40);
	set(TRBREG(LIMITR), (BUFFER + 0x10000) | 3 << 3 | 1);
	set(TRCREG(PRGCTLR), 1);
	mark_reset();
	note("waiting");
	set(TRFCR_EL1, option("warm-trfcr", 3));
	for (;;)
		__asm__ volatile("wfi");
}

static void test_warm_reset(void)
{
	uint64_t how = option("warm-reset", 0), pointer = get(TRBREG(PTR));
	bool seen = how == 1 || how == 2;

	ok(get(TRCREG(PRGCTLR)) == 1 && get(TRCREG(CCCTLR)) == 0x123 && get(TRCREG(CLAIMCLR)) == 5,
	   "a Warm reset is no reset of the trace unit (R_YYHBF)");
	ok(!(get(OSLSR_EL1) & 2), "nor of the OS Lock");
	ok(!(get(TRFCR_EL1) & 3), "it prohibits trace: TRFCR_EL1");
	ok(get(TRBREG(LIMITR)) == (BUFFER + 0x10000 + (3 << 3)) && get(TRBREG(TRG)) == 0x40,
	   "it disables the trace buffer unit, and changes nothing else of it");
	count_packets((const uint8_t *)(uintptr_t)BUFFER, (const uint8_t *)(uintptr_t)pointer);
	show_packets();
	ok(got.exceptions == seen && got.exception[PE_RESET] == seen && !got.unknown,
	   "the PE Reset is traced as it has to be (R_DPMBQ, R_GPKSH, R_NCXJN)");
	/* without it, what comes before is not traced either */
	ok(how == 1 ? got.atoms && got.trace_on == 1 : is(0, seen),
	   "Trace On comes before it where nothing else does (R_BBBBT)");
	ok(!(get(TRCREG(STATR)) & 1), "the trace unit is still enabled");
	set(TRCREG(PRGCTLR), 0);
	ok(how || !(get(TRCREG(RSR)) & BIT(12)), "TRCRSR.TA is clear where nothing was traced");
	ok(!how || get(TRCREG(RSR)) & BIT(12), "and set where the PE Reset was (R_BFSWZ)");
}

void run_warm(void)
{
	if (was_reset())
		test_warm_reset();
	else
		trace_until_reset();
}
