// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program: functions of 32 instructions with a loop, a condition and a call in each, one call in
 * four through a register. They call those further up only, so that no stack runs over; the first
 * one begins anew for ever.
 */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "hwflow/te_encoder.h"
#include "hwflow/trace_unit.h"

#define FUNCTION  32u
#define FUNCTIONS (PROGRAM_WORDS / FUNCTION)
#define DEPTH     64

/* Bytes of trace between two synchronisations of the ETE */
#define SYNC_PERIOD 4096

enum kind {
	PLAIN,
	BRANCH,
	CALL,
	CALL_REGISTER,
	RETURN,
};

static uint32_t random32(struct program *program)
{
	program->random = program->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(program->random >> 32);
}

static void put_plain(struct program *program, uint32_t at)
{
	/* nop; add of a constant; load; add */
	static const uint32_t a64[] = {0xd503201f, 0x91000421, 0xf9400422, 0x8b020063};
	static const uint32_t rv64[] = {0x00000013, 0x00158593, 0x0085b603, 0x00c686b3};
	const uint32_t which = random32(program) % 4;

	program->kinds[at] = PLAIN;
	program->a64[at] = a64[which];
	program->rv64[at] = rv64[which];
}

/* The offset of a branch of RISC-V: bits 12, 10:5, 4:1 and 11 */
static uint32_t rv_branch_offset(uint32_t by)
{
	return (by >> 12 & 1) << 31 | (by >> 5 & 0x3f) << 25 | (by >> 1 & 0xf) << 8 |
	       (by >> 11 & 1) << 7;
}

/* And of jal: bits 20, 10:1, 11 and 19:12 */
static uint32_t rv_jump_offset(uint32_t by)
{
	return (by >> 20 & 1) << 31 | (by >> 1 & 0x3ff) << 21 | (by >> 11 & 1) << 20 |
	       (by >> 12 & 0xff) << 12;
}

/* cbnz x0; bne a0, zero */
static void put_branch(struct program *program, uint32_t at, uint32_t to)
{
	program->kinds[at] = BRANCH;
	program->targets[at] = to;
	program->a64[at] = 0xb5000000 | ((to - at) & 0x7ffff) << 5;
	program->rv64[at] = 0x00051063 | rv_branch_offset(4 * (to - at));
}

static void put_call(struct program *program, uint32_t at, uint32_t to, bool by_register)
{
	program->kinds[at] = by_register ? CALL_REGISTER : CALL;
	program->targets[at] = to;
	program->a64[at] = by_register ? 0xd63f0020 : 0x94000000 | ((to - at) & 0x3ffffff);
	program->rv64[at] = by_register ? 0x000780e7 : 0x000000ef | rv_jump_offset(4 * (to - at));
}

static void put_function(struct program *program, uint32_t number)
{
	const uint32_t start = number * FUNCTION;

	for (uint32_t at = start; at < start + FUNCTION; at++)
		put_plain(program, at);
	put_branch(program, start + 5, start + 1);
	put_branch(program, start + 10, start + 14);
	if (number + 1 < FUNCTIONS)
		put_call(program, start + 16,
			 (number + 1 + random32(program) % (FUNCTIONS - number - 1)) * FUNCTION,
			 random32(program) % 4 == 0);
	program->kinds[start + 24] = RETURN;
	program->a64[start + 24] = 0xd65f03c0;
	program->rv64[start + 24] = 0x00008067;
}

static void append(struct trace *trace, const uint8_t *bytes, size_t length)
{
	if (trace->room - trace->length < length) {
		const size_t room = 2 * trace->room + 4096;
		uint8_t *grown = realloc(trace->bytes, room);

		if (!grown)
			abort();
		trace->bytes = grown;
		trace->room = room;
	}
	memcpy(trace->bytes + trace->length, bytes, length);
	trace->length += length;
}

static bool write_ete(void *ctx, const uint8_t *bytes, size_t length)
{
	struct program *program = ctx;

	append(&program->ete_trace, bytes, length);
	return true;
}

static bool write_riscv(void *ctx, const struct hwf_riscv_packet *packet)
{
	struct program *program = ctx;
	struct hwf_riscv_framing framing;
	struct hwf_riscv_frame frame = {.message = HWF_RISCV_MSG_INST};
	uint8_t bytes[HWF_RISCV_MAX_PAYLOAD + 1] = {0};
	int length =
		hwf_riscv_encode(&program->riscv, packet, frame.payload, sizeof(frame.payload));

	frame.length = (uint8_t)length;
	hwf_riscv_framing_init(&framing, HWF_RISCV_REFERENCE);
	if (length > 0)
		length = hwf_riscv_enframe(&framing, &frame, bytes, sizeof(bytes));
	if (length < 0)
		abort();
	append(&program->riscv_trace, bytes, (size_t)length);
	program->riscv_trace.packets++;
	return true;
}

