/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines around the tables of report, annotate and diff. */
#ifndef HWFLOW_VERBS_SUMMARY_H
#define HWFLOW_VERBS_SUMMARY_H

#include <stdio.h>

#include "source/input.h"

/**
 * summary_print_input() - print how much was decoded
 * @input: the recording
 * @instructions: that were executed
 * @ranges: of instructions
 * @out: where to
 */
void summary_print_input(const struct input *input, uint64_t instructions, uint64_t ranges,
			 FILE *out);

/**
 * summary_print_share() - print a share of all instructions, in 7 columns
 * @share: in percent
 * @out: a terminal gets it in colour, unless NO_COLOR is in the environment: red from 5 % on, green
 *	from 0.5 % on
 */
void summary_print_share(double share, FILE *out);

/** summary_has_samples() - is the trace in samples? */
bool summary_has_samples(const struct input *input);

/** summary_print_gaps() - print the number of gaps of each kind, or that nothing is missing */
void summary_print_gaps(const struct input *input, FILE *out);

#endif /* HWFLOW_VERBS_SUMMARY_H */
