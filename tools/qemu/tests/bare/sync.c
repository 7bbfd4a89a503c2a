// SPDX-License-Identifier: GPL-2.0-only
/*
 * When trace and registers are seen: the sequences that D6.6 asks for, and those with a barrier
 * left out. What a missing barrier does is certain with trace-sync=strict only, and there with
 * trace-sync-seed=0; with other seeds, and where it is relaxed, the right sequence has to do.
 *
 * All of it runs at EL1, and is traced there. Registers are accessed in place: set() and get()
 * have barriers of their own.
 */
#include "raw.h"

#define PAGE   4096u
#define PAGES  2
#define BEFORE 0xa5

enum { E = 1, FILL = 0 << 1, WRAP = 1 << 1, IGNORE = 3 << 3 };
#define SR_IRQ  BIT(22)
#define SR_WRAP BIT(20)
#define E1TRE   2

/* Steps of a sequence that can be left out */
enum {
	ISB_ENABLED = 1 << 0,    /* after TRFCR_EL1 lets trace through */
	ISB_PROHIBITED = 1 << 1, /* after TRFCR_EL1 prohibits it */
	TSB_CSYNC = 1 << 2,
	DSB_STOP = 1 << 3,
	ISB_STOP = 1 << 4,  /* after TRBLIMITR_EL1.E is cleared */
	DSB_START = 1 << 5, /* before it is set */
	SETTLED = 1 << 6,   /* whatever was left out before, made good */
};

static uint8_t buffer[PAGES * PAGE] __attribute__((aligned(PAGE)));
static uint8_t reference[PAGES * PAGE];

struct run {
	/* asked for */
	unsigned left_out;
	uint64_t at;
	uint64_t mode;
	bool disables;   /* disable the trace unit, and wait, before anything else */
	bool interrupts; /* taken at TSB CSYNC */
	bool clears;     /* TRBSR_EL1, then */
	/* seen by the sequence */
	uint64_t pointer;
	uint64_t status;
	uint64_t bytes; /* in memory, from the base on */
	unsigned waited;
	/* and after a right one */
	uint64_t last_pointer;
	uint64_t last_status;
};

static uint64_t base(void)
{
	return (uint64_t)(uintptr_t)buffer;
}

static bool strict(void)
{
	return option("trace-sync", 0);
}

/* Is it certain what a missing barrier does? */
static bool certain(void)
{
	return strict() && !option("trace-sync-seed", 0);
}

static uint64_t in_memory(void)
{
	const volatile uint8_t *byte = buffer;
	uint64_t n = 0;

	while (n < sizeof(buffer) && byte[n] != BEFORE)
		n++;
	return n;
}

static __attribute__((noinline)) void traced_code(void)
{
	uint64_t left = 300, at;

	__asm__ volatile("1:	adr	%1, 2f\n"
			 "	tbz	%0, #0, 3f\n"
			 "	add	%1, %1, #4\n"
			 "3:	br	%1\n"
			 "2:	nop\n"
			 "	subs	%0, %0, #1\n"
			 "	b.ne	1b\n"
			 : "+r"(left), "=&r"(at)
			 :
			 : "cc");
}

static void wait_idle(struct run *run)
{
	WRITE(PRGCTLR, UINT64_C(0));
	ISB();
	run->waited = 1;
	while (READ(STATR) != 3)
		run->waited++;
}

/* Always the right sequence */
static void settle(struct run *run)
{
	WRITE(TRFCR, UINT64_C(0));
	ISB();
	TSB();
	DSB();
	WRITE(PRGCTLR, UINT64_C(0));
	ISB();
	while (READ(STATR) != 3)
		;
	TSB();
	DSB();
	WRITE(LIMITR, base() + sizeof(buffer));
	ISB();
	run->last_pointer = READ(PTR) - base();
	run->last_status = READ(SR);
}

static void start(const struct run *run)
{
	for (unsigned i = 0; i < sizeof(buffer); i++)
		buffer[i] = BEFORE;
	WRITE(LIMITR, UINT64_C(0));
	ISB();
	WRITE(BASER, base());
	WRITE(PTR, base() + run->at);
	WRITE(SR, UINT64_C(0));
	WRITE(TRG, UINT64_C(0));
	ISB();
	if (!(run->left_out & DSB_START))
		DSB();
	WRITE(LIMITR, (base() + sizeof(buffer)) | run->mode | IGNORE | E);
	WRITE(PRGCTLR, UINT64_C(1));
	ISB();
}

