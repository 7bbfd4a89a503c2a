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
 * struct data_options - options of the command line, and of the environment
 * @driver: -d, ARM_ETE_DRIVER: arm_ete_pmu or coresight, the driver that the PMU must have; NULL: either
 * @seed: -s, ARM_ETE_SEED: seed of what is random; otherwise it is chosen by chance
 * @programs: -n, ARM_ETE_PROGRAMS: number of programs to generate; 0: the test's own number
 */
struct data_options {
	const char *driver;
	uint64_t seed;
	uint64_t programs;
};

/**
 * data_begin() - read the options and find the PMU; exit with a skip if it is missing
 * @pmu: receives it
 * @options: receives them
 * @argc: of main()
 * @argv: of main()
 */
void data_begin(struct record_pmu *pmu, struct data_options *options, int argc, char **argv);

/** data_supports() - whether all trace units have what a configuration needs; else @why gets the reason */
bool data_supports(const struct record_pmu *pmu, const struct data_variant *variant,
		   const char **why);

/**
 * data_has_options() - whether the trace has cycle counts and timestamps if, and only if, the event asks for them
 * @record: the recording
 * @decode: what was decoded
 * @text: receives the difference, if there is one
 * @size: bytes of @text
 */
bool data_has_options(const struct record *record, const struct decode *decode, char *text,
		      size_t size);

/**
 * data_complete() - whether a recording, decoded, equals what was expected, has its options, and reports no loss
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

#endif
