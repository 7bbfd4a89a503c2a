// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the trace unit: which are there, what they reset to, which bits they keep.
 *
 * The tables are read out of the manual by hand (spec/ete-registers.md and the register pages), and
 * share nothing with the device model: two readings that disagree fail here.
 */
#include "bare.h"

/* What the machine was asked for; defaults are those of the properties. */
static struct {
	unsigned pairs, selectors, single_shot, contexts, vcontexts, inputs, counters, events;
	unsigned pe_inputs, tags;
	bool sequencer, q_filter, q, stall, no_overflow, return_stack, vcontext, trace_id, output;
	bool el2, el3, unknown, absent_raz, instrumentation;
} c;

static void configure(void)
{
	c.pairs = (unsigned)option("ete-address-pairs", 4);
	c.selectors = 2 * (unsigned)option("ete-resource-pairs", 8);
	c.single_shot = (unsigned)option("ete-single-shot", 1);
	c.contexts = (unsigned)option("ete-context-comparators", 1);
	c.inputs = (unsigned)option("ete-external-inputs", 4);
	c.counters = (unsigned)option("ete-counters", 2);
	c.events = c.selectors ? (unsigned)option("ete-events", 4) : 0;
	c.pe_inputs = (unsigned)option("ete-pe-comparators", 0);
	c.tags = (unsigned)option("ete-claim-tags", 4);
	c.sequencer = option("ete-sequencer", 4);
	c.q = option("ete-q", 0);
	c.q_filter = option("ete-q-filter", 0);
	c.stall = option("ete-stall", 0);
	c.no_overflow = option("ete-no-overflow", 0);
	c.return_stack = option("ete-return-stack", 1);
	c.el2 = have_el2();
	c.el3 = have_el3();
	c.vcontext = option("ete-virtual-context-id", 1);
	c.vcontexts = (unsigned)option("ete-virtual-context-comparators", 1);
	c.absent_raz = option("ete-absent-raz", 0);
	c.trace_id = option("ete-trace-id", 1);
	c.output = c.trace_id && option("ete-version", 0) == 3;
	c.unknown = option("trace-unknown", 0);
	c.instrumentation = option("ete-instrumentation", 0);
}

/* n bits from `low` on */
static uint64_t bits(unsigned n, unsigned low)
{
	return n ? (~0ull >> (64 - n)) << low : 0;
}

/* resource event selector at bit `low`, if there are resources */
static uint64_t event(unsigned low)
{
	return c.selectors ? 0x9full << low : 0;
}

static uint64_t el_secure(unsigned low)
{
	/* EL0, EL1, Secure EL2 where EL2 is, EL3 */
	return c.el3 ? (c.el2 ? 0xfull : 0xbull) << low : 0;
}

static uint64_t el_nonsecure(unsigned low)
{
	return (c.el2 ? 7ull : 3ull) << low;
}

static uint64_t events_mask(void)
{
	uint64_t mask = 0;

	for (unsigned n = 0; n < c.events; n++)
		mask |= event(8 * n);
	return mask;
}

static uint64_t byte_masks(unsigned comparators, unsigned first)
{
	uint64_t mask = 0;

	for (unsigned n = 0; n < 4; n++) {
		if (first + n < comparators)
			mask |= 15ull << (8 * n);
	}
	return mask;
}

static unsigned width(unsigned comparators)
{
	return comparators > 4 ? 3 : comparators > 2 ? 2 : comparators > 1 ? 1 : 0;
}

struct row {
	const char *name;
	unsigned offset;
	unsigned step;
	unsigned most;      /* places in the encoding space */
	unsigned there;     /* of which so many are implemented */
	uint64_t kept;      /* bits that can be written, and are UNKNOWN at reset */
	uint64_t ones;      /* bits that are always one */
	uint64_t even, odd; /* kept besides, by number of the register */
};

/* A register that is there: its reset value, and what is left of ones and of zeros */
static bool check_kept(const struct row *r, unsigned n, uint32_t reg)
{
	uint64_t kept = r->kept | (n & 1 ? r->odd : r->even);
	struct outcome reset = read_at(base_el, reg), ones, zeros;

	write_at(base_el, reg, ~0ull);
	ones = read_at(base_el, reg);
	write_at(base_el, reg, 0);
	zeros = read_at(base_el, reg);
	if (reset.el || ones.el || zeros.el) {
		note("%s %u: trapped, syndrome %x", r->name, n, reset.esr | ones.esr | zeros.esr);
		return false;
	}
	if ((reset.value & ~kept) != r->ones || (!c.unknown && reset.value != r->ones)) {
		note("%s %u: resets to %lx", r->name, n, reset.value);
		return false;
	}
	if (ones.value != (kept | r->ones) || zeros.value != r->ones) {
		note("%s %u: of ones keeps %lx, not %lx; of zeros %lx, not %lx", r->name, n,
		     ones.value, kept | r->ones, zeros.value, r->ones);
		return false;
	}
	return true;
}

