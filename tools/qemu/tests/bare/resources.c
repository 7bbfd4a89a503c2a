// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resources of the trace unit: selectors, comparators, single-shot controls, counters, sequencer,
 * external inputs. Expected results are those of the manual's tables.
 */
#include "laps.h"

#define CONTEXTIDR_EL1 SYSREG(3, 0, 13, 0, 1)
#define CONTEXTIDR_EL2 SYSREG(3, 4, 13, 0, 1)
#define TRFCR_EL2      SYSREG(3, 4, 1, 2, 1)
#define DBGBVR0        SYSREG(2, 0, 0, 0, 4)
#define DBGBCR0        SYSREG(2, 0, 0, 0, 5)

#define LAPS 7

/* Instructions at EL0, which are all the cycles there are */
static uint64_t cycles;

static bool counts(const char *what, uint64_t count, uint64_t expected)
{
	if (count != expected)
		note("%s: %lx, not %lx", what, count, expected);
	return count == expected;
}

/* ---- resource selectors ---- */

static void test_selectors(void)
{
	program_nothing();
	cycles = count_event(1, LAPS);
	ok(cycles > 5 * LAPS && cycles < 5 * LAPS + 20 && count_event(1, LAPS) == cycles,
	   "resource selector 1 is TRUE (R_SXSQT)");
	ok(!count_event(0, LAPS), "resource selector 0 is FALSE (R_NRSGN)");
	compare_address(0, lap_2);
	compare_address(1, lap_4);
	select_resources(2, ADDRESS, 1);
	ok(count_event(2, LAPS) == LAPS, "a single address comparator is a resource (R_PYMZV)");
	select_resources(2, ADDRESS, 3);
	ok(count_event(2, LAPS) == 2 * LAPS, "one of those selected is enough (R_HVNQG)");
	select_resources(2, ADDRESS, 3 | INV);
	ok(count_event(2, LAPS) == cycles - 2 * LAPS, "INV: none of those selected (R_WFGMY)");
	select_resources(2, RANGE, 1);
	ok(count_event(2, LAPS) == 3 * LAPS, "a range has both its bounds (R_LLQPL)");
	select_resources(2, 8 | COUNTER, 0xffff);
	ok(!count_event(2, LAPS), "a reserved group is never active");
	select_resources(2, 8 | COUNTER, 0xffff | INV);
	ok(count_event(2, LAPS) == cycles, "a reserved group is never active: INV");
}

/* Table D4-27: A is active for instructions 1 to 3 of a lap, B for 3 to 5. */
static void test_pairs(void)
{
	static const struct {
		const char *name;
		uint64_t pair, a, b;
		unsigned cycles, of; /* of all cycles, those of so many instructions of a lap */
	} rows[] = {
		{"A AND B", 0, 0, 0, 0, 1},
		{"NOT(A AND B)", PAIRINV, 0, 0, 1, 1},
		{"NOT(A) OR B", PAIRINV, 0, INV, 1, 2},
		{"NOT(A) AND B", 0, INV, 0, 0, 2},
		{"NOT(A) AND NOT(B)", 0, INV, INV, 1, 5},
		{"A OR B", PAIRINV, INV, INV, 0, 5},
	};
	bool good = true;

	program_nothing();
	compare_range(0, lap_1, lap_3);
	compare_range(1, lap_3, lap_5);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t expected = rows[i].of * LAPS;

		if (rows[i].cycles)
			expected = cycles - expected;
		select_resources(2, RANGE, 1 | rows[i].pair | rows[i].a);
		select_resources(3, RANGE, 2 | rows[i].b);
		good &= counts(rows[i].name, count_event(PAIR(1), LAPS), expected);
	}
	ok(good, "a pair of resource selectors: the functions of Table D4-27");
}

/* ---- comparators ---- */

static uint64_t matches(void)
{
	return count_event(2, LAPS);
}

static void test_exception_levels(void)
{
	program_nothing();
	compare_address(0, lap_2);
	select_resources(2, ADDRESS, 1);
	/* all there are but Non-secure EL0, which is bit 12 */
	set(TRCREG(ACATR), 0x6f00);
	ok(matches() == LAPS, "a comparator that leaves out other Exception levels (R_DKCFF)");
	set(TRCREG(ACATR), 0x1000);
	ok(!matches(), "a comparator that leaves out this one");
	compare_range(0, lap_1, lap_3);
	select_resources(2, RANGE, 1);
	ok(matches() == 3 * LAPS, "a range");
	set(TRCREG(ACATR), 0x1000);
	set(TRCREG(ACATR + 8), 0x1000);
	ok(!matches(), "a range that leaves out this Exception level (R_VSBJF)");
}

