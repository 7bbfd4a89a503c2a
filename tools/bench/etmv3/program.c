// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program: functions of 128 bytes with a loop, a condition and a call in each. They call those
 * further up only, so that no stack runs over; the first one begins anew for ever.
 */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "hwflow/flow.h"

#define FUNCTION  128u
#define FUNCTIONS (PROGRAM_BYTES / FUNCTION)
#define DEPTH     64

/* Bytes of trace between two synchronisations */
#define SYNC_PERIOD 4096

static uint32_t random32(struct program *program)
{
	program->random = program->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(program->random >> 32);
}

static void put32(struct program *program, uint32_t at, uint32_t word)
{
	for (unsigned int i = 0; i < 4; i++)
		program->code[at + i] = (uint8_t)(word >> (8 * i));
}

static void put16(struct program *program, uint32_t at, uint32_t half)
{
	program->code[at] = (uint8_t)half;
	program->code[at + 1] = (uint8_t)(half >> 8);
}

/* An instruction that is no branch */
static void put_plain(struct program *program, uint32_t at)
{
	static const uint32_t arm[] = {0xe1a00000, 0xe2811001, 0xe5912004, 0xe0823003, 0x03a00001};
	static const uint16_t thumb[] = {0xbf00, 0x3101, 0x684a, 0x18d3, 0x4252};

	if (program->thumb)
		put16(program, at, thumb[random32(program) % 5]);
	else
		put32(program, at, arm[random32(program) % 5]);
}

/* A branch on a condition, by an offset in bytes */
static void put_branch(struct program *program, uint32_t at, int32_t by)
{
	if (program->thumb)
		put16(program, at, 0xd100u | ((uint32_t)(by - 4) >> 1 & 0xff));
	else
		put32(program, at, 0x1a000000u | ((uint32_t)(by - 8) >> 2 & 0xffffff));
}

static void put_call(struct program *program, uint32_t at, uint32_t to)
{
	const uint32_t by = to - at;

	if (program->thumb) {
		put16(program, at, 0xf000u | ((by - 4) >> 12 & 0x7ff));
		put16(program, at + 2, 0xf800u | ((by - 4) >> 1 & 0x7ff));
	} else {
		put32(program, at, 0xeb000000u | ((by - 8) >> 2 & 0xffffff));
	}
}

static void put_function(struct program *program, uint32_t number)
{
	const uint32_t start = number * FUNCTION;
	const uint32_t size = program->thumb ? 2 : 4;
	const uint32_t call = start + 16 * size;
	const uint32_t end = start + 24 * size;

	for (uint32_t at = start; at < start + FUNCTION; at += size)
		put_plain(program, at);
	put_branch(program, start + 5 * size, -(int32_t)(4 * size));
	put_branch(program, start + 10 * size, (int32_t)(4 * size));
	if (number + 1 < FUNCTIONS)
		put_call(program, call,
			 (number + 1 + random32(program) % (FUNCTIONS - number - 1)) * FUNCTION);
	if (program->thumb)
		put16(program, end, 0x4770);
	else
		put32(program, end, 0xe12fff1e);
}

static size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	const struct program *program = ctx;
	uint64_t at = address - PROGRAM_BASE;

	(void)space;
	if (at >= PROGRAM_BYTES)
		return 0;
	if (length > PROGRAM_BYTES - at)
		length = PROGRAM_BYTES - at;
	memcpy(bytes, program->code + at, length);
	return length;
}

static void write_trace(void *ctx, const uint8_t *bytes, size_t length)
{
	struct program *program = ctx;

	if (program->room - program->length < length) {
		uint8_t *trace = realloc(program->trace, 2 * program->room + 4096);

		if (!trace)
			abort();
		program->trace = trace;
		program->room = 2 * program->room + 4096;
	}
	memcpy(program->trace + program->length, bytes, length);
	program->length += length;
}

/* struct core - the processor: where it is, and where its calls return to */
struct core {
	struct hwf_etm3_place place;
	uint32_t stack[DEPTH];
	unsigned int depth;
};

static void execute(struct program *program, struct core *core, struct hwf_etm3_unit *unit,
		    const struct hwf_code *code)
{
	struct hwf_etm3_place *place = &core->place;
	const uint32_t number = (place->address - PROGRAM_BASE) / FUNCTION;
	const uint32_t dice = random32(program);
	struct hwf_run run;
	bool passed = true;

	hwf_run_walk(code, NULL, place->address, place->isa, false, 1, UINT64_MAX, &run);
	if (run.insn.conditional)
		passed = dice & 3;
	/* loads take longer */
	hwf_etm3_unit_cycles(unit, dice >> 8 & 7 ? dice >> 16 & 1 : dice >> 16 & 15);
	hwf_etm3_unit_insn(unit, passed);
	program->instructions++;
	place->address = (uint32_t)run.end;
	if (!passed)
		return;
	if (run.insn.kind == HWF_INSN_DIRECT) {
		if (run.insn.sub == HWF_SUB_LINK && number < FUNCTIONS && core->depth < DEPTH)
			core->stack[core->depth++] = place->address;
		place->address = (uint32_t)run.insn.target;
	} else if (run.insn.kind == HWF_INSN_INDIRECT) {
		place->address = core->depth ? core->stack[--core->depth] : PROGRAM_BASE;
		hwf_etm3_unit_branch(unit, place, 0, false, false);
	}
}

int program_run(struct program *program, uint64_t instructions)
{
	const struct hwf_code code = {.ctx = program, .read = read_code};
	struct core core = {.place = {.address = PROGRAM_BASE,
				      .isa = program->thumb ? HWF_ISA_T32 : HWF_ISA_A32}};
	struct hwf_etm3_unit unit;

	program->random = 1;
	if (hwf_etm3_config_init(&program->config, &program->regs))
		return -1;
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		put_function(program, i);
	hwf_etm3_unit_init(&unit, &program->config, write_trace, program);
	hwf_etm3_unit_start(&unit, HWF_ETM3_TRACE_ENABLE, &core.place, 1);
	while (program->instructions < instructions) {
		execute(program, &core, &unit, &code);
		if (unit.bytes >= SYNC_PERIOD)
			hwf_etm3_unit_sync(&unit, &core.place);
	}
	hwf_etm3_unit_flush(&unit);
	return unit.error ? -1 : 0;
}
