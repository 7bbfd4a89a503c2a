// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults and errata on demand: each machine has one of them, and this file shows what it does, and,
 * where there is a way around it, that this helps.
 */
#include "buffer.h"

#define EC(class)   ((uint64_t)(class) << 26)
#define EC_STAGE1   EC(0x24)
#define CACHE_LINE  64u
#define OVERWRITTEN (3 * CACHE_LINE)

static const struct setup plain = {.modes = FILL | IGNORE, .size = PAGE};

/* The reference came first: what is left of so many bytes then */
static uint64_t left(const char *name)
{
	return option(name, 0) - length;
}

/* Each time after so many bytes */
static void test_translation_fault(void)
{
	static const uint8_t turns[] = {0x24, 0x25, 0x1e, 0x1f, 0x3f};
	uint64_t at = left("trbe-fault-after"), asked = option("trbe-fault-class", 0x24);
	bool good = true;

	for (unsigned i = 0; i < 6; i++) {
		uint64_t class = asked ? asked : turns[i % ARRAY_SIZE(turns)];
		struct result r = trace(&plain);

		show(r);
		good = good && r.status == (SR_S | SR_IRQ | EC(class) | 0x07) && r.pointer == at &&
		       same(0, reference, at) && same(at, NULL, PAGE - at) && interrupt_pending();
		r = trace(&plain);
		good = good && r.status == 0 && r.pointer == length;
	}
	ok(good, "a fault after so many bytes, and again after as many more; its class");
}

static void test_injected_abort(void)
{
	uint64_t at = left("trbe-abort-after");
	struct result r = trace(&plain);

	show(r);
	if (option("trbe-external-abort", 0) == 1)
		ok(r.status == 0 && r.pointer == length && same(0, reference, at) &&
			   same(at, NULL, 16),
		   "an External abort that is ignored, as TRBIDR_EL1.EA says: trace is missing");
	else
		ok(r.status == (SR_S | SR_EA | SR_IRQ | EC_STAGE1 | 0x11) && r.pointer == at &&
			   same(0, reference, at) && same(at, NULL, PAGE - at),
		   "an External abort after so many bytes: EA, EC, FSC");
}

static void test_spurious(void)
{
	struct result r = trace(&plain);

	show(r);
	ok(r.status == SR_IRQ && interrupt_pending(), "a spurious interrupt: IRQ, and no reason");
	ok(r.pointer == length && same(0, reference, length), "and trace is as it was");
	set(TRBREG(SR), 0);
	ok(!interrupt_pending(), "it goes when IRQ is cleared");
}

static void test_overwrites(void)
{
	/* strict, what the trace unit still holds when it has an overflow is lost */
	bool all = !option("trace-sync", 0);
	struct setup setup = plain;
	struct result r;

	setup.at = PAGE - 16;
	r = trace(&setup);
	show(r);
	ok(r.status == (SR_S | SR_WRAP | SR_IRQ | BSC_FULL) && r.pointer > 0 &&
		   r.pointer <= OVERWRITTEN && (!all || r.pointer == OVERWRITTEN) &&
		   same(PAGE - 16, reference, 16) && same(0, reference + 16, r.pointer) &&
		   same(r.pointer, NULL, PAGE - 16 - r.pointer),
	   "Fill mode: three cache lines at the base are overwritten, TRBPTR_EL1 has moved");
	setup.at = PAGE - length;
	r = trace(&setup);
	ok(r.pointer == 0, "not where nothing comes after the buffer is full");
	setup.modes = WRAP | IGNORE;
	setup.at = PAGE - 16;
	r = trace(&setup);
	ok(r.pointer == length - 16 && same(0, reference + 16, length - 16),
	   "Wrap mode: as it should be");
}

static void test_beyond(void)
{
	struct setup setup = plain;
	struct result r;

	setup.at = PAGE - 16;
	r = trace(&setup);
	show(r);
	ok(r.status == (SR_S | SR_WRAP | SR_IRQ | BSC_FULL) && r.pointer == 0 &&
		   same(PAGE, reference + 16, CACHE_LINE) &&
		   same(PAGE + CACHE_LINE, NULL, CACHE_LINE),
	   "Fill mode: a cache line of trace is written at the Limit pointer");
	/* in pieces: the Trigger Counter ends in the middle of it */
	setup.modes = CIRCULAR | IGNORE;
	setup.status = SR_TRG;
	setup.trigger = 48;
	r = trace(&setup);
	show(r);
	ok(r.pointer == length - 16 && same(PAGE, reference + 16, CACHE_LINE) &&
		   same(0, NULL, CACHE_LINE) &&
		   same(CACHE_LINE, reference + 16 + CACHE_LINE, length - 16 - CACHE_LINE),
	   "Circular mode: it is missing at the Base pointer");
}