extern const char the_tsb[];

static void sequence(void *argument)
{
	struct run *run = argument;

	start(run);
	WRITE(TRFCR, UINT64_C(E1TRE));
	if (!(run->left_out & ISB_ENABLED))
		ISB();
	traced_code();
	WRITE(TRFCR, UINT64_C(0));
	if (!(run->left_out & ISB_PROHIBITED))
		ISB();
	if (run->disables)
		wait_idle(run);
	if (run->interrupts)
		__asm__ volatile("msr daifclr, #2\n	nop\n"
				 "	.global the_tsb\nthe_tsb: hint #18\n"
				 "	b	1f\n1:	msr daifset, #2"
				 :
				 :
				 : "memory");
	else if (!(run->left_out & TSB_CSYNC))
		TSB();
	if (!(run->left_out & DSB_STOP))
		DSB();
	if (run->clears) {
		if (!(run->left_out & TSB_CSYNC)) {
			WRITE(LIMITR, base() + sizeof(buffer));
			ISB();
		}
		WRITE(SR, UINT64_C(0));
		ISB();
		settle(run);
		return;
	}
	WRITE(LIMITR, base() + sizeof(buffer));
	if (!(run->left_out & ISB_STOP))
		ISB();
	run->pointer = READ(PTR) - base();
	run->status = READ(SR);
	run->bytes = in_memory();
	if (run->left_out & SETTLED)
		wait_idle(run);
	else
		settle(run);
}

static void at_el1(void (*function)(void *), void *argument)
{
	if (base_el == 1)
		function(argument);
	else
		call_at(1, function, argument);
}

static struct run run_with(unsigned left_out)
{
	struct run run = {.left_out = left_out};

	at_el1(sequence, &run);
	return run;
}

static void show(const struct run *r)
{
	note("TRBPTR base + %lx, TRBSR %lx, %lx bytes in memory; then %lx, %lx; waited %u",
	     r->pointer, r->status, r->bytes, r->last_pointer, r->last_status, r->waited);
}

/* all bytes of trace of the code, and those that a FIFO lets go by itself */
static uint64_t whole, by_itself;

/* By chance TRFCR_EL1 takes effect some instructions earlier or later. */
static bool about_whole(uint64_t bytes)
{
	return option("trace-sync-seed", 0) ? bytes + 16 > whole && bytes < whole + 16
					    : bytes == whole;
}

static bool is_whole(const struct run *r)
{
	bool same =
		about_whole(r->pointer) && r->bytes == r->pointer && r->last_pointer == r->pointer;

	for (uint64_t i = 0; i < whole && !option("trace-sync-seed", 0); i++)
		same = same && buffer[i] == reference[i];
	return same;
}

static void test_right_sequence(void)
{
	struct run run = run_with(0);

	show(&run);
	whole = run.pointer;
	for (unsigned i = 0; i < sizeof(buffer); i++)
		reference[i] = buffer[i];
	ok(whole > 300 && whole < PAGE && run.bytes == whole && run.last_pointer == whole,
	   "the right sequence: all trace in memory, TRBPTR_EL1 behind it (R_MRVPT, R_VTNCS)");
	run = run_with(0);
	ok(is_whole(&run), "the right sequence, again: the same trace");
}

static void test_no_tsb(void)
{
	struct run run = run_with(TSB_CSYNC);

	show(&run);
	by_itself = run.last_pointer;
	if (certain()) {
		ok(run.pointer == 0, "no TSB CSYNC: TRBPTR_EL1 is what it was (R_VTNCS)");
		ok(run.last_pointer >= 128 && run.last_pointer < whole - 64,
		   "no TSB CSYNC: what is in the trace unit when TRBE is disabled is lost");
		ok(run.bytes == 0,
		   "no TSB CSYNC: DSB alone brings nothing to memory (R_GTCKK, R_NSFRQ)");
	} else if (!strict()) {
		ok(run.pointer == run.last_pointer && run.pointer == run.bytes &&
			   run.pointer < whole,
		   "no TSB CSYNC: relaxed, what has left the trace unit is seen at once");
	}
}

