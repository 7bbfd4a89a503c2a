/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions with their source lines, their instructions, and how often each was executed. */
#ifndef HWFLOW_VERBS_ANNOTATION_H
#define HWFLOW_VERBS_ANNOTATION_H

#include <stdio.h>

#include "disassembler.h"
#include "insn_counts.h"
#include "source_text.h"

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
	FILE *out;
};

/**
 * annotation_print() - print the functions
 * @annotation: what is printed
 * @found: receives how many functions there are to print, those beyond the limit included
 *
 * Return: 0 or -ENOMEM.
 */
int annotation_print(const struct annotation *annotation, size_t *found);

#endif /* HWFLOW_VERBS_ANNOTATION_H */