/* Up to where trace is stopped; all barriers but TSB CSYNC */
static void trace_unfinished(void)
{
	uint64_t base = (uint64_t)(uintptr_t)buffer;

	for (unsigned i = 0; i < sizeof(buffer); i++)
		buffer[i] = BEFORE;
	set(TRBREG(LIMITR), 0);
	set(TRBREG(BASER), base);
	set(TRBREG(PTR), base);
	set(TRBREG(SR), 0);
	set(TRBREG(LIMITR), (base + PAGE) | FILL | IGNORE | 1);
	set(TRFCR_EL1, 1);
	set(TRCREG(0x004), 1);
	call_at(0, rounds, &(uint64_t){100});
	set(TRFCR_EL1, 0);
}

static uint64_t trace_finished(void)
{
	set(TRCREG(0x004), 0);
	__asm__ volatile("isb; hint #18; hint #18; dsb sy; isb" ::: "memory");
	set(TRBREG(LIMITR), 0);
	return get(TRBREG(PTR)) - (uint64_t)(uintptr_t)buffer;
}

static void test_tsb_fails(void)
{
	uint64_t base = (uint64_t)(uintptr_t)buffer, once, separate, twice;

	trace_unfinished();
	__asm__ volatile("isb; hint #18; dsb sy; isb" ::: "memory");
	once = get(TRBREG(PTR)) - base;
	__asm__ volatile("isb; hint #18; dsb sy; isb" ::: "memory");
	separate = get(TRBREG(PTR)) - base;
	__asm__ volatile("isb; hint #18; hint #18; dsb sy; isb" ::: "memory");
	twice = get(TRBREG(PTR)) - base;
	trace_finished();
	note("TRBPTR base + %lx, %lx, %lx", once, separate, twice);
	ok(once == 0 && separate == 0, "one TSB CSYNC leaves trace in the trace unit");
	ok(twice == length && same(0, reference, length), "two in a row do not");
	if (base_el != 1 || option("trace-sync", 0))
		return;
	/* EL1 is traced, and goes on */
	trace_unfinished();
	trace_finished();
	set(TRCREG(0x080), 0x4f0000 | BIT(9) | 1);
	set(TRBREG(PTR), base);
	set(TRBREG(LIMITR), (base + PAGE) | FILL | IGNORE | 1);
	set(TRFCR_EL1, 2);
	set(TRCREG(0x004), 1);
	rounds(&(uint64_t){100});
	__asm__ volatile("hint #18; isb" ::: "memory");
	once = get(TRBREG(PTR)) - base;
	set(TRFCR_EL1, 0);
	trace_finished();
	ok(once > 0, "where trace is allowed, one is enough");
	program();
}

static void test_ignores_writes(void)
{
	bool good = true;
	uint64_t pointer;

	for (unsigned n = LIMITR; n <= TRG; n++) {
		uint64_t value = n == MAR ? 0xff : 0x4000, none = n == LIMITR ? 0x40000000 : 0;
		uint64_t seen[2];

		if (n == MPAM)
			continue;
		__asm__ volatile("hint #18; dsb sy" ::: "memory");
		set(TRBREG(n), none);
		set(TRBREG(LIMITR), 0x40000001);
		set(TRBREG(LIMITR), 0x40000000);
		set(TRBREG(n), value);
		seen[0] = get(TRBREG(n));
		__asm__ volatile("hint #18; dsb sy" ::: "memory");
		set(TRBREG(n), value);
		seen[1] = get(TRBREG(n));
		if (seen[0] == (n == MAR ? value : none) && seen[1] == value)
			continue;
		note("register %u: %lx, %lx", n, seen[0], seen[1]);
		good = false;
	}
	ok(good, "after E is cleared, writes are ignored until TSB CSYNC and DSB; not TRBMAR_EL1");
	set(TRBREG(PTR), 0);
	set(TRBREG(LIMITR), 0x40000001);
	set(TRBREG(LIMITR), 0x40000000);
	__asm__ volatile("hint #18; msr S3_0_C9_C11_1, %1; isb; mrs %0, S3_0_C9_C11_1"
			 : "=r"(pointer)
			 : "r"(UINT64_C(0x4000)));
	ok(pointer == 0, "TSB CSYNC alone is not enough");
	__asm__ volatile("dsb sy" ::: "memory");
	set(TRBREG(LIMITR), 0);
	set(TRBREG(SR), 0);
}