static void test_no_dsb(void)
{
	struct run run = run_with(DSB_STOP);

	show(&run);
	if (certain())
		ok(run.pointer == whole && run.bytes == 0 && run.last_pointer == whole,
		   "no DSB: TRBPTR_EL1 has moved, memory has not (R_NSFRQ, R_GTCKK)");
	else if (!strict())
		ok(is_whole(&run), "no DSB: relaxed, nothing is missing");
	ok(about_whole(in_memory()), "after a DSB it is there");
	/* no DSB before the buffer is used again, which -d guest_errors tells */
	run_with(DSB_STOP | SETTLED);
	run = run_with(DSB_START);
	/* by chance it may be longer than what is new, and come after it */
	if (certain() || !strict())
		ok(is_whole(&run), "what has come late is no harm to what comes next");
}

static void test_no_isb(void)
{
	struct run run = run_with(ISB_PROHIBITED);

	show(&run);
	if (certain()) {
		ok(run.pointer == 0 && run.last_pointer < whole,
		   "no ISB before TSB CSYNC: it finishes nothing (R_MRVPT, R_NNRHD)");
	} else if (!strict()) {
		ok(run.pointer == run.last_pointer && run.pointer > whole - 64,
		   "no ISB before TSB CSYNC: relaxed, trace is there");
	}
	run = run_with(ISB_STOP);
	show(&run);
	if (certain())
		ok(run.pointer == 0 && run.bytes == whole && run.last_pointer == whole,
		   "no ISB after TSB CSYNC: TRBPTR_EL1 is what it was (R_VTNCS)");
	else if (!strict())
		ok(run.pointer == whole && run.last_pointer == whole,
		   "no ISB after TSB CSYNC: relaxed, TRBPTR_EL1 is behind the trace");
	run = run_with(ISB_ENABLED);
	show(&run);
	if (certain())
		ok(run.last_pointer == 0, "no ISB after TRFCR_EL1: nothing is traced (R_NNRHD)");
	else if (!strict())
		ok(run.pointer > whole - 64, "no ISB after TRFCR_EL1: relaxed, trace is there");
	/* whatever happened before */
	run = run_with(0);
	ok(is_whole(&run), "the right sequence after wrong ones: the same trace (R_BFJKD)");
}

struct values {
	uint64_t seen[4];
	bool settled;
};

/* TRBPTR_EL1 written with TRBLIMITR_EL1.E cleared, and no ISB; TRBLIMITR_EL1 with E set */
static void write_early(void *argument)
{
	struct values *v = argument;

	WRITE(LIMITR, UINT64_C(0));
	ISB();
	WRITE(PTR, UINT64_C(0x1000));
	WRITE(LIMITR, UINT64_C(0x40000000) | E);
	ISB();
	WRITE(LIMITR, UINT64_C(0x50000000) | E);
	ISB();
	v->seen[0] = READ(LIMITR);
	WRITE(LIMITR, UINT64_C(0x50000000));
	WRITE(PTR, UINT64_C(0x2000));
	ISB();
	v->seen[1] = READ(PTR);
	WRITE(PTR, UINT64_C(0x3000));
	v->seen[2] = READ(PTR);
	ISB();
	v->seen[3] = READ(PTR);
}

static void test_held_writes(void)
{
	struct values v;
	bool taken = option("trace-busy-writes", 0), limits[2] = {false, false};

	at_el1(write_early, &v);
	if (certain())
		ok(v.seen[1] == (taken ? 0x2000 : 0x1000),
		   "no ISB after TRBLIMITR_EL1.E is cleared: a write to TRBPTR_EL1 is ignored");
	else if (!strict())
		ok(v.seen[1] == 0x2000, "relaxed, E is clear at once");
	if (certain() || !strict()) {
		ok(v.seen[0] == (taken ? 0x50000001 : 0x40000001),
		   "a limit written while the buffer is enabled is ignored");
	} else {
		for (unsigned i = 0; i < 64; i++) {
			at_el1(write_early, &v);
			limits[v.seen[0] != 0x40000001] = true;
		}
		ok(limits[1] && (taken || limits[0]),
		   "a limit written while the buffer is enabled: ignored, or taken");
	}
	ok(v.seen[2] == 0x3000 && v.seen[3] == 0x3000,
	   "software reads what it has written, ISB or not");
}

extern struct {
	uint64_t count;
	uint64_t elr;
	uint64_t status;
} interrupt;

