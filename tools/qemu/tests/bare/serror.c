// SPDX-License-Identifier: GPL-2.0-only
/*
 * The SError exception of an External abort on a write of trace: when it is taken, where to, and
 * whether it is traced.
 */
#include "packets.h"

#define TRBREG(OP2) SYSREG(3, 0, 9, 11, OP2)
enum { LIMITR, PTR, BASER, SR, MAR, MPAM, TRG };
#define TRFCR_EL1 SYSREG(3, 0, 1, 2, 1)
#define ISR_EL1   SYSREG(3, 0, 12, 1, 0)
#define DISR_EL1  SYSREG(3, 0, 12, 1, 1)

#define ISR_A   BIT(8)
#define HCR_AMO BIT(5)
#define HCR_TGE BIT(27)
#define HCR_E2H BIT(34)
#define SCR_EA  BIT(3)
/* EC, IL; of the ISS, AET restartable, EA, an asynchronous External abort */
#define ISS 0xa11u
#define ESR (0x2fu << 26 | 1u << 25 | ISS)

#define E0TRE     BIT(0)
#define E1TRE     BIT(1)
#define VIEW_EL1  (UINT64_C(0x5f0000) | BIT(9) | 1)
#define VIEW_SERR BIT(11)

enum { SYSTEM_ERROR = 4 };

/* What was taken: start.S */
extern struct {
	uint64_t count, el, esr, elr;
} serror;

__asm__(".pushsection .text\n"
	"unmask:	msr	daifclr, #4\n"
	"unmasked:\n"
	"	nop\n"
	"	msr	daifset, #4\n"
	"nothing:\n"
	"	ret\n"
	".popsection");

extern void unmask(void *), nothing(void *);
extern const char unmasked[];

static bool pending(void)
{
	return get(ISR_EL1) & ISR_A;
}

/* Trace where no memory is. The buffer is disabled after it. */
static void abort_write(void)
{
	uint64_t nowhere = UINT64_C(0x500) << 32;

	program_nothing();
	set(TRBREG(LIMITR), 0);
	set(TRBREG(BASER), nowhere);
	set(TRBREG(PTR), nowhere);
	set(TRBREG(SR), 0);
	set(TRBREG(TRG), 0);
	/* physical addresses, Ignore trigger */
	set(TRBREG(LIMITR), (nowhere + 4096) | BIT(5) | 3 << 3 | 1);
	run_laps(1);
	set(TRBREG(LIMITR), 0);
	set(TRBREG(SR), 0);
	serror.count = 0;
}

static bool taken_to(unsigned el)
{
	bool good = serror.count == 1 && serror.el == el && serror.esr == ESR && !pending();

	if (!good)
		note("%lx taken, last to EL%lx, ESR %lx", serror.count, serror.el, serror.esr);
	return good;
}

static void test_serror_is_taken_once(void)
{
	abort_write();
	ok(pending() && !serror.count, "SError: masked, it is pending");
	/* for ever, if it did not */
	__asm__ volatile("wfi" ::: "memory");
	ok(!serror.count, "SError: pending, it wakes the PE");
	unmask(NULL);
	if (base_el == 1) {
		ok(taken_to(1) && serror.elr == address_of(unmasked),
		   "SError: unmasked, it is taken");
	} else {
		ok(pending() && !serror.count,
		   "SError: it is not taken to a lower Exception level");
		call_at(1, nothing, NULL);
		ok(pending() && !serror.count, "SError: masked there, it is pending");
		call_at(1, unmask, NULL);
		ok(taken_to(1), "SError: unmasked there, it is taken");
	}
	unmask(NULL);
	ok(serror.count == 1, "SError: once");
}