/* CONTEXTTYPE is 1, with the last comparator there is */
static void test_context(void)
{
	unsigned last = (unsigned)option("ete-context-comparators", 1) - 1;
	unsigned masks = CIDCCTLR0 + 4 * (last / 4), shift = 8 * (last % 4);

	program_nothing();
	set(CONTEXTIDR_EL1, 0x12345678);
	set(TRCREG(CIDCVR + 8 * last), 0x12345678);
	set(TRCREG(masks), 0);
	select_resources(2, CONTEXT, BIT(last));
	ok(matches() == cycles, "a context identifier comparator is a resource (R_BKQKQ)");
	set(TRCREG(CIDCVR + 8 * last), 0x12995678);
	ok(!matches(), "another context identifier");
	set(TRCREG(masks), UINT64_C(4) << shift);
	ok(matches() == cycles, "a byte that is masked does not matter");
	set(TRCREG(masks), UINT64_C(8) << shift);
	ok(!matches(), "other bytes do");
	set(TRCREG(masks), UINT64_C(4) << shift);
	compare_address(0, lap_2);
	select_resources(2, ADDRESS, 1);
	set(TRCREG(ACATR), last << 4 | 1 << 2);
	ok(matches() == LAPS, "an address in a context (R_QFNSK)");
	set(CONTEXTIDR_EL1, 0x12345679);
	ok(!matches(), "the same address in another context");
	set(TRCREG(ACATR), 0);
	ok(matches() == LAPS, "an address in any context");
	set(CONTEXTIDR_EL1, 0);
}

static void test_virtual_context(void)
{
	unsigned last = (unsigned)option("ete-virtual-context-comparators", 1) - 1;
	unsigned masks = VMIDCCTLR0 + 4 * (last / 4), shift = 8 * (last % 4);

	program_nothing();
	set(CONTEXTIDR_EL2, 0xabcd1234);
	set(TRCREG(VMIDCVR + 8 * last), 0xabcd1234);
	set(TRCREG(masks), 0);
	select_resources(2, VCONTEXT, BIT(last));
	/* CX */
	set(TRFCR_EL2, 0);
	ok(!matches(), "TRFCR_EL2.CX forbids the virtual context identifier (R_FLXQL)");
	set(TRFCR_EL2, BIT(3));
	ok(matches() == cycles, "a virtual context identifier comparator is a resource (R_VWYMY)");
	set(TRCREG(VMIDCVR + 8 * last), 0xabcd1299);
	ok(!matches(), "another virtual context identifier");
	set(TRCREG(masks), UINT64_C(1) << shift);
	ok(matches() == cycles, "a byte of it that is masked does not matter");
	compare_range(0, lap_1, lap_2);
	select_resources(2, RANGE, 1);
	set(TRCREG(ACATR), last << 4 | 2 << 2);
	set(TRCREG(ACATR + 8), last << 4 | 2 << 2);
	ok(matches() == 2 * LAPS, "a range in a virtual context (R_RTXJN)");
	set(TRCREG(masks), 0);
	ok(!matches(), "the same range in another one");
	set(TRCREG(masks), UINT64_C(1) << shift);
	/* both: comparators of the same number */
	if (option("ete-context-comparators", 1) > last) {
		unsigned context_masks = CIDCCTLR0 + 4 * (last / 4);

		set(TRCREG(context_masks), 0);
		set(TRCREG(CIDCVR + 8 * last), 5);
		set(TRCREG(ACATR), last << 4 | 3 << 2);
		set(TRCREG(ACATR + 8), last << 4 | 3 << 2);
		ok(!matches(), "both identifiers: one of them is another");
		set(TRCREG(CIDCVR + 8 * last), 0);
		ok(matches() == 2 * LAPS, "both identifiers");
	}
	set(TRCREG(masks), 0);
	set(TRFCR_EL2, 0);
	set(CONTEXTIDR_EL2, 0);
}

/* Breakpoint n, which takes no exception while MDSCR_EL1.MDE is clear */
static void test_pe_inputs(void)
{
	program_nothing();
	set(DBGBVR0, address_of(lap_3));
	set(DBGBCR0, 0x1e5);
	select_resources(2, PE, 1);
	ok(matches() == LAPS, "a PE Comparator Input is a resource (I_DDXDK)");
	set(DBGBCR0, 0x1e4);
	ok(!matches(), "not while it is disabled");
	set(DBGBCR0, 0);
}

/* ---- single-shot controls ---- */

