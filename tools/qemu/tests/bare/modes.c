// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each trace buffer mode, with each trigger mode, and Trigger Counters of all kinds, against the
 * sequential model of the manual (R_PLYXP), made anew here.
 */
#include "buffer.h"

/*
 * What the manual's loop makes of `bytes` bytes of trace. Where a Trigger Event is to stop
 * collection, the last of them are those that the trace unit held: the flush comes first.
 */
static struct result expected(const struct setup *setup, uint64_t bytes, bool *flushes)
{
	struct result r = {setup->status, setup->at, setup->trigger, 0};
	bool stopped = false;

	*flushes = false;
	for (uint64_t i = 0; i < bytes && !stopped; i++) {
		if (r.pointer == setup->size - 1) {
			r.pointer = 0;
			r.status |= SR_WRAP;
			if ((setup->modes & CIRCULAR) == FILL) {
				r.status |= SR_S | SR_IRQ | BSC_FULL;
				stopped = true;
			} else if ((setup->modes & CIRCULAR) == WRAP) {
				r.status |= SR_IRQ;
			}
		} else {
			r.pointer++;
		}
		if (!r.trigger || !(r.status & SR_TRG) || --r.trigger)
			continue;
		if ((setup->modes & IGNORE) == STOP)
			*flushes = !stopped;
		else if ((setup->modes & IGNORE) == IRQ)
			r.status |= SR_IRQ;
	}
	if (*flushes && !stopped)
		r.status |= SR_S | SR_IRQ | BSC_TRIGGER;
	return r;
}

/* Does the buffer have the trace, up to the current write pointer, and nothing else? */
static bool holds(const struct setup *setup, uint64_t bytes)
{
	uint64_t first = setup->size - setup->at;

	if (bytes <= first)
		return same(setup->at, reference, bytes) && same(0, NULL, setup->at);
	bytes -= first;
	return same(setup->at, reference, first) && same(0, reference + first, bytes) &&
	       same(bytes, NULL, setup->at - bytes);
}

static uint64_t collected(const struct setup *setup, struct result r)
{
	return r.status & SR_WRAP ? setup->size - setup->at + r.pointer : r.pointer - setup->at;
}

/* Room behind `at`: the buffer wraps after so many bytes, or not at all. */
static void test_mode(uint64_t mode, uint64_t trigger_mode, uint64_t room, const char *name)
{
	/* none; at once; before, with, and after the wrap; never */
	const uint64_t counts[] = {0, 1, 64, 128, 192, 2 * PAGE};
	uint64_t below = (UINT64_C(1) << option("trbe-align", 0)) - 1;
	bool all = true;

	for (unsigned i = 0; i < 2 * ARRAY_SIZE(counts); i++) {
		struct setup setup = {
			.modes = mode | trigger_mode,
			.size = PAGE,
			.at = PAGE - room,
			.trigger = counts[i / 2] & ~below,
			.status = i & 1 ? SR_TRG : 0,
		};
		struct result r = trace(&setup), want;
		uint64_t bytes = collected(&setup, r);
		bool good, flushes;

		want = expected(&setup, length, &flushes);
		/* how much the trace unit held is its own affair */
		if (flushes)
			want = expected(&setup, bytes, &flushes);
		good = r.status == want.status && r.trigger == want.trigger &&
		       r.pointer == want.pointer && holds(&setup, bytes);
		if (want.status & SR_IRQ)
			good = good && interrupt_pending();
		if (!good) {
			note("count %lx, TRG %u, room %lx: wanted, and got:", setup.trigger, i & 1,
			     room);
			show(want);
			show(r);
		}
		all = all && good;
	}
	set(TRBREG(SR), 0);
	ok(all, name);
}

static void test_each_mode(void)
{
	static const struct {
		uint64_t mode, trigger_mode;
		const char *name;
	} cases[] = {
		{FILL, STOP, "Fill mode, Stop on trigger: as the sequential model (R_PLYXP)"},
		{FILL, IRQ, "Fill mode, IRQ on trigger: as the sequential model (R_PLYXP)"},
		{FILL, IGNORE, "Fill mode, Ignore trigger: as the sequential model (R_PLYXP)"},
		{WRAP, STOP, "Wrap mode, Stop on trigger: as the sequential model (R_PLYXP)"},
		{WRAP, IRQ, "Wrap mode, IRQ on trigger: as the sequential model (R_PLYXP)"},
		{WRAP, IGNORE, "Wrap mode, Ignore trigger: as the sequential model (R_PLYXP)"},
		{CIRCULAR, STOP, "Circular mode, Stop on trigger: as the sequential model"},
		{CIRCULAR, IRQ, "Circular mode, IRQ on trigger: as the sequential model"},
		{CIRCULAR, IGNORE, "Circular mode, Ignore trigger: as the sequential model"},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		/* wraps; does not */
		test_mode(cases[i].mode, cases[i].trigger_mode, 128, cases[i].name);
		test_mode(cases[i].mode, cases[i].trigger_mode, PAGE, cases[i].name);
	}
}

