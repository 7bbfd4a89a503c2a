/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the tests of this directory: the driver under test, what the machine lacks, and the verdicts
 * that the kselftest harness does not have in each kernel.
 *
 * Each program takes `-d coresight`, or ARM_ETE_DRIVER=coresight in its environment: the PMU is that
 * of the in-tree driver. What that driver cannot do is XFAIL.
 */
#ifndef SELFTESTS_ARM_ETE_ETE_H
#define SELFTESTS_ARM_ETE_ETE_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "pmu.h"

/* The harness's verdict for an expected failure; that of Linux before 6.9 has no such result */
#ifdef XFAIL_ADD
#define XFAIL(statement, fmt, ...)                                       \
	do {                                                             \
		SKIP(_metadata->exit_code = KSFT_XFAIL, fmt, ##__VA_ARGS__); \
		statement;                                               \
	} while (0)
#else
#define XFAIL(statement, fmt, ...) SKIP(statement, "XFAIL: " fmt, ##__VA_ARGS__)
#endif

#define ETE_STATS "/sys/kernel/debug/arm_ete_pmu"

static bool ete_in_tree;

/* The event has a field of this name, which the in-tree driver's events lack */
static inline bool ete_pmu_is_ours(void)
{
	return !access(PMU_DIR "format/strobe_on", F_OK);
}

/* The reason why nothing can be traced here, or NULL */
static inline const char *ete_missing_pmu(void)
{
	if (pmu_type() < 0)
		return "there is no PMU " ARM_ETE_PMU_NAME ": load the driver's module";
	if (ete_in_tree && ete_pmu_is_ours())
		return "the PMU is that of arm_ete_pmu, and -d coresight asks for the in-tree driver's";
	if (!ete_in_tree && !ete_pmu_is_ours())
		return "the PMU is that of the in-tree driver: run with -d coresight";
	return NULL;
}

static inline bool ete_root(void)
{
	return !geteuid();
}

/* Execute on one CPU only; whether this thread does then */
static inline bool pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned int)cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set) && sched_getcpu() == cpu;
}

/* The CPUs that this thread may execute on; their number */
static inline int online_cpus(int *cpus, int max)
{
	cpu_set_t set;
	int cpu, n = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (cpu = 0; cpu < CPU_SETSIZE && n < max; cpu++)
		if (CPU_ISSET((unsigned int)cpu, &set))
			cpus[n++] = cpu;
	return n;
}

/* The number that a file has, in any base that C knows; ~0 if there is none */
static inline uint64_t read_number(const char *path)
{
	char text[64], *end;
	uint64_t number;
	FILE *file = fopen(path, "r");

	if (!file)
		return ~0ULL;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	number = strtoull(text, &end, 0);
	return end == text ? ~0ULL : number;
}

#define ETE_NEED(condition, ...)                                         \
	do {                                                             \
		if (!(condition))                                        \
			SKIP(return, __VA_ARGS__);                       \
	} while (0)

#define ETE_NEED_PMU()                                                   \
	do {                                                             \
		const char *ete_why = ete_missing_pmu();                 \
									 \
		if (ete_why)                                             \
			SKIP(return, "%s", ete_why ? ete_why : "");                     \
	} while (0)

#define ETE_NEED_ROOT() ETE_NEED(ete_root(), "not root")

/* What only this driver does: with the in-tree driver it is expected to fail. */
#define ETE_OURS_ONLY(...)                                               \
	do {                                                             \
		if (ete_in_tree)                                         \
			XFAIL(return, "the in-tree driver " __VA_ARGS__); \
	} while (0)

/* What was collected is decoded without a gap */
#define ETE_EXPECT_DECODED(trace)                                        \
	do {                                                             \
		EXPECT_EQ(0, trace_decode(trace));                       \
		EXPECT_STREQ("", trace_first_gap(trace));                \
	} while (0)

/* And so many steps of spin() are in it */
#define ETE_EXPECT_STEPS(trace, steps)                                   \
	do {                                                             \
		ETE_EXPECT_DECODED(trace);                               \
		EXPECT_EQ(steps, trace_executions(trace, spin_step));    \
	} while (0)

/* With the in-tree driver this failure is expected */
#define ETE_IN_TREE_MAY(failure, ...)                                    \
	do {                                                             \
		if (ete_in_tree && (failure))                            \
			XFAIL(return, "the in-tree driver " __VA_ARGS__); \
	} while (0)

/* Takes -d from the arguments: the harness of a recent kernel refuses what it does not know. */
static inline void ete_options(int *argc, char **argv)
{
	const char *driver = getenv("ARM_ETE_DRIVER");
	int from, to = 1;

	for (from = 1; from < *argc; from++) {
		if (!strcmp(argv[from], "-d") && from + 1 < *argc)
			driver = argv[++from];
		else
			argv[to++] = argv[from];
	}
	argv[to] = NULL;
	*argc = to;
	if (driver && *driver && strcmp(driver, "coresight") && strcmp(driver, "arm_ete_pmu")) {
		fprintf(stderr, "%s: -d %s: the drivers are arm_ete_pmu and coresight\n", argv[0],
			driver);
		exit(2);
	}
	ete_in_tree = driver && !strcmp(driver, "coresight");
}

#endif
