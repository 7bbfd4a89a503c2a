// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the trace buffer unit, their traps, and the interrupt.
 */
#include "bare.h"

#define TRBREG(OP2) SYSREG(3, 0, 9, 11, OP2)
enum { LIMITR, PTR, BASER, SR, MAR, MPAM, TRG, IDR };

static const char *const names[] = {"TRBLIMITR_EL1", "TRBPTR_EL1",  "TRBBASER_EL1", "TRBSR_EL1",
				    "TRBMAR_EL1",    "TRBMPAM_EL1", "TRBTRG_EL1",   "TRBIDR_EL1"};

static uint64_t kept(unsigned n)
{
	uint64_t align = option("trbe-align", 0);

	switch (n) {
	case LIMITR:
		/* LIMIT, nVM, TM, FM, E */
		return ~0xfffull | 0x3f;
	case PTR:
		return ~0ull << align;
	case BASER:
		return ~0xfffull;
	case SR:
		/* EC, IRQ, TRG, WRAP, EA, S, MSS */
		return 0x3full << 26 | 7ull << 20 | 3ull << 17 | 0xffff;
	case MAR:
		return 0x3ff;
	case TRG:
		return (~0ull << align) & 0xffffffff;
	default:
		return 0;
	}
}

/* TRBIRQ is INTID 31: its bit in GICR_ISPENDR0 of the first redistributor */
static bool interrupt_pending(void)
{
	volatile uint32_t *pending = (volatile uint32_t *)0x080b0200;

	return *pending >> 31;
}

static void test_fields(void)
{
	bool seed = option("trace-unknown", 0);

	for (unsigned n = LIMITR; n <= TRG; n++) {
		uint32_t reg = TRBREG(n);
		struct outcome reset = read_at(base_el, reg);
		uint64_t ones, zeros;
		bool good;

		if (n == MPAM) {
			ok(undefined(reset, base_el), "TRBMPAM_EL1 is not there");
			continue;
		}
		/* with E set, the next write would be ignored: tested below */
		write_at(base_el, reg, n == LIMITR ? ~1ull : ~0ull);
		ones = read_at(base_el, reg).value | (n == LIMITR);
		write_at(base_el, reg, 0);
		zeros = read_at(base_el, reg).value;
		good = !reset.el && (reset.value & ~kept(n)) == 0 && (seed || !reset.value) &&
		       !(n == LIMITR && reset.value & 1) && ones == kept(n) && !zeros;
		if (!good)
			note("resets to %lx, of ones keeps %lx, not %lx; of zeros %lx; syndrome %x",
			     reset.value, ones, kept(n), zeros, reset.esr);
		ok(good, names[n]);
	}
}

static void test_identification(void)
{
	struct outcome w = write_at(base_el, TRBREG(IDR), 0);
	uint64_t want = option("trbe-align", 0) | option("trbe-flag-updates", 0) << 5 |
			option("trbe-external-abort", 0) << 8;

	ok(get(TRBREG(IDR)) == want, "TRBIDR_EL1 shows what was asked for; P is 0");
	ok(undefined(w, base_el), "TRBIDR_EL1 cannot be written");
	ok((get(ID_AA64DFR0_EL1) >> 44 & 15) == option("id-trace-buffer", 1),
	   "ID_AA64DFR0_EL1 has TraceBuffer");
}

/* TRBLIMITR_EL1.XE, where an external debugger has set it */
void test_external(void)
{
	ok(get(TRBREG(LIMITR)) == BIT(6), "TRBLIMITR_EL1.XE resets to one, where asked for");
	set(TRBREG(LIMITR), ~UINT64_C(0x41));
	ok(get(TRBREG(LIMITR)) == (kept(LIMITR) & ~UINT64_C(1)) + BIT(6), "it cannot be cleared");
}

