/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Small programs, packets for them, and what is executed, as text */
#ifndef HWF_TESTS_RISCV_FLOW_TEST_H
#define HWF_TESTS_RISCV_FLOW_TEST_H

#include <stdlib.h>

#include "codec/tests/riscv_test.h"

#include "hwflow/riscv_flow.h"

#define BASE UINT64_C(0x1000)

/* half-words; what has 32 bits is two of them */
#define C_NOP       0x0001
#define C_JR(rs)    (uint16_t)(0x8002 | (rs) << 7)
#define C_JALR(rs)  (uint16_t)(0x9002 | (rs) << 7)
#define C_J(off)    (uint16_t)(0xa001 | c_jump(off))
#define C_JAL(off)  (uint16_t)(0x2001 | c_jump(off))
#define C_BEQZ(off) (uint16_t)(0xc101 | c_branch(off))
#define WORD(word)  (uint16_t)(word), (uint16_t)((uint32_t)(word) >> 16)
#define ECALL       WORD(0x00000073)
#define EBREAK      WORD(0x00100073)
#define MRET        WORD(0x30200073)
#define AUIPC(rd)   WORD(0x00000017 | (rd) << 7)
/* jalr rd, imm(rs) */
#define JALR(rd, rs, imm) WORD(0x00000067 | (rd) << 7 | (rs) << 15 | (uint32_t)(imm) << 20)

#define RA 1
#define A5 15

#define BIT(value, from, to) (((unsigned int)(value) >> (from) & 1) << (to))

/* imm[11|4|9:8|10|6|7|3:1|5] in bits 12:2 */
#define c_jump(off)                                                                                \
	(BIT(off, 11, 12) | BIT(off, 4, 11) | BIT(off, 9, 10) | BIT(off, 8, 9) | BIT(off, 10, 8) | \
	 BIT(off, 6, 7) | BIT(off, 7, 6) | BIT(off, 3, 5) | BIT(off, 2, 4) | BIT(off, 1, 3) |      \
	 BIT(off, 5, 2))

/* imm[8|4:3] in 12:10, imm[7:6|2:1|5] in 6:2; the register is a0 */
#define c_branch(off)                                                                            \
	(BIT(off, 8, 12) | BIT(off, 4, 11) | BIT(off, 3, 10) | BIT(off, 7, 6) | BIT(off, 6, 5) | \
	 BIT(off, 2, 4) | BIT(off, 1, 3) | BIT(off, 5, 2))

/* One run: a program at @base, and what was executed */
struct run {
	struct hwf_riscv_params params;
	enum hwf_riscv_dialect dialect;
	unsigned int isa;
	uint64_t base;
	const uint16_t *code;
	size_t halves;
	struct hwf_code program;
	struct hwf_riscv_flow *flow;
	struct hwf_graph graph;
	void *nodes;
	uint64_t offset;
	char text[4096];
	size_t at;
};

static size_t run_read(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	const struct run *run = ctx;
	const uint64_t at = address - run->base;

	(void)space;
	if (at >= 2 * run->halves)
		return 0;
	if (length > 2 * run->halves - at)
		length = (size_t)(2 * run->halves - at);
	memcpy(bytes, (const uint8_t *)run->code + at, length);
	return length;
}

