// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generator of programs. A program is a number of functions; a function calls those behind it only, so that calls end.
 * Branches to a block before them are conditional, but for the last one of the first function, which is a loop until
 * the fuel is used up.
 *
 * Registers: w20 is a number that the program computes, w2 and w3 are constants of that; x24 is the address to leave
 * to; x26 the stack of return addresses; x27 the next place of the log; x28 the fuel; x8 the number of a system call;
 * x9 to x12 are free.
 */
#include "random_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kselftest.h"

#define CODE_SIZE (1U << 18)
#define STACK_SIZE 4096
#define FUNCTIONS 24
#define FUNCTION_BLOCKS 24
#define MAX_FILLER 12

/* instructions at the beginning of each block: its number is stored, fuel is counted and tested */
#define PROLOGUE 4

#define REG_NUMBER 20
#define REG_STACK 26
#define REG_LOG 27
#define REG_FUEL 28
#define REG_LINK 30

/* conditions of b.cond that are always true */
#define COND_AL 14

static uint64_t draw(struct random_program *program, uint64_t limit)
{
	/* xorshift64* */
	program->state ^= program->state >> 12;
	program->state ^= program->state << 25;
	program->state ^= program->state >> 27;
	return (program->state * 0x2545f4914f6cdd1dULL >> 33) % limit;
}

static void emit(struct random_program *program, uint32_t opcode)
{
	if (program->used + 4 <= program->size)
		program->code[program->used / 4] = opcode;
	program->used += 4;
}

/* Branches to blocks that are not made yet are completed when the function is */
enum target_field {
	FIELD_26,
	FIELD_19,
	FIELD_14,
	FIELD_ADR,
	FIELD_ADDRESS,
};

struct fixup {
	uint32_t at;
	uint32_t block;
	enum target_field field;
};

struct maker {
	struct random_program *program;
	struct fixup fixups[RANDOM_BLOCKS * 6];
	size_t fixup_count;
	uint32_t functions[FUNCTIONS]; /* first block of each */
	uint32_t function;
	uint32_t first;
	uint32_t block;
};

static void fixup(struct maker *maker, enum target_field field, uint32_t block)
{
	maker->fixups[maker->fixup_count++] = (struct fixup){
		.at = (uint32_t)maker->program->used,
		.block = block,
		.field = field,
	};
}

static void emit_to(struct maker *maker, enum target_field field, uint32_t opcode, uint32_t block)
{
	fixup(maker, field, block);
	emit(maker->program, opcode);
}

static void complete(struct random_program *program, const struct fixup *fix)
{
	const int32_t from = (int32_t)fix->at;
	const int32_t to = (int32_t)program->blocks[fix->block].start;
	const uint32_t distance = (uint32_t)(to - from) >> 2;
	uint32_t *opcode = &program->code[fix->at / 4];
	uint64_t address;

	switch (fix->field) {
	case FIELD_26:
		*opcode |= distance & 0x3ffffff;
		break;
	case FIELD_19:
		*opcode |= (distance & 0x7ffff) << 5;
		break;
	case FIELD_14:
		*opcode |= (distance & 0x3fff) << 5;
		break;
	case FIELD_ADR:
		*opcode |= (distance & 0x7ffff) << 5;
		break;
	case FIELD_ADDRESS:
		address = (uintptr_t)program->code + (uint64_t)to;
		memcpy(opcode, &address, sizeof(address));
		break;
	}
}

/* ubfx w9, w20, #low, #bits */
static void emit_bits(struct random_program *program, uint32_t bits)
{
	const uint32_t low = (uint32_t)draw(program, 28 - bits);

	emit(program, 0x53000000 | low << 16 | (low + bits - 1) << 10 | REG_NUMBER << 5 | 9);
}

/* A block of this function: after the present one, or, for conditional branches, any */
static uint32_t pick_ahead(struct maker *maker)
{
	const uint32_t last = maker->first + FUNCTION_BLOCKS - 1;

	return maker->block + 1 + (uint32_t)draw(maker->program, last - maker->block);
}

