// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trace unit: enabling, OS lock, claim tags, what may be written when; TRFCR.
 */
#include "bare.h"

enum {
	PRGCTLR = 0x004,
	STATR = 0x00c,
	CONFIGR = 0x010,
	CCCTLR = 0x038,
	OSLSR = 0x304,
	CLAIMSET = 0xfa0,
	CLAIMCLR = 0xfa4
};

#define TRFCR_EL1  SYSREG(3, 0, 1, 2, 1)
#define TRFCR_EL2  SYSREG(3, 4, 1, 2, 1)
#define TRFCR_EL12 SYSREG(3, 5, 1, 2, 1)

static void test_enabling(void)
{
	struct outcome w;

	ok(get(TRCREG(PRGCTLR)) == 0, "the trace unit resets disabled");
	ok((get(OSLSR_EL1) & 2) && get(TRCREG(OSLSR)) == 0x12,
	   "the OS lock resets locked; TRCOSLSR says so, and that it is the PE's");
	ok((get(TRCREG(STATR)) & 3) == 3, "a disabled trace unit is idle and stable");

	set(TRCREG(PRGCTLR), ~0ull);
	ok(get(TRCREG(PRGCTLR)) == 1, "TRCPRGCTLR keeps EN only");
	ok((get(TRCREG(STATR)) & 1) == 1, "with the OS lock locked, it stays idle all the same");
	set(OSLAR_EL1, 0);
	ok(get(TRCREG(OSLSR)) == 0x10, "TRCOSLSR shows the OS lock unlocked");
	ok((get(TRCREG(STATR)) & 1) == 0, "an enabled trace unit is not idle");
	set(OSLAR_EL1, 1);
	ok((get(TRCREG(STATR)) & 1) == 1, "locking the OS lock disables it");
	set(OSLAR_EL1, 0);
	set(TRCREG(PRGCTLR), 0);
	ok((get(TRCREG(STATR)) & 3) == 3, "disabled by EN, it is idle and stable");
	w = write_at(base_el, TRCREG(STATR), 0);
	ok(undefined(w, base_el), "TRCSTATR cannot be written");
	w = write_at(base_el, TRCREG(OSLSR), 0);
	ok(undefined(w, base_el), "TRCOSLSR cannot be written");
}

static void test_busy(void)
{
	bool taken = option("trace-busy-writes", 0);
	uint64_t value;

	set(TRCREG(CCCTLR), 0x123);
	set(TRCREG(PRGCTLR), 1);
	set(TRCREG(CCCTLR), 0x456);
	value = get(TRCREG(CCCTLR));
	/* with a seed, either */
	ok(value == (taken ? 0x456 : 0x123) || (option("trace-sync-seed", 0) && value == 0x456),
	   "a write while enabled is ignored, or taken if so asked for");
	set(TRCREG(CLAIMSET), 1);
	ok(get(TRCREG(CLAIMCLR)) == (option("ete-claim-tags", 4) ? 1 : 0),
	   "claim tags can be set while it is enabled");
	set(TRCREG(CLAIMCLR), 1);
	set(OSLAR_EL1, 1);
	set(TRCREG(CCCTLR), 0x789);
	ok(get(TRCREG(CCCTLR)) == 0x789, "with the OS lock locked, writes take effect");
	set(OSLAR_EL1, 0);
	set(TRCREG(PRGCTLR), 0);
}

static void test_claim(void)
{
	uint64_t tags = option("ete-claim-tags", 4);
	uint64_t all = tags ? ~0ull >> (64 - tags) : 0;

	ok(get(TRCREG(CLAIMCLR)) == 0, "claim tags reset clear");
	ok(get(TRCREG(CLAIMSET)) == all, "TRCCLAIMSET shows which are implemented");
	set(TRCREG(CLAIMSET), ~0ull);
	ok(get(TRCREG(CLAIMCLR)) == all && get(TRCREG(CLAIMSET)) == all,
	   "writing ones to TRCCLAIMSET sets all");
	set(TRCREG(CLAIMSET), 0);
	set(TRCREG(CLAIMCLR), 0);
	ok(get(TRCREG(CLAIMCLR)) == all, "writing zeros changes none");
	set(TRCREG(CLAIMCLR), 1);
	ok(get(TRCREG(CLAIMCLR)) == (all & ~1ull), "writing a one to TRCCLAIMCLR clears that one");
	set(TRCREG(CLAIMCLR), ~0ull);
	ok(get(TRCREG(CLAIMCLR)) == 0, "writing ones clears all");
}

void test_ete_state(void)
{
	test_claim();
	test_enabling();
	test_busy();
}

