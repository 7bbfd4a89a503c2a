/* SPDX-License-Identifier: GPL-2.0-only */
/* How often the code of a binary was executed, by address. */
#ifndef HWFLOW_PROFILE_CODE_COUNTS_H
#define HWFLOW_PROFILE_CODE_COUNTS_H

#include "items.h"
#include "profile_formats.h"

/**
 * struct code_arrival - a branch that was taken, where it went to
 * @to: the address
 * @from: the branch, if it is @inside
 * @count: how often
 * @inside: the branch is of the same binary
 * @call: it is a call
 */
struct code_arrival {
	uint64_t to;
	uint64_t from;
	uint64_t count;
	bool inside;
	bool call;
};

/**
 * struct code_branch - a branch that was executed
 * @address: the branch
 * @end: address after it
 * @taken: how often it was taken
 * @not_taken: how often it was not taken
 * @call: it is a call
 * @conditional: it may be not taken
 */
struct code_branch {
	uint64_t address;
	uint64_t end;
	uint64_t taken;
	uint64_t not_taken;
	bool call;
	bool conditional;
};

/**
 * struct code_counts - counts of a binary
 * @spans: addresses that were executed equally often, by address
 * @arrivals: struct code_arrival by @to. Returns to the instruction after a call are left out:
 *	execution goes on there as after an instruction that is no branch
 * @branches: struct code_branch by address, once each
 */
struct code_counts {
	struct items spans;
	struct items arrivals;
	struct items branches;
};

/**
 * code_counts_init() - the counts of a binary
 * @counts: receives them
 * @stored: the profile
 * @binary: the binary
 *
 * Return: 0 or -ENOMEM. The caller calls code_counts_free() in both cases.
 */
int code_counts_init(struct code_counts *counts, struct hwf_stored_profile *stored,
		     const struct profile_binary *binary);

/** code_counts_at() - how often the instruction at an address was executed */
uint64_t code_counts_at(const struct code_counts *counts, uint64_t address);

/** code_counts_most() - how often the instruction of some addresses was executed that was executed
 * most often */
uint64_t code_counts_most(const struct code_counts *counts, uint64_t start, uint64_t end);

/** code_counts_arrivals() - the arrivals at an address; @count receives how many */
const struct code_arrival *code_counts_arrivals(const struct code_counts *counts, uint64_t to,
						size_t *count);

/** code_counts_branch() - the branch at an address; NULL if none was executed there */
const struct code_branch *code_counts_branch(const struct code_counts *counts, uint64_t address);

/** code_counts_free() - free what code_counts_init() has allocated */
void code_counts_free(struct code_counts *counts);

#endif /* HWFLOW_PROFILE_CODE_COUNTS_H */
