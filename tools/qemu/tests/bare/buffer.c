// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace buffer at work: the same code at EL0 is traced again and again, into buffers of all
 * modes. A trace without limits, taken first, is what every other is held against.
 */
#include "buffer.h"

uint8_t buffer[PAGES * PAGE] __attribute__((aligned(PAGE)));
uint8_t reference[PAGES * PAGE];
uint64_t length;
/* the current write pointer, from the base, after the TSB CSYNC that setup->flushed asks for */
static uint64_t flushed;

extern const char round_begins[], round_ends[];

/* Each round has a target that no code gives, so trace of a known growth. */
__attribute__((noinline)) void rounds(void *argument)
{
	uint64_t left = *(uint64_t *)argument, at;

	__asm__ volatile("round_begins:\n"
			 "1:	adr	%1, 2f\n"
			 "	tbz	%0, #0, 3f\n"
			 "	add	%1, %1, #4\n"
			 "3:	br	%1\n"
			 "2:	nop\n"
			 "	subs	%0, %0, #1\n"
			 "round_ends:\n"
			 "	b.ne	1b\n"
			 : "+r"(left), "=&r"(at)
			 :
			 : "cc");
}

static void trace_sync(void)
{
	/* see test_tsb_fails() */
	if (option("trbe-tsb-fails", 0))
		__asm__ volatile("isb; hint #18; hint #18; dsb sy; isb" ::: "memory");
	else
		__asm__ volatile("isb; hint #18; dsb sy; isb" ::: "memory");
}

void program(void)
{
	set(OSLAR_EL1, 0);
	set(TRCREG(0x004), 0);
	set(TRCREG(0x010), 0);
	if (option("ete-resource-pairs", 8)) {
		set(TRCREG(0x020), 0);
		set(TRCREG(0x024), 0);
	}
	set(TRCREG(0x028), 0x1000);
	set(TRCREG(0x030), 0);
	set(TRCREG(0x034), 0);
	/* started, TRUE, all Exception levels but Non-secure EL0 left out */
	set(TRCREG(0x080), 0x6f0000 | BIT(9) | 1);
	if (option("ete-address-pairs", 4)) {
		set(TRCREG(0x03c), 0);
		set(TRCREG(0x084), 0);
		set(TRCREG(0x088), 0);
	}
	if (option("ete-pe-comparators", 0))
		set(TRCREG(0x08c), 0);
}

struct result trace(const struct setup *setup)
{
	uint64_t base = setup->base ? setup->base : (uint64_t)(uintptr_t)buffer;
	uint64_t count = setup->rounds ? setup->rounds : 100;

	for (unsigned i = 0; i < sizeof(buffer); i++)
		buffer[i] = BEFORE;
	set(TRBREG(LIMITR), 0);
	set(TRBREG(BASER), base);
	set(TRBREG(PTR), setup->pointer ? setup->pointer : base + setup->at);
	set(TRBREG(SR), setup->status);
	set(TRBREG(TRG), setup->trigger);
	set(TRBREG(LIMITR), (base + setup->size) | setup->modes | !setup->disabled);
	set(TRFCR_EL1, setup->prohibited ? 0 : 1 << setup->el);
	set(TRCREG(0x004), 1);
	if (setup->a32)
		run_a32_at(setup->el);
	else if (setup->code)
		call_at(setup->el, setup->code, &count);
	else if (setup->el == base_el)
		rounds(&count);
	else
		call_at(setup->el, rounds, &count);
	if (setup->flushed) {
		trace_sync();
		flushed = get(TRBREG(PTR)) - base;
	}
	set(TRFCR_EL1, 0);
	trace_sync();
	set(TRCREG(0x004), 0);
	trace_sync();
	set(TRBREG(LIMITR), (base + setup->size) | setup->modes);
	return (struct result){get(TRBREG(SR)), get(TRBREG(PTR)) - base, get(TRBREG(TRG)),
			       get(TRBREG(LIMITR))};
}

bool same(uint64_t at, const uint8_t *what, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		if (buffer[at + i] != (what ? what[i] : BEFORE))
			return false;
	}
	return true;
}

#define PENDING ((volatile uint32_t *)0x080b0200)

