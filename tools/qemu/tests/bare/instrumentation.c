// SPDX-License-Identifier: GPL-2.0-only
/*
 * FEAT_ITE: the registers that control it, who may access them, and where TRCIT writes its value
 * into the trace.
 *
 * The encodings, fields and traps are read out of the manual by hand (D24.4.48 to D24.4.50,
 * D24.2.66 to D24.2.74, D24.3, C5.8.1) and share nothing with the device model.
 */
#include "packets.h"

#define ID_AA64DFR1_EL1  SYSREG(3, 0, 0, 5, 1)
#define ID_AA64MMFR0_EL1 SYSREG(3, 0, 0, 7, 0)
#define TRCITECR_EL1     SYSREG(3, 0, 1, 2, 3)
#define TRCITECR_EL2     SYSREG(3, 4, 1, 2, 3)
#define TRCITECR_EL12    SYSREG(3, 5, 1, 2, 3)
#define TRCIT            SYSREG(1, 3, 7, 2, 7)
#define HDFGRTR2_EL2     SYSREG(3, 4, 3, 1, 0)
#define HDFGWTR2_EL2     SYSREG(3, 4, 3, 1, 1)
#define TRFCR_EL1        SYSREG(3, 0, 1, 2, 1)
#define TRFCR_EL2        SYSREG(3, 4, 1, 2, 1)

/* TRCITEEDCR */
#define ITEEDCR 0x048

#define NTRCITECR BIT(20)
#define FGTEN2    BIT(59)
#define ENITE     BIT(47)
#define NSTB      (UINT64_C(3) << 24)
#define STE       BIT(18)
#define TGE       BIT(27)
#define E2H       BIT(34)
#define RW        BIT(31)

/* started, TRUE, all Exception levels left out */
#define VIEW_NONE (UINT64_C(0x7f0000) | BIT(9) | 1)

/* The registers of FEAT_FGT2, and the bits of each that are of FEAT_ITE */
static const struct {
	uint32_t reg;
	uint64_t kept;
} fgt2[] = {
	{HDFGRTR2_EL2, NTRCITECR},  {HDFGWTR2_EL2, NTRCITECR},  {SYSREG(3, 4, 3, 1, 2), 0},
	{SYSREG(3, 4, 3, 1, 3), 0}, {SYSREG(3, 4, 3, 1, 7), 0},
};

static bool there(void)
{
	return option("ete-instrumentation", 0);
}

static bool el2(void)
{
	return base_el >= 2 && have_el2();
}

/* controls_off() without the traps of TRCITECR_ELx */
static void traps_off(void)
{
	controls_off();
	if (base_el == 3) {
		set(SCR_EL3, get(SCR_EL3) | FGTEN2);
		set(MDCR_EL3, NSTB | ENITE);
	}
	if (el2()) {
		set(HDFGRTR2_EL2, NTRCITECR);
		set(HDFGWTR2_EL2, NTRCITECR);
	}
}

static void traps_as_before(void)
{
	if (el2()) {
		set(HDFGRTR2_EL2, 0);
		set(HDFGWTR2_EL2, 0);
	}
	controls_off();
}

/* ---- registers ---- */

static void test_instrumentation_absent(void)
{
	static const uint32_t regs[] = {TRCITECR_EL1, TRCITECR_EL2, TRCITECR_EL12};
	bool good = true;

	for (size_t i = 0; i < ARRAY_SIZE(regs); i++) {
		good &= undefined(read_at(base_el, regs[i]), base_el);
		good &= undefined(write_at(base_el, regs[i], 0), base_el);
	}
	ok(good, "without FEAT_ITE, no TRCITECR_ELx");
	ok(undefined(write_at(base_el, TRCIT, 0), base_el) && undefined(write_at(0, TRCIT, 0), 1),
	   "without FEAT_ITE, TRCIT is UNDEFINED");
	for (size_t i = 0; i < ARRAY_SIZE(fgt2) && el2(); i++)
		good &= undefined(read_at(base_el, fgt2[i].reg), base_el);
	ok(good, "without FEAT_ITE, no FEAT_FGT2");
}

static void test_instrumentation_identified(void)
{
	uint64_t fgt = get(ID_AA64MMFR0_EL1) >> 56 & 15;

	ok((get(ID_AA64DFR1_EL1) >> 44 & 15) == there(),
	   "ID_AA64DFR1_EL1.ITE is what was asked for");
	/* FEAT_ITE requires FEAT_FGT2 where there is EL2 */
	ok(fgt == (there() && have_el2() ? 2 : 1), "ID_AA64MMFR0_EL1.FGT");
}

