/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* For tests of the RISC-V trace encoder: cycles in, packets as text out. */
#ifndef HWF_TESTS_TE_TEST_H
#define HWF_TESTS_TE_TEST_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hwflow/te_encoder.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

#define NOP   0x00000013u
#define BEQ   0x00000463u /* beq x0, x0, +8 */
#define JR    0x00050067u /* jalr x0, 0(x10) */
#define CALL  0x008000efu /* jal x1, +8 */
#define CALLR 0x000500e7u /* jalr x1, 0(x10) */
#define RET   0x00008067u
#define MRET  0x30200073u
#define ECALL 0x00000073u

/*
 * struct te_test - an encoder, the core before it, and what it sent: one packet a word, such as
 *
 *	on 1000!     support, enabled; start (F3.0) at 1000, and branch is set
 *	2000?5       trap (F3.1) with the handler at 2000, cause 5; ?i5 is an interrupt; 2000?-5 has
 *	             thaddr 0; !2000?5 branch is set
 *	f1:01@1004   format 1 with two branches, the first not taken; without address f1:0...
 *	@1004        format 2; @1004n notify, @1004u updiscon, @1004r3 irreport, irdepth 3
 *	c7 off:1     context 7; support, disabled, qual_status 1
 */
struct te_test {
	struct hwf_riscv_params params;
	struct hwf_te_options options;
	struct hwf_te_port_params port;
	struct hwf_te_core core;
	struct hwf_te *te;
	uint64_t last;
	char text[4096];
	bool full; /* the sink takes nothing */
};

void te_test_init(struct te_test *t, enum hwf_riscv_dialect dialect);
void te_test_start(struct te_test *t);
/* te_test_begin() - both, where nothing is to be changed in between */
void te_test_begin(struct te_test *t, enum hwf_riscv_dialect dialect);
void te_test_event(struct te_test *t, const struct hwf_te_event *event);
void te_test_insn(struct te_test *t, uint64_t address, uint32_t opcode);
/* te_test_insn_of() - one that does nothing; @type: of the context */
void te_test_insn_of(struct te_test *t, uint64_t address, unsigned int priv, uint32_t context,
		     unsigned int type);
/* te_test_nops() - @count instructions that do nothing, one behind the other */
void te_test_nops(struct te_test *t, uint64_t address, unsigned int count);
/* te_test_branches() - likewise branches not taken; what follows says so of the last one */
void te_test_branches(struct te_test *t, uint64_t address, unsigned int count);
void te_test_trap(struct te_test *t, uint64_t address, uint32_t opcode, unsigned int trap,
		  unsigned int cause);
void te_test_cycle(struct te_test *t, const struct hwf_te_cycle *cycle);
/* te_test_end() - finish, compare with @want, and free */
void te_test_end(struct te_test *t, const char *want);

#endif /* HWF_TESTS_TE_TEST_H */
