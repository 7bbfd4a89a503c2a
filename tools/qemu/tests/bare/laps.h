/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code at EL0 that the tests of the trace unit's resources trace: laps of five instructions,
 * and one behind them. An instruction is a cycle of the resources in this model.
 */
#ifndef HWFLOW_LAPS_H
#define HWFLOW_LAPS_H

#include "bare.h"

/* The instructions of a lap; the last goes back to the first unless it was the last lap */
extern const char lap_1[], lap_2[], lap_3[], lap_4[], lap_5[], lap_after[];

/* Registers of the trace unit that have a number */
enum {
	PRGCTLR = 0x004,
	STATR = 0x00c,
	CONFIGR = 0x010,
	EVENTCTL0R = 0x020,
	EVENTCTL1R = 0x024,
	RSR = 0x028,
	STALLCTLR = 0x02c,
	TSCTLR = 0x030,
	SYNCPR = 0x034,
	CCCTLR = 0x038,
	BBCTLR = 0x03c,
	QCTLR = 0x044,
	VICTLR = 0x080,
	VIIECTLR = 0x084,
	VISSCTLR = 0x088,
	VIPCSSCTLR = 0x08c,
	SEQEVR = 0x100,
	SEQRSTEVR = 0x118,
	SEQSTR = 0x11c,
	EXTINSELR = 0x120,
	CNTRLDVR = 0x140,
	CNTCTLR = 0x150,
	CNTVR = 0x160,
	RSCTLR = 0x200,
	SSCCR = 0x280,
	SSCSR = 0x2a0,
	SSPCICR = 0x2c0,
	ACVR = 0x400,
	ACATR = 0x480,
	CIDCVR = 0x600,
	VMIDCVR = 0x640,
	CIDCCTLR0 = 0x680,
	VMIDCCTLR0 = 0x688,
};

/* Groups of resources: Table D4-26 */
enum { EXTERNAL, PE, COUNTER, SINGLE_SHOT, ADDRESS, RANGE, CONTEXT, VCONTEXT };

#define INV     BIT(20)
#define PAIRINV BIT(21)
/* an event of a pair of resource selectors */
#define PAIR(N) (0x80u | (N))

/* started, TRUE, all Exception levels but Non-secure EL0 left out */
#define VIEW_EL0 (UINT64_C(0x6f0000) | BIT(9) | 1)

static inline uint64_t address_of(const char *label)
{
	return (uint64_t)(uintptr_t)label;
}

/* Resource selector n: resources of a group */
void select_resources(unsigned n, unsigned group, uint64_t select);
/* Single address comparator n, and range comparator n, with TRCACATR 0 */
void compare_address(unsigned n, const char *label);
void compare_range(unsigned n, const char *first, const char *last);

/* Disable the trace unit; registers are stable then, and trace is in memory. */
void disable_unit(void);
/* All that is there to nothing, and View EL0 */
void program_nothing(void);
/* Enable the trace unit, run so many laps at EL0, disable it. */
void run_laps(uint64_t laps);
/* The same, and what happens before the trace unit is disabled */
void run_laps_then(uint64_t laps, void (*then)(void));

/* How often an event was active in so many laps, counted by counter 0 */
uint64_t count_event(unsigned event, uint64_t laps);

#endif
