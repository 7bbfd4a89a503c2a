// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of the PMU as external inputs of the trace unit, and events of trace unit and trace buffer
 * unit in the PMU.
 */
#include "laps.h"

#define PMCR_EL0       SYSREG(3, 3, 9, 12, 0)
#define PMCNTENSET_EL0 SYSREG(3, 3, 9, 12, 1)
#define PMCNTENCLR_EL0 SYSREG(3, 3, 9, 12, 2)
#define PMOVSCLR_EL0   SYSREG(3, 3, 9, 12, 3)
#define PMSWINC_EL0    SYSREG(3, 3, 9, 12, 4)
#define PMCEID0_EL0    SYSREG(3, 3, 9, 12, 6)
#define PMUSERENR_EL0  SYSREG(3, 3, 9, 14, 0)
#define PMINTENSET_EL1 SYSREG(3, 0, 9, 14, 1)
#define PMINTENCLR_EL1 SYSREG(3, 0, 9, 14, 2)
#define PMEVCNTR(N)    SYSREG(3, 3, 14, 8, N)
#define PMEVTYPER(N)   SYSREG(3, 3, 14, 12, N)
#define TRFCR_EL2      SYSREG(3, 4, 1, 2, 1)

#define TRBREG(OP2) SYSREG(3, 0, 9, 11, OP2)
enum { LIMITR, PTR, BASER, SR, MAR, MPAM, TRG };

enum {
	SW_INCR = 0x0000,
	TRB_WRAP = 0x400c,
	PMU_OVFS = 0x400d,
	TRB_TRIG = 0x400e,
	PMU_HOVFS = 0x400f,
	TRCEXTOUT = 0x4010,
};

#define LAPS 9
/* of an event counter: EL2 as well */
#define NSH BIT(27)

static uint8_t buffer[4096] __attribute__((aligned(4096)));

static void pmu_on(uint64_t overflow_interrupts)
{
	if (base_el == 3)
		/* SPME, NSTB */
		set(MDCR_EL3, BIT(17) | 3ull << 24);
	if (base_el >= 2 && have_el2())
		/* HPMN: no counter is EL2's */
		set(MDCR_EL2, 3ull << 24 | (get(PMCR_EL0) >> 11 & 31));
	set(PMINTENCLR_EL1, ~0ull);
	set(PMINTENSET_EL1, overflow_interrupts);
	set(PMOVSCLR_EL0, ~0ull);
	set(PMCNTENSET_EL0, 3);
	/* E */
	set(PMCR_EL0, 1);
}

static void pmu_off(void)
{
	set(PMCR_EL0, 0);
	set(PMCNTENCLR_EL0, ~0ull);
	set(PMINTENCLR_EL1, ~0ull);
	set(PMOVSCLR_EL0, ~0ull);
	controls_off();
}

/* Counter 0 of the PMU counts an event, from a value on. */
static void pmu_counts(unsigned number, uint64_t from)
{
	set(PMEVTYPER(0), NSH | number);
	set(PMEVCNTR(0), from);
	set(PMOVSCLR_EL0, ~0ull);
}

static uint64_t pmu_count(unsigned number)
{
	pmu_counts(number, 0);
	run_laps(LAPS);
	return (uint32_t)get(PMEVCNTR(0));
}

/* ETEEvent n in each lap */
static void event_each_lap(unsigned n)
{
	compare_address(0, lap_2);
	select_resources(2, ADDRESS, 1);
	set(TRCREG(EVENTCTL0R), UINT64_C(2) << (8 * n));
}

static void test_event_numbers(void)
{
	uint64_t there = get(PMCEID0_EL0) >> 32, expected = 0;

	if (option("trbe", 0))
		expected |= BIT(12) | BIT(14);
	if (option("ete-resource-pairs", 8))
		expected |= (BIT(option("ete-events", 4)) - 1) << 16;
	if (there != expected)
		note("PMCEID0_EL0 %lx", get(PMCEID0_EL0));
	ok(there == expected, "PMCEID0_EL0 has TRB_WRAP, TRB_TRIG and the TRCEXTOUT<n> there are");
}