static uint32_t pick_any(struct maker *maker)
{
	if (draw(maker->program, 4))
		return pick_ahead(maker);
	return maker->first + 1 + (uint32_t)draw(maker->program, FUNCTION_BLOCKS - 1);
}

static void end_b_cond(struct maker *maker)
{
	const uint32_t cond = (uint32_t)draw(maker->program, 16);

	/* msr nzcv, x20 */
	emit(maker->program, 0xd51b4200 | REG_NUMBER);
	emit_to(maker, FIELD_19, 0x54000000 | cond,
		cond >= COND_AL ? pick_ahead(maker) : pick_any(maker));
}

static void end_cbz(struct maker *maker)
{
	const uint32_t nonzero = (uint32_t)draw(maker->program, 2) << 24;
	const uint32_t wide = (uint32_t)draw(maker->program, 2) << 31;

	emit_bits(maker->program, 1 + (uint32_t)draw(maker->program, 2));
	emit_to(maker, FIELD_19, 0x34000000 | wide | nonzero | 9, pick_any(maker));
}

static void end_tbz(struct maker *maker)
{
	const uint32_t nonzero = (uint32_t)draw(maker->program, 2) << 24;
	const uint32_t bit = (uint32_t)draw(maker->program, 32);

	emit_to(maker, FIELD_14, 0x36000000 | nonzero | bit << 19 | REG_NUMBER, pick_any(maker));
}

static void end_b(struct maker *maker)
{
	emit_to(maker, FIELD_26, 0x14000000, pick_ahead(maker));
}

/* adr x10; adr x11; csel x9, x10, x11, cond; br x9 */
static void end_br(struct maker *maker)
{
	const uint32_t cond = (uint32_t)draw(maker->program, 14);

	emit(maker->program, 0xd51b4200 | REG_NUMBER);
	emit_to(maker, FIELD_ADR, 0x10000000 | 10, pick_ahead(maker));
	emit_to(maker, FIELD_ADR, 0x10000000 | 11, pick_ahead(maker));
	emit(maker->program, 0x9a800000 | 11 << 16 | cond << 12 | 10 << 5 | 9);
	emit(maker->program, 0xd61f0000 | 9 << 5);
}

/* A table of four addresses behind the block: adr x10, table; ldr x9, [x10, w9, uxtw #3]; br x9; table */
static void end_table(struct maker *maker)
{
	struct random_program *program = maker->program;
	const bool pad = (program->used + 16) % 8;
	const uint32_t distance = 12 + (pad ? 4 : 0);

	emit_bits(program, 2);
	emit(program, 0x10000000 | distance >> 2 << 5 | 10);
	emit(program, 0xf8605800 | 9 << 16 | 10 << 5 | 9);
	emit(program, 0xd61f0000 | 9 << 5);
	program->blocks[maker->block].end = (uint32_t)program->used;
	if (pad)
		emit(program, 0);
	for (unsigned int i = 0; i < 4; i++) {
		emit_to(maker, FIELD_ADDRESS, 0, pick_ahead(maker));
		emit(program, 0);
	}
}

/* A call of a function behind this one; the block behind is where it returns to */
static void end_call(struct maker *maker)
{
	struct random_program *program = maker->program;
	const uint32_t rest = FUNCTIONS - maker->function - 1;
	uint32_t callee;

	if (!rest) {
		end_tbz(maker);
		return;
	}
	/* mostly the next one, so that calls are deep */
	callee = maker->function + 1 + (draw(program, 3) ? 0 : (uint32_t)draw(program, rest));
	if (draw(program, 2)) {
		emit_to(maker, FIELD_26, 0x94000000, callee * FUNCTION_BLOCKS);
		return;
	}
	emit_to(maker, FIELD_ADR, 0x10000000 | 9, callee * FUNCTION_BLOCKS);
	emit(program, 0xd63f0000 | 9 << 5);
}

