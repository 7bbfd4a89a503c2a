// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace buffer at work: code at EL0 is traced, at each trace buffer mode and with what
 * keeps trace from it. The buffer is EL1's, and the MMU is off: addresses are physical.
 */
#include "bare.h"

#define TRBREG(OP2) SYSREG(3, 0, 9, 11, OP2)
#define TRFCR_EL1   SYSREG(3, 0, 1, 2, 1)
enum { LIMITR = 0, PTR = 1, BASER = 2, SR = 3 };
enum { FILL = 0, WRAP = 1, CIRCULAR = 3, IGNORE_TRIGGER = 3 << 3 };
enum { S = 1 << 17, WRAPPED = 1 << 20, IRQ = 1 << 22 };

#define PAGE   4096
#define FILLER 0x5a

/* a page before the buffer, two of it, and one behind */
static uint8_t memory[4 * PAGE] __attribute__((aligned(PAGE)));
static uint8_t *const base = memory + PAGE, *const limit = memory + 3 * PAGE;

static void branches(void *argument)
{
	for (volatile unsigned n = *(unsigned *)argument; n; n--)
		;
}

static bool untouched(const uint8_t *from, const uint8_t *to)
{
	while (from < to) {
		if (*from++ != FILLER)
			return false;
	}
	return true;
}

/* Trace a loop of so many rounds; `mode` is TRBLIMITR_EL1.FM, `status` TRBSR_EL1 before it. */
static void trace(unsigned rounds, unsigned mode, uint64_t enable, uint64_t filter, uint64_t status)
{
	for (size_t i = 0; i < sizeof(memory); i++)
		memory[i] = FILLER;
	set(OSLAR_EL1, 0);
	set(TRCREG(0x004), 0);
	for (unsigned offset = 0x010; offset <= 0x038; offset += 4)
		write_at(base_el, TRCREG(offset), 0);
	/* TA; EVENT is always, SSSTATUS is started */
	set(TRCREG(0x028), BIT(12));
	set(TRCREG(0x080), 1 | BIT(9));
	write_at(base_el, TRCREG(0x084), 0);
	write_at(base_el, TRCREG(0x088), 0);
	set(TRBREG(LIMITR), 0);
	set(TRBREG(SR), status);
	set(TRBREG(BASER), (uintptr_t)base);
	set(TRBREG(PTR), (uintptr_t)base);
	set(TRBREG(LIMITR), (uintptr_t)limit | mode << 1 | IGNORE_TRIGGER | enable);
	set(TRCREG(0x004), 1);
	set(TRFCR_EL1, filter);
	call_at(0, branches, &rounds);
	set(TRFCR_EL1, 0);
	__asm__ volatile("isb; hint #18; dsb sy" : : : "memory");
	set(TRBREG(LIMITR), get(TRBREG(LIMITR)) & ~1ull);
	set(TRCREG(0x004), 0);
}

static const uint8_t *pointer(void)
{
	return (const uint8_t *)get(TRBREG(PTR));
}

static void finish(const char *name, bool good)
{
	if (!good)
		note("TRBSR_EL1 %lx, TRBPTR_EL1 %lx of %lx to %lx", get(TRBREG(SR)),
		     get(TRBREG(PTR)), (unsigned long)base, (unsigned long)limit);
	ok(good && untouched(memory, base) && untouched(limit, memory + sizeof(memory)), name);
	set(TRBREG(SR), 0);
}

void test_buffer(void)
{
	/* of 24 Atoms a byte: these fill about a tenth of the buffer, and it four times */
	const unsigned little = 20000, much = 800000;
	static const uint8_t sync[12] = {[11] = 0x80};
	bool begins = true;

	trace(little, FILL, 1, 1, 0);
	for (unsigned i = 0; i < sizeof(sync); i++)
		begins &= base[i] == sync[i];
	finish("trace begins with an Alignment Synchronisation at the base", begins);
	trace(little, FILL, 1, 1, 0);
	finish("the current write pointer moves by what is written, and no event occurs",
	       pointer() > base + 100 && pointer() < limit && pointer()[-1] != FILLER &&
		       untouched(pointer(), limit) && !get(TRBREG(SR)));

	trace(much, FILL, 1, 1, 0);
	finish("Fill mode: full, it wraps, stops and interrupts, with BSC 1",
	       pointer() == base && get(TRBREG(SR)) == (S | WRAPPED | IRQ | 1) &&
		       limit[-1] != FILLER);
	trace(much, WRAP, 1, 1, 0);
	finish("Wrap mode: it wraps, interrupts and goes on",
	       pointer() > base && pointer() < limit && get(TRBREG(SR)) == (WRAPPED | IRQ));
	trace(much, CIRCULAR, 1, 1, 0);
	finish("Circular Buffer mode: it wraps and goes on",
	       pointer() > base && pointer() < limit && get(TRBREG(SR)) == WRAPPED);

	trace(little, FILL, 1, 1, S);
	finish("with S set nothing is collected",
	       pointer() == base && untouched(base, limit) && get(TRBREG(SR)) == S);
	trace(little, FILL, 0, 1, 0);
	finish("with E clear trace is discarded", pointer() == base && untouched(base, limit));
	/* E1TRE: EL1 is traced, of which there is none here */
	trace(little, FILL, 1, 0, 0);
	finish("with E0TRE clear EL0 is not traced", pointer() == base && untouched(base, limit));
	set(OSLAR_EL1, 1);
}