static void test_serror_is_routed(void)
{
	if (have_el2()) {
		uint64_t hcr = get(HCR_EL2);

		set(HCR_EL2, hcr | HCR_AMO);
		abort_write();
		call_at(1, nothing, NULL);
		ok(taken_to(2), "SError: HCR_EL2.AMO: to EL2, where PSTATE.A does not mask it");
		set(HCR_EL2, hcr);
		abort_write();
		set(HCR_EL2, hcr | HCR_TGE | HCR_E2H);
		call_at(0, nothing, NULL);
		ok(!serror.count, "SError: HCR_EL2.TGE and E2H: PSTATE.A masks it at EL0");
		set(HCR_EL2, hcr | HCR_TGE);
		call_at(0, nothing, NULL);
		ok(taken_to(2), "SError: HCR_EL2.TGE: to EL2");
		set(HCR_EL2, hcr);
	}
	if (base_el == 3) {
		uint64_t scr = get(SCR_EL3);

		set(SCR_EL3, scr | SCR_EA);
		abort_write();
		call_at(1, nothing, NULL);
		ok(taken_to(3), "SError: SCR_EL3.EA: to EL3");
		set(SCR_EL3, scr);
	}
}

static void test_serror_is_deferred(void)
{
	set(DISR_EL1, 0);
	__asm__ volatile("hint #16" ::: "memory");
	ok(!get(DISR_EL1), "ESB: nothing is pending");
	abort_write();
	__asm__ volatile("hint #16" ::: "memory");
	ok(get(DISR_EL1) == (BIT(31) | ISS), "ESB: what is pending and masked is in DISR_EL1");
	call_at(1, unmask, NULL);
	ok(!pending() && !serror.count, "ESB: and is not pending any more");
	set(DISR_EL1, 0);
}

/* At EL1, an SError, and what TRCVICTLR makes of it */
static void trace_serror(uint64_t victlr, uint64_t trfcr)
{
	abort_write();
	set(TRCREG(RSR), 0);
	set(TRCREG(VICTLR), victlr);
	count_begin();
	set(TRCREG(PRGCTLR), 1);
	set(TRFCR_EL1, trfcr);
	unmask(NULL);
	set(TRFCR_EL1, 0);
	disable_unit();
	count_end();
	set(TRCREG(VICTLR), VIEW_EL0);
}

static bool was_traced(void)
{
	bool good = got.exception[SYSTEM_ERROR] == 1 && got.exceptions == 1 && got.trace_on == 1 &&
		    got.el == 1 && !got.unknown && serror.count == 1;

	if (!good)
		show_packets();
	return good;
}

static void test_serror_is_traced(void)
{
	trace_serror(VIEW_EL1, E0TRE | E1TRE);
	ok(was_traced(), "SError: in code that is traced, it is traced");
	trace_serror(VIEW_EL0, E0TRE | E1TRE);
	ok(is(0, 0) && !got.exceptions && serror.count == 1,
	   "SError: in code that ViewInst leaves out, it is not");
	trace_serror(VIEW_EL0 | VIEW_SERR, E0TRE | E1TRE);
	ok(was_traced() && !got.atoms && got.addresses == 2,
	   "TRCVICTLR.TRCERR: there, too; Trace On and address come first (R_LTLBB, R_BBBBT)");
	ok(!(get(TRCREG(RSR)) & BIT(12)), "and TRCRSR.TA is clear behind it (R_MLTTK)");
	trace_serror(VIEW_EL0 | VIEW_SERR, E0TRE);
	ok(is(0, 0) && !got.exceptions && serror.count == 1,
	   "TRCVICTLR.TRCERR: not where trace is prohibited (R_SJXYS)");
}

void test_serror(void)
{
	controls_off();
	if (option("trbe-external-abort", 0) != 2) {
		abort_write();
		ok(!pending(), "TRBIDR_EL1.EA is not 2: no SError");
		return;
	}
	test_serror_is_taken_once();
	test_serror_is_routed();
	controls_off();
	test_serror_is_deferred();
	if (base_el == 1 && !option("trbe-align", 0) && !option("ete-maxspec", 0))
		test_serror_is_traced();
	program_nothing();
}