static void test_external_outputs(void)
{
	unsigned last = (unsigned)option("ete-events", 4) - 1;

	program_nothing();
	pmu_on(0);
	event_each_lap(last);
	ok(pmu_count(TRCEXTOUT + last) == LAPS, "the PMU counts TRCEXTOUT<n>");
	ok(last == 0 || !pmu_count(TRCEXTOUT), "and no other event with it");
	set(PMCNTENCLR_EL0, 1);
	ok(!pmu_count(TRCEXTOUT + last), "not with its counter off");
	set(PMCNTENSET_EL0, 1);
	pmu_counts(TRCEXTOUT + last, 0xffffffff - 2);
	run_laps(LAPS);
	ok((uint32_t)get(PMEVCNTR(0)) == LAPS - 3 && (get(PMOVSCLR_EL0) & 1),
	   "an overflow is flagged");
	pmu_counts(TRCEXTOUT + last, 0xffffffff - LAPS);
	run_laps(LAPS);
	ok(!(get(PMOVSCLR_EL0) & 1), "what is none, is not");
	pmu_off();
}

/* The buffer wraps, and the Trigger Event comes, once each. */
static void buffer_on(void)
{
	uint64_t base = (uint64_t)(uintptr_t)buffer;

	set(TRBREG(LIMITR), 0);
	set(TRBREG(BASER), base);
	set(TRBREG(PTR), base + sizeof(buffer) - 64);
	set(TRBREG(SR), 0);
	set(TRBREG(TRG), 0);
	/* Circular Buffer mode, Ignore trigger */
	set(TRBREG(LIMITR), (base + sizeof(buffer)) | 3 << 3 | 3 << 1 | 1);
}

/* so much trace that the buffer wraps: an Event packet with each instruction */
static void fill(void)
{
	set(TRCREG(EVENTCTL0R), 1);
	set(TRCREG(EVENTCTL1R), 1);
}

static void test_buffer_events(void)
{
	program_nothing();
	pmu_on(0);
	buffer_on();
	fill();
	ok(pmu_count(TRB_WRAP) == 1 && get(TRBREG(SR)) == (BIT(20) | BIT(21)),
	   "the PMU counts TRB_WRAP");
	buffer_on();
	ok(pmu_count(TRB_TRIG) == 1, "the PMU counts TRB_TRIG, in Ignore trigger mode (R_LMQHK)");
	set(TRBREG(LIMITR), 0);
	ok(!pmu_count(TRB_WRAP), "no buffer, no TRB_WRAP");
	pmu_off();
}

/* ---- External inputs ---- */

/* How often input 0 was active while the laps ran */
static uint64_t input_in(unsigned number, uint64_t laps)
{
	set(TRCREG(EXTINSELR), number);
	select_resources(3, EXTERNAL, 1);
	return count_event(3, laps);
}

static uint64_t input(unsigned number)
{
	return input_in(number, LAPS);
}

/* Does an input wait in TRCRSR.EXTIN? It does not any more. */
static bool pending(void)
{
	bool is = get(TRCREG(RSR)) & 1;

	set(TRCREG(RSR), 0x1000);
	return is;
}

static void test_trace_inputs(void)
{
	program_nothing();
	event_each_lap(0);
	ok(input(TRCEXTOUT) == LAPS, "an external input: TRCEXTOUT0");
	ok(!input(TRCEXTOUT + 1), "an external input: TRCEXTOUT1 does not occur");
	/* it occurs in the last cycle, too */
	set(TRCREG(EVENTCTL0R), 1);
	ok(input(TRCEXTOUT) && pending(),
	   "an input that comes too late is kept for later (R_FHYQW)");
	event_each_lap(0);
	if (!option("trbe", 0))
		return;
	buffer_on();
	ok(input(TRB_TRIG) == 1, "an external input: TRB_TRIG");
	fill();
	buffer_on();
	/* while the resources run: long before the laps are over */
	ok(input_in(TRB_WRAP, 600) == 1, "an external input: TRB_WRAP");
	set(TRBREG(LIMITR), 0);
}

static void increment(void *value)
{
	__asm__ volatile("msr pmswinc_el0, %0\n"
			 "nop\n"
			 "msr pmswinc_el0, %0\n"
			 "nop\n"
			 "msr pmswinc_el0, xzr\n"
			 "nop"
			 :
			 : "r"(*(uint64_t *)value));
}

static uint64_t incremented(uint64_t counters)
{
	set(TRCREG(EXTINSELR), SW_INCR);
	select_resources(3, EXTERNAL, 1);
	set(TRCREG(CNTCTLR), 3);
	set(TRCREG(CNTVR), 0xffff);
	set(TRCREG(PRGCTLR), 1);
	set(SYSREG(3, 0, 1, 2, 1), 1);
	call_at(0, increment, &counters);
	set(SYSREG(3, 0, 1, 2, 1), 0);
	disable_unit();
	return 0xffff - get(TRCREG(CNTVR));
}

