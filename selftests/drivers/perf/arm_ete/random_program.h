/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs that are generated from a seed and record their own path. A program is made of blocks. Each block stores its
 * number into memory and ends with a branch, or goes on to the next block; no branch leads into the middle of a block.
 * So the numbers in memory tell each instruction that was executed, and their order.
 */
#ifndef ARM_ETE_SELFTESTS_RANDOM_PROGRAM_H
#define ARM_ETE_SELFTESTS_RANDOM_PROGRAM_H

#include "expect.h"

#define RANDOM_BLOCKS 2048

/**
 * struct random_block - a block of a program
 * @start: offset of its first instruction, in bytes
 * @end: offset behind its last one
 * @call: its last instruction is an svc
 */
struct random_block {
	uint32_t start;
	uint32_t end;
	bool call;
};

/**
 * struct random_registers - argument of workload_random()
 * @code: first instruction of the program
 * @log: receives the block numbers
 * @stack: end of memory for return addresses
 * @fuel: blocks to execute; must not be 0
 * @seed: of the numbers that decide conditional branches
 */
struct random_registers {
	const void *code;
	uint32_t *log;
	void *stack;
	uint64_t fuel;
	uint64_t seed;
};

/**
 * struct random_program - a program
 * @code: its instructions, in memory that can be executed
 * @size: bytes of that memory
 * @used: bytes of @code that are in use
 * @blocks: its blocks, by their number
 * @block_count: number of @blocks
 * @exit: offset of the instructions that end it
 * @log: numbers of executed blocks; the last one was executed up to the test of the fuel
 * @log_count: number of @log
 * @notes: where workload_note() has interrupted the program
 * @registers: argument of workload_random()
 * @state: of the generator of random numbers
 */
struct random_program {
	uint32_t *code;
	size_t size;
	size_t used;
	struct random_block blocks[RANDOM_BLOCKS];
	size_t block_count;
	uint32_t exit;
	uint32_t *log;
	size_t log_count;
	struct workload_notes notes;
	struct random_registers registers;
	uint64_t state;
};

/**
 * random_program_make() - generate a program
 * @program: receives it
 * @seed: equal seeds make equal programs at equal addresses
 * @fuel: number of blocks to execute
 *
 * Return: 0 or a negative errno.
 */
int random_program_make(struct random_program *program, uint64_t seed, uint32_t fuel);

/** random_program_clear() - forget the path, before the program is executed once more */
void random_program_clear(struct random_program *program);

/**
 * random_program_expect() - what was executed, by the path in memory
 * @program: after its execution
 * @expect: receives it, without what is executed before and behind
 *
 * Return: false if the path is not complete, or has no place for a note.
 */
bool random_program_expect(const struct random_program *program, struct expect *expect);

/** random_program_has() - whether an address is one of the program's instructions */
bool random_program_has(const struct random_program *program, uint64_t address);

/** random_program_free() - free the memory of a program */
void random_program_free(struct random_program *program);

/* In assembly: sets registers and goes to the program, which comes back at its end */
void workload_random(void *registers);
extern const struct workload_row workload_random_before[], workload_random_after[];

#endif
