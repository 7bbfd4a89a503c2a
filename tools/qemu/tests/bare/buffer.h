/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bare-metal tests of the trace buffer: the same code at EL0 is traced again and again.
 */
#ifndef HWFLOW_BARE_BUFFER_H
#define HWFLOW_BARE_BUFFER_H

#include "bare.h"

#define TRBREG(OP2) SYSREG(3, 0, 9, 11, OP2)
enum { LIMITR, PTR, BASER, SR, MAR, MPAM, TRG, IDR };
#define TRFCR_EL1 SYSREG(3, 0, 1, 2, 1)
#define TRFCR_EL2 SYSREG(3, 4, 1, 2, 1)

#define PAGE   4096u
#define PAGES  8
#define BEFORE 0xa5

/* TRBLIMITR_EL1 */
enum { FILL = 0 << 1, WRAP = 1 << 1, CIRCULAR = 3 << 1 };
enum { STOP = 0 << 3, IRQ = 1 << 3, IGNORE = 3 << 3 };
#define NVM BIT(5)

/* TRBSR_EL1 */
#define SR_S        BIT(17)
#define SR_EA       BIT(18)
#define SR_WRAP     BIT(20)
#define SR_TRG      BIT(21)
#define SR_IRQ      BIT(22)
#define SR_EC       (UINT64_C(0x3f) << 26)
#define BSC_FULL    1
#define BSC_TRIGGER 2

/* The buffer, and what a trace into it is like where nothing happens: `length` bytes */
extern uint8_t buffer[PAGES * PAGE];
extern uint8_t reference[PAGES * PAGE];
extern uint64_t length;

struct setup {
	uint64_t modes; /* of TRBLIMITR_EL1, beside LIMIT and E */
	uint64_t at;    /* of the current write pointer, from the base */
	uint64_t size;  /* of the buffer */
	uint64_t status;
	uint64_t trigger;
	bool disabled;
	bool prohibited;
	uint64_t pointer; /* instead of what `at` says */
	uint64_t base;    /* of the buffer, instead of that of `buffer` */
	uint64_t rounds;  /* of the code that is traced, instead of 100 */
	unsigned el;      /* where it is executed */
	bool a32;         /* run_a32_at() instead of that code */
	void (*code)(void *rounds); /* instead of rounds() */
	bool flushed;               /* by TSB CSYNC while it is traced */
};

struct result {
	uint64_t status;
	uint64_t pointer; /* from the base */
	uint64_t trigger;
	uint64_t limitr;
};

/* What is traced: `*argument` rounds of it */
void rounds(void *argument);
/* Program the trace unit to trace EL0; nothing but that. */
void program(void);
struct result trace(const struct setup *setup);
/* Do `count` bytes of the buffer have what the reference has, or, if it is NULL, nothing? */
bool same(uint64_t at, const uint8_t *what, uint64_t count);
bool interrupt_pending(void);
void show(struct result r);

/* The files that use it, after buffer.c: there is a reference. */
void test_modes(void);
void test_mmu(void);

#endif