/* TRBIRQ, Group 1 */
static void take_interrupts(bool on)
{
	volatile uint32_t *gicd = (volatile uint32_t *)0x08000000;
	volatile uint32_t *gicr = (volatile uint32_t *)0x080a0000;
	volatile uint32_t *sgi = (volatile uint32_t *)0x080b0000;

	gicd[0] = on ? 0x37 : 0;
	gicr[0x14 / 4] = 0;
	sgi[0x80 / 4] = 0xffffffff;
	sgi[(on ? 0x100 : 0x180) / 4] = BIT(31);
	set(SYSREG(3, 0, 4, 6, 0), 0xff); /* ICC_PMR_EL1 */
	set(SYSREG(3, 0, 12, 12, 7), on); /* ICC_IGRPEN1_EL1 */
}

static bool interrupt_pending(void)
{
	volatile uint32_t *pending = (volatile uint32_t *)0x080b0200;

	return *pending >> 31;
}

static void clear_interrupt(void *argument)
{
	bool *seen = argument;

	WRITE(SR, SR_IRQ);
	ISB();
	seen[0] = interrupt_pending();
	WRITE(SR, UINT64_C(0));
	seen[1] = interrupt_pending();
	ISB();
	seen[2] = interrupt_pending();
}

static void test_interrupt_cleared(void)
{
	bool seen[3];

	take_interrupts(false);
	at_el1(clear_interrupt, seen);
	ok(seen[0] && !seen[2], "TRBSR_EL1.IRQ and ISB: the interrupt comes and goes (R_BFJKD)");
	if (certain())
		ok(seen[1], "TRBSR_EL1.IRQ cleared, no ISB: the interrupt is still pending");
	else if (!strict())
		ok(!seen[1], "TRBSR_EL1.IRQ cleared: relaxed, the interrupt is gone at once");
}

/* A trace unit that was disabled is not idle before it has output everything. */
static void test_idle(void)
{
	struct run run = {.disables = true, .left_out = TSB_CSYNC};

	at_el1(sequence, &run);
	show(&run);
	ok(about_whole(run.last_pointer), "TRCSTATR.IDLE: all trace has left the trace unit");
	if (certain())
		ok(run.waited > 1 && run.pointer == 0 && run.bytes == 0,
		   "TRCSTATR.IDLE takes time, and synchronises no TRBPTR_EL1 and no memory");
	else if (!strict())
		ok(run.waited == 1, "relaxed, the trace unit is idle at once");
	run = (struct run){.disables = true};
	at_el1(sequence, &run);
	ok(is_whole(&run), "idle, then TSB CSYNC: all is there");
}

/* The buffer wraps in the middle of what TSB CSYNC has to flush. */
static void test_tsb_abandoned(void)
{
	struct run run = {.interrupts = true, .mode = WRAP};
	uint64_t at_tsb = (uint64_t)(uintptr_t)the_tsb, first;
	bool same = true, seed = option("trace-sync-seed", 0);

	run.at = sizeof(buffer) - by_itself - 8;
	first = sizeof(buffer) - run.at;
	interrupt.count = 0;
	take_interrupts(true);
	at_el1(sequence, &run);
	take_interrupts(false);
	show(&run);
	note("interrupt %lx at TSB CSYNC + %lx, TRBSR %lx", interrupt.count, interrupt.elr - at_tsb,
	     interrupt.status);
	ok(interrupt.count == 1 && interrupt.status == (SR_WRAP | SR_IRQ),
	   "the interrupt of the buffer is taken, and TRBSR_EL1 says why");
	if (certain())
		ok(interrupt.elr == at_tsb,
		   "TSB CSYNC is abandoned for it, and will be executed again (I_ZLDPS)");
	for (uint64_t i = 0; i < whole && !seed; i++)
		same = same && buffer[i < first ? run.at + i : i - first] == reference[i];
	ok(same && about_whole(run.pointer + first) && run.last_pointer == run.pointer,
	   "abandoned or not, it finishes the trace in the end (R_MRVPT, I_ZKRZH)");
}

/* TSB CSYNC where trace is allowed: it must come to an end, and lose nothing. */
static void sync_while_allowed(void *argument)
{
	struct run *run = argument;

	start(run);
	WRITE(TRFCR, UINT64_C(E1TRE));
	ISB();
	traced_code();
	ISB();
	TSB();
	DSB();
	ISB();
	run->pointer = READ(PTR) - base();
	settle(run);
}