bool interrupt_pending(void)
{
	return *PENDING >> 31;
}

void show(struct result r)
{
	note("TRBSR %lx, TRBPTR base + %lx, TRBTRG %lx", r.status, r.pointer, r.trigger);
}

static bool take_reference(void)
{
	struct result r = trace(&(struct setup){.modes = FILL | IGNORE, .size = sizeof(buffer)});
	bool synchronised = buffer[11] == 0x80;

	length = r.pointer;
	for (unsigned i = 0; i < sizeof(buffer); i++)
		reference[i] = buffer[i];
	for (unsigned i = 0; i < 11; i++)
		synchronised = synchronised && !buffer[i];
	show(r);
	ok(synchronised, "trace begins with an Alignment Synchronization");
	ok(length > 128 && length < PAGE && same(length, NULL, sizeof(buffer) - length),
	   "trace ends where the current write pointer is");
	ok(r.status == 0, "nothing happened: TRBSR_EL1 is 0");
	r = trace(&(struct setup){.modes = FILL | IGNORE, .size = sizeof(buffer)});
	ok(r.pointer == length && same(0, reference, length), "the same code has the same trace");
	return synchronised && length > 128 && length < PAGE;
}

static void test_full(void)
{
	struct setup setup = {.at = PAGE - 64, .size = PAGE};
	struct result r;

	setup.modes = FILL | IGNORE;
	r = trace(&setup);
	show(r);
	ok(r.status == (SR_S | SR_WRAP | SR_IRQ | BSC_FULL),
	   "Fill mode: collection stops, WRAP, IRQ, BSC 'buffer filled' (R_VHNTF)");
	ok(r.pointer == 0, "Fill mode: the current write pointer is the Base pointer");
	ok(same(PAGE - 64, reference, 64) && same(0, NULL, PAGE - 64),
	   "Fill mode: what fits is there, and nothing is overwritten (R_BGBCJ)");
	ok(same(PAGE, NULL, PAGE), "Fill mode: nothing from the Limit pointer on (R_FVPBS)");
	ok(interrupt_pending(), "Fill mode: the interrupt is pending");
	set(TRBREG(SR), 0);
	ok(!interrupt_pending(), "IRQ cleared: the interrupt is not pending any more");

	setup.modes = WRAP | IGNORE;
	r = trace(&setup);
	show(r);
	ok(r.status == (SR_WRAP | SR_IRQ), "Wrap mode: WRAP and IRQ, collection goes on");
	ok(r.pointer == length - 64 && same(PAGE - 64, reference, 64) &&
		   same(0, reference + 64, length - 64),
	   "Wrap mode: trace goes on at the Base pointer");
	ok(interrupt_pending(), "Wrap mode: the interrupt is pending");

	setup.modes = CIRCULAR | IGNORE;
	r = trace(&setup);
	show(r);
	ok(r.status == SR_WRAP, "Circular Buffer mode: WRAP, no event");
	ok(r.pointer == length - 64 && same(PAGE - 64, reference, 64) &&
		   same(0, reference + 64, length - 64),
	   "Circular Buffer mode: trace goes on at the Base pointer");
	ok(!interrupt_pending(), "Circular Buffer mode: no interrupt");

	/* the last byte that fits */
	setup.at = PAGE - 128;
	setup.modes = FILL | IGNORE;
	setup.at = PAGE - length;
	if (option("trbe-align", 0) == 0) {
		r = trace(&setup);
		show(r);
		ok(r.status == (SR_S | SR_WRAP | SR_IRQ | BSC_FULL) && r.pointer == 0 &&
			   same(PAGE - length, reference, length),
		   "Fill mode: the byte before the Limit pointer is the last");
	}
}

