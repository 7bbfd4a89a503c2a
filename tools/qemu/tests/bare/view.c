// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the trace unit's resources and address ranges make of the trace: packets are counted in the
 * trace buffer. Their sizes are those of the packet tables (spec/ete-packets.md).
 */
#include "laps.h"

#define TRBREG(OP2) SYSREG(3, 0, 9, 11, OP2)
enum { LIMITR, PTR, BASER, SR, MAR, MPAM, TRG };

#define CONTEXTIDR_EL1 SYSREG(3, 0, 13, 0, 1)
#define PAGES          16
#define LAPS           9

static uint8_t trace[PAGES * 4096] __attribute__((aligned(4096)));

static struct packets {
	unsigned atoms, taken, trace_on, events[4], timestamps, addresses, exceptions, unknown;
} got;

static const uint8_t *uleb(const uint8_t *at)
{
	while (*at++ & 0x80)
		;
	return at;
}

static void take_atoms(unsigned header)
{
	static const uint8_t format_4[] = {0xe, 0x0, 0xa, 0x5}, format_5[] = {0x00, 0x0a, 0x15};
	unsigned count, bits;

	if (header >= 0xf8) {
		count = 3;
		bits = header & 7;
	} else if (header >= 0xdc && header <= 0xdf) {
		count = 4;
		bits = format_4[header & 3];
	} else if (header >= 0xd8 && header <= 0xdb) {
		count = 2;
		bits = header & 3;
	} else if (header == 0xf5 || (header >= 0xd5 && header <= 0xd7)) {
		count = 5;
		bits = header == 0xf5 ? 0x1e : format_5[header - 0xd5];
	} else if (header == 0xf6 || header == 0xf7) {
		count = 1;
		bits = header & 1;
	} else {
		count = (header & 31) + 4;
		bits = ~(header >> 5 & 1 ? 1u << (count - 1) : 0);
	}
	got.atoms += count;
	while (count--)
		got.taken += bits >> count & 1;
}

/* One packet; where the next one is */
static const uint8_t *take_packet(const uint8_t *at)
{
	unsigned header = *at;

	switch (header) {
	case 0x00:
		return at + (at[1] ? 2 : 12);
	case 0x01: {
		unsigned sections = at[1] & 0x1f;

		at += 2;
		for (; sections; sections >>= 1)
			at = sections & 1 ? uleb(at) : at;
		return at;
	}
	case 0x02:
		got.timestamps++;
		return uleb(at + 1);
	case 0x04:
		got.trace_on++;
		return at + 1;
	case 0x06:
		got.exceptions++;
		return at + 2;
	case 0x70:
	case 0x80:
		return at + 1;
	case 0x81:
		return at + 2;
	case 0x82:
	case 0x85:
		got.addresses++;
		return at + (header == 0x82 ? 6 : 10);
	case 0x90:
	case 0x91:
	case 0x92:
		got.addresses++;
		return at + 1;
	case 0x95:
		got.addresses++;
		return at + (at[1] & 0x80 ? 3 : 2);
	case 0x9a:
	case 0x9d:
		got.addresses++;
		return at + (header == 0x9a ? 5 : 9);
	}
	if (header >= 0x71 && header <= 0x7f) {
		for (unsigned i = 0; i < 4; i++)
			got.events[i] += header >> i & 1;
	} else if (header >= 0xc0) {
		take_atoms(header);
	} else {
		got.unknown++;
	}
	return at + 1;
}

/* Run the laps; what is in the trace goes to `got`. Return the size of the trace. */
static uint64_t traced(uint64_t laps)
{
	uint64_t base = (uint64_t)(uintptr_t)trace;
	const uint8_t *end;

	set(TRBREG(LIMITR), 0);
	set(TRBREG(BASER), base);
	set(TRBREG(PTR), base);
	set(TRBREG(SR), 0);
	set(TRBREG(TRG), 0);
	set(TRBREG(LIMITR), (base + sizeof(trace)) | 3 << 3 | 1);
	run_laps(laps);
	__asm__ volatile("isb; hint #18; dsb sy; isb" ::: "memory");
	set(TRBREG(LIMITR), 0);
	end = (const uint8_t *)(uintptr_t)get(TRBREG(PTR));
	got = (struct packets){0};
	for (const uint8_t *at = trace; at < end;)
		at = take_packet(at);
	if (got.unknown)
		note("%u packets that are none of these", got.unknown);
	return (uint64_t)(end - trace);
}

static void show(void)
{
	note("%u atoms, %u taken; %u trace on, %u %u %u %u events, %u timestamps, %u addresses",
	     got.atoms, got.taken, got.trace_on, got.events[0], got.events[1], got.events[2],
	     got.events[3], got.timestamps, got.addresses);
}

/* Is what was traced so many Atoms, after so many Trace On? */
static bool is(unsigned atoms, unsigned trace_on)
{
	bool good = got.atoms == atoms && got.trace_on == trace_on && !got.unknown;

	if (!good)
		show();
	return good;
}

static struct packets whole;

static void test_whole(void)
{
	program_nothing();
	traced(LAPS);
	whole = got;
	show();
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
	show();
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
	program_nothing();
}
