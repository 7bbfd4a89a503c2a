/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bare-metal register tests: what they stand on.
 */
#ifndef HWFLOW_BARE_H
#define HWFLOW_BARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BIT(N)        (UINT64_C(1) << (N))
#define ARRAY_SIZE(A) (sizeof(A) / sizeof((A)[0]))

/* A System register by its encoding, as in bits [20:5] of MRS and MSR */
#define SYSREG(OP0, OP1, CRN, CRM, OP2) \
	((uint32_t)(OP0) << 14 | (uint32_t)(OP1) << 11 | (CRN) << 7 | (CRM) << 3 | (OP2))
/* A register of the trace unit by its offset in the external view */
#define TRCREG(OFFSET) SYSREG(2, 1, (OFFSET) / 4 >> 7 & 7, (OFFSET) / 4 & 15, (OFFSET) / 4 >> 4 & 7)

#define ID_AA64PFR0_EL1 SYSREG(3, 0, 0, 4, 0)
#define ID_AA64DFR0_EL1 SYSREG(3, 0, 0, 5, 0)
#define CPACR_EL1       SYSREG(3, 0, 1, 0, 2)
#define CPTR_EL2        SYSREG(3, 4, 1, 1, 2)
#define CPTR_EL3        SYSREG(3, 6, 1, 1, 2)
#define MDCR_EL2        SYSREG(3, 4, 1, 1, 1)
#define MDCR_EL3        SYSREG(3, 6, 1, 3, 1)
#define HCR_EL2         SYSREG(3, 4, 1, 1, 0)
#define SCR_EL3         SYSREG(3, 6, 1, 1, 0)
#define OSLAR_EL1       SYSREG(2, 0, 1, 0, 4)
#define OSLSR_EL1       SYSREG(2, 0, 1, 1, 4)

/* What an access did: `el` is 0, or the Exception level it trapped to with syndrome `esr`. */
struct outcome {
	uint64_t value;
	unsigned el;
	uint32_t esr;
};

extern unsigned base_el;

bool have_el2(void);
bool have_el3(void);

/* Access a register at an Exception level, not above the base's. */
struct outcome read_at(unsigned el, uint32_t reg);
struct outcome write_at(unsigned el, uint32_t reg, uint64_t value);
/* Call a function at an Exception level, below the base's. */
void call_at(unsigned el, void (*function)(void *), void *argument);
/* The same by SPSR, out of @base; see start.S */
void run_lower(uint64_t spsr, void (*function)(void *), void *argument, uint64_t base);
/* A few A32 instructions at EL0; or at EL1, where there is EL2 */
void run_a32_at(unsigned el);
/* So many instructions trap there before it, up to two */
extern unsigned traps_first;
/* At the base Exception level; a trap ends the program. */
uint64_t get(uint32_t reg);
void set(uint32_t reg, uint64_t value);

/* Was it trapped to `el` as an access to a System register, with the syndrome that goes with it? */
bool trapped(struct outcome o, unsigned el, uint32_t reg, bool read);
bool undefined(struct outcome o, unsigned el);

/* All traps off, EL1 owns the buffer, Non-secure below EL3. */
void controls_off(void);

/* Values of the machine's command line, NAME=NUMBER; `missing` where there is none */
uint64_t option(const char *name, uint64_t missing);

/* TAP. A diagnostic comes before the line it explains. */
void ok(bool passed, const char *name);
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Files of the host */
bool has_file(const char *name);
bool write_file(const char *name, const void *bytes, uint64_t size);

/* What outlives a reset: RAM that no part of the program is loaded to */
void reset_machine(void);
void mark_reset(void);
bool was_reset(void);

void test_ete(void);
void test_ete_state(void);
void test_ete_traps(void);
void test_fgt(void);
void test_management(void);
void test_instrumentation(void);
void test_trbe(void);
void test_external(void);
void test_trbe_traps(void);
void test_trf(void);
void test_resources(void);
void test_pmu(void);
void test_buffer(void);
void test_sync(void);
void test_faults(void);
void test_view(void);
void test_a32(void);
void test_active(void);
void test_serror(void);
void test_absent(void);
void test_kept_over_migration(void);
void run_load(void);
void run_warm(void);
/* Write to every register there is, as far as it lets us. */
void write_everything(void);

#endif