/* Software sets TRG: this model counts from there. */
static void test_trigger(void)
{
	static const uint64_t modes[] = {STOP, IRQ, IGNORE};
	struct setup setup = {.size = PAGE, .status = SR_TRG, .trigger = 64};
	struct result r;

	for (unsigned i = 0; i < ARRAY_SIZE(modes); i++) {
		setup.modes = CIRCULAR | modes[i];
		r = trace(&setup);
		show(r);
		ok(r.trigger == 0, "the Trigger Counter counts down to 0");
		switch (modes[i]) {
		case STOP:
			ok(r.status == (SR_S | SR_TRG | SR_IRQ | BSC_TRIGGER),
			   "Stop on trigger: collection stops, IRQ, BSC 'Trigger Event'");
			ok(r.pointer >= 64 && same(0, reference, 64) &&
				   same(r.pointer, NULL, PAGE - r.pointer),
			   "Stop on trigger: not before the Trigger Event");
			break;
		case IRQ:
			ok(r.status == (SR_TRG | SR_IRQ),
			   "IRQ on trigger: IRQ, collection goes on");
			ok(r.pointer == length && same(0, reference, length),
			   "IRQ on trigger: all trace is there");
			break;
		default:
			ok(r.status == SR_TRG, "Ignore trigger: no event");
			ok(r.pointer == length, "Ignore trigger: all trace is there");
		}
	}
	setup.modes = CIRCULAR | IRQ;
	setup.status = 0;
	r = trace(&setup);
	ok(r.trigger == 64 && r.status == 0, "without TRG the Trigger Counter does not count");
	setup.status = SR_TRG;
	setup.trigger = 2 * PAGE;
	r = trace(&setup);
	ok(r.trigger == 2 * PAGE - length && r.status == SR_TRG,
	   "the Trigger Counter counts bytes");
	/* an early warning, then the end of the buffer */
	setup.modes = FILL | IRQ;
	setup.at = PAGE - 128;
	setup.trigger = 64;
	r = trace(&setup);
	show(r);
	ok(r.status == (SR_S | SR_WRAP | SR_TRG | SR_IRQ | BSC_FULL) && r.trigger == 0,
	   "a Trigger Event, then the buffer is full: the later event is what TRBSR_EL1 has");
}

/* ETEEvent 0 is the Detected Trigger: here when a round begins */
static void test_detected_trigger(void)
{
	struct setup setup = {.size = PAGE, .modes = CIRCULAR | IRQ};
	struct result r;
	bool event = false;

	set(TRCREG(0x400), (uint64_t)(uintptr_t)round_begins);
	set(TRCREG(0x480), 0);
	/* resource 2: address comparator 0 */
	set(TRCREG(0x208), 4 << 16 | 1);
	set(TRCREG(0x20c), 0);
	set(TRCREG(0x020), 2);
	r = trace(&setup);
	show(r);
	ok(r.status == (SR_TRG | SR_IRQ), "Detected Trigger, no count: a Trigger Event at once");
	ok(r.pointer == length && same(0, reference, length), "it leaves the trace as it is");
	setup.trigger = 64;
	setup.modes = CIRCULAR | STOP;
	r = trace(&setup);
	show(r);
	ok(r.status == (SR_S | SR_TRG | SR_IRQ | BSC_TRIGGER) && r.trigger == 0 &&
		   r.pointer >= 64 && same(0, reference, 64),
	   "Detected Trigger, count 64: a Trigger Event after 64 bytes");
	/* not resource 2 and resource 3: always */
	set(TRCREG(0x208), 1 << 21 | 4 << 16 | 1);
	set(TRCREG(0x400), 0);
	set(TRCREG(0x020), 0x81);
	setup.modes = CIRCULAR | IGNORE;
	setup.trigger = 2 * PAGE;
	r = trace(&setup);
	show(r);
	ok(r.status == SR_TRG && r.trigger < 2 * PAGE, "a pair of resources, inverted");
	/* resource 2 is never */
	set(TRCREG(0x208), 4 << 16 | 1);
	set(TRCREG(0x020), 2);
	r = trace(&setup);
	ok(r.status == 0 && r.trigger == 2 * PAGE, "no match: no Detected Trigger");
	/* in the trace, too */
	set(TRCREG(0x400), (uint64_t)(uintptr_t)round_begins);
	set(TRCREG(0x024), 1);
	r = trace(&setup);
	for (uint64_t i = 0; i < r.pointer && i < PAGE; i++)
		event = event || (buffer[i] == 0x71 && !same(0, reference, length));
	ok(event && r.pointer > length, "an ETEEvent is in the trace");
	program();
}

