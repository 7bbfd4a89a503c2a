/* SPDX-License-Identifier: GPL-2.0-only */
/* The last lines of hwflow script of each thread. */
#ifndef HWFLOW_VERBS_LAST_LINES_H
#define HWFLOW_VERBS_LAST_LINES_H

#include "script_lines.h"

/** struct last_lines - these lines, while a recording is decoded */
struct last_lines;

/**
 * last_lines_new() - begin with no lines
 * @lines: how lines are written; its @out is set, and it must outlive the result
 * @count: lines that are kept of each thread, at least 1
 *
 * Return: NULL without memory.
 */
struct last_lines *last_lines_new(struct script_lines *lines, size_t count);

/** last_lines_free() - free them; NULL is allowed */
void last_lines_free(struct last_lines *last);

/**
 * last_lines_sink() - what execution_run() needs
 * @last: takes the lines
 * @insn: of instructions; else of branches
 */
struct execution_sink last_lines_sink(struct last_lines *last, bool insn);

/**
 * last_lines_print() - print the lines, thread by thread, those of a thread in the order of time
 * @last: the lines
 * @tid: only those of this thread; INPUT_ANY: of all
 * @out: takes them
 *
 * Return: 0; -ENOMEM: lines are missing.
 */
int last_lines_print(struct last_lines *last, int32_t tid, struct text *out);

#endif /* HWFLOW_VERBS_LAST_LINES_H */