static void end_svc(struct maker *maker)
{
	emit(maker->program, 0xd4000001);
	maker->program->blocks[maker->block].call = true;
}

/* The last block of a function: ldr x30, [x26], #8; ret. That of the first function begins it anew. */
static void end_function(struct maker *maker)
{
	if (!maker->function) {
		emit_to(maker, FIELD_26, 0x14000000, maker->first + 1);
		return;
	}
	emit(maker->program, 0xf8400400 | 8 << 12 | REG_STACK << 5 | REG_LINK);
	emit(maker->program, 0xd65f0000 | REG_LINK << 5);
}

static void emit_filler(struct random_program *program)
{
	static const uint32_t fillers[] = {
		0xd503201f, /* nop */
		0x1100054a, /* add w10, w10, #1 */
		0x4a0a016b, /* eor w11, w11, w10 */
		0xd5033fdf, /* isb */
		0xd5033bbf, /* dmb ish */
	};
	const uint64_t count = draw(program, draw(program, 4) ? 3 : MAX_FILLER);

	for (uint64_t i = 0; i < count; i++)
		emit(program, fillers[draw(program, ARRAY_SIZE(fillers))]);
	/* madd w20, w20, w2, w3 */
	emit(program, 0x1b000000 | 2 << 16 | 3 << 10 | REG_NUMBER << 5 | REG_NUMBER);
}

static void emit_prologue(struct maker *maker)
{
	struct random_program *program = maker->program;
	const uint32_t distance = (program->exit - (uint32_t)program->used - 12) >> 2;

	/* movz w9, #block; str w9, [x27], #4; sub x28, x28, #1; cbz x28, exit */
	emit(program, 0x52800000 | maker->block << 5 | 9);
	emit(program, 0xb8004400 | REG_LOG << 5 | 9);
	emit(program, 0xd1000400 | REG_FUEL << 5 | REG_FUEL);
	emit(program, 0xb4000000 | (distance & 0x7ffff) << 5 | REG_FUEL);
}

static void make_block(struct maker *maker)
{
	static void (*const ends[])(struct maker *maker) = {
		end_b_cond, end_b_cond, end_cbz, end_cbz, end_tbz, end_tbz, end_b, end_br, end_table,
		end_call, end_call, end_svc,
	};
	struct random_program *program = maker->program;
	struct random_block *block = &program->blocks[maker->block];

	block->start = (uint32_t)program->used;
	emit_prologue(maker);
	/* str x30, [x26, #-8]! */
	if (maker->block == maker->first && maker->function)
		emit(program, 0xf8000c00 | (0x1ff & -8) << 12 | REG_STACK << 5 | REG_LINK);
	emit_filler(program);
	if (maker->block == maker->first + FUNCTION_BLOCKS - 1)
		end_function(maker);
	else if (draw(program, 16) || maker->block == maker->first)
		ends[draw(program, draw(program, 4) ? 11 : 12)](maker);
	if (!block->end)
		block->end = (uint32_t)program->used;
}

static int make_functions(struct random_program *program)
{
	struct maker *maker = calloc(1, sizeof(*maker));

	if (!maker)
		return -ENOMEM;
	maker->program = program;
	program->block_count = FUNCTIONS * FUNCTION_BLOCKS;
	/* br x24 */
	program->exit = 0;
	emit(program, 0xd61f0000 | 24 << 5);
	for (maker->function = 0; maker->function < FUNCTIONS; maker->function++) {
		maker->first = maker->function * FUNCTION_BLOCKS;
		for (uint32_t i = 0; i < FUNCTION_BLOCKS; i++) {
			maker->block = maker->first + i;
			make_block(maker);
		}
	}
	for (size_t i = 0; i < maker->fixup_count && program->used <= program->size; i++)
		complete(program, &maker->fixups[i]);
	free(maker);
	return program->used <= program->size ? 0 : -EOVERFLOW;
}

