/* SPDX-License-Identifier: GPL-2.0-only */
/* How often each instruction was executed. */
#ifndef HWFLOW_VERBS_INSN_COUNTS_H
#define HWFLOW_VERBS_INSN_COUNTS_H

#include "execution.h"
#include "symbols/symbols.h"
#include "threads.h"

/**
 * struct insn_count - one instruction, and its counts
 * @function: the function it is in
 * @offset: from the beginning of @function
 * @file: the file that has its code
 * @file_offset: in @file
 * @address: virtual address where it was executed first
 * @target: name of the function that a direct branch goes to, or NULL
 * @target_offset: from the beginning of @target
 * @line: source line, of code made at run time only
 * @executed: how often it was executed
 * @taken: of a branch: how often it was taken
 * @not_taken: of a branch: how often it was not taken
 * @cost: see insn_counts_cost()
 * @bytes: the instruction, in the order of memory
 * @size: how many of @bytes
 * @isa: enum hwf_isa
 * @branch: it is a branch, of which @taken and @not_taken are counted
 */
struct insn_count {
	const struct function *function;
	uint64_t offset;
	struct hwf_image_file *file;
	uint64_t file_offset;
	uint64_t address;
	const struct function *target;
	uint64_t target_offset;
	struct source_line line;
	uint64_t executed;
	uint64_t taken;
	uint64_t not_taken;
	double cost;
	uint8_t bytes[4];
	uint8_t size;
	uint8_t isa;
	bool branch;
};

/** struct insn_counts - all instructions */
struct insn_counts;

/**
 * insn_counts_new() - begin with no instructions
 * @result: receives it
 * @symbols: names; must outlive it
 * @threads: threads of the recording; must outlive it
 *
 * Return: 0 or -ENOMEM.
 */
int insn_counts_new(struct insn_counts **result, struct symbols *symbols,
		    const struct threads *threads);

/** insn_counts_block() - add the counts of a block, at the present place of @execution */
void insn_counts_block(struct insn_counts *counts, const struct execution *execution,
		       const struct hwf_profile_block *block);

/** insn_counts_cost() - add a cost to each instruction of a block, which is executed at the present
 * place of @execution */
void insn_counts_cost(struct insn_counts *counts, const struct execution *execution,
		      const struct hwf_profile_block *block, double cost);

/**
 * insn_counts_sorted() - all instructions, by function, file and place in the file
 * @counts: the instructions; nothing may be counted any more
 * @count: receives how many
 *
 * Return: the first; valid as long as @counts.
 */
const struct insn_count *insn_counts_sorted(struct insn_counts *counts, size_t *count);

/** insn_counts_failed() - did memory run out? */
bool insn_counts_failed(const struct insn_counts *counts);

/** insn_counts_free() - free everything; NULL is allowed */
void insn_counts_free(struct insn_counts *counts);

/**
 * insn_opcode() - an instruction as a number, in the order of the instruction set's manual
 * @isa: enum hwf_isa
 * @bytes: of the instruction, 4 of them, in the order of memory
 * @size: of the instruction
 */
uint32_t insn_opcode(unsigned int isa, const uint8_t *bytes, unsigned int size);

/**
 * insn_target() - where a direct branch goes
 * @isa: enum hwf_isa
 * @bytes: of the instruction, 4 of them
 * @address: of the instruction
 * @target: receives the address
 *
 * Return: false if it is no direct branch.
 */
bool insn_target(unsigned int isa, const uint8_t *bytes, uint64_t address, uint64_t *target);

#endif /* HWFLOW_VERBS_INSN_COUNTS_H */
