/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions with their source lines, their instructions, and how often each was executed. */
#ifndef HWFLOW_VERBS_ANNOTATION_H
#define HWFLOW_VERBS_ANNOTATION_H

#include <stdio.h>

#include "disassembler.h"
#include "insn_counts.h"
#include "measure.h"
#include "source_text.h"

/**
 * struct annotation_block - the instructions of a function at one place of a file
 * @insns: those that were executed, by place
 * @count: how many
 * @executed: sum of their counts
 * @cost: sum of their costs
 */
struct annotation_block {
	const struct insn_count *insns;
	size_t count;
	uint64_t executed;
	double cost;
};

/**
 * struct annotation_sink - what takes the rows of functions
 * @begin: a function begins; @all: the sums of the counts and costs of all functions.
 *	False: it is left out
 * @insn: an instruction of it: the address that is shown, and its source line, whose file is NULL
 *	if it is not known
 * @stretch: instructions from an address on that were not executed: @count of them
 * @end: the function has ended
 * @ctx: first argument of all
 */
struct annotation_sink {
	bool (*begin)(void *ctx, const struct annotation_block *block,
		      const struct annotation_block *all);
	void (*insn)(void *ctx, const struct insn_count *insn, uint64_t address,
		     const struct source_line *line);
	void (*stretch)(void *ctx, uint64_t address, size_t count);
	void (*end)(void *ctx);
	void *ctx;
};

/**
 * struct annotation - what is printed, and how
 * @counts: the instructions
 * @symbols: their names
 * @source: source files; NULL: source lines are not printed
 * @disassembler: for instructions as text; NULL: opcodes are printed alone
 * @name: print the functions of this name only; NULL: those that executed the most instructions
 * @limit: how many functions at most, without @name; 0: all
 * @all: print each instruction that was not executed; else long stretches of them are one row
 * @full_paths: print whole paths of files and source files
 * @measure: what costs are, which functions are sorted by; NULL: there are none
 * @out: where to
 */
struct annotation {
	struct insn_counts *counts;
	struct symbols *symbols;
	struct source_text *source;
	struct disassembler *disassembler;
	const char *name;
	size_t limit;
	bool all;
	bool full_paths;
	const struct measure *measure;
	FILE *out;
};

/**
 * annotation_visit() - hand on all functions, those that executed the most instructions first
 * @annotation: of its members, @counts, @symbols, @source and @all
 * @sink: takes them
 *
 * Return: 0 or -ENOMEM.
 */
int annotation_visit(const struct annotation *annotation, const struct annotation_sink *sink);

/** annotation_target() - write where a direct branch goes: " -> ADDRESS", and the name of another
 * function; nothing if the instruction is no direct branch */
void annotation_target(const struct insn_count *insn, uint64_t address, FILE *out);

/**
 * annotation_print() - print the functions
 * @annotation: what is printed
 * @found: receives how many functions there are to print, those beyond the limit included
 *
 * Return: 0 or -ENOMEM.
 */
int annotation_print(const struct annotation *annotation, size_t *found);

#endif /* HWFLOW_VERBS_ANNOTATION_H */