static void test_tsb_allowed(void)
{
	struct run run = {0};

	at_el1(sync_while_allowed, &run);
	show(&run);
	ok(run.last_pointer + 16 > whole,
	   "TSB CSYNC where trace is allowed loses nothing (I_ZKRZH)");
	if (certain())
		ok(run.pointer == 0, "TSB CSYNC where trace is allowed finishes nothing");
}

/* TRBSR_EL1 is cleared when the buffer has wrapped: by what comes before, or after? */
static void test_write_after_trace(void)
{
	struct run run = {.clears = true, .mode = WRAP, .at = sizeof(buffer) - by_itself - 8};

	at_el1(sequence, &run);
	show(&run);
	ok(run.last_status == 0,
	   "TSB CSYNC: a write comes after what trace wrote before (R_ZCDDS, R_TSPXF)");
	run.left_out = TSB_CSYNC;
	at_el1(sequence, &run);
	show(&run);
	if (certain())
		ok(run.last_status == (SR_WRAP | SR_IRQ),
		   "no TSB CSYNC: trace writes after the write that should have come last");
}

/* An interrupt is pending that is not taken here, as it is EL1's: TSB CSYNC goes on all the same.
 */
static void test_tsb_goes_on(void)
{
	take_interrupts(true);
	set(TRBREG_SR, SR_IRQ);
	__asm__ volatile("msr daifclr, #2\n	nop\n	isb\n	hint #18\n	msr daifset, #2"
			 :
			 :
			 : "memory");
	ok(interrupt_pending(),
	   "TSB CSYNC with an interrupt that is not taken: it goes on (I_ZKRZH)");
	set(TRBREG_SR, 0);
	take_interrupts(false);
}

/* What the trace unit writes to its own registers: TRCVICTLR.SSSTATUS, by a start point */
static void start_point(void *argument)
{
	struct values *v = argument;
	struct run run = {0};

	start(&run);
	WRITE(TRFCR, UINT64_C(E1TRE));
	ISB();
	traced_code();
	WRITE(TRFCR, UINT64_C(0));
	ISB();
	v->seen[0] = READ(VICTLR);
	if (v->settled) {
		DSB();
		ISB();
	}
	wait_idle(&run);
	v->seen[1] = READ(VICTLR);
	settle(&run);
}

static void test_unit_registers(void)
{
	struct values v;

	set(TRCREG(0x400), (uint64_t)(uintptr_t)traced_code);
	set(TRCREG(0x480), 0);
	set(TRCREG(0x088), BIT(0));
	/* the start point is speculative until a DSB and an ISB (TRCVICTLR) */
	set(TRCREG(0x080), 0x4f0000 | 1);
	v.settled = false;
	at_el1(start_point, &v);
	if (certain())
		ok(!(v.seen[1] & BIT(9)), "no DSB: TRCVICTLR has not what the start point made it");
	set(TRCREG(0x080), 0x4f0000 | 1);
	v.settled = true;
	at_el1(start_point, &v);
	note("TRCVICTLR %lx, %lx", v.seen[0], v.seen[1]);
	if (certain())
		ok(!(v.seen[0] & BIT(9)), "no TSB CSYNC: TRCVICTLR is what it was (R_VTNCS)");
	else if (!strict())
		ok(v.seen[0] & BIT(9), "TRCVICTLR: relaxed, it is seen at once");
	ok(v.seen[1] & BIT(9), "TRCSTATR says that registers are stable: TRCVICTLR is seen");
	set(TRCREG(0x088), 0);
}

void test_sync(void)
{
	uint64_t victlr = get(TRCREG(0x080));

	/* pointers below are multiples of 8 */
	if (option("trbe-align", 0) > 3)
		return;
	/* EL1 is not left out */
	set(TRCREG(0x080), 0x4f0000 | BIT(9) | 1);
	test_right_sequence();
	if (whole > 300) {
		test_no_tsb();
		test_no_dsb();
		test_no_isb();
		test_held_writes();
		test_interrupt_cleared();
		test_idle();
		test_tsb_abandoned();
		test_tsb_allowed();
		test_write_after_trace();
		if (option("ete-address-pairs", 4))
			test_unit_registers();
		if (base_el >= 2)
			test_tsb_goes_on();
	}
	set(TRCREG(0x080), victlr);
}