/* Each branch has a packet of its own, since the history has three addresses. */
static inline void branch_eight_times(void)
{
	uint64_t at;

	__asm__ volatile(".rept 8; adr %0, . + 8; br %0; .endr" : "=&r"(at));
}

/* Until the interrupt is pending: the code that is traced sees it itself. */
static __attribute__((noinline)) void rounds_until_interrupt(void *argument)
{
	uint64_t left = *(uint64_t *)argument;

	while (left-- && !(*PENDING >> 31))
		branch_eight_times();
}

/*
 * The trace unit outputs 256 bytes at a time. What the code makes after those that wrap, it makes
 * after the interrupt.
 */
static void test_interrupt_comes_at_once(void)
{
	struct setup setup = {
		.size = PAGE, .modes = WRAP | IGNORE, .rounds = 10000, .code = rounds_until_interrupt,
	};
	uint64_t most = 0;

	for (setup.at = 0; setup.at < PAGE; setup.at += 320) {
		struct result r = trace(&setup);

		if (r.status != (SR_WRAP | SR_IRQ))
			most = PAGE;
		if (most < r.pointer)
			most = r.pointer;
	}
	note("at most %x bytes after the Limit pointer", (unsigned)most);
	ok(most > 0 && most < 256 + 64, "the interrupt comes with the block whose trace wraps");
}

/* Likewise of the Trigger Event, and of what the code makes after the Trigger Counter is 0 */
static void test_trigger_comes_at_once(void)
{
	struct setup setup = {
		.size = sizeof(buffer), .modes = FILL | IRQ, .status = SR_TRG, .rounds = 10000,
		.code = rounds_until_interrupt,
	};
	uint64_t most = 0;

	for (setup.trigger = PAGE; setup.trigger < 2 * PAGE; setup.trigger += 320) {
		struct result r = trace(&setup);

		if (r.status != (SR_TRG | SR_IRQ) || r.pointer < setup.trigger)
			most = PAGE;
		else if (most < r.pointer - setup.trigger)
			most = r.pointer - setup.trigger;
	}
	note("at most %x bytes after the Trigger Event", (unsigned)most);
	ok(most > 0 && most < 256 + 64, "the interrupt comes with the block that makes the Trigger Event");
}

/* The current write pointer, from the base, as the code that is traced reads it */
static uint64_t read_in_between;

static void rounds_and_read(void *argument)
{
	uint64_t left = *(uint64_t *)argument;

	while (left--)
		branch_eight_times();
	read_in_between = get(TRBREG(PTR)) - (uint64_t)(uintptr_t)buffer;
}

/* At EL1, which goes on to be traced */
static void test_flush_while_tracing(void)
{
	struct setup setup = {.size = sizeof(buffer), .modes = FILL | IGNORE, .el = 1, .flushed = true};
	struct result r;

	set(TRCREG(0x080), 0x5f0000 | BIT(9) | 1);
	r = trace(&setup);
	program();
	note("%lx bytes, %lx of them after TSB CSYNC", r.pointer, r.pointer - flushed);
	ok(flushed > 128 && r.pointer > flushed && r.pointer - flushed < 64,
	   "TSB CSYNC while trace is allowed: what was traced before it is in the buffer");
}

/* At EL1: some 500 bytes, of fewer blocks than this model looks at together */
static void test_pointer_while_tracing(void)
{
	struct setup setup = {
		.size = sizeof(buffer), .modes = FILL | IGNORE, .el = 1, .rounds = 20, .code = rounds_and_read,
	};
	struct result r;

	set(TRCREG(0x080), 0x5f0000 | BIT(9) | 1);
	r = trace(&setup);
	program();
	note("%lx bytes, %lx of them before TRBPTR_EL1 was read", r.pointer, read_in_between);
	ok(read_in_between >= 256 && read_in_between <= r.pointer,
	   "TRBPTR_EL1 shows what the trace unit has output while it traces");
}