static void test_busy(void)
{
	bool taken = option("trace-busy-writes", 0);
	/* with a seed, either */
	bool chance = option("trace-sync-seed", 0);
	uint64_t got;
	static const struct {
		unsigned n;
		const char *name;
	} held[] = {
		{PTR, "a write to TRBPTR_EL1 while E is set is ignored, or taken if so asked for"},
		{BASER, "a write to TRBBASER_EL1 while E is set is ignored, or taken"},
		{MAR, "a write to TRBMAR_EL1 while E is set is ignored, or taken"},
		{TRG, "a write to TRBTRG_EL1 while E is set is ignored, or taken"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(held); i++) {
		uint64_t new = held[i].n == MAR ? 0xff : 0x12345000;

		set(TRBREG(held[i].n), 0);
		set(TRBREG(LIMITR), 0x40000001);
		set(TRBREG(held[i].n), new);
		got = get(TRBREG(held[i].n));
		ok(got == (taken ? new : 0) || (chance && got == new), held[i].name);
		set(TRBREG(LIMITR), 0);
	}
	set(TRBREG(LIMITR), 0x40000001);
	set(TRBREG(LIMITR), 0x50000003);
	ok(get(TRBREG(LIMITR)) == (taken ? 0x50000003 : 0x40000001) ||
		   (chance && get(TRBREG(LIMITR)) == 0x50000003),
	   "a write to TRBLIMITR_EL1 that leaves E set is ignored, or taken");
	set(TRBREG(LIMITR), 0x50000002);
	ok(get(TRBREG(LIMITR)) == 0x50000002, "one that clears E is taken");
	set(TRBREG(LIMITR), 0x40000001);
	set(TRBREG(SR), 0x100000);
	got = get(TRBREG(SR));
	ok(got == (option("trace-sync", 0) && !taken ? 0 : 0x100000) || (chance && got == 0x100000),
	   "TRBSR_EL1 can be written while E is set; strict, that is ignored (R_DJMDD)");
	set(TRBREG(LIMITR), 0);
	set(TRBREG(SR), 0);
}

static void test_interrupt(void)
{
	set(TRBREG(SR), 0);
	ok(!interrupt_pending(), "with TRBSR_EL1.IRQ clear, PPI 15 is not pending");
	set(TRBREG(SR), BIT(22));
	ok(interrupt_pending(), "with TRBSR_EL1.IRQ set, it is");
	set(TRBREG(SR), ~BIT(22));
	ok(!interrupt_pending(),
	   "it is a level: clearing IRQ takes it back; no other bit raises it");
	set(TRBREG(SR), 0);
}

void test_trbe(void)
{
	test_fields();
	test_identification();
	test_busy();
	test_interrupt();
}

/* Does each register but TRBIDR_EL1, read and written at `el`, trap to `to`, or to nowhere (0)? */
static bool each(unsigned el, unsigned to)
{
	bool good = true;

	for (unsigned n = LIMITR; n <= TRG; n++) {
		for (unsigned way = 0; way < 2; way++) {
			uint32_t reg = TRBREG(n);
			struct outcome o;

			if (n == MPAM)
				continue;
			o = way ? write_at(el, reg, 0) : read_at(el, reg);
			if (to ? trapped(o, to, reg, !way) : !o.el)
				continue;
			note("%s at EL%u: taken to EL%u, syndrome %x", names[n], el, o.el, o.esr);
			good = false;
		}
	}
	return good;
}

/* TRBIDR_EL1.P as `el` sees it; 2 if it has no access */
static unsigned not_allowed(unsigned el)
{
	struct outcome o = read_at(el, TRBREG(IDR));

	return o.el ? 2 : o.value >> 4 & 1;
}

static void test_owner_el2(void)
{
	set(MDCR_EL2, 0);
	ok(each(1, 2), "E2TB 0b00: EL1 traps to EL2");
	ok(each(2, 0), "E2TB 0b00: EL2 has access");
	ok(not_allowed(1) == 1 && not_allowed(2) == 0,
	   "E2TB 0b00: P says that EL2 owns the buffer");
	set(MDCR_EL2, 2ull << 24);
	ok(each(1, 2), "E2TB 0b10: EL1 traps to EL2");
	ok(each(2, 0), "E2TB 0b10: EL2 has access");
	ok(not_allowed(1) == 0 && not_allowed(2) == 0,
	   "E2TB 0b10: P says that EL1 owns the buffer");
	set(MDCR_EL2, 3ull << 24);
	ok(each(1, 0), "E2TB 0b11: EL1 has access");
	ok(not_allowed(1) == 0, "E2TB 0b11: P says that EL1 owns the buffer");
	set(CPTR_EL2, 0x33ff | BIT(20));
	set(MDCR_EL2, 3ull << 24 | BIT(9) | BIT(19));
	ok(each(1, 0), "CPTR_EL2.TTA, MDCR_EL2.TDA and TTRF do not trap them");
	controls_off();
}

static void test_owner_el3(void)
{
	bool el2 = have_el2();
	const uint64_t nonsecure = BIT(10) | BIT(8) | 0x31, secure = nonsecure & ~1ull;

	/* NSTB 0b10: Non-secure state owns the buffer, its accesses trap */
	set(MDCR_EL3, 2ull << 24);
	ok(each(1, 3) && (!el2 || each(2, 3)), "NSTB 0b10: Non-secure state traps to EL3");
	ok(each(3, 0), "NSTB 0b10: EL3 has access");
	ok(not_allowed(1) == 0 && not_allowed(3) == 0, "NSTB 0b10: P is 0 in Non-secure state");
	set(SCR_EL3, secure);
	ok(each(1, 3), "NSTB 0b10: Secure EL1 traps to EL3");
	ok(not_allowed(1) == 1, "NSTB 0b10: P is 1 in Secure state");

	/* NSTB 0b11: Non-secure state owns it and has access */
	set(MDCR_EL3, 3ull << 24);
	ok(each(1, 3), "NSTB 0b11: Secure EL1 traps to EL3");
	ok(not_allowed(1) == 1, "NSTB 0b11: P is 1 in Secure state");
	set(SCR_EL3, nonsecure);
	ok(each(1, 0) && (!el2 || each(2, 0)), "NSTB 0b11: Non-secure state has access");

	/* NSTB 0b00, 0b01: Secure state owns it */
	for (uint64_t access = 0; access < 2; access++) {
		set(MDCR_EL3, access << 24);
		set(SCR_EL3, nonsecure);
		ok(each(1, 3) && (!el2 || each(2, 3)), "NSTB 0b0x: Non-secure state traps to EL3");
		ok(not_allowed(1) == 1 && (!el2 || not_allowed(2) == 1),
		   "NSTB 0b0x: P is 1 in Non-secure state");
		ok(not_allowed(3) == 0, "NSTB 0b0x: P is 0 at EL3, whoever is below it");
		set(SCR_EL3, secure);
		ok(each(1, access ? 0 : 3), "NSTB 0b00: Secure EL1 traps; 0b01: it has access");
		ok(not_allowed(1) == 0 && not_allowed(3) == 0,
		   "NSTB 0b0x: P is 0 in Secure state, and at EL3");
	}
	if (el2) {
		set(SCR_EL3, nonsecure);
		set(MDCR_EL3, 0);
		set(MDCR_EL2, 0);
		ok(each(1, 2), "EL2's trap comes before EL3's");
	}
	controls_off();
}

void test_trbe_traps(void)
{
	set(CPACR_EL1, 3 << 20 | BIT(28));
	ok(each(1, 0), "EL1 has access, whatever CPACR_EL1.TTA");
	controls_off();
	ok(undefined(read_at(0, TRBREG(PTR)), 1) && undefined(read_at(0, TRBREG(IDR)), 1) &&
		   undefined(write_at(0, TRBREG(PTR), 0), 1),
	   "at EL0 they are UNDEFINED");
	if (base_el >= 2 && have_el2())
		test_owner_el2();
	if (base_el == 3)
		test_owner_el3();
}

/* What is not asked for is not there. */
void test_absent(void)
{
	uint64_t dfr0 = get(ID_AA64DFR0_EL1);

	if (!option("ete", 0)) {
		ok(!(dfr0 >> 4 & 15) && !(dfr0 >> 40 & 15),
		   "without ETE, no TraceVer and TraceFilt");
		ok(undefined(read_at(base_el, TRCREG(0x004)), base_el) &&
			   undefined(read_at(base_el, SYSREG(3, 0, 1, 2, 1)), base_el),
		   "without ETE, neither its registers nor TRFCR_EL1");
	}
	if (!option("trbe", 0)) {
		ok(!(dfr0 >> 44 & 15), "without TRBE, no TraceBuffer");
		ok(undefined(read_at(base_el, TRBREG(IDR)), base_el),
		   "without TRBE, no TRBIDR_EL1");
	}
}
