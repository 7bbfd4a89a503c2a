/* SPDX-License-Identifier: GPL-2.0-only */
/* The columns of hwflow script: --fields, and those that begin each line. */
#ifndef HWFLOW_VERBS_SCRIPT_FIELDS_H
#define HWFLOW_VERBS_SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/** enum script_field - a column; names are those of perf script -F, see script_fields_parse() */
enum script_field {
	FIELD_COMM = 1 << 0,
	FIELD_TID = 1 << 1,
	FIELD_CPU = 1 << 2,
	FIELD_TIME = 1 << 3,
	FIELD_INSN = 1 << 4, /* with --insn */
	FIELD_IP = 1 << 5,
	FIELD_SYM = 1 << 6,
	FIELD_SYMOFF = 1 << 7,
	FIELD_DSO = 1 << 8,
	FIELD_SRCLINE = 1 << 9,
	FIELD_ADDR = 1 << 10,  /* without --insn */
	FIELD_FLAGS = 1 << 11, /* likewise */
	FIELD_DSOFF = 1 << 12,
	FIELD_BUILDID = 1 << 13,
	FIELD_CYC = 1 << 14,
};

/** FIELDS_NAMES - columns that need the name of an address */
#define FIELDS_NAMES \
	(FIELD_SYM | FIELD_SYMOFF | FIELD_DSO | FIELD_SRCLINE | FIELD_DSOFF | FIELD_BUILDID)

/** FIELDS_DEFAULT_NAMES - those of them that are printed without --fields */
#define FIELDS_DEFAULT_NAMES (FIELD_SYM | FIELD_SYMOFF | FIELD_DSO | FIELD_SRCLINE)

/**
 * script_fields_default() - the columns without --fields
 * @insn: of lines of instructions; else of branches
 */
unsigned int script_fields_default(bool insn);

/**
 * script_fields_parse() - take the value of --fields
 * @list: names, with commas between
 * @fields: receives the columns
 *
 * Return: false if a name is not known: the reason was printed on stderr.
 */
bool script_fields_parse(const char *list, unsigned int *fields);

/**
 * script_fields_fit() - do columns fit each other and the lines?
 * @fields: of --fields
 * @insn: lines of instructions
 *
 * Return: false if one of them cannot be printed: the reason was printed on stderr.
 */
bool script_fields_fit(unsigned int fields, bool insn);

/**
 * script_put_thread() - write the columns of the thread: comm, tid, cpu
 * @out: receives them
 * @fields: the columns
 * @name: of the thread
 * @tid: the thread; below 0 if not known
 * @cpu: likewise
 */
void script_put_thread(struct text *out, unsigned int fields, const char *name, int32_t tid,
		       int32_t cpu);

/** script_put_cycles() - write the column of the cycles since the line before */
void script_put_cycles(struct text *out, uint64_t cycles);

/** script_put_seconds() - write the column of the time, in nanoseconds */
void script_put_seconds(struct text *out, uint64_t time);

/** script_put_no_time() - write the column of a time that is not known */
void script_put_no_time(struct text *out);

#endif /* HWFLOW_VERBS_SCRIPT_FIELDS_H */
