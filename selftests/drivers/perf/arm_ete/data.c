// SPDX-License-Identifier: GPL-2.0-only
/* What the data tests share. */
#include "data.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/arm_ete_pmu.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kselftest.h"

#define SA_RESTORER_FLAG 0x04000000

#define TRCIDR0_TRCBB (1U << 5)
#define TRCIDR0_TRCCCI (1U << 7)
#define TRCIDR0_RETSTACK (1U << 9)
#define TRCIDR0_TSSIZE(trcidr0) ((trcidr0) >> 24 & 0x1f)

const struct data_variant data_variants[] = {
	{ "plain", 0, NULL },
	{ "return stack", ARM_ETE_PMU_MASK(retstack), NULL },
	{ "branch broadcast", ARM_ETE_PMU_MASK(branch_broadcast), NULL },
	{ "cycle counts", ARM_ETE_PMU_MASK(cycacc), NULL },
	{ "timestamps", ARM_ETE_PMU_MASK(deprecated_timestamp), NULL },
};

const size_t data_variant_count = ARRAY_SIZE(data_variants);

/* A number from the environment */
static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static void read_options(struct data_options *options, int argc, char **argv)
{
	const uint64_t chance = (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
	int option;

	options->driver = getenv("ARM_ETE_DRIVER");
	options->seed = number("ARM_ETE_SEED", chance % 1000000000);
	options->programs = number("ARM_ETE_PROGRAMS", 0);
	while ((option = getopt(argc, argv, "d:s:n:")) != -1) {
		if (option == 'd')
			options->driver = optarg;
		else if (option == 's')
			options->seed = strtoull(optarg, NULL, 0);
		else if (option == 'n')
			options->programs = strtoull(optarg, NULL, 0);
		else
			exit(KSFT_FAIL);
	}
	if (options->driver && !*options->driver)
		options->driver = NULL;
}

void data_begin(struct record_pmu *pmu, struct data_options *options, int argc, char **argv)
{
	const char *driver;
	int error;

	read_options(options, argc, argv);
	error = record_find_pmu(pmu, NULL);
	driver = pmu->in_tree ? "coresight" : "arm_ete_pmu";
	ksft_print_header();
	if (error == -ENOENT)
		ksft_exit_skip("PMU %s is missing: load arm_ete_pmu, or set " RECORD_PMU_ENV "\n",
			       pmu->name);
	if (error)
		ksft_exit_skip("PMU %s: %s\n", pmu->name, strerror(-error));
	if (options->driver && strcmp(options->driver, driver))
		ksft_exit_skip("PMU %s is that of %s, not of %s\n", pmu->name, driver,
			       options->driver);
	ksft_print_msg("PMU %s, %s, %zu trace units\n", pmu->name, driver, pmu->unit_count);
}

bool data_supports(const struct record_pmu *pmu, const struct data_variant *variant,
		   const char **why)
{
	uint32_t all = ~0U;
	bool timestamps = true;

	for (size_t i = 0; i < pmu->unit_count; i++) {
		all &= pmu->units[i].trcidr0;
		timestamps &= TRCIDR0_TSSIZE(pmu->units[i].trcidr0) != 0;
	}
	*why = NULL;
	if (pmu->in_tree && variant->in_tree_lacks)
		*why = variant->in_tree_lacks;
	else if (variant->config & ARM_ETE_PMU_MASK(retstack) && !(all & TRCIDR0_RETSTACK))
		*why = "TRCIDR0.RETSTACK is 0";
	else if (variant->config & ARM_ETE_PMU_MASK(branch_broadcast) && !(all & TRCIDR0_TRCBB))
		*why = "TRCIDR0.TRCBB is 0";
	else if (variant->config & ARM_ETE_PMU_MASK(cycacc) && !(all & TRCIDR0_TRCCCI))
		*why = "TRCIDR0.TRCCCI is 0";
	else if (variant->config & ARM_ETE_PMU_MASK(deprecated_timestamp) && !timestamps)
		*why = "TRCIDR0.TSSIZE is 0";
	return !*why;
}

bool data_has_options(const struct record *record, const struct decode *decode, char *text,
		      size_t size)
{
	const uint64_t config = record->config.config;
	const bool counts = config & ARM_ETE_PMU_MASK(cycacc);
	const bool times = config & ARM_ETE_PMU_MASK(deprecated_timestamp);

	if (counts == !!decode->cycle_counts && times == !!decode->timestamps)
		return true;
	snprintf(text, size, "%zu cycle counts and %zu timestamps, with config %#" PRIx64,
		 decode->cycle_counts, decode->timestamps, config);
	return false;
}

bool data_complete(const struct record *record, struct decode *decode,
		   struct expect *expected, char *text, size_t size)
{
	struct expect decoded;
	bool equal = false;
	int error;

	expect_init(&decoded);
	error = decode_record(decode, record);
	if (!error)
		error = expect_decoded(&decoded, decode);
	if (error)
		snprintf(text, size, "decoding fails: %s", decode_error(error));
	else if (expected->error)
		snprintf(text, size, "the table of rows is wrong");
	else if (record->lost)
		snprintf(text, size, "%" PRIu64 " records are lost", record->lost);
	else if (!decode->count)
		snprintf(text, size, "there is no trace");
	else
		equal = expect_equal(expected, &decoded, text, size) &&
			data_has_options(record, decode, text, size);
	expected->interruptions = decoded.interruptions;
	expect_free(&decoded);
	return equal;
}

int data_handle(int number, void (*handler)(void))
{
	/* struct sigaction of the kernel */
	const struct {
		void (*handler)(void);
		unsigned long flags;
		void (*restorer)(void);
		uint64_t mask;
	} action = { handler, SA_SIGINFO | SA_RESTORER_FLAG, workload_restorer, 0 };

	return (int)syscall(SYS_rt_sigaction, number, &action, NULL, sizeof(action.mask));
}