/*
 * Stop on trigger: the flush that the Trigger Event initiates is complete before collection stops
 * (R_JQDJD). In strict mode the trace unit holds at least half a FIFO of 256 bytes then.
 */
static void test_trigger_flush(void)
{
	struct setup setup = {
		.modes = CIRCULAR | STOP,
		.size = PAGE,
		.status = SR_TRG,
		.trigger = 64,
		.rounds = 400,
	};
	struct result r = trace(&setup);
	bool strict = option("trace-sync", 0) && !option("trace-sync-seed", 0);

	show(r);
	ok(r.status == (SR_S | SR_TRG | SR_IRQ | BSC_TRIGGER) && r.pointer >= (strict ? 256 : 64) &&
		   r.pointer < PAGE,
	   "Stop on trigger: the trace unit is flushed, then collection stops (R_JQDJD)");
}

/* The pointers are those of the registers: R_JMPCB, R_LLBBS, R_KXRTY, R_PBGNS, R_WKBRT */
static void test_pointers(void)
{
	uint64_t base = (uint64_t)(uintptr_t)buffer;
	struct setup setup = {.modes = CIRCULAR | IGNORE, .size = PAGE, .at = PAGE - 64};
	struct result r = trace(&setup);

	ok(get(TRBREG(BASER)) == base && (get(TRBREG(LIMITR)) & ~0xfffull) == base + PAGE &&
		   get(TRBREG(PTR)) == base + r.pointer,
	   "the pointers of the buffer are in their registers (R_JMPCB, R_LLBBS, R_KXRTY)");
	ok(r.pointer == length - 64 && same(0, reference + 64, length - 64),
	   "the buffer goes on at the Base pointer (R_WKBRT)");
	/* low bits that are not there, so that software need not care for them */
	set(TRBREG(BASER), base | 0xfff);
	ok(get(TRBREG(BASER)) == base, "the Base pointer is aligned to 4KB (R_XBLPK)");
	set(TRBREG(LIMITR), (base + PAGE) | 0xfc0);
	ok(get(TRBREG(LIMITR)) == base + PAGE, "so is the Limit pointer (R_XBLPK)");
	/* not the first page: the Base pointer itself counts, and not where the buffer is */
	setup.base = base + PAGE;
	setup.at = 0;
	r = trace(&setup);
	ok(r.pointer == length && same(PAGE, reference, length) && same(0, NULL, PAGE),
	   "a buffer elsewhere (R_FVPBS)");
}

/* TRBIDR_EL1.Align: R_VMVJH */
static void test_alignment(void)
{
	uint64_t below = (UINT64_C(1) << option("trbe-align", 0)) - 1;
	uint64_t base = (uint64_t)(uintptr_t)buffer;
	struct setup setup = {.modes = FILL | IGNORE, .size = sizeof(buffer)};
	bool aligned = true, padded = !below;

	for (setup.rounds = 100; setup.rounds < 108; setup.rounds++) {
		struct result r = trace(&setup);

		aligned = aligned && !(r.pointer & below);
		padded = padded || buffer[r.pointer - 1] == 0x70;
	}
	ok(aligned && padded,
	   "after TSB CSYNC, TRBPTR_EL1 is aligned, by Ignore packets, as TRBIDR_EL1.Align says");
	set(TRBREG(LIMITR), 0);
	set(TRBREG(PTR), base + 0xfff);
	ok(get(TRBREG(PTR)) == base + (0xfff & ~below),
	   "bits of TRBPTR_EL1 below it are RES0 (R_VMVJH)");
}

/* An event while collection is stopped leaves the syndrome as it is. */
static void test_first_event(void)
{
	struct setup setup = {
		.modes = FILL | IRQ,
		.size = PAGE,
		.at = PAGE - 64,
		.status = SR_TRG,
		.trigger = 64,
	};
	struct result r = trace(&setup);

	show(r);
	ok(r.status == (SR_S | SR_WRAP | SR_TRG | SR_IRQ | BSC_FULL) && r.trigger == 0,
	   "buffer filled, and a Trigger Event with the same byte: BSC says why collection "
	   "stopped");
}

/* Software sets TRBSR_EL1.TRG: TRBTRG_EL1 counts all the same, and no Detected Trigger is needed.
 */
static void test_software_trigger(void)
{
	struct setup setup = {
		.modes = FILL | IRQ,
		.size = PAGE,
		.status = SR_TRG,
		.trigger = 64,
	};
	struct result r = trace(&setup);

	ok(r.status == (SR_TRG | SR_IRQ) && r.trigger == 0,
	   "TRBSR_EL1.TRG set by software: TRBTRG_EL1 counts down, and a Trigger Event comes");
	setup.trigger = 0;
	r = trace(&setup);
	ok(r.status == SR_TRG && r.pointer == length,
	   "with a Trigger Counter of 0, setting it is no Trigger Event");
}

void test_modes(void)
{
	test_each_mode();
	test_trigger_flush();
	test_pointers();
	test_alignment();
	test_first_event();
	test_software_trigger();
}
