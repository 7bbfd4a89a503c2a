// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the trace unit's resources and address ranges make of the trace: packets are counted in the
 * trace buffer.
 */
#include "packets.h"

#define CNTPCT_EL0  SYSREG(3, 3, 14, 0, 1)
#define CNTVOFF_EL2 SYSREG(3, 4, 14, 0, 3)
#define CNTPOFF_EL2 SYSREG(3, 4, 14, 0, 6)
#define CNTHCTL_EL2 SYSREG(3, 4, 14, 1, 0)
#define TRFCR_EL2   SYSREG(3, 4, 1, 2, 1)

#define CONTEXTIDR_EL1 SYSREG(3, 0, 13, 0, 1)
#define LAPS           9

/* Run the laps; what is in the trace goes to `got`. Return the size of the trace. */
static uint64_t traced(uint64_t laps)
{
	count_begin();
	run_laps(laps);
	return count_end();
}

static struct packets whole;

static void test_whole(void)
{
	program_nothing();
	traced(LAPS);
	whole = got;
	show_packets();
	ok(whole.atoms > LAPS && whole.trace_on == 1 && whole.exceptions == 1 && !whole.unknown,
	   "all of it: a Trace On, the branches, the exception at its end");
}

/* ---- ViewInst ---- */

static void test_view_event(void)
{
	program_nothing();
	compare_address(0, lap_2);
	compare_address(1, lap_after);
	select_resources(2, ADDRESS, 1);
	set(TRCREG(VICTLR), (VIEW_EL0 & ~UINT64_C(1)) | 2);
	traced(LAPS);
	ok(is(LAPS, LAPS) && !got.exceptions,
	   "ViewInst by an event: the instruction, up to its P0 instruction (R_BQNWP, R_KHDNX)");
	select_resources(2, ADDRESS, 2);
	traced(LAPS);
	ok(is(1, 1) && got.addresses >= 1, "ViewInst by an event that occurs once");
	select_resources(2, ADDRESS, 1 | INV);
	traced(LAPS);
	ok(is(whole.atoms, 1), "an event that is off in the middle of a block");
	compare_address(0, lap_5);
	select_resources(2, ADDRESS, 1 | INV);
	traced(LAPS);
	ok(is(whole.atoms, 1), "and one that is off for its P0 instruction (R_KHDNX)");
	/* stopped from the start */
	set(TRCREG(VICTLR), (VIEW_EL0 & ~(UINT64_C(1) | BIT(9))) | 2);
	ok(!traced(LAPS), "an event does not start what is stopped");
}

static void test_include_exclude(void)
{
	program_nothing();
	compare_range(0, lap_1, lap_5);
	compare_range(1, lap_1, lap_3);
	set(TRCREG(VIIECTLR), 1);
	traced(LAPS);
	ok(is(LAPS, 1), "TRCVIIECTLR.INCLUDE: what is in the range, and no more");
	set(TRCREG(VIIECTLR), 2);
	traced(LAPS);
	ok(is(LAPS, 1), "TRCVIIECTLR.INCLUDE: up to the next P0 instruction (R_KHDNX)");
	set(TRCREG(VIIECTLR), 1 << 16);
	traced(LAPS);
	/* the instruction before the first lap is shown by the branch of that lap */
	ok(is(whole.atoms - (LAPS - 1), 2), "TRCVIIECTLR.EXCLUDE: what is not in the range");
	set(TRCREG(VIIECTLR), 3 | 1 << 16);
	ok(!traced(LAPS), "both: what is excluded is not included");
	/* comparators that match elsewhere only */
	set(TRCREG(VIIECTLR), 1);
	set(TRCREG(ACATR), 0x1000);
	set(TRCREG(ACATR + 8), 0x1000);
	ok(!traced(LAPS), "a range to include that does not match at this Exception level");
	set(TRCREG(VIIECTLR), 1 << 16);
	traced(LAPS);
	ok(is(whole.atoms, 1), "a range to exclude that does not match at this Exception level");
	if (!option("ete-context-comparators", 1))
		return;
	set(CONTEXTIDR_EL1, 0x55);
	set(TRCREG(CIDCCTLR0), 0);
	set(TRCREG(CIDCVR), 0x55);
	set(TRCREG(ACATR), 4);
	set(TRCREG(ACATR + 8), 4);
	set(TRCREG(VIIECTLR), 1);
	traced(LAPS);
	ok(is(LAPS, 1), "a range to include, in its context");
	set(CONTEXTIDR_EL1, 0x56);
	ok(!traced(LAPS), "a range to include, in another context");
	set(CONTEXTIDR_EL1, 0);
}