static bool single_shot(uint64_t control, uint64_t status, uint64_t fires, uint64_t after)
{
	uint64_t fired, left;

	set(TRCREG(SSCCR), control);
	set(TRCREG(SSCSR), status);
	fired = matches();
	left = get(TRCREG(SSCSR)) & 3ull << 30;
	if (fired != fires || left != after)
		note("fired %lx times, TRCSSCSR0 %lx", fired, left);
	return fired == fires && left == after;
}

static void test_single_shot(void)
{
	const uint64_t rst = BIT(24), pending = BIT(30), status = BIT(31);

	program_nothing();
	compare_range(0, lap_2, lap_4);
	select_resources(2, SINGLE_SHOT, 1);
	ok(single_shot(1, 0, 1, status), "it fires once, and STATUS says so (R_XFJGB)");
	ok(single_shot(1, status, 0, status), "with STATUS set, it does not fire");
	ok(single_shot(1 | rst, 0, LAPS, status), "RST: it fires each time (I_XZJSV)");
	ok(single_shot(1 | rst, status, LAPS, status), "RST: whatever STATUS says");
	ok(single_shot(3 | rst, 0, 2 * LAPS, status), "either of two comparators");
	ok(single_shot(1 << 16 | rst, 0, 3 * LAPS, status), "a range");
	ok(single_shot(1 << 16, 0, 1, status), "a range, once");
	ok(single_shot(0, 0, 0, 0), "no comparator: it never fires");
	ok(single_shot(0, pending, 1, status), "PENDING fires it when the resources run (R_PVRGR)");
	ok(single_shot(0, pending | status, 0, status), "PENDING: not with STATUS set");
	ok(single_shot(rst, pending | status, 1, status), "PENDING: with RST, all the same");
	set(TRCREG(ACATR), 0x1000);
	ok(single_shot(1, 0, 0, 0), "a comparator that does not match here");
	if (option("ete-pe-comparators", 0)) {
		set(TRCREG(SSPCICR), 1);
		set(DBGBVR0, address_of(lap_3));
		set(DBGBCR0, 0x1e5);
		ok(single_shot(rst, 0, LAPS, status), "a PE Comparator Input");
		set(DBGBCR0, 0);
	}
}

/* ---- counters ---- */

#define RLDSELF  BIT(16)
#define CNTCHAIN BIT(17)

/* One cycle with the given events, that of lap_after; the value of counter 0 after it */
static uint64_t one_cycle(uint64_t mode, bool reload, bool decrement, uint64_t value)
{
	set(TRCREG(CNTCTLR), mode | (reload ? 2 << 8 : 0) | (decrement ? 2 : 0));
	set(TRCREG(CNTRLDVR), 9);
	set(TRCREG(CNTVR), value);
	run_laps(LAPS);
	return get(TRCREG(CNTVR));
}

static void test_counter(void)
{
	/* D4.6.9.1 and D4.6.9.2 */
	static const struct {
		uint64_t mode;
		bool reload, decrement;
		uint64_t value, after;
	} rows[] = {
		{0, false, false, 0, 0},       {0, false, true, 0, 0},
		{0, false, false, 5, 5},       {0, false, true, 5, 4},
		{0, true, false, 0, 9},        {0, true, true, 0, 9},
		{0, true, false, 5, 9},        {0, true, true, 5, 9},
		{RLDSELF, false, false, 0, 0}, {RLDSELF, false, false, 5, 5},
		{RLDSELF, false, true, 0, 9},  {RLDSELF, false, true, 5, 4},
		{RLDSELF, true, false, 0, 9},  {RLDSELF, true, true, 0, 9},
		{RLDSELF, true, false, 5, 9},  {RLDSELF, true, true, 5, 9},
	};
	bool good = true;

	program_nothing();
	compare_address(0, lap_after);
	select_resources(2, ADDRESS, 1);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		good &= counts(
			"a row",
			one_cycle(rows[i].mode, rows[i].reload, rows[i].decrement, rows[i].value),
			rows[i].after);
	ok(good, "a counter, one cycle: the tables of D4.6.9.1 and D4.6.9.2");
	ok(one_cycle(0, false, true, 1) == 0, "a counter that reaches zero stays there (R_SBQPN)");
	compare_address(0, lap_3);
	ok(one_cycle(0, false, true, 3) == 0, "once it is there, it does not go on");
	/* 3, 2, 1, 0, 9, 8, 7, 6 */
	ok(one_cycle(RLDSELF, false, true, 3) == 6, "with RLDSELF it begins anew (R_YLYPH)");
}

/* How often counter 0 is at zero as a resource, counted by counter 1 */
static uint64_t at_zero(void)
{
	set(TRCREG(CNTCTLR + 4), 3);
	set(TRCREG(CNTVR + 4), 0xffff);
	run_laps(LAPS);
	return 0xffff - get(TRCREG(CNTVR + 4));
}