static void test_trfcr_traps(void)
{
	for (unsigned way = 0; way < 2; way++) {
		bool read = way == 0;
		struct outcome o = read ? read_at(0, TRFCR_EL1) : write_at(0, TRFCR_EL1, 0);

		ok(undefined(o, 1), read ? "TRFCR_EL1 is UNDEFINED at EL0: read"
					 : "TRFCR_EL1 is UNDEFINED at EL0: write");
		if (base_el >= 2 && have_el2()) {
			set(MDCR_EL2, BIT(19) | 3ull << 24);
			o = read ? read_at(1, TRFCR_EL1) : write_at(1, TRFCR_EL1, 0);
			ok(trapped(o, 2, TRFCR_EL1, read), "MDCR_EL2.TTRF traps EL1 to EL2");
			o = read ? read_at(2, TRFCR_EL1) : write_at(2, TRFCR_EL1, 0);
			ok(!o.el, "MDCR_EL2.TTRF leaves EL2 alone");
			o = read ? read_at(1, TRFCR_EL2) : write_at(1, TRFCR_EL2, 0);
			ok(undefined(o, 1), "TRFCR_EL2 is UNDEFINED at EL1");
		}
		if (base_el == 3) {
			set(MDCR_EL3, BIT(19) | 3ull << 24);
			if (have_el2()) {
				o = read ? read_at(1, TRFCR_EL1) : write_at(1, TRFCR_EL1, 0);
				ok(trapped(o, 2, TRFCR_EL1, read), "EL2's trap comes before EL3's");
				o = read ? read_at(2, TRFCR_EL2) : write_at(2, TRFCR_EL2, 0);
				ok(trapped(o, 3, TRFCR_EL2, read),
				   "MDCR_EL3.TTRF traps EL2 to EL3");
				set(MDCR_EL2, 3ull << 24);
			}
			o = read ? read_at(1, TRFCR_EL1) : write_at(1, TRFCR_EL1, 0);
			ok(trapped(o, 3, TRFCR_EL1, read), "MDCR_EL3.TTRF traps EL1 to EL3");
			o = read ? read_at(3, TRFCR_EL1) : write_at(3, TRFCR_EL1, 0);
			ok(!o.el, "MDCR_EL3.TTRF leaves EL3 alone");
		}
		controls_off();
	}
}

static void test_trfcr_host(void)
{
	struct outcome o;

	o = read_at(2, TRFCR_EL12);
	ok(undefined(o, 2), "TRFCR_EL12 is UNDEFINED at EL2 without E2H");
	set(TRFCR_EL1, 1);
	set(TRFCR_EL2, 2);
	/* E2H */
	set(HCR_EL2, BIT(31) | BIT(34));
	o = read_at(2, TRFCR_EL1);
	ok(o.value == 2, "with E2H, TRFCR_EL1 at EL2 is TRFCR_EL2");
	write_at(2, TRFCR_EL1, 0x4b);
	o = read_at(2, TRFCR_EL2);
	ok(o.value == 0x4b, "and so it is for writes, CX and TS with them");
	o = read_at(2, TRFCR_EL12);
	ok(o.value == 1, "TRFCR_EL12 is TRFCR_EL1");
	write_at(2, TRFCR_EL12, 0x6b);
	o = read_at(1, TRFCR_EL1);
	ok(o.value == 0x63, "and so it is for writes, without CX");
	o = read_at(1, TRFCR_EL12);
	ok(undefined(o, 1), "TRFCR_EL12 is UNDEFINED at EL1");
	controls_off();
	set(TRFCR_EL2, 0);
	set(TRFCR_EL1, 0);
}

void test_trf(void)
{
	uint64_t reset = get(TRFCR_EL1);

	ok((reset & ~0x60ull) == 0 && (option("trace-unknown", 0) || !reset),
	   "TRFCR_EL1 resets to no tracing; TS is UNKNOWN");
	set(TRFCR_EL1, ~0ull);
	ok(get(TRFCR_EL1) == 0x63, "TRFCR_EL1 keeps TS, E1TRE and E0TRE");
	set(TRFCR_EL1, 0);
	if (base_el >= 2 && have_el2()) {
		ok(get(TRFCR_EL2) == 0, "TRFCR_EL2 resets to zero");
		set(TRFCR_EL2, ~0ull);
		ok(get(TRFCR_EL2) == 0x6b, "TRFCR_EL2 keeps TS, CX, E2TRE and E0HTRE");
		set(TRFCR_EL2, 0);
		test_trfcr_host();
	} else if (base_el == 3) {
		set(TRFCR_EL2, ~0ull);
		ok(get(TRFCR_EL2) == 0, "without EL2, TRFCR_EL2 is RES0 at EL3");
	} else {
		ok(undefined(read_at(1, TRFCR_EL2), 1), "TRFCR_EL2 is UNDEFINED at EL1");
	}
	test_trfcr_traps();
}
