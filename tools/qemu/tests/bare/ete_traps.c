// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may access the registers of the trace unit: CPACR_EL1.TTA, CPTR_EL2.TTA, CPTR_EL3.TTA.
 */
#include "bare.h"

/* All that are there: found, not listed */
static struct probe {
	uint16_t offset;
	bool writable;
} probes[1024];
static unsigned probe_count;

static void find_probes(void)
{
	probe_count = 0;
	for (unsigned offset = 0; offset < 0x1000; offset += 4) {
		if (read_at(base_el, TRCREG(offset)).el)
			continue;
		probes[probe_count].offset = (uint16_t)offset;
		probes[probe_count++].writable = !write_at(base_el, TRCREG(offset), 0).el;
	}
}

/* Does each access at `el` end as `check` wants it to? */
static bool each(unsigned el, bool (*check)(struct outcome, uint32_t reg, bool read))
{
	bool good = true;

	for (unsigned i = 0; i < probe_count; i++) {
		uint32_t reg = TRCREG(probes[i].offset);

		for (unsigned way = 0; way < 1u + probes[i].writable; way++) {
			struct outcome o = way ? write_at(el, reg, 0) : read_at(el, reg);

			if (check(o, reg, !way))
				continue;
			note("%x %s at EL%u: taken to EL%u, syndrome %x", probes[i].offset,
			     way ? "write" : "read", el, o.el, o.esr);
			good = false;
		}
	}
	return good;
}

static bool allowed(struct outcome o, uint32_t reg, bool read)
{
	(void)reg;
	(void)read;
	return o.el == 0;
}

static bool undefined_at_el1(struct outcome o, uint32_t reg, bool read)
{
	(void)reg;
	(void)read;
	return undefined(o, 1);
}

static bool to_el1(struct outcome o, uint32_t reg, bool read)
{
	return trapped(o, 1, reg, read);
}

static bool to_el2(struct outcome o, uint32_t reg, bool read)
{
	return trapped(o, 2, reg, read);
}

static bool to_el3(struct outcome o, uint32_t reg, bool read)
{
	return trapped(o, 3, reg, read);
}

static void test_el2_control(void)
{
	set(CPTR_EL2, 0x33ff | BIT(20));
	ok(each(1, to_el2), "CPTR_EL2.TTA traps EL1 to EL2");
	ok(each(2, to_el2), "CPTR_EL2.TTA traps EL2 to EL2");
	if (base_el == 3)
		ok(each(3, allowed), "CPTR_EL2.TTA leaves EL3 alone");
	ok(each(0, undefined_at_el1), "EL0 finds them UNDEFINED all the same");
	set(CPACR_EL1, 3 << 20 | BIT(28));
	ok(each(1, to_el1), "CPACR_EL1.TTA comes before CPTR_EL2.TTA");
	controls_off();
	/* MDCR_EL2.TDA and TDRA are for debug registers, TTRF for TRFCR */
	set(MDCR_EL2, 3ull << 24 | BIT(9) | BIT(11) | BIT(19));
	ok(each(1, allowed), "MDCR_EL2.TDA, TDRA and TTRF do not trap them");
	controls_off();

	/* E2H; FPEN as CPACR_EL1 has it */
	set(HCR_EL2, BIT(31) | BIT(34));
	set(CPTR_EL2, 3 << 20);
	ok(each(1, allowed) && each(2, allowed), "with E2H, bit 20 of CPTR_EL2 is not TTA");
	set(CPTR_EL2, 3 << 20 | BIT(28));
	ok(each(1, to_el2) && each(2, to_el2), "with E2H, bit 28 of CPTR_EL2 is TTA");
	controls_off();
}

static void test_el3_control(void)
{
	set(CPTR_EL3, BIT(20));
	ok(each(1, to_el3), "CPTR_EL3.TTA traps EL1 to EL3");
	if (have_el2())
		ok(each(2, to_el3), "CPTR_EL3.TTA traps EL2 to EL3");
	ok(each(3, to_el3), "CPTR_EL3.TTA traps EL3 to EL3");
	ok(each(0, undefined_at_el1), "EL0 finds them UNDEFINED all the same");
	if (have_el2()) {
		set(CPTR_EL2, 0x33ff | BIT(20));
		ok(each(1, to_el2), "CPTR_EL2.TTA comes before CPTR_EL3.TTA");
		/* Secure, without EEL2: EL2 is not there */
		set(SCR_EL3, BIT(10) | BIT(8) | 0x30);
		ok(each(1, to_el3), "where EL2 is disabled, its control is of no effect");
	}
	controls_off();
	set(MDCR_EL3, 3ull << 24 | BIT(9) | BIT(19));
	ok(each(1, allowed), "MDCR_EL3.TDA and TTRF do not trap them");
	controls_off();
}

void test_ete_traps(void)
{
	controls_off();
	find_probes();
	/* those that every trace unit has; which others, is test_ete()'s to say */
	ok(probe_count >= 31, "registers to try");
	for (unsigned el = 1; el <= base_el; el++) {
		if (el == 2 && !have_el2())
			continue;
		ok(each(el, allowed), el == 1   ? "with no trap on, EL1 has access"
				      : el == 2 ? "with no trap on, EL2 has access"
						: "with no trap on, EL3 has access");
	}
	ok(each(0, undefined_at_el1), "at EL0 they are UNDEFINED");
	set(CPACR_EL1, 3 << 20 | BIT(28));
	ok(each(1, to_el1), "CPACR_EL1.TTA traps EL1 to EL1");
	if (base_el > 1)
		ok(each(base_el, allowed), "CPACR_EL1.TTA leaves higher levels alone");
	controls_off();
	if (base_el >= 2 && have_el2())
		test_el2_control();
	if (base_el == 3)
		test_el3_control();
}