static bool check_absent(const char *name, unsigned n, uint32_t reg)
{
	struct outcome r = read_at(base_el, reg), w = write_at(base_el, reg, 0);

	if (undefined(r, base_el) && undefined(w, base_el))
		return true;
	note("%s %u: is there, or traps otherwise: %x %x", name, n, r.esr, w.esr);
	return false;
}

static bool check_raz(const char *name, unsigned n, uint32_t reg)
{
	struct outcome w = write_at(base_el, reg, ~0ull), r = read_at(base_el, reg);

	if (!r.el && !w.el && !r.value)
		return true;
	note("%s %u: reads %lx; %x %x", name, n, r.value, r.esr, w.esr);
	return false;
}

static void test_rows(const struct row *rows, size_t count)
{
	for (const struct row *r = rows; r < rows + count; r++) {
		bool good = true;

		for (unsigned n = 0; n < r->most; n++) {
			uint32_t reg = TRCREG(r->offset + n * r->step);

			if (n < r->there)
				good &= check_kept(r, n, reg);
			else if (c.absent_raz && r->offset != 0x1c0)
				good &= check_raz(r->name, n, reg);
			else
				good &= check_absent(r->name, n, reg);
		}
		ok(good, r->name);
	}
}

/* Each register has a storage of its own: what is written to all is read from all. */
static void test_apart(const struct row *rows, size_t count)
{
	bool good = true;

	for (unsigned pass = 0; pass < 2; pass++) {
		uint64_t value = 0x9e3779b97f4a7c15;

		for (const struct row *r = rows; r < rows + count; r++) {
			for (unsigned n = 0; n < r->there; n++) {
				uint32_t reg = TRCREG(r->offset + n * r->step);
				uint64_t kept = r->kept | (n & 1 ? r->odd : r->even);

				value = value * 6364136223846793005 + 1442695040888963407;
				if (!pass) {
					set(reg, value ^ value >> 32);
				} else if (get(reg) != (((value ^ value >> 32) & kept) | r->ones)) {
					note("%s %u is now %lx", r->name, n, get(reg));
					good = false;
				}
			}
		}
	}
	ok(good, "no two registers are one");
}

