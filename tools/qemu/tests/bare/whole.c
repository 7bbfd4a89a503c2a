// SPDX-License-Identifier: GPL-2.0-only
/*
 * All registers at once: before a reset, and over a migration.
 *
 * No table: whatever is at an encoding of the trace unit and of the trace buffer unit; TRFCR_ELx,
 * TRCITECR_ELx, and what traps the latter.
 */
#include "bare.h"

#define TRACE_UNIT   1024
#define TRACE_BUFFER 8

/* TRFCR_EL1, TRFCR_EL2, TRCITECR_EL1, TRCITECR_EL2, HDFGRTR2_EL2, HDFGWTR2_EL2 */
static const uint32_t others[] = {
	SYSREG(3, 0, 1, 2, 1), SYSREG(3, 4, 1, 2, 1), SYSREG(3, 0, 1, 2, 3),
	SYSREG(3, 4, 1, 2, 3), SYSREG(3, 4, 3, 1, 0), SYSREG(3, 4, 3, 1, 1),
};

static uint32_t nth(unsigned n)
{
	if (n < TRACE_UNIT)
		return TRCREG(4 * n);
	n -= TRACE_UNIT;
	if (n < TRACE_BUFFER)
		return SYSREG(3, 0, 9, 11, n);
	return others[n - TRACE_BUFFER];
}

enum { REGISTERS = TRACE_UNIT + TRACE_BUFFER + ARRAY_SIZE(others) };

/* not TRCPRGCTLR, nor TRBLIMITR_EL1.E: what is enabled takes no writes */
static uint64_t without_enable(unsigned n, uint64_t value)
{
	return n == 1 ? 0 : n == TRACE_UNIT ? value & ~1ull : value;
}

void write_everything(void)
{
	for (unsigned n = 0; n < REGISTERS; n++)
		write_at(base_el, nth(n), without_enable(n, ~0ull));
	write_at(base_el, OSLAR_EL1, 0);
	write_at(base_el, nth(1), 1);
	write_at(base_el, nth(TRACE_UNIT), ~0ull);
}

static uint64_t ticks(void)
{
	uint64_t value;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(value));
	return value;
}

static uint64_t frequency(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(value));
	return value;
}

/* The machine is moved while this one waits; time stands still for it then. */
void test_kept_over_migration(void)
{
	static struct outcome before[REGISTERS];
	uint64_t value = 1, start;
	unsigned different = 0, there = 0;

	for (unsigned n = 0; n < REGISTERS; n++) {
		value = value * 6364136223846793005 + 1442695040888963407;
		write_at(base_el, nth(n), without_enable(n, value ^ value >> 32));
	}
	write_at(base_el, OSLAR_EL1, 0);
	write_at(base_el, nth(1), 1);
	write_at(base_el, nth(TRACE_UNIT), 0x40000007);
	for (unsigned n = 0; n < REGISTERS; n++)
		before[n] = read_at(base_el, nth(n));

	note("waiting");
	for (start = ticks(); ticks() - start < 15 * frequency();)
		;
	for (unsigned n = 0; n < REGISTERS; n++) {
		struct outcome after = read_at(base_el, nth(n));

		there += !after.el;
		if (after.el == before[n].el && after.value == before[n].value)
			continue;
		note("%x was %lx, is %lx", nth(n), before[n].value, after.value);
		different++;
	}
	ok(there > 60 && !different, "all registers are as they were");
}