static void test_off(void)
{
	struct result r = trace(&(struct setup){.size = PAGE, .disabled = true});

	ok(r.pointer == 0 && same(0, NULL, PAGE), "disabled, it writes nothing");
	r = trace(&(struct setup){.size = PAGE, .status = SR_S});
	ok(r.pointer == 0 && r.status == SR_S && same(0, NULL, PAGE),
	   "with S set, it writes nothing");
	r = trace(&(struct setup){.size = PAGE, .prohibited = true});
	ok(r.pointer == 0 && same(0, NULL, PAGE), "trace prohibited: not a byte (R_YWSDB)");
	/* Non-secure EL0 left out, too */
	set(TRCREG(0x080), 0x7f0000 | BIT(9) | 1);
	r = trace(&(struct setup){.size = PAGE});
	ok(r.pointer == 0, "EL0 left out by TRCVICTLR: not a byte");
	/* without resource selectors it is always TRUE */
	if (option("ete-resource-pairs", 8)) {
		set(TRCREG(0x080), 0x6f0000 | BIT(9));
		r = trace(&(struct setup){.size = PAGE});
		ok(r.pointer == 0, "ViewInst's event is FALSE: not a byte");
	}
	program();
}

/* AArch32 is traced at EL0, and nowhere else. */
void test_a32(void)
{
	struct result r;

	program();
	r = trace(&(struct setup){.size = PAGE, .a32 = true});
	ok(r.pointer > 16, "A32 code at EL0 is traced");
	if (base_el < 2 || !have_el2())
		return;
	/* Non-secure EL1 only */
	set(TRCREG(0x080), 0x5f0000 | BIT(9) | 1);
	r = trace(&(struct setup){.size = PAGE, .el = 1});
	ok(r.pointer > 64, "A64 code at EL1 is traced");
	r = trace(&(struct setup){.size = PAGE, .el = 1, .a32 = true});
	ok(r.pointer == 0, "A32 code at EL1 is not traced");
	program();
}

static bool started(void)
{
	return get(TRCREG(0x080)) & BIT(9);
}

/* Start and stop points: TRCVISSCTLR, comparators 0 and 1 */
static void test_start_stop(void)
{
	struct result r;

	set(TRCREG(0x400), (uint64_t)(uintptr_t)round_begins);
	set(TRCREG(0x408), (uint64_t)(uintptr_t)round_ends);
	set(TRCREG(0x480), 0);
	set(TRCREG(0x488), 0);

	/* started by comparator 0, from stopped */
	set(TRCREG(0x088), BIT(0));
	set(TRCREG(0x080), 0x6f0000 | 1);
	r = trace(&(struct setup){.size = PAGE});
	show(r);
	ok(r.pointer > 64 && r.pointer <= length && !same(0, reference, r.pointer) && started(),
	   "a start point starts ViewInst: what came before it is missing");
	/* comparator 0 does not match at EL0 */
	set(TRCREG(0x480), BIT(12) | BIT(8));
	set(TRCREG(0x080), 0x6f0000 | 1);
	r = trace(&(struct setup){.size = PAGE});
	ok(r.pointer == 0 && !started(), "no start point is met: nothing is traced");
	set(TRCREG(0x480), 0);
	/* stopped by comparator 1, from started */
	set(TRCREG(0x088), BIT(17));
	set(TRCREG(0x080), 0x6f0000 | BIT(9) | 1);
	r = trace(&(struct setup){.size = PAGE});
	show(r);
	ok(r.pointer > 0 && r.pointer < 64 && !started(),
	   "a stop point stops ViewInst: what comes after it is missing");
	/* both, in each round */
	set(TRCREG(0x088), BIT(0) | BIT(17));
	set(TRCREG(0x080), 0x6f0000 | 1);
	r = trace(&(struct setup){.size = PAGE});
	show(r);
	ok(r.pointer > 64 && !started(), "start and stop points in turn");
	set(TRCREG(0x088), 0);
	program();
}