static void test_sw_increment(void)
{
	program_nothing();
	pmu_on(0);
	/* SW, EN */
	set(PMUSERENR_EL0, 3);
	ok(incremented(1) == 2, "an external input: SW_INCR, for each write with a bit set");
	ok(!incremented(BIT(30)), "SW_INCR: not for a counter that is not there");
	if (base_el >= 2 && have_el2()) {
		/* HPMN */
		set(MDCR_EL2, 3ull << 24 | 2);
		ok(incremented(2) == 2, "SW_INCR: a counter below HPMN (R_BXPZK)");
		ok(!incremented(4), "SW_INCR: a counter from HPMN on is EL2's");
		pmu_on(0);
	}
	/* trace is prohibited here */
	set(TRCREG(PRGCTLR), 1);
	set(PMSWINC_EL0, 1);
	disable_unit();
	ok(!(get(TRCREG(RSR)) & 15), "SW_INCR is not seen while trace is prohibited (R_RFWZB)");
	set(PMUSERENR_EL0, 0);
	pmu_off();
}

/* A counter that overflows with the next SW_INCR */
static void about_to_overflow(unsigned n)
{
	set(PMEVTYPER(n), NSH | SW_INCR);
	set(PMEVCNTR(n), 0xffffffff);
	set(PMOVSCLR_EL0, ~0ull);
}

static bool overflow_while_paused(unsigned n, unsigned number)
{
	program_nothing();
	set(TRCREG(EXTINSELR), number);
	about_to_overflow(n);
	set(TRCREG(PRGCTLR), 1);
	set(PMSWINC_EL0, BIT(n));
	disable_unit();
	return pending();
}

static void test_overflow_input(void)
{
	program_nothing();
	pmu_on(1);
	event_each_lap(0);
	pmu_counts(TRCEXTOUT, 0xffffffff - 2);
	ok(input(PMU_OVFS) == 1, "an external input: PMU_OVFS");
	pmu_counts(TRCEXTOUT, 0);
	ok(!input(PMU_OVFS), "PMU_OVFS: not without an overflow");
	ok(overflow_while_paused(0, PMU_OVFS),
	   "PMU_OVFS is seen while trace is prohibited, in TRCRSR.EXTIN (R_VBCBZ, R_KCXLF)");
	ok(!overflow_while_paused(0, PMU_HOVFS), "it is not PMU_HOVFS");
	pmu_on(0);
	ok(!overflow_while_paused(0, PMU_OVFS), "PMU_OVFS: not with PMINTENSET clear");
	pmu_off();
}

static void test_el2_overflow_input(void)
{
	pmu_on(3);
	/* HPMN is 1, HPME: counter 1 is EL2's */
	set(MDCR_EL2, 3ull << 24 | BIT(7) | 1);
	/* E2TRE; EL2 is above the owner of the buffer, which is enabled */
	set(TRFCR_EL2, 2);
	if (option("trbe", 0))
		buffer_on();
	ok(overflow_while_paused(1, PMU_HOVFS) || !option("trbe", 0),
	   "PMU_HOVFS is seen while trace is prohibited (R_KRSMY)");
	ok(!overflow_while_paused(1, PMU_OVFS), "it is not PMU_OVFS");
	set(TRFCR_EL2, 0);
	ok(!overflow_while_paused(1, PMU_HOVFS), "PMU_HOVFS: not with TRFCR_EL2.E2TRE clear");
	if (option("trbe", 0))
		set(TRBREG(LIMITR), 0);
	pmu_off();
}

void test_pmu(void)
{
	test_event_numbers();
	if (!option("ete-resource-pairs", 8) || !option("ete-address-pairs", 4) ||
	    !option("ete-counters", 2) || !option("ete-external-inputs", 4))
		return;
	test_external_outputs();
	/* these count a byte exactly */
	if (option("trbe", 0) && !option("trbe-align", 0) && !option("ete-maxspec", 0))
		test_buffer_events();
	test_trace_inputs();
	test_sw_increment();
	test_overflow_input();
	if (base_el >= 2 && have_el2())
		test_el2_overflow_input();
	program_nothing();
}
