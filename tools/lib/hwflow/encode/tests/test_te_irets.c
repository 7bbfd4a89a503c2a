/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Implied returns that are counted (RISCV_IRETS), encoder and decoder: more of them than the count
 * has room for, a stack that is empty, and a trap after each number of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hwflow/riscv_flow.h"
#include "hwflow/te_encoder.h"

#define BASE         UINT64_C(0x10000)
#define CALLS        300u
#define CALL(number) (BASE + UINT64_C(6) * (number))
#define AWAY         (CALL(CALLS) + 2) /* where the last return goes */
#define TRAP         (AWAY + 4)
#define ROOM         (2 * CALLS + 8)

/* A function calls the next and returns: jal ra, +6; c.jr ra. The last one returns only. */
static size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	const uint16_t function[3] = {0x00ef, 0x0060, 0x8082};
	uint16_t code[3 * CALLS + 8];
	const uint64_t at = address - BASE;

	(void)ctx;
	(void)space;
	for (unsigned int i = 0; i < CALLS; i++)
		memcpy(&code[(size_t)3 * i], function, sizeof(function));
	code[(size_t)3 * CALLS] = 0x8082;
	for (unsigned int i = 3 * CALLS + 1; i < sizeof(code) / 2; i++)
		code[i] = 0x0001;
	if (at >= sizeof(code))
		return 0;
	if (length > sizeof(code) - at)
		length = sizeof(code) - at;
	memcpy(bytes, (const uint8_t *)code + at, length);
	return length;
}

/* struct run - what is executed, what the packets say, and what is decoded */
struct run {
	struct hwf_te_options options;
	struct hwf_te_core core;
	struct hwf_te *te;
	struct hwf_riscv_flow *flow;
	uint64_t executed[ROOM];
	size_t count;
	uint64_t decoded[ROOM];
	size_t given;
	unsigned int gaps;
	uint32_t irets[8]; /* of packets that tell */
	unsigned int told;
};

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	struct run *run = ctx;
	uint64_t pc = event->u.range.start;

	run->gaps += event->kind == HWF_FLOW_GAP || event->kind == HWF_FLOW_NO_SYNC;
	for (uint32_t i = 0; event->kind == HWF_FLOW_RANGE && i < event->u.range.instructions;
	     i++) {
		uint16_t half;

		read_code(NULL, NULL, pc, &half, sizeof(half));
		assert_true(run->given < ROOM);
		run->decoded[run->given++] = pc;
		pc += hwf_rv_size(half);
	}
}

static bool take_packet(void *ctx, const struct hwf_riscv_packet *packet)
{
	struct run *run = ctx;
	const struct hwf_riscv_address *address = &packet->u.address;

	if (packet->type == HWF_RISCV_F2 && address->irreport) {
		assert_true(run->told < 8);
		run->irets[run->told++] = address->irdepth;
	}
	hwf_riscv_flow_push(run->flow, 0, packet, 0);
	return true;
}

static int take_cycle(void *ctx, const struct hwf_te_cycle *cycle)
{
	struct run *run = ctx;

	return hwf_te_cycle(run->te, cycle);
}

static void start(struct run *run)
{
	static const struct hwf_code code = {.read = read_code};
	const struct hwf_te_port port = {.cycle = take_cycle, .ctx = run};
	const struct hwf_te_sink sink = {.packet = take_packet, .ctx = run};
	struct hwf_riscv_params params;
	struct hwf_te_port_params core = {.dialect = HWF_RISCV_V2,
					  .isa = HWF_RV_64,
					  .itype_width_p = 4,
					  .iretire_width_p = 3,
					  .ntkn_width_p = 1,
					  .taken_branches_p = 1};

	memset(run, 0, sizeof(*run));
	hwf_riscv_params_init(&params, HWF_RISCV_V2);
	params.itype_width_p = 4;
	params.irets = true;
	params.implicit_return = true;
	params.return_stack_size_p = 9;
	params.nocontext_p = 0;
	params.context_width_p = 8;
	assert_int_equal(hwf_riscv_config_init(&run->options.config, HWF_RISCV_V2, &params), 0);
	run->flow = malloc(sizeof(*run->flow));
	assert_non_null(run->flow);
	hwf_riscv_flow_init(run->flow, &run->options.config, HWF_RV_64, &code, take_event, run);
	assert_int_equal(
		hwf_te_init(malloc(hwf_te_size(&run->options)), &run->options, &sink, &run->te), 0);
	assert_int_equal(hwf_te_core_init(&run->core, &core, &port), 0);
}

static void execute_in(struct run *run, uint64_t address, uint32_t context)
{
	struct hwf_te_event event = {.address = address,
				     .priv = 3,
				     .context = context,
				     .context_type = HWF_TE_CTYPE_PRECISE,
				     .retired = true};

	read_code(NULL, NULL, address, &event.opcode, sizeof(event.opcode));
	assert_int_equal(hwf_te_core_event(&run->core, &event), 0);
	run->executed[run->count++] = address;
}

static void execute(struct run *run, uint64_t address)
{
	execute_in(run, address, 0);
}

static void interrupt(struct run *run, uint64_t epc)
{
	const struct hwf_te_event event = {
		.address = epc, .opcode = 0x13, .priv = 3, .trap = HWF_TE_INTERRUPT, .cause = 7};

	assert_int_equal(hwf_te_core_event(&run->core, &event), 0);
	execute(run, TRAP);
}

static void finish(struct run *run)
{
	assert_int_equal(hwf_te_core_finish(&run->core), 0);
	hwf_te_finish(run->te);
	hwf_riscv_flow_end(run->flow, 0);
	assert_int_equal(run->gaps, 0);
	assert_int_equal(run->given, run->count);
	assert_memory_equal(run->decoded, run->executed, run->count * sizeof(run->executed[0]));
	free(run->te);
	free(run->flow);
}

/* All calls, and so many returns */
static void go(struct run *run, unsigned int returns)
{
	for (unsigned int i = 0; i < CALLS; i++)
		execute(run, CALL(i));
	execute(run, CALL(CALLS));
	for (unsigned int i = 1; i <= returns; i++)
		execute(run, CALL(CALLS - i) + 4);
}

/* The one behind 255 is reported, and so is the one that has no call, with what was not told. */
static void more_than_can_be_counted(void **state)
{
	struct run run;

	(void)state;
	start(&run);
	go(&run, CALLS);
	execute(&run, AWAY);
	execute(&run, AWAY + 2);
	finish(&run);
	assert_int_equal(run.told, 2);
	assert_int_equal(run.irets[0], 255);
	assert_int_equal(run.irets[1], CALLS - 256);
}

/* Before a trap it is told how many there were. */
static void a_trap_after_each(void **state)
{
	struct run run;

	(void)state;
	for (unsigned int returns = 0; returns < CALLS; returns++) {
		start(&run);
		go(&run, returns);
		interrupt(&run, CALL(CALLS - returns - 1) + 4);
		finish(&run);
		/* a return follows the last one that is executed */
		if (returns && returns != 256)
			assert_int_equal(run.irets[run.told - 1], returns % 256);
	}
}

/* So it is before any format 3: here the context changes. */
static void a_context_after_three(void **state)
{
	struct run run;

	(void)state;
	start(&run);
	go(&run, 3);
	execute_in(&run, CALL(CALLS - 4) + 4, 1);
	finish(&run);
	assert_true(run.told >= 1);
	assert_int_equal(run.irets[0], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_than_can_be_counted),
		cmocka_unit_test(a_trap_after_each),
		cmocka_unit_test(a_context_after_three),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