static void test_owner(void)
{
	struct setup setup = {.size = PAGE, .modes = FILL | IGNORE};
	struct result r;

	setup.modes |= NVM;
	r = trace(&setup);
	ok(r.pointer == length && same(0, reference, length), "a physical address (nVM)");
	setup.modes &= ~NVM;
	if (base_el >= 2 && have_el2()) {
		set(MDCR_EL2, 0);
		r = trace(&setup);
		ok(r.pointer == length && same(0, reference, length),
		   "EL2 owns the buffer: its regime");
		controls_off();
		/* TGE: EL0 belongs to EL2; E0HTRE */
		set(HCR_EL2, BIT(31) | BIT(27));
		set(TRFCR_EL2, 1);
		r = trace(&setup);
		ok(r.pointer == 0 && same(0, NULL, PAGE),
		   "EL1 owns the buffer: EL0 under EL2 is not traced (R_XWDZV)");
		set(MDCR_EL2, 0);
		r = trace(&setup);
		ok(r.pointer == length && same(0, reference, length),
		   "EL2 owns the buffer: EL0 under EL2 is traced");
		set(TRFCR_EL2, 0);
		controls_off();
	}
	if (base_el == 3) {
		/* NSTB 0b01: Secure state owns it */
		set(MDCR_EL3, BIT(24));
		r = trace(&setup);
		ok(r.pointer == 0 && same(0, NULL, PAGE),
		   "Secure state owns the buffer: Non-secure code is not traced (I_FGGXR)");
		/* NS clear; Secure EL0 is not left out */
		set(SCR_EL3, get(SCR_EL3) & ~UINT64_C(1));
		set(TRCREG(0x080), 0x7e0000 | BIT(9) | 1);
		r = trace(&setup);
		ok(r.pointer == 0 && same(0, NULL, PAGE),
		   "MDCR_EL3.STE clear: trace is prohibited in Secure state");
		set(MDCR_EL3, BIT(24) | BIT(18));
		r = trace(&setup);
		show(r);
		ok(r.status == 0 && r.pointer + 16 > length && r.pointer < length + 16 &&
			   same(0, reference, 16),
		   "Secure state owns the buffer: Secure code is traced");
		set(MDCR_EL3, 3 << 24 | BIT(18));
		r = trace(&setup);
		ok(r.pointer == 0 && same(0, NULL, PAGE),
		   "Non-secure state owns the buffer: Secure code is not traced (I_FGGXR)");
		controls_off();
		program();
	}
}

/* Nothing is at 0x50000000000: an External abort, as this model reports it */
static void test_abort(void)
{
	uint64_t nowhere = UINT64_C(0x500) << 32;
	struct setup setup = {.size = PAGE, .modes = FILL | IGNORE | NVM, .pointer = nowhere};
	struct result r = trace(&setup);

	show(r);
	ok(r.status == (SR_S | SR_IRQ | SR_EA | UINT64_C(0x24) << 26 | 0x11),
	   "an External abort stops collection; EA, EC, FSC");
	/* strict, it comes when the write is complete, and that is later */
	ok(r.pointer + (uint64_t)(uintptr_t)buffer ==
		   nowhere + (option("trace-sync", 0) ? length : 0),
	   "an External abort: the current write pointer says what was accepted");
	/* a physical address that there cannot be */
	setup.pointer = BIT(60);
	r = trace(&setup);
	ok(r.status == (SR_S | SR_IRQ | UINT64_C(0x24) << 26),
	   "a physical address out of range: an Address size fault of stage 1 (R_MXRFD)");
	/* MMU off: more than the physical address size is an Address size fault, level 0 */
	setup.modes &= ~NVM;
	setup.pointer = UINT64_C(0xff) << 52;
	r = trace(&setup);
	show(r);
	ok(r.status == (SR_S | SR_IRQ | UINT64_C(0x24) << 26),
	   "a fault of stage 1 stops collection; EC and FSC say which");
}

void test_buffer(void)
{
	program();
	/* pointers below are multiples of 64: these tests are not for a coarser alignment */
	if (option("trbe-align", 0) > 6)
		return;
	if (!take_reference())
		return;
	test_full();
	/* no Non-secure code sees this interrupt if there is EL3 */
	if (base_el < 3 && !option("trace-sync", 0)) {
		test_interrupt_comes_at_once();
		test_trigger_comes_at_once();
	}
	if (base_el == 1 && !option("trace-sync", 0)) {
		test_flush_while_tracing();
		test_pointer_while_tracing();
	}
	test_trigger();
	if (option("ete-resource-pairs", 8) && option("ete-address-pairs", 4))
		test_detected_trigger();
	test_off();
	if (option("ete-address-pairs", 4))
		test_start_stop();
	test_owner();
	test_abort();
	test_modes();
	test_mmu();
}