static void test_counter_at_zero(void)
{
	program_nothing();
	compare_address(0, lap_after);
	select_resources(2, ADDRESS, 1);
	select_resources(3, COUNTER, 1);
	ok(at_zero() == cycles, "at zero all the time: active all the time (R_HYLGG)");
	set(TRCREG(CNTVR), 1);
	ok(!at_zero(), "never at zero: never active");
	set(TRCREG(CNTCTLR), RLDSELF);
	set(TRCREG(CNTVR), 0);
	ok(!at_zero(), "RLDSELF: at zero, and no event: not active");
	set(TRCREG(CNTCTLR), RLDSELF | 2);
	set(TRCREG(CNTRLDVR), 9);
	ok(at_zero() == 1, "RLDSELF: active for the cycle in which it reloads (R_VGJNL)");
	set(TRCREG(CNTCTLR), RLDSELF | 2 << 8 | 2);
	set(TRCREG(CNTVR), 0);
	ok(!at_zero(), "RLDSELF: not where it is told to reload");
	compare_address(0, lap_3);
	set(TRCREG(CNTCTLR), RLDSELF | 2);
	set(TRCREG(CNTRLDVR), 1);
	set(TRCREG(CNTVR), 1);
	/* 1, 0, reload and so on */
	ok(at_zero() == LAPS / 2, "RLDSELF: once each time it begins anew");
}

static void test_chain(void)
{
	program_nothing();
	compare_address(0, lap_3);
	compare_address(1, lap_after);
	select_resources(2, ADDRESS, 1);
	select_resources(3, ADDRESS, 2);
	/* I_FTDHL, and no tearing (R_BDPDN) */
	set(TRCREG(CNTCTLR), RLDSELF | 2);
	set(TRCREG(CNTRLDVR), 0xffff);
	set(TRCREG(CNTVR), 3);
	set(TRCREG(CNTCTLR + 4), CNTCHAIN);
	set(TRCREG(CNTVR + 4), 0x1234);
	run_laps(LAPS);
	ok(get(TRCREG(CNTVR)) == 0xfffc && get(TRCREG(CNTVR + 4)) == 0x1233,
	   "two counters are one of 32 bits");
	/* each reload of counter 0 counts, one by its event too */
	set(TRCREG(CNTCTLR), RLDSELF | 3 << 8 | 2);
	set(TRCREG(CNTRLDVR), 1);
	set(TRCREG(CNTVR), 1);
	run_laps(LAPS);
	ok(get(TRCREG(CNTVR + 4)) == 0x1233 - LAPS / 2 - 1,
	   "the higher counts when the lower reloads, for either reason (R_QHZFW)");
	set(TRCREG(CNTCTLR + 4), 0);
	set(TRCREG(CNTVR + 4), 7);
	run_laps(LAPS);
	ok(get(TRCREG(CNTVR + 4)) == 7, "without CNTCHAIN it does not");
	set(TRCREG(CNTCTLR), 0);
	set(TRCREG(CNTCTLR + 4), CNTCHAIN | 3);
	run_laps(LAPS);
	ok(get(TRCREG(CNTVR + 4)) == 6, "and its own event counts as well");
}

/* ---- sequencer ---- */

struct transitions {
	bool rst, f0, f1, f2, b0, b1, b2;
};

/* Table R_JDPYL: from a state to another */
static bool goes(unsigned from, unsigned to, const struct transitions *t)
{
	const bool f0 = t->f0, f1 = t->f1, f2 = t->f2, b0 = t->b0, b1 = t->b1, b2 = t->b2;

	if (t->rst)
		return to == 0;
	switch (from << 4 | to) {
	case 0x00:
		return !f0;
	case 0x01:
		return f0 && !f1;
	case 0x02:
		return f0 && f1 && !f2;
	case 0x03:
		return f0 && f1 && f2;
	case 0x10:
		return b0 && !f1 && !f0;
	case 0x11:
		return (!b0 || f0) && !f1;
	case 0x12:
		return f1 && !f2;
	case 0x13:
		return f1 && f2;
	case 0x20:
		return b0 && b1 && !f2 && !f1 && !f0;
	case 0x21:
		return b1 && (!b0 || f0) && !f1 && !f2;
	case 0x22:
		return (!b1 || f1) && !f2;
	case 0x23:
		return f2;
	case 0x30:
		return b0 && b1 && b2 && !f2 && !f1 && !f0;
	case 0x31:
		return b2 && b1 && (!b0 || f0) && !f1 && !f2;
	case 0x32:
		return b2 && (!b1 || f1) && !f2;
	default:
		return !b2 || f2;
	}
}

