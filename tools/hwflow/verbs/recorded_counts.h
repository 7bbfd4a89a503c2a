/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow record --profile: counts the parts of a recording. */
#ifndef HWFLOW_VERBS_RECORDED_COUNTS_H
#define HWFLOW_VERBS_RECORDED_COUNTS_H

#include "record/record.h"
#include "source/input.h"

/**
 * struct recorded_counts - the counts of a recording that goes on
 * @input: how its parts are decoded
 * @stored: the counts
 * @counts: adds to them
 * @messages: file that messages are written to, in place of standard error
 * @terminal: standard error
 * @said: of tsearch(3): lines that were written to it
 * @said_count: number of these lines
 */
struct recorded_counts {
	struct input_options input;
	struct hwf_stored_profile *stored;
	struct profile_counts *counts;
	int messages;
	int terminal;
	void *said;
	size_t said_count;
};

/**
 * recorded_counts_counter() - who makes the counts
 * @counts: with @input alone
 */
struct record_counter recorded_counts_counter(struct recorded_counts *counts);

#endif /* HWFLOW_VERBS_RECORDED_COUNTS_H */
