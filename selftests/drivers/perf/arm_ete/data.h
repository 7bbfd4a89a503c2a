/* SPDX-License-Identifier: GPL-2.0-only */
/* What the data tests share: the PMU, configurations of the event, and the test of an execution. */
#ifndef ARM_ETE_SELFTESTS_DATA_H
#define ARM_ETE_SELFTESTS_DATA_H

#include "expect.h"

/**
 * struct data_variant - a configuration of the event
 * @name: for the name of the test
 * @config: attr.config
 * @in_tree_lacks: why the in-tree driver cannot record this, or NULL
 */
struct data_variant {
	const char *name;
	uint64_t config;
	const char *in_tree_lacks;
};

extern const struct data_variant data_variants[];
extern const size_t data_variant_count;

/**
 * data_begin() - find the PMU; exit with a skip if there is none
 * @pmu: receives it
 */
void data_begin(struct record_pmu *pmu);

/** data_supports() - whether all trace units have what a configuration needs; else @why gets the reason */
bool data_supports(const struct record_pmu *pmu, const struct data_variant *variant,
		   const char **why);

/**
 * data_complete() - whether a recording, decoded, equals what was expected, and reports no loss
 * @record: the recording
 * @decode: has the program code
 * @expected: what was executed; receives the number of interruptions
 * @text: receives the difference, if there is one
 * @size: bytes of @text
 */
bool data_complete(const struct record *record, struct decode *decode,
		   struct expect *expected, char *text, size_t size);

/**
 * data_handle() - have a signal handled by a function of workload.S
 * @number: of the signal
 * @handler: it returns by workload_restorer(), whose code is known
 *
 * Return: 0, or -1 with errno set.
 */
int data_handle(int number, void (*handler)(void));

/**
 * data_number() - a number from the environment
 * @name: of the variable
 * @otherwise: where it is not set
 */
uint64_t data_number(const char *name, uint64_t otherwise);

#endif