/* Registers to program, in the order of the manual's table */
static void test_programming(void)
{
	const uint64_t pairs = bits(c.pairs, 0), singles = bits(2 * c.pairs, 0);
	const bool points = c.pairs || c.pe_inputs;
	const struct row rows[] = {
		{"TRCCONFIGR", 0x010, 4, 1, 1,
		 BIT(3) | BIT(4) | BIT(11) | BIT(6) | (c.vcontext ? BIT(7) : 0) |
			 (c.return_stack ? BIT(12) : 0) | (c.q ? 3ull << 13 : 0) |
			 (c.instrumentation ? BIT(18) : 0),
		 BIT(0) | (c.vcontext ? BIT(15) : 0), 0, 0},
		{"TRCAUXCTLR", 0x018, 4, 1, 1, 0, 0, 0, 0},
		{"TRCEVENTCTL0R", 0x020, 4, 1, c.selectors > 0, events_mask(), 0, 0, 0},
		{"TRCEVENTCTL1R", 0x024, 4, 1, 1, bits(c.events, 0) | (c.output ? BIT(13) : 0), 0,
		 0, 0},
		{"TRCRSR", 0x028, 4, 1, 1, BIT(12) | bits(c.events, 8) | bits(c.inputs, 0), 0, 0,
		 0},
		{"TRCSTALLCTLR", 0x02c, 4, 1, c.stall, 0xf | BIT(8) | (c.no_overflow ? BIT(13) : 0),
		 0, 0, 0},
		{"TRCTSCTLR", 0x030, 4, 1, 1, event(0), 0, 0, 0},
		{"TRCSYNCPR", 0x034, 4, 1, 1, 0x1f, 0, 0, 0},
		{"TRCCCCTLR", 0x038, 4, 1, 1, 0xfff, 0, 0, 0},
		{"TRCBBCTLR", 0x03c, 4, 1, c.pairs > 0, pairs | BIT(8), 0, 0, 0},
		{"TRCTRACEIDR", 0x040, 4, 1, 1, c.trace_id ? 0x7f : 0, 0, 0, 0},
		{"TRCQCTLR", 0x044, 4, 1, c.q_filter, pairs | BIT(8), 0, 0, 0},
		/* E0, E1, E2, E3, NS, S */
		{"TRCITEEDCR", 0x048, 4, 1, c.instrumentation,
		 BIT(0) | BIT(1) | (c.el2 ? BIT(2) : 0) | (c.el3 ? BIT(3) | BIT(5) : 0) | BIT(4), 0,
		 0, 0},
		{"TRCVICTLR", 0x080, 4, 1, 1,
		 event(0) | (points ? BIT(9) : 0) | BIT(10) | BIT(11) | el_secure(16) |
			 el_nonsecure(20),
		 (c.selectors ? 0u : BIT(0)) | (points ? 0u : BIT(9)), 0, 0},
		{"TRCVIIECTLR", 0x084, 4, 1, c.pairs > 0, pairs | pairs << 16, 0, 0, 0},
		{"TRCVISSCTLR", 0x088, 4, 1, c.pairs > 0, singles | singles << 16, 0, 0, 0},
		{"TRCVIPCSSCTLR", 0x08c, 4, 1, c.pe_inputs > 0,
		 bits(c.pe_inputs, 0) | bits(c.pe_inputs, 16), 0, 0, 0},
		{"TRCSEQEVR", 0x100, 4, 3, c.sequencer ? 3 : 0, event(0) | event(8), 0, 0, 0},
		{"TRCSEQRSTEVR", 0x118, 4, 1, c.sequencer, event(0), 0, 0, 0},
		{"TRCSEQSTR", 0x11c, 4, 1, c.sequencer, 3, 0, 0, 0},
		{"TRCEXTINSELR", 0x120, 4, 4, c.inputs, 0xffff, 0, 0, 0},
		{"TRCCNTRLDVR", 0x140, 4, 4, c.counters, 0xffff, 0, 0, 0},
		{"TRCCNTCTLR", 0x150, 4, 4, c.counters, event(0) | event(8) | BIT(16), 0, 0,
		 BIT(17)},
		{"TRCCNTVR", 0x160, 4, 4, c.counters, 0xffff, 0, 0, 0},
		{"TRCIMSPEC", 0x1c0, 4, 8, 1, 0, 0, 0, 0},
		/* two of each pair from 2 on: the even one has PAIRINV */
		{"TRCRSCTLR", 0x208, 4, 30, c.selectors ? c.selectors - 2 : 0, bits(21, 0), 0,
		 BIT(21), 0},
		{"TRCSSCCR", 0x280, 4, 8, c.single_shot, singles | pairs << 16 | BIT(24), 0, 0, 0},
		{"TRCSSCSR", 0x2a0, 4, 8, c.single_shot, 3ull << 30, c.pe_inputs ? 9 : 1, 0, 0},
		{"TRCSSPCICR", 0x2c0, 4, 8, c.pe_inputs ? c.single_shot : 0, bits(c.pe_inputs, 0),
		 0, 0, 0},
		{"TRCACVR", 0x400, 8, 16, 2 * c.pairs, ~0ull, 0, 0, 0},
		{"TRCACATR", 0x480, 8, 16, 2 * c.pairs,
		 (c.contexts ? BIT(2) : 0) | (c.vcontexts ? BIT(3) : 0) |
			 bits(width(c.contexts > c.vcontexts ? c.contexts : c.vcontexts), 4) |
			 el_secure(8) | el_nonsecure(12),
		 0, 0, 0},
		{"TRCCIDCVR", 0x600, 8, 8, c.contexts, bits(32, 0), 0, 0, 0},
		{"TRCVMIDCVR", 0x640, 8, 8, c.vcontexts, bits(32, 0), 0, 0, 0},
		{"TRCCIDCCTLR0", 0x680, 4, 1, c.contexts > 0, byte_masks(c.contexts, 0), 0, 0, 0},
		{"TRCCIDCCTLR1", 0x684, 4, 1, c.contexts > 4, byte_masks(c.contexts, 4), 0, 0, 0},
		{"TRCVMIDCCTLR0", 0x688, 4, 1, c.vcontexts > 0, byte_masks(c.vcontexts, 0), 0, 0,
		 0},
		{"TRCVMIDCCTLR1", 0x68c, 4, 1, c.vcontexts > 4, byte_masks(c.vcontexts, 4), 0, 0,
		 0},
	};

	test_rows(rows, ARRAY_SIZE(rows));
	test_apart(rows, ARRAY_SIZE(rows));
}

/* Read-only registers: what they say, and that they have no encoding for a write */
static void check_fixed(const char *name, unsigned offset, uint64_t value)
{
	uint32_t reg = TRCREG(offset);
	struct outcome r = read_at(base_el, reg), w = write_at(base_el, reg, ~0ull);
	bool good = !r.el && r.value == value && undefined(w, base_el);

	if (!good)
		note("%s: %lx, not %lx; syndromes %x %x", name, r.value, value, r.esr, w.esr);
	ok(good, name);
}