static void run_say(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void run_say(struct run *run, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	run->at +=
		(size_t)vsnprintf(run->text + run->at, sizeof(run->text) - run->at, format, args);
	va_end(args);
	assert_true(run->at < sizeof(run->text));
}

/* Each instruction's address; a branch that ends a range: + taken, - not */
static void run_range(struct run *run, const struct hwf_flow_range *range)
{
	uint64_t pc = range->start;

	for (uint32_t i = 0; i < range->instructions; i++) {
		uint16_t half;

		assert_int_equal(run_read(run, NULL, pc, &half, 2), 2);
		run_say(run, "%llx%s ", (unsigned long long)pc,
			i + 1 < range->instructions || !range->p0 ? ""
			: range->taken                            ? "+"
								  : "-");
		pc += hwf_rv_size(half);
	}
	assert_true(pc == range->end);
}

static void run_take(void *ctx, const struct hwf_flow_event *event)
{
	struct run *run = ctx;
	const struct hwf_flow_trap *trap = &event->u.trap;

	switch (event->kind) {
	case HWF_FLOW_RANGE:
		run_range(run, &event->u.range);
		break;
	case HWF_FLOW_GAP:
		run_say(run, "gap%u", event->u.gap.reason);
		if (event->u.gap.has_address)
			run_say(run, "@%llx", (unsigned long long)event->u.gap.address);
		run_say(run, " ");
		break;
	case HWF_FLOW_TRAP:
		run_say(run, "%s%u", trap->interrupt ? "irq" : "exc", trap->cause);
		if (trap->has_epc)
			run_say(run, "@%llx", (unsigned long long)trap->epc);
		run_say(run, " ");
		break;
	case HWF_FLOW_MODE:
		run_say(run, "mode%u ", event->u.mode.privilege);
		break;
	case HWF_FLOW_TRACE_ON:
		run_say(run, event->u.overflow ? "lost-on " : "on ");
		break;
	case HWF_FLOW_NO_SYNC:
		run_say(run, "nosync%u ", event->u.no_sync.reason);
		break;
	case HWF_FLOW_END:
		run_say(run, "end");
		break;
	default:
		break;
	}
}

/* What the fields of @run do not say is RV64 with C, at BASE, of this dialect. */
static inline void run_begin(struct run *run, enum hwf_riscv_dialect dialect, const uint16_t *code,
			     size_t halves)
{
	*run = (struct run){
		.dialect = dialect, .isa = HWF_RV_64, .base = BASE, .code = code, .halves = halves};
	hwf_riscv_params_init(&run->params, dialect);
	run->program = (struct hwf_code){.ctx = run, .read = run_read};
}

static inline void run_flow(struct run *run)
{
	const struct hwf_riscv_config config = riscv_config(run->dialect, &run->params);

	run->flow = malloc(sizeof(*run->flow));
	assert_non_null(run->flow);
	hwf_riscv_flow_init(run->flow, &config, run->isa, &run->program, run_take, run);
	run->nodes = malloc(hwf_graph_nodes_bytes(HWF_RISCV_NODES));
	assert_non_null(run->nodes);
	hwf_graph_init_nodes(&run->graph, run->nodes, HWF_RISCV_NODES);
	run->flow->graph = &run->graph;
}

static inline void run_free(struct run *run)
{
	free(run->flow);
	free(run->nodes);
}

static inline void push(struct run *run, const struct hwf_riscv_packet *packet)
{
	if (!run->flow)
		run_flow(run);
	hwf_riscv_flow_push(run->flow, run->offset++, packet, HWF_ERR_RESERVED);
}

#define PUSH(run, ...) push(run, &(const struct hwf_riscv_packet){__VA_ARGS__})

static inline uint64_t field_of(const struct run *run, uint64_t bytes)
{
	const unsigned int bits =
		(unsigned int)run->params.iaddress_width_p - run->params.iaddress_lsb_p;

	return bytes >> run->params.iaddress_lsb_p & UINT64_MAX >> (64 - bits);
}

static inline void start(struct run *run, uint64_t address, unsigned int privilege, bool not_taken)
{
	PUSH(run, HWF_RISCV_F3_START,
	     {.sync = {.address = field_of(run, address),
		       .privilege = (uint8_t)privilege,
		       .branch = not_taken,
		       .has_address = true}});
}

static inline void trap(struct run *run, unsigned int cause, bool interrupt, bool thaddr,
			uint64_t address)
{
	PUSH(run, HWF_RISCV_F3_TRAP,
	     {.sync = {.address = field_of(run, address),
		       .ecause = (uint16_t)cause,
		       .privilege = 3,
		       .branch = true,
		       .interrupt = interrupt,
		       .thaddr = thaddr,
		       .has_address = !run->params.implicit_exception || !thaddr}});
}

/* F2: so many bytes from the last address; perhaps with one of the bits behind it */
enum { NO_BITS, NOTIFY, UPDISCON };
static inline void f2(struct run *run, int64_t difference, int bits)
{
	PUSH(run, HWF_RISCV_F2,
	     {.address = {.value = field_of(run, (uint64_t)difference),
			  .has = true,
			  .notify = bits == NOTIFY,
			  .updiscon = bits == UPDISCON}});
}

/* F1: outcomes, oldest in bit 0, and an address */
static inline void f1(struct run *run, uint32_t map, unsigned int branches, int64_t difference)
{
	PUSH(run, HWF_RISCV_F1,
	     {.map = {.map = map,
		      .branches = (uint8_t)branches,
		      .address = {.value = field_of(run, (uint64_t)difference), .has = true}}});
}

static inline void f1_full(struct run *run, uint32_t map)
{
	PUSH(run, HWF_RISCV_F1, {.map = {.map = map, .branches = 31}});
}

static inline void support(struct run *run, unsigned int status)
{
	PUSH(run, run->dialect == HWF_RISCV_DRAFT_026 ? HWF_RISCV_TE_SUPPORT : HWF_RISCV_F3_SUPPORT,
	     {.support = {.qual_status = (uint8_t)status,
			  .ioptions = (run->params.implicit_return ? 1u : 0) |
				      (run->params.implicit_exception ? 2u : 0) |
				      (run->params.full_address ? 4u : 0) |
				      (run->params.jump_target_cache ? 8u : 0) |
				      (run->params.branch_prediction ? 16u : 0)}});
}

static inline void run_end(struct run *run, const char *want)
{
	hwf_riscv_flow_end(run->flow, run->offset);
	run_free(run);
	run->flow = NULL;
	assert_string_equal(run->text, want);
}

/* Put @piece behind @text, so many times. */
static inline void repeat(char *text, size_t room, unsigned int times, const char *piece)
{
	size_t at = strlen(text);

	for (unsigned int i = 0; i < times; i++) {
		at += (size_t)snprintf(text + at, room - at, "%s", piece);
		assert_true(at < room);
	}
}

/* Tracing ended with the last instruction reported */
static inline void run_ended(struct run *run, const char *want)
{
	support(run, HWF_RISCV_ENDED_REP);
	run_end(run, want);
}

#define BEGIN(run, dialect, code) run_begin(run, dialect, code, sizeof(code) / 2)

/* From @address on, in M-mode, with the parameters as they are at first */
#define START(run, dialect, code, address)    \
	do {                                  \
		BEGIN(run, dialect, code);    \
		start(run, address, 3, true); \
	} while (0)

#endif /* HWF_TESTS_RISCV_FLOW_TEST_H */