static bool started(void)
{
	return get(TRCREG(VICTLR)) & BIT(9);
}

static void test_start_stop_points(void)
{
	program_nothing();
	compare_address(0, lap_2);
	compare_address(1, lap_3);
	/* start at 2 and stop at 3, of stopped */
	set(TRCREG(VISSCTLR), 1 | 2 << 16);
	set(TRCREG(VICTLR), VIEW_EL0 & ~BIT(9));
	traced(LAPS);
	ok(is(LAPS, LAPS) && !started(),
	   "a stop point in a block: traced up to its P0 instruction (R_WJLMR)");
	/* start at 3, stop at 2: traced from 3 on to 2 of the next lap */
	set(TRCREG(VISSCTLR), 2 | 1 << 16);
	traced(LAPS);
	ok(is(whole.atoms - 1, 1) && started(), "a stop point, and a start point behind it");
	set(TRCREG(VISSCTLR), 0);
	set(TRCREG(VICTLR), VIEW_EL0 & ~BIT(9));
	ok(!traced(LAPS) && !started(), "stopped, and no start point");
	/* points are met where ViewInst leaves the Exception level out */
	set(TRCREG(VISSCTLR), 1);
	set(TRCREG(VICTLR), (VIEW_EL0 | BIT(20)) & ~BIT(9));
	ok(!traced(LAPS) && started(), "a start point at an Exception level that is not traced");
}

/* Breakpoints 0 and 1 */
static void test_pe_points(void)
{
	program_nothing();
	for (unsigned n = 0; n < 2; n++) {
		set(SYSREG(2, 0, 0, n, 4), address_of(n ? lap_after : lap_1));
		set(SYSREG(2, 0, 0, n, 5), 0x1e5);
	}
	set(TRCREG(VIPCSSCTLR), 1);
	set(TRCREG(VICTLR), VIEW_EL0 & ~BIT(9));
	traced(LAPS);
	ok(is(whole.atoms - 1, 1) && started(), "TRCVIPCSSCTLR.START");
	set(TRCREG(VIPCSSCTLR), 1 | 2 << 16);
	set(TRCREG(VICTLR), VIEW_EL0 & ~BIT(9));
	traced(LAPS);
	ok(is(LAPS + 1, 1) && !started() && !got.exceptions, "TRCVIPCSSCTLR.STOP");
	set(SYSREG(2, 0, 0, 0, 5), 0);
	set(SYSREG(2, 0, 0, 1, 5), 0);
}

/* ---- branch broadcast ---- */

static void test_branch_broadcast(void)
{
	unsigned all;

	program_nothing();
	set(TRCREG(CONFIGR), BIT(3));
	traced(LAPS);
	all = got.addresses;
	ok(all >= whole.addresses + LAPS - 1 && is(whole.atoms, 1),
	   "branch broadcast everywhere: the target of each branch taken");
	compare_range(0, lap_5, lap_5);
	set(TRCREG(BBCTLR), BIT(8) | 1);
	traced(LAPS);
	ok(got.addresses == whole.addresses + LAPS - 1 && is(whole.atoms, 1),
	   "TRCBBCTLR.MODE 1: in the range only");
	set(TRCREG(BBCTLR), 1);
	traced(LAPS);
	ok(got.addresses == all - (LAPS - 1) && is(whole.atoms, 1),
	   "TRCBBCTLR.MODE 0: not in the range");
	set(TRCREG(ACATR), 0x1000);
	set(TRCREG(ACATR + 8), 0x1000);
	traced(LAPS);
	ok(got.addresses == all, "TRCBBCTLR.MODE 0: a range that does not match here");
	set(TRCREG(BBCTLR), BIT(8) | 1);
	traced(LAPS);
	ok(got.addresses == whole.addresses, "TRCBBCTLR.MODE 1: a range that does not match here");
}

/* ---- events and timestamps ---- */

static void test_events(void)
{
	unsigned last = (unsigned)option("ete-events", 4) - 1;

	program_nothing();
	compare_address(0, lap_2);
	compare_address(1, lap_after);
	select_resources(2, ADDRESS, 1);
	select_resources(3, ADDRESS, 2);
	set(TRCREG(EVENTCTL0R), 3 | UINT64_C(2) << (8 * last));
	set(TRCREG(EVENTCTL1R), 1 | 1 << last);
	traced(LAPS);
	ok(is(whole.atoms, 1) && got.events[0] == 1 && got.events[last] == LAPS,
	   "ETEEvents are in the trace as often as they occur (I_RBKYZ)");
	set(TRCREG(EVENTCTL1R), 1 << last);
	traced(LAPS);
	ok(!got.events[0] && got.events[last] == LAPS, "TRCEVENTCTL1R.INSTEN says which");
	/* where ViewInst is inactive, too */
	set(TRCREG(VICTLR), (VIEW_EL0 & ~UINT64_C(1)));
	traced(LAPS);
	ok(is(0, 0) && got.events[last] == LAPS, "ETEEvents are independent of ViewInst");
	set(TRCREG(VICTLR), VIEW_EL0 | BIT(20));
	traced(LAPS);
	ok(is(0, 0) && got.events[last] == LAPS, "and of the Exception levels it leaves out");
}

