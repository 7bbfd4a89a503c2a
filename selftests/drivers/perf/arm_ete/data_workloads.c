// SPDX-License-Identifier: GPL-2.0-only
/*
 * Workloads in assembly whose execution is known instruction by instruction: their trace, decoded, equals it.
 * Nothing is left out, from the first instruction after the system call that enables the event to the one that
 * disables it.
 */
#include "data.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest.h"

static const struct workload workloads[] = {
	{ "loops with computed exits", workload_loops, workload_loops_rows, 0 },
	{ "nested loops", workload_nest, workload_nest_rows, 0 },
	{ "jumps and calls through a table", workload_table, workload_table_rows, 0 },
	{ "calls 40 deep", workload_calls, workload_calls_rows, 0 },
	{ "returns to other places", workload_returns, workload_returns_rows, 0 },
	{ "system calls", workload_svc, workload_svc_rows, 0 },
	{ "brk, undefined instructions, faults", workload_faults, workload_faults_rows, 0 },
	{ "signals", workload_signals, workload_signals_rows, 0 },
	{ "page faults", workload_pages, workload_pages_rows, WORKLOAD_PAGES },
	{ "modified code", workload_modified, workload_modified_rows, 0 },
};

static bool prepare(void)
{
	return !data_handle(SIGTRAP, workload_skip) && !data_handle(SIGILL, workload_skip) &&
	       !data_handle(SIGSEGV, workload_skip) && !data_handle(SIGUSR1, workload_count) &&
	       !mprotect(workload_modified_code, 0x10000, PROT_READ | PROT_WRITE | PROT_EXEC);
}

/* The versions of the code that workload_modified() writes, by the number of system calls before */
static int add_versions(struct decode *decode)
{
	int error = 0;

	decode->marker = (uintptr_t)workload_modified_marker;
	for (uint32_t i = 0; i < WORKLOAD_MODIFIED_TIMES && !error; i++)
		error = decode_add_code(decode, (uintptr_t)workload_modified_code,
					workload_modified_versions + WORKLOAD_MODIFIED_SIZE *
					(i % WORKLOAD_MODIFIED_VERSIONS),
					WORKLOAD_MODIFIED_SIZE, i + 1);
	return error;
}

static int add_code(struct decode *decode, const struct workload *workload)
{
	const int error = decode_add_self(decode);

	return !error && workload->function == workload_modified ? add_versions(decode) : error;
}

static bool check(const struct workload *workload, const struct record *record, char *text,
		  size_t size)
{
	struct expect expected;
	struct decode decode;
	bool equal = false;
	int error;

	expect_init(&expected);
	decode_init(&decode);
	error = add_code(&decode, workload);
	expect_rows(&expected, workload_traced_before);
	expect_rows(&expected, workload->rows);
	expect_rows(&expected, workload_traced_after);
	if (error)
		snprintf(text, size, "%s", strerror(-error));
	else
		equal = data_complete(record, &decode, &expected, text, size);
	if (equal)
		ksft_print_msg("%s: %llu instructions, %zu interruptions, %zu bytes of trace, %zu records\n",
			       workload->name, (unsigned long long)expect_instructions(&expected),
			       expected.interruptions, record->length, record->part_count);
	if (equal && expected.interruptions < workload->interruptions) {
		snprintf(text, size, "only %zu interruptions", expected.interruptions);
		equal = false;
	}
	decode_free(&decode);
	expect_free(&expected);
	return equal;
}

static bool run(const struct record_pmu *pmu, const struct workload *workload, uint64_t config,
		char *text, size_t size)
{
	const struct record_config options = { .pmu = pmu, .config = config, .cpu = -1 };
	struct workload_call call = { .function = workload->function };
	const size_t length = (size_t)WORKLOAD_PAGES << 16;
	struct record record;
	bool equal;
	int error;

	call.argument = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (call.argument == MAP_FAILED) {
		snprintf(text, size, "%s", strerror(errno));
		return false;
	}
	madvise(call.argument, length, MADV_NOHUGEPAGE);
	error = record_thread(&record, &options, workload_traced, &call, 0);
	if (error)
		snprintf(text, size, "recording fails: %s", strerror(-error));
	equal = !error && check(workload, &record, text, size);
	record_close(&record);
	munmap(call.argument, length);
	return equal;
}

static void test(const struct record_pmu *pmu, const struct workload *workload,
		 const struct data_variant *variant)
{
	char text[256] = "";
	const char *why;
	bool equal;

	if (!data_supports(pmu, variant, &why)) {
		ksft_test_result_skip("%s, %s: %s\n", workload->name, variant->name, why);
		return;
	}
	equal = run(pmu, workload, variant->config, text, sizeof(text));
	if (!equal)
		ksft_print_msg("%s, %s: %s\n", workload->name, variant->name, text);
	ksft_test_result(equal, "%s, %s\n", workload->name, variant->name);
}

int main(int argc, char **argv)
{
	struct data_options options;
	struct record_pmu pmu;

	data_begin(&pmu, &options, argc, argv);
	if (!prepare())
		ksft_exit_fail_msg("signal handlers, or code that can be written: %s\n",
				   strerror(errno));
	ksft_set_plan((unsigned int)(ARRAY_SIZE(workloads) * data_variant_count));
	for (size_t i = 0; i < ARRAY_SIZE(workloads); i++)
		for (size_t j = 0; j < data_variant_count; j++)
			test(&pmu, &workloads[i], &data_variants[j]);
	record_free_pmu(&pmu);
	ksft_finished();
}
