/* SPDX-License-Identifier: GPL-2.0-only */
/* Executed RISC-V instructions as text: the CSV that the reference flow's simulator writes. */
#ifndef HWFLOW_EXEC_CSV_H
#define HWFLOW_EXEC_CSV_H

#include <stdio.h>

#include "hwflow/te_ingress.h"

/** EXEC_CSV_HEADER - what its first line is */
#define EXEC_CSV_HEADER "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT"

/**
 * struct exec_csv - a file that is read
 * @in: it
 * @number: of the line read last, from 1 on
 * @error: why it could not be read
 */
struct exec_csv {
	FILE *in;
	uint64_t number;
	const char *error;
};

/**
 * exec_csv_begin() - read the first line
 * @csv: @csv->in is open
 *
 * Return: 0, or -EINVAL with @csv->error.
 */
int exec_csv_begin(struct exec_csv *csv);

/**
 * exec_csv_next() - read one line
 * @csv: begun
 * @event: receives it; context, time and trigger are 0
 *
 * An instruction that traps has not retired, but for ecall and ebreak (of 4 bytes); of an interrupt
 * the line has the address where execution would have gone on. Lines that are not valid (VALID 0)
 * are passed over.
 *
 * Return: 1; 0 at the end; -EINVAL or -EIO with @csv->error.
 */
int exec_csv_next(struct exec_csv *csv, struct hwf_te_event *event);

#endif /* HWFLOW_EXEC_CSV_H */