static void test_instrumentation_registers(void)
{
	ok(get(TRCITECR_EL1) == 0, "TRCITECR_EL1 resets to zero");
	set(TRCITECR_EL1, ~0ull);
	ok(get(TRCITECR_EL1) == 3, "TRCITECR_EL1 keeps E0E and E1E");
	set(TRCITECR_EL1, 0);
	ok(undefined(read_at(0, TRCITECR_EL1), 1) && undefined(write_at(0, TRCITECR_EL1, 0), 1),
	   "TRCITECR_EL1 is UNDEFINED at EL0");
	if (el2()) {
		ok(get(TRCITECR_EL2) == 0, "TRCITECR_EL2 resets to zero");
		set(TRCITECR_EL2, ~0ull);
		ok(get(TRCITECR_EL2) == 3 && get(TRCITECR_EL1) == 0,
		   "TRCITECR_EL2 keeps E0HE and E2E");
		set(TRCITECR_EL2, 0);
		ok(undefined(read_at(1, TRCITECR_EL2), 1), "TRCITECR_EL2 is UNDEFINED at EL1");
	} else if (base_el == 3) {
		set(TRCITECR_EL2, ~0ull);
		ok(get(TRCITECR_EL2) == 0, "without EL2, TRCITECR_EL2 is RES0 at EL3");
	} else {
		ok(undefined(read_at(1, TRCITECR_EL2), 1), "TRCITECR_EL2 is UNDEFINED at EL1");
	}
}

/* FEAT_VHE */
static void test_instrumentation_host(void)
{
	ok(undefined(read_at(2, TRCITECR_EL12), 2),
	   "TRCITECR_EL12 is UNDEFINED at EL2 without E2H");
	set(TRCITECR_EL1, 1);
	set(TRCITECR_EL2, 2);
	set(HCR_EL2, RW | E2H);
	ok(read_at(2, TRCITECR_EL1).value == 2, "with E2H, TRCITECR_EL1 at EL2 is TRCITECR_EL2");
	write_at(2, TRCITECR_EL1, 3);
	ok(read_at(2, TRCITECR_EL2).value == 3, "and so it is for writes");
	ok(read_at(2, TRCITECR_EL12).value == 1, "TRCITECR_EL12 is TRCITECR_EL1");
	write_at(2, TRCITECR_EL12, 2);
	ok(read_at(1, TRCITECR_EL1).value == 2, "and so it is for writes");
	ok(undefined(read_at(1, TRCITECR_EL12), 1), "TRCITECR_EL12 is UNDEFINED at EL1");
	if (base_el == 3)
		ok(read_at(3, TRCITECR_EL1).value == 2 && read_at(3, TRCITECR_EL12).value == 2,
		   "at EL3 both are TRCITECR_EL1");
	set(TRCITECR_EL2, 0);
	set(TRCITECR_EL1, 0);
	traps_off();
}

/* ---- traps ---- */

/* Is each access to `reg` at `el` trapped to `to`, or, if that is 0, allowed? */
static bool both(unsigned el, uint32_t reg, unsigned to)
{
	bool good = true;

	for (unsigned way = 0; way < 2; way++) {
		struct outcome o = way ? write_at(el, reg, 0) : read_at(el, reg);

		if (to ? trapped(o, to, reg, !way) : !o.el)
			continue;
		note("%x %s at EL%u: taken to EL%u, syndrome %x", reg, way ? "write" : "read", el,
		     o.el, o.esr);
		good = false;
	}
	return good;
}

static void test_instrumentation_fine_grained_traps(void)
{
	bool good = true;

	for (size_t i = 0; i < ARRAY_SIZE(fgt2); i++) {
		set(fgt2[i].reg, ~0ull);
		good &= get(fgt2[i].reg) == fgt2[i].kept;
	}
	ok(good, "of FEAT_FGT2, nTRCITECR_EL1 alone is not RES0");
	ok(both(1, TRCITECR_EL1, 0), "nTRCITECR_EL1 set: no trap");
	set(HDFGRTR2_EL2, 0);
	ok(trapped(read_at(1, TRCITECR_EL1), 2, TRCITECR_EL1, true) &&
		   !write_at(1, TRCITECR_EL1, 0).el,
	   "HDFGRTR2_EL2.nTRCITECR_EL1 clear: reads trap to EL2");
	set(HDFGRTR2_EL2, NTRCITECR);
	set(HDFGWTR2_EL2, 0);
	ok(trapped(write_at(1, TRCITECR_EL1, 0), 2, TRCITECR_EL1, false) &&
		   !read_at(1, TRCITECR_EL1).el,
	   "HDFGWTR2_EL2.nTRCITECR_EL1 clear: writes trap to EL2");
	ok(both(2, TRCITECR_EL1, 0) && both(2, TRCITECR_EL2, 0), "they leave EL2 alone");
	ok(!write_at(0, TRCIT, 0).el && !write_at(1, TRCIT, 0).el, "and TRCIT");
	traps_off();
}

