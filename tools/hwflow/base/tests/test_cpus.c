// SPDX-License-Identifier: GPL-2.0-only
/* CPUs that control groups allow, of hierarchies in a temporary directory. */
#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cpus.h"

static char directory[] = "/tmp/test_cpus.XXXXXX";

static const char *in_directory(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(in_directory(name), "we");

	int error;

	assert_non_null(file);
	fputs(text, file);
	error = fclose(file);
	assert_int_equal(error, 0);
}

static unsigned int limit(const char *groups)
{
	char path[PATH_MAX];

	put("groups", groups);
	snprintf(path, sizeof(path), "%s", in_directory("groups"));
	return cpus_limit(path, directory);
}

static int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	return mkdir(in_directory("a"), 0755) || mkdir(in_directory("a/b"), 0755) ||
	       mkdir(in_directory("cpu"), 0755);
}

static void forget(const char *name)
{
	unlink(in_directory(name));
}

static int remove_directory(void **state)
{
	(void)state;
	forget("groups");
	rmdir(in_directory("a/b"));
	rmdir(in_directory("a"));
	rmdir(in_directory("cpu"));
	return rmdir(directory);
}

static void without_groups_there_is_no_limit(void **state)
{
	(void)state;
	assert_int_equal(cpus_limit(in_directory("missing"), directory), UINT_MAX);
	assert_int_equal(limit(""), UINT_MAX);
	assert_int_equal(limit("0::/a/b\n"), UINT_MAX);
}

static void a_quota_is_rounded_up(void **state)
{
	static const struct {
		const char *text;
		unsigned int cpus;
	} cases[] = {
		{"max 100000\n", UINT_MAX}, {"100000 100000\n", 1}, {"100001 100000\n", 2},
		{"350000 100000\n", 4},     {"1000 100000\n", 1},   {"-1 100000\n", UINT_MAX},
		{"100000 0\n", UINT_MAX},   {"100000\n", UINT_MAX}, {"", UINT_MAX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		put("a/cpu.max", cases[i].text);
		assert_int_equal(limit("0::/a\n"), cases[i].cpus);
	}
	forget("a/cpu.max");
}

/* The group of the process, those above it, and the mount point itself count. */
static void the_least_of_all_groups_counts(void **state)
{
	static const char *const files[] = {"cpu.max", "a/cpu.max", "a/b/cpu.max"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		for (size_t j = 0; j < 3; j++)
			put(files[j], i == j ? "200000 100000\n" : "700000 100000\n");
		assert_int_equal(limit("4:memory:/x\n0::/a/b\n"), 2);
	}
	put("a/b/cpu.max", "100000 100000\n");
	assert_int_equal(limit("0::/a\n"), 7);
	assert_int_equal(limit("0::/\n"), 7);
	for (size_t j = 0; j < 3; j++)
		forget(files[j]);
}

static void version_1_has_two_files(void **state)
{
	(void)state;
	put("cpu/cpu.cfs_quota_us", "250000\n");
	assert_int_equal(limit("1:cpu:/\n"), UINT_MAX);
	put("cpu/cpu.cfs_period_us", "100000\n");
	assert_int_equal(limit("1:cpu:/\n"), 3);
	put("cpu/cpu.cfs_quota_us", "-1\n");
	assert_int_equal(limit("1:cpu:/\n"), UINT_MAX);
	forget("cpu/cpu.cfs_quota_us");
	forget("cpu/cpu.cfs_period_us");
}

static void affinity_counts(void **state)
{
	const unsigned int before = cpus_available();
	cpu_set_t all, one;
	size_t first = 0;

	(void)state;
	assert_true(before >= 1);
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	assert_true(before <= (unsigned int)CPU_COUNT(&all));
	while (!CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(cpus_available(), 1);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	assert_int_equal(cpus_available(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_groups_there_is_no_limit),
		cmocka_unit_test(a_quota_is_rounded_up),
		cmocka_unit_test(the_least_of_all_groups_counts),
		cmocka_unit_test(version_1_has_two_files),
		cmocka_unit_test(affinity_counts),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