/* TRFCR_EL1 lets trace through, so many ISBs after TRBLIMITR_EL1.E is set */
static void soon_after_enabling(unsigned isbs)
{
	uint64_t limit = (uint64_t)(uintptr_t)buffer + PAGE;

	trace_finished();
	for (unsigned i = 0; i < sizeof(buffer); i++)
		buffer[i] = BEFORE;
	set(TRBREG(PTR), (uint64_t)(uintptr_t)buffer);
	set(TRBREG(SR), 0);
	set(TRCREG(0x004), 1);
	__asm__ volatile("msr S3_0_C9_C11_0, %0; isb" : : "r"(limit | FILL | IGNORE | 1));
	if (isbs > 1)
		__asm__ volatile("isb" ::: "memory");
	__asm__ volatile("msr S3_0_C1_C2_1, %0; isb" : : "r"(UINT64_C(2)));
	rounds(&(uint64_t){100});
	set(TRFCR_EL1, 0);
	trace_finished();
}

static void test_inconsistent(void)
{
	uint64_t victlr = get(TRCREG(0x080));
	bool same_kind;

	/* by an exception return, and many barriers before it */
	trace_unfinished();
	trace_finished();
	ok(same(0, reference, length), "an exception return later than that: trace is good");
	if (base_el != 1)
		return;
	set(TRCREG(0x080), 0x4f0000 | BIT(9) | 1);
	soon_after_enabling(1);
	same_kind = buffer[0] == 0xff && buffer[10] == 0xff && buffer[11] == 0x7f;
	ok(same_kind, "trace is allowed one ISB after TRBLIMITR_EL1.E is set: it is corrupted");
	soon_after_enabling(2);
	same_kind = buffer[0] == 0 && buffer[10] == 0 && buffer[11] == 0x80;
	ok(same_kind, "two ISBs: it is good");
	set(TRCREG(0x080), victlr);
}

/* The reference has the same fault, at other places. */
static void test_corrupts(void)
{
	struct setup setup = plain;
	struct result r;
	bool good = reference[0] == 0xff && reference[1] == 0 && reference[11] == 0x80;

	setup.at = CACHE_LINE / 2;
	r = trace(&setup);
	for (uint64_t i = 0; i < length; i++) {
		uint8_t want = reference[i];

		if (i % (CACHE_LINE / 2) == 0)
			want = (uint8_t)~want;
		good = good && buffer[setup.at + i] == want;
	}
	ok(r.pointer == setup.at + length && good,
	   "the first byte of each cache line is corrupted");
}

void test_faults(void)
{
	static const struct {
		const char *property;
		void (*test)(void);
	} tests[] = {
		{"trbe-fault-after", test_translation_fault},
		{"trbe-abort-after", test_injected_abort},
		{"trbe-spurious-after", test_spurious},
		{"trbe-overwrites", test_overwrites},
		{"trbe-beyond-limit", test_beyond},
		{"trbe-tsb-fails", test_tsb_fails},
		{"trbe-ignores-writes", test_ignores_writes},
		{"trbe-inconsistent", test_inconsistent},
		{"trbe-corrupts", test_corrupts},
	};
	struct setup setup = plain;
	struct result r;

	program();
	/* the unit is disabled by now, and the first TSB CSYNC of two would be lost */
	__asm__ volatile("hint #18; hint #18; dsb sy" ::: "memory");
	setup.size = sizeof(buffer);
	r = trace(&setup);
	length = r.pointer;
	for (unsigned i = 0; i < sizeof(buffer); i++)
		reference[i] = buffer[i];
	ok(r.status == 0 && length > 128, "a trace before the fault comes");
	for (unsigned i = 0; i < ARRAY_SIZE(tests); i++) {
		if (option(tests[i].property, 0))
			tests[i].test();
	}
}