static void program_sequencer(unsigned state, const struct transitions *t)
{
	set(TRCREG(SEQEVR), (t->f0 ? 2 : 0) | (t->b0 ? 2 << 8 : 0));
	set(TRCREG(SEQEVR + 4), (t->f1 ? 2 : 0) | (t->b1 ? 2 << 8 : 0));
	set(TRCREG(SEQEVR + 8), (t->f2 ? 2 : 0) | (t->b2 ? 2 << 8 : 0));
	set(TRCREG(SEQRSTEVR), t->rst ? 2 : 0);
	set(TRCREG(SEQSTR), state);
}

static void test_transitions(void)
{
	bool good = true;

	program_nothing();
	compare_address(0, lap_after);
	select_resources(2, ADDRESS, 1);
	for (unsigned i = 0; i < 4 * 128; i++) {
		struct transitions t = {i & 4, i & 8, i & 16, i & 32, i & 64, i & 128, i & 256};
		uint64_t to;

		program_sequencer(i & 3, &t);
		run_laps(1);
		to = get(TRCREG(SEQSTR));
		if (to < 4 && goes(i & 3, (unsigned)to, &t))
			continue;
		note("from %u by %x to %lx", i & 3, i >> 2, to);
		good = false;
	}
	ok(good, "the sequencer, one cycle: all transitions of R_JDPYL");
}

/* How often a state was active as a resource */
static uint64_t state_active(unsigned state, unsigned from, const struct transitions *t)
{
	program_sequencer(from, t);
	select_resources(3, COUNTER, BIT(4 + state));
	return count_event(3, LAPS);
}

static void test_states(void)
{
	static const struct transitions none, up = {.f0 = true, .f1 = true, .f2 = true},
					      down = {.b0 = true, .b1 = true, .b2 = true},
					      reset = {.b0 = true, .b1 = true, .rst = true};
	bool good = true;

	program_nothing();
	compare_address(0, lap_after);
	select_resources(2, ADDRESS, 1);
	for (unsigned from = 0; from < 4; from++) {
		for (unsigned state = 0; state < 4; state++)
			good &= counts("active", state_active(state, from, &none),
				       state == from ? cycles : 0);
	}
	ok(good, "the state of the sequencer is a resource (I_WYFZH)");
	ok(state_active(1, 0, &up) == 1 && state_active(2, 0, &up) == 1,
	   "states that it passes upwards are active for a cycle (R_HQHFT)");
	ok(state_active(1, 3, &down) == 1 && state_active(2, 3, &down) == 1,
	   "and those that it passes downwards");
	ok(!state_active(1, 2, &reset), "not those that a reset passes");
	ok(state_active(0, 2, &reset) && state_active(0, 2, &reset) == state_active(0, 1, &down),
	   "the state that a reset leads to is");
}

/* ---- External Input Selectors ---- */

static uint64_t input(unsigned number)
{
	set(TRCREG(EXTINSELR), number);
	return matches();
}

static void test_external_inputs(void)
{
	program_nothing();
	select_resources(2, EXTERNAL, 1);
	ok(input(0x11) == cycles, "an external input: CPU_CYCLES");
	ok(!input(0x3ff), "an event that is not there is never active (R_MTGKB)");
	set(TRCREG(RSR), 0x1001);
	ok(input(0x3ff) == 1 && !(get(TRCREG(RSR)) & 15),
	   "TRCRSR.EXTIN: active for a cycle when the resources run (R_QWYSK)");
	if (option("ete-external-inputs", 4) > 1) {
		set(TRCREG(RSR), 0x1001);
		select_resources(2, EXTERNAL, 2);
		ok(!matches(), "each input is one by itself");
	}
}

void test_resources(void)
{
	if (!option("ete-resource-pairs", 8) || !option("ete-address-pairs", 4) ||
	    !option("ete-counters", 2))
		return;
	test_selectors();
	test_pairs();
	test_exception_levels();
	if (option("ete-context-comparators", 1))
		test_context();
	if (base_el >= 2 && have_el2() && option("ete-virtual-context-comparators", 1))
		test_virtual_context();
	if (option("ete-pe-comparators", 0))
		test_pe_inputs();
	if (option("ete-single-shot", 1))
		test_single_shot();
	test_counter();
	test_counter_at_zero();
	test_chain();
	if (option("ete-sequencer", 4)) {
		test_transitions();
		test_states();
	}
	if (option("ete-external-inputs", 4))
		test_external_inputs();
	program_nothing();
}