static int map_memory(struct random_program *program, size_t log_size)
{
	const int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	void *map = mmap(NULL, CODE_SIZE, prot, flags, -1, 0);

	if (map == MAP_FAILED)
		return -errno;
	program->code = map;
	program->size = CODE_SIZE;
	map = mmap(NULL, log_size + STACK_SIZE, prot, flags, -1, 0);
	if (map == MAP_FAILED)
		return -errno;
	program->log = map;
	program->registers.stack = (uint8_t *)map + log_size + STACK_SIZE;
	return 0;
}

int random_program_make(struct random_program *program, uint64_t seed, uint32_t fuel)
{
	const size_t log_size = (fuel * sizeof(uint32_t) + 15) & ~(size_t)15;
	int error;

	memset(program, 0, sizeof(*program));
	program->state = seed * 2 + 1;
	program->log_count = fuel;
	error = map_memory(program, log_size);
	if (!error)
		error = make_functions(program);
	if (!error && mprotect(program->code, program->size, PROT_READ | PROT_EXEC))
		error = -errno;
	if (error) {
		random_program_free(program);
		return error;
	}
	__builtin___clear_cache((char *)program->code, (char *)program->code + program->used);
	program->registers.code = (uint8_t *)program->code + program->blocks[0].start;
	program->registers.log = program->log;
	program->registers.fuel = fuel;
	program->registers.seed = draw(program, 1ULL << 31);
	random_program_clear(program);
	return 0;
}

void random_program_clear(struct random_program *program)
{
	memset(program->log, 0xff, program->log_count * sizeof(*program->log));
	program->notes.count = 0;
}

bool random_program_has(const struct random_program *program, uint64_t address)
{
	return address - (uintptr_t)program->code < program->used;
}

/*
 * The index in the log of the block that note @number has interrupted. The second instruction of a block stores its
 * number.
 */
static size_t index_of_note(const struct random_program *program, size_t number)
{
	const uint64_t offset = program->notes.notes[number].pc - (uintptr_t)program->code;
	const size_t index = (size_t)(program->notes.notes[number].x27 - (uintptr_t)program->log) /
			     sizeof(*program->log);
	const struct random_block *block;

	if (index >= program->log_count || program->log[index] >= program->block_count)
		return index - 1;
	block = &program->blocks[program->log[index]];
	return offset == block->start || offset == block->start + 4 ? index : index - 1;
}

/* A range of block @index of the log, with the signal handlers that interrupt it; @note is the next one */
static void expect_part(const struct random_program *program, struct expect *expect, size_t index,
			uint32_t from, uint32_t to, size_t *note)
{
	const uint64_t base = (uintptr_t)program->code, end = base + to;
	uint64_t start = base + from;

	while (*note < program->notes.count && index_of_note(program, *note) == index &&
	       program->notes.notes[*note].pc >= start && program->notes.notes[*note].pc < end) {
		expect_range(expect, start, program->notes.notes[*note].pc);
		expect_rows(expect, workload_note_rows);
		start = program->notes.notes[(*note)++].pc;
	}
	expect_range(expect, start, end);
}

bool random_program_expect(const struct random_program *program, struct expect *expect)
{
	const size_t last = program->log_count - 1;
	size_t note = 0;

	for (size_t i = 0; i <= last; i++) {
		const uint32_t number = program->log[i];
		const struct random_block *block = &program->blocks[number];

		if (number >= program->block_count)
			return false;
		expect_part(program, expect, i, block->start,
			    i == last ? block->start + 4 * PROLOGUE : block->end, &note);
		if (block->call && i < last)
			expect_exception(expect, WORKLOAD_EXC_CALL,
					 (uintptr_t)program->code + block->end);
	}
	expect_part(program, expect, last, program->exit, program->exit + 4, &note);
	return note == program->notes.count;
}

void random_program_free(struct random_program *program)
{
	if (program->code)
		munmap(program->code, program->size);
	if (program->log)
		munmap(program->log, (size_t)((uint8_t *)program->registers.stack -
					      (uint8_t *)program->log));
	memset(program, 0, sizeof(*program));
}