/* struct hart - where execution is, and where its calls return to; both trace units */
struct hart {
	uint32_t at;
	uint32_t stack[DEPTH];
	unsigned int depth;
	struct hwf_tu *unit;
	struct hwf_te *te;
	struct hwf_te_core core;
};

static int take_cycle(void *ctx, const struct hwf_te_cycle *cycle)
{
	struct hart *hart = ctx;

	return hwf_te_cycle(hart->te, cycle);
}

/* Where the instruction leads; false for a branch that is not taken */
static bool leave(struct program *program, struct hart *hart, uint32_t at, uint32_t *next)
{
	*next = at + 1;
	switch (program->kinds[at]) {
	case BRANCH:
		if (!(random32(program) & 3))
			return false;
		*next = program->targets[at];
		return true;
	case CALL:
	case CALL_REGISTER:
		hart->stack[hart->depth++] = *next;
		*next = program->targets[at];
		return true;
	case RETURN:
		*next = hart->depth ? hart->stack[--hart->depth] : 0;
		return true;
	default:
		return true;
	}
}

static uint64_t address_of(uint32_t at)
{
	return PROGRAM_BASE + (uint64_t)4 * at;
}

/* One instruction of the hart */
static int retire(struct program *program, struct hart *hart, uint32_t at)
{
	const struct hwf_te_event event = {
		.address = address_of(at), .opcode = program->rv64[at], .retired = true};

	return hwf_te_core_event(&hart->core, &event);
}

/* Up to the next instruction that may lead elsewhere */
static int execute(struct program *program, struct hart *hart)
{
	const uint32_t first = hart->at;
	struct hwf_insn insn;
	uint32_t last = first;
	bool taken;

	while (program->kinds[last] == PLAIN)
		last++;
	taken = leave(program, hart, last, &hart->at);
	hwf_insn_a64(program->a64[last], address_of(last), &insn);
	hwf_tu_run(hart->unit, address_of(first), HWF_ISA_A64, last - first + 1, &insn, taken,
		   address_of(hart->at));
	program->instructions += last - first + 1;
	for (uint32_t at = first; at <= last; at++)
		if (retire(program, hart, at))
			return -1;
	return 0;
}

static int start(struct program *program, struct hart *hart)
{
	static const struct hwf_context el0 = {.sf = true, .security = 1};
	const struct hwf_tu_options options = {
		.regs = program->regs, .sync_period = SYNC_PERIOD, .el_mask = 1};
	const struct hwf_tu_port unit_port = {.ctx = program, .write = write_ete};
	const struct hwf_te_options te_options = {.config = program->riscv, .stall = true};
	const struct hwf_te_sink sink = {.ctx = program, .packet = write_riscv};
	const struct hwf_te_port te_port = {.ctx = hart, .cycle = take_cycle};
	const struct hwf_te_port_params core = {.dialect = HWF_RISCV_V2,
						.isa = HWF_RV_64,
						.itype_width_p = program->params.itype_width_p,
						.iretire_width_p = 8,
						.ntkn_width_p = 1,
						.taken_branches_p = 1};
	void *unit = malloc(hwf_tu_size(&options));
	void *te = malloc(hwf_te_size(&te_options));

	if (!unit || !te || hwf_tu_init(unit, &options, &unit_port, &hart->unit) ||
	    hwf_te_init(te, &te_options, &sink, &hart->te) ||
	    hwf_te_core_init(&hart->core, &core, &te_port)) {
		free(unit);
		free(te);
		return -1;
	}
	hwf_tu_enable(hart->unit);
	hwf_tu_context(hart->unit, &el0);
	return 0;
}

int program_run(struct program *program, uint64_t instructions)
{
	struct hart hart = {0};
	int err = 0;

	program->random = 1;
	if (hwf_ete_config_init(&program->ete, &program->regs) ||
	    hwf_riscv_config_init(&program->riscv, HWF_RISCV_V2, &program->params))
		return -1;
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		put_function(program, i);
	if (start(program, &hart))
		return -1;
	while (program->instructions < instructions && !err) {
		/* functions are left before the stack is full */
		if (hart.depth == DEPTH)
			err = -1;
		else
			err = execute(program, &hart);
	}
	/* where the last branch led: an ETE tells that with the branch */
	if (!err)
		err = retire(program, &hart, hart.at);
	if (!err)
		err = hwf_te_core_finish(&hart.core);
	hwf_te_finish(hart.te);
	hwf_tu_disable(hart.unit, true);
	free(hart.te);
	free(hart.unit);
	return err;
}