static void test_instrumentation_el3_traps(void)
{
	bool good = true;

	set(MDCR_EL3, NSTB);
	ok(both(1, TRCITECR_EL1, 3), "MDCR_EL3.EnITE clear: EL1 traps to EL3");
	if (el2()) {
		ok(both(2, TRCITECR_EL1, 3) && both(2, TRCITECR_EL2, 3), "and so does EL2");
		ok(undefined(read_at(2, TRCITECR_EL12), 2),
		   "TRCITECR_EL12 without E2H is UNDEFINED all the same");
		set(HCR_EL2, RW | E2H);
		ok(both(2, TRCITECR_EL12, 3), "TRCITECR_EL12 traps with E2H");
		set(HCR_EL2, RW);
		set(HDFGRTR2_EL2, 0);
		set(HDFGWTR2_EL2, 0);
		ok(both(1, TRCITECR_EL1, 2), "EL2's trap comes before EL3's");
	}
	ok(both(3, TRCITECR_EL1, 0), "EL3 is left alone");
	ok(!write_at(0, TRCIT, 0).el && !write_at(1, TRCIT, 0).el, "and TRCIT");
	traps_off();
	if (!el2())
		return;
	set(SCR_EL3, get(SCR_EL3) & ~FGTEN2);
	ok(both(1, TRCITECR_EL1, 2),
	   "SCR_EL3.FGTEn2 clear: the bits are treated as zero, EL1 traps to EL2");
	for (size_t i = 0; i < ARRAY_SIZE(fgt2); i++)
		good &= both(2, fgt2[i].reg, 3) && both(3, fgt2[i].reg, 0);
	ok(good, "and the registers of FEAT_FGT2 trap EL2 to EL3");
	/* Secure, without EEL2: EL2 is not there */
	set(SCR_EL3, BIT(10) | BIT(8) | 0x30);
	ok(both(1, TRCITECR_EL1, 0), "where EL2 is disabled, its trap is of no effect");
	traps_off();
}

/* ---- TRCIT ---- */

/* Execute TRCIT at `el`, trace being allowed as these say; what is in the trace goes to `got`. */
static void run_trcit(unsigned el, uint64_t trfcr_el1, uint64_t trfcr_el2, uint64_t value)
{
	struct outcome o;

	count_begin();
	set(TRCREG(PRGCTLR), 1);
	if (el2())
		set(TRFCR_EL2, trfcr_el2);
	set(TRFCR_EL1, trfcr_el1);
	o = write_at(el, TRCIT, value);
	set(TRFCR_EL1, 0);
	if (el2())
		set(TRFCR_EL2, 0);
	disable_unit();
	count_end();
	if (o.el)
		note("TRCIT at EL%u: taken to EL%u, syndrome %x", el, o.el, o.esr);
}

/* Is the value in the trace, once and with its Exception level, and nothing else? */
static bool has(unsigned el, uint64_t value)
{
	if (got.instrumentations == 1 && got.instrumentation[0].el == el &&
	    got.instrumentation[0].value == value && is(0, 0))
		return true;
	note("%u Instrumentation, %lx of EL%u", got.instrumentations, got.instrumentation[0].value,
	     got.instrumentation[0].el);
	return false;
}

static bool has_none(void)
{
	return !got.instrumentations && is(0, 0);
}

/* TRCITECR_EL1, each value of its fields: EL0 and EL1 */
static void test_instrumentation_levels(void)
{
	for (unsigned el = 0; el < 2; el++) {
		bool good = true;

		for (unsigned fields = 0; fields < 4; fields++) {
			uint64_t value = 0xfedcba9876543210 + fields;

			set(TRCITECR_EL1, fields);
			if (el2())
				set(TRCITECR_EL2, ~(uint64_t)fields);
			run_trcit(el, 3, 3, value);
			good &= fields >> el & 1 ? has(el, value) : has_none();
		}
		ok(good,
		   el ? "TRCIT at EL1: TRCITECR_EL1.E1E, ViewInst inactive (R_FLGVJ, I_MHGVF)"
		      : "TRCIT at EL0: TRCITECR_EL1.E0E, ViewInst inactive (R_FLGVJ, I_MHGVF)");
	}
	set(TRCITECR_EL1, 3);
	if (el2())
		set(TRCITECR_EL2, 3);
	run_trcit(0, 2, 2, 1);
	ok(has_none(), "TRCIT at EL0 where trace is prohibited is a NOP (R_JJZXW)");
	run_trcit(1, 1, 1, 1);
	ok(has_none(), "TRCIT at EL1 where trace is prohibited is a NOP (R_JJZXW)");
	if (base_el == 3) {
		run_trcit(3, 3, 3, 1);
		ok(has_none(), "TRCIT at EL3 is a NOP");
	}
}