static void test_identification(void)
{
	uint64_t maxspec = option("ete-maxspec", 0);

	check_fixed("TRCIDR0", 0x1e0,
		    BIT(0) | BIT(5) | BIT(7) | (c.return_stack ? BIT(9) : 0) |
			    (uint64_t)(c.selectors ? c.events - 1 : 0) << 10 |
			    (c.q_filter ? BIT(14) : 0) | option("ete-q", 0) << 15 |
			    (c.instrumentation ? BIT(22) : 0) |
			    option("ete-timestamp-marker", 0) << 23 | 8ull << 24 |
			    option("ete-commopt", 1) << 29 | option("ete-commtrans", 1) << 30);
	check_fixed("TRCIDR1", 0x1e4, 0x4100fff0 | option("ete-revision", 0));
	check_fixed("TRCIDR2", 0x1e8,
		    8 | 4ull << 5 | (c.vcontext ? 4ull << 10 | 2ull << 29 : 0) |
			    (option("ete-cycle-size", 20) - 12) << 25 | option("ete-wfx", 1) << 31);
	check_fixed("TRCIDR3", 0x1ec,
		    option("ete-cycle-threshold", 4) | el_secure(16) | el_nonsecure(20) | BIT(24) |
			    (c.stall ? BIT(26) | BIT(27) : 0) | (c.no_overflow ? BIT(31) : 0));
	check_fixed("TRCIDR4", 0x1f0,
		    c.pairs | (uint64_t)c.pe_inputs << 12 |
			    (uint64_t)(c.selectors ? c.selectors / 2 - 1 : 0) << 16 |
			    (uint64_t)c.single_shot << 20 | (uint64_t)c.contexts << 24 |
			    (uint64_t)c.vcontexts << 28);
	check_fixed("TRCIDR5", 0x1f4,
		    0x1ff | (uint64_t)c.inputs << 9 | (c.trace_id ? 7ull << 16 : 0) |
			    (c.sequencer ? 4ull << 25 : 0) | (uint64_t)c.counters << 28 |
			    (c.output ? BIT(31) : 0));
	check_fixed("TRCIDR6", 0x1f8, 0);
	check_fixed("TRCIDR7", 0x1fc, 0);
	check_fixed("TRCIDR8", 0x180, maxspec);
	check_fixed("TRCIDR9", 0x184, 0);
	check_fixed("TRCIDR10", 0x188, 0);
	check_fixed("TRCIDR11", 0x18c, 0);
	check_fixed("TRCIDR12", 0x190, 0);
	check_fixed("TRCIDR13", 0x194, 0);
	check_fixed("TRCAUTHSTATUS", 0xfb8, 0xc | (c.el3 ? 0xc0 : 0));
	check_fixed("TRCDEVARCH", 0xfbc,
		    option("ete-devarch", 0x47705a13 | option("ete-version", 0) << 16));
	check_fixed("TRCDEVID", 0xfc8, 0);
}

/* Registers of ETMv4 that ETE has not */
static void test_not_ete(void)
{
	static const struct {
		const char *name;
		unsigned offset;
	} none[] = {
		{"TRCPROCSELR", 0x008}, {"TRCVDCTLR", 0x0a0},  {"TRCOSLAR", 0x300},
		{"TRCPDCR", 0x310},     {"TRCPDSR", 0x314},    {"TRCDVCVR0", 0x500},
		{"TRCITCTRL", 0xf00},   {"TRCDEVTYPE", 0xfcc},
	};
	bool good = true;

	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		good &= check_absent(none[i].name, 0, TRCREG(none[i].offset));
	ok(good, "registers that ETE has not are not there");
}

/* With a seed, something resets to another value than zero; without one, nothing does. */
static void test_unknown(void)
{
	uint64_t any = get(TRCREG(0x038)) | get(TRCREG(0x080)) | get(TRCREG(0x028));

	ok(c.unknown == ((any & ~(BIT(0) | BIT(9))) != 0), "UNKNOWN fields reset as asked for");
	ok(!(get(TRCREG(0x024)) & BIT(13)), "TRCEVENTCTL1R.OE resets to 0");
}

void test_ete(void)
{
	uint64_t dfr0 = get(ID_AA64DFR0_EL1);

	configure();
	ok((dfr0 >> 4 & 15) == option("id-trace-version", 1) &&
		   (dfr0 >> 40 & 15) == option("id-trace-filter", 1),
	   "ID_AA64DFR0_EL1 has TraceVer and TraceFilt");
	ok((get(ID_AA64PFR0_EL1) >> 52 & 15) == option("id-rme", 0),
	   "ID_AA64PFR0_EL1.RME is what was asked for");
	/* the rest of the tests writes: reset values first */
	test_unknown();
	test_programming();
	test_identification();
	test_not_ete();
}