static void test_pending_events(void)
{
	program_nothing();
	set(TRCREG(EVENTCTL1R), 1);
	set(TRCREG(RSR), 0x1000 | 1 << 8);
	traced(LAPS);
	ok(got.events[0] == 1 && !(get(TRCREG(RSR)) & 0xf00),
	   "TRCRSR.EVENT: the ETEEvent occurs when the resources run (R_SWBRL)");
	traced(LAPS);
	ok(!got.events[0], "and that once");
}

static void test_timestamp_event(void)
{
	unsigned without;

	program_nothing();
	set(TRCREG(CONFIGR), BIT(11));
	traced(LAPS);
	without = got.timestamps;
	compare_address(0, lap_after);
	select_resources(2, ADDRESS, 1);
	set(TRCREG(TSCTLR), 2);
	traced(LAPS);
	show_packets();
	ok(got.timestamps == without + 1 && is(whole.atoms, 1),
	   "TRCTSCTLR.EVENT asks for a timestamp");
	compare_address(0, lap_3);
	traced(LAPS);
	ok(got.timestamps == without + 1, "one that comes soon after it has to wait");
	traced(1024 / 5 + LAPS);
	ok(got.timestamps == without + 2, "1024 instructions");
	set(TRCREG(ACATR), 0x1000);
	traced(LAPS);
	ok(got.timestamps == without, "no event, no timestamp");
}

/* Is the timestamp that TRFCR_EL2.TS selects in the trace, `offset` less than the counter? */
static bool timestamp_is(unsigned ts, uint64_t offset)
{
	uint64_t before = get(CNTPCT_EL0), since;

	set(TRFCR_EL2, (uint64_t)ts << 5);
	traced(LAPS);
	set(TRFCR_EL2, 0);
	since = got.timestamp + offset - before;
	if (got.timestamps && since <= get(CNTPCT_EL0) - before)
		return true;
	note("TS %u: %x%x", ts, (unsigned)(got.timestamp >> 32), (unsigned)got.timestamp);
	return false;
}

static void test_timestamp_kinds(void)
{
	const uint64_t virtual_offset = BIT(40) + 7, physical_offset = BIT(44) + 9;

	program_nothing();
	set(TRCREG(CONFIGR), BIT(11));
	set(CNTVOFF_EL2, virtual_offset);
	set(CNTPOFF_EL2, physical_offset);
	ok(timestamp_is(3, 0), "a physical timestamp is the counter");
	ok(timestamp_is(1, virtual_offset), "a virtual timestamp has CNTVOFF_EL2 subtracted");
	ok(timestamp_is(2, 0), "a guest physical one is physical without CNTHCTL_EL2.ECV");
	set(CNTHCTL_EL2, get(CNTHCTL_EL2) | BIT(12));
	if (base_el == 3) {
		ok(timestamp_is(2, 0), "and without SCR_EL3.ECVEn");
		set(SCR_EL3, get(SCR_EL3) | BIT(28));
	}
	ok(timestamp_is(2, physical_offset), "else it has CNTPOFF_EL2 subtracted");
	ok(timestamp_is(3, 0), "a physical timestamp has not");
	set(CNTHCTL_EL2, get(CNTHCTL_EL2) & ~BIT(12));
	set(CNTPOFF_EL2, 0);
	set(CNTVOFF_EL2, 0);
	controls_off();
}

void test_view(void)
{
	/* few packets are known here; commits and padding are not */
	if (option("trbe-align", 0) || option("ete-maxspec", 0))
		return;
	if (!option("ete-resource-pairs", 8) || !option("ete-address-pairs", 4))
		return;
	controls_off();
	test_whole();
	test_view_event();
	test_include_exclude();
	test_start_stop_points();
	if (option("ete-pe-comparators", 0) > 1)
		test_pe_points();
	test_branch_broadcast();
	test_events();
	test_pending_events();
	test_timestamp_event();
	if (base_el > 1 && have_el2())
		test_timestamp_kinds();
	program_nothing();
}