/* TRCITECR_EL2: EL2, and EL0 with TGE */
static void test_instrumentation_levels_of_el2(void)
{
	/* EL2 owns the buffer */
	set(MDCR_EL2, 0);
	for (unsigned el = 0; el <= 2; el += 2) {
		bool good = true;

		set(HCR_EL2, RW | (el ? 0 : TGE));
		for (unsigned fields = 0; fields < 4; fields++) {
			set(TRCITECR_EL1, ~(uint64_t)fields);
			set(TRCITECR_EL2, fields);
			run_trcit(el, 3, 3, fields);
			good &= fields >> (el / 2) & 1 ? has(el, fields) : has_none();
		}
		ok(good, el ? "TRCIT at EL2: TRCITECR_EL2.E2E (R_FLGVJ)"
			    : "TRCIT at EL0 with TGE: TRCITECR_EL2.E0HE (R_FLGVJ)");
	}
	set(HCR_EL2, RW);
	set(TRCITECR_EL2, 3);
	/* EL1 owns it */
	set(MDCR_EL2, NSTB);
	run_trcit(2, 3, 3, 1);
	ok(has_none(), "TRCIT at EL2 is a NOP where EL1 owns the buffer (R_JJZXW, I_FGGXR)");
	traps_off();
}

static void test_instrumentation_secure(void)
{
	set(TRCITECR_EL1, 3);
	set(SCR_EL3, BIT(10) | BIT(8) | 0x30);
	/* Secure state owns the buffer */
	set(MDCR_EL3, BIT(24));
	run_trcit(1, 3, 0, 5);
	ok(has_none(), "TRCIT in Secure state is a NOP without MDCR_EL3.STE (R_JJZXW)");
	set(MDCR_EL3, BIT(24) | STE);
	run_trcit(1, 3, 0, 5);
	ok(has(1, 5), "TRCIT in Secure state, with it");
	set(MDCR_EL3, NSTB | STE);
	run_trcit(1, 3, 0, 5);
	ok(has_none(),
	   "TRCIT in Secure state is a NOP where Non-secure state owns the buffer (R_JJZXW)");
	traps_off();
}

/* What is for an external debugger is ignored; a trace unit that is disabled writes nothing. */
static void test_instrumentation_debugger(void)
{
	set(TRCITECR_EL1, 3);
	set(TRCREG(CONFIGR), BIT(18));
	run_trcit(0, 3, 0, 1);
	ok(has(0, 1), "TRCCONFIGR.ITO set and TRCITEEDCR zero are ignored (R_FLGVJ)");
	set(TRCREG(ITEEDCR), 0x3f);
	set(TRCITECR_EL1, 0);
	run_trcit(0, 3, 0, 1);
	ok(has_none(), "and so is TRCITEEDCR that permits all");
	set(TRCREG(ITEEDCR), 0);
	set(TRCREG(CONFIGR), 0);

	set(TRCITECR_EL1, 3);
	count_begin();
	set(TRFCR_EL1, 3);
	write_at(0, TRCIT, 1);
	set(TRFCR_EL1, 0);
	count_end();
	ok(has_none(), "TRCIT is a NOP while the trace unit is disabled");
	set(TRCREG(PRGCTLR), 1);
	set(OSLAR_EL1, 1);
	count_begin();
	set(TRFCR_EL1, 3);
	write_at(0, TRCIT, 1);
	set(TRFCR_EL1, 0);
	count_end();
	ok(has_none(), "and while the OS Lock is locked");
	disable_unit();
	set(OSLAR_EL1, 0);
}

__asm__(".pushsection .text\n"
	"instrumented:\n"
	"	mov	x1, #1\n"
	"	sys	#3, c7, c2, #7, x1\n"
	"	b	1f\n"
	"1:	mov	x1, #2\n"
	"	sys	#3, c7, c2, #7, x1\n"
	"	b	2f\n"
	"2:	b	3f\n"
	"3:	mov	x1, #3\n"
	"	sys	#3, c7, c2, #7, x1\n"
	"	mov	x1, #4\n"
	"	sys	#3, c7, c2, #7, x1\n"
	"	ret\n"
	".popsection");

extern void instrumented(void *);

static void test_instrumentation_order(void)
{
	const struct instrumentation *i = got.instrumentation;

	set(TRCITECR_EL1, 1);
	set(TRCREG(VICTLR), VIEW_EL0);
	count_begin();
	set(TRCREG(PRGCTLR), 1);
	set(TRFCR_EL1, 1);
	call_at(0, instrumented, NULL);
	set(TRFCR_EL1, 0);
	disable_unit();
	count_end();
	show_packets();
	ok(got.instrumentations == 4 && !got.unknown && i[0].value == 1 && i[1].value == 2 &&
		   i[2].value == 3 && i[3].value == 4,
	   "TRCIT in traced code: each value, once and in its order (R_BWHCS, R_NHJLQ)");
	ok(i[1].atoms == i[0].atoms + 1 && i[2].atoms == i[1].atoms + 2 &&
		   i[3].atoms == i[2].atoms && got.atoms > i[3].atoms,
	   "and between the Atoms of the branches before it and behind it");
	set(TRCREG(VICTLR), VIEW_NONE);
}

/* TRCITECR_EL1.E1E is set, and cleared, with TRCIT before the ISB and after it: 1, 2, 4 and 8 */
__asm__(".pushsection .text\n"
	"without_isb:\n"
	"	mov	x0, #2\n"
	"	mov	x1, #1\n"
	"1:	msr	S3_0_C1_C2_3, x0\n"
	"	sys	#3, c7, c2, #7, x1\n"
	"	lsl	x1, x1, #1\n"
	"	isb\n"
	"	sys	#3, c7, c2, #7, x1\n"
	"	lsl	x1, x1, #1\n"
	"	subs	x0, x0, #2\n"
	"	b.eq	1b\n"
	"	ret\n"
	".popsection");

extern void without_isb(void *);

/* A write to TRCITECR_EL1 is certain to be seen after a Context synchronization event. */
static void test_instrumentation_synchronized(void)
{
	uint64_t sum = 0;

	set(TRCITECR_EL1, 0);
	count_begin();
	set(TRCREG(PRGCTLR), 1);
	set(TRFCR_EL1, 2);
	if (base_el == 1)
		without_isb(NULL);
	else
		call_at(1, without_isb, NULL);
	set(TRFCR_EL1, 0);
	disable_unit();
	count_end();
	for (unsigned i = 0; i < got.instrumentations; i++)
		sum += got.instrumentation[i].value;
	note("the sum is %lx", sum);
	if (option("trace-sync-seed", 0))
		ok((sum & 10) == 2, "TRCITECR_EL1 written, ISB: it is seen");
	else if (option("trace-sync", 0))
		ok(sum == (2 | 4), "TRCITECR_EL1 written, no ISB: TRCIT is as before");
	else
		ok(sum == (1 | 2), "TRCITECR_EL1 written, no ISB: relaxed, it is seen at once");
}

void test_instrumentation(void)
{
	controls_off();
	test_instrumentation_identified();
	if (!there()) {
		test_instrumentation_absent();
		return;
	}
	/* where there is EL3 they reset to UNKNOWN values */
	if (base_el == 2)
		ok(!get(HDFGRTR2_EL2) && !get(HDFGWTR2_EL2),
		   "HDFGRTR2_EL2 and HDFGWTR2_EL2 reset to zero");
	traps_off();
	test_instrumentation_registers();
	if (el2()) {
		test_instrumentation_host();
		test_instrumentation_fine_grained_traps();
	}
	if (base_el == 3)
		test_instrumentation_el3_traps();
	/* few packets are known here; commits and padding are not */
	if (!option("trbe-align", 0) && !option("ete-maxspec", 0)) {
		program_nothing();
		set(TRCREG(VICTLR), VIEW_NONE);
		set(TRCREG(RSR), 0);
		test_instrumentation_levels();
		if (el2())
			test_instrumentation_levels_of_el2();
		if (base_el == 3)
			test_instrumentation_secure();
		test_instrumentation_debugger();
		test_instrumentation_order();
		test_instrumentation_synchronized();
		set(TRCITECR_EL1, 0);
		if (el2())
			set(TRCITECR_EL2, 0);
		program_nothing();
	}
	traps_as_before();
}
