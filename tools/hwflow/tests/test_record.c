// SPDX-License-Identifier: GPL-2.0-only
/* hwflow record: fields of events, as sysfs describes them, and TRCCONFIGR. */
#include <errno.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/events.h"
#include "record/filter.h"
#include "record/pmu.h"

static void write_file(const struct record_pmu *pmu, const char *path, const char *text)
{
	char name[PATH_MAX + 64];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s", pmu->directory, path);
	file = fopen(name, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* A PMU in a temporary directory: a field in each word, and one in two parts */
static int make_pmu(void **state)
{
	static struct record_pmu pmu = {.name = "cs_etm"};
	static const char *const directories[] = {"format", "sinks", "cpu1", "cpu1/trcidr"};
	char name[PATH_MAX + 64];

	snprintf(pmu.directory, sizeof(pmu.directory), "/tmp/hwflow-record-XXXXXX");
	assert_non_null(mkdtemp(pmu.directory));
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		snprintf(name, sizeof(name), "%s/%s", pmu.directory, directories[i]);
		assert_int_equal(mkdir(name, 0700), 0);
	}
	write_file(&pmu, "format/cycacc", "config:12\n");
	write_file(&pmu, "format/timestamp", "config:4-7\n");
	write_file(&pmu, "format/strobe_on", "config1:32-47\n");
	write_file(&pmu, "format/whole", "config2:0-63\n");
	write_file(&pmu, "format/threshold", "config3:0-11\n");
	write_file(&pmu, "format/parted", "config1:0-3,8-11\n");
	write_file(&pmu, "format/strange", "config9:0-3\n");
	write_file(&pmu, "sinks/trbe0", "0xa1b2c3d4\n");
	write_file(&pmu, "cpu1/trcidr/trcidr0", "0x28000ea1\n");
	write_file(&pmu, "cpu1/ts_source", "-1\n");
	*state = &pmu;
	return 0;
}

static int remove_pmu(void **state)
{
	const struct record_pmu *pmu = *state;
	char command[PATH_MAX + 16];

	snprintf(command, sizeof(command), "rm -rf '%s'", pmu->directory);
	return system(command); /* NOLINT(cert-env33-c): a directory of the test */
}

static void fields_are_where_sysfs_says(void **state)
{
	struct perf_event_attr attr = {.config = 0};
	char message[256];

	assert_int_equal(record_pmu_terms(*state,
					  "cycacc,timestamp=13,strobe_on=0x8001,threshold=256,"
					  "parted=0xa5",
					  &attr, message, sizeof(message)),
			 0);
	assert_int_equal(attr.config, 1u << 12 | 13u << 4);
	assert_int_equal(attr.config1, UINT64_C(0x8001) << 32 | 0xa05);
	assert_int_equal(attr.config3, 256);
	assert_int_equal(record_pmu_terms(*state, "whole=0xffffffffffffffff", &attr, message,
					  sizeof(message)),
			 0);
	assert_true(attr.config2 == UINT64_MAX);
	/* a later value takes the place of an earlier one */
	assert_int_equal(record_pmu_terms(*state, "timestamp=2", &attr, message, sizeof(message)),
			 0);
	assert_int_equal(attr.config, 1u << 12 | 2u << 4);
}

static void a_sink_is_a_number_of_config2(void **state)
{
	struct perf_event_attr attr = {.config = 0};
	char message[256];

	assert_int_equal(record_pmu_terms(*state, "@trbe0", &attr, message, sizeof(message)), 0);
	assert_int_equal(attr.config2, 0xa1b2c3d4);
	assert_int_equal(record_pmu_terms(*state, "@../type", &attr, message, sizeof(message)),
			 -EINVAL);
}

static void wrong_terms_are_refused_with_a_reason(void **state)
{
	static const struct {
		const char *terms;
		const char *reason;
	} wrong[] = {
		{"none=1", "'none': cs_etm has no such option"},
		{"timestamp=16", "'timestamp=16': the value is too large"},
		{"cycacc=2", "'cycacc=2': the value is too large"},
		{"cycacc=yes", "'cycacc=yes': the value is not a number"},
		{"cycacc=", "'cycacc=': the value is not a number"},
		{"cycacc=-1", "'cycacc=-1': the value is not a number"},
		{"strange", "'strange': its format, config9"},
		{"../format/cycacc", "has no such option"},
		{"@nosink", "'@nosink': cs_etm has no such trace buffer"},
	};
	struct perf_event_attr attr = {.config = 0};
	char message[256];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(
			record_pmu_terms(*state, wrong[i].terms, &attr, message, sizeof(message)),
			-EINVAL);
		assert_non_null(strstr(message, wrong[i].reason));
	}
}

static void registers_are_read_by_cpu(void **state)
{
	uint64_t value = 0;

	assert_int_equal(record_pmu_register(*state, 1, "trcidr/trcidr0", &value), 0);
	assert_int_equal(value, 0x28000ea1);
	assert_int_equal(record_pmu_register(*state, 0, "trcidr/trcidr0", &value), -ENOENT);
	/* a negative number is no value of a register */
	assert_int_equal(record_pmu_register(*state, 1, "ts_source", &value), -EINVAL);
}

/* Functions that filters name; each has another size */
int __attribute__((noinline, noclone)) filtered_first(int value);
int __attribute__((noinline, noclone)) filtered_second(int value);
static volatile int filter_sink;

int filtered_first(int value)
{
	return filter_sink + value;
}

int filtered_second(int value)
{
	for (int i = 0; i < value; i++)
		filter_sink += i * value;
	return filter_sink;
}

/* Offset in the file and size of a function, by readelf */
static void find_function(const char *name, unsigned long *offset, unsigned long *size)
{
	char command[256];
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "readelf -Ws /proc/%d/exe | awk '$8 == \"%s\" { print \"0x\" $2, $3; exit }'",
		 getpid(), name);
	pipe = popen(command, "r"); /* NOLINT(cert-env33-c): a command of the test */
	assert_non_null(pipe);
	assert_int_equal(fscanf(pipe, "%lx %lu", offset, size), 2);
	assert_int_equal(pclose(pipe), 0);
	/* from an address to an offset */
	snprintf(command, sizeof(command),
		 "readelf -Wl /proc/%d/exe | awk '$1 == \"LOAD\" && / E / { print $2, $3; exit }'",
		 getpid());
	pipe = popen(command, "r"); /* NOLINT(cert-env33-c): a command of the test */
	assert_non_null(pipe);
	{
		unsigned long file, address;

		assert_int_equal(fscanf(pipe, "%lx %lx", &file, &address), 2);
		*offset += file - address;
	}
	assert_int_equal(pclose(pipe), 0);
}

static void check_filter(const char *text, const char *expected)
{
	char message[256] = "";
	char *resolved = record_filter_resolve(text, message, sizeof(message));

	assert_string_equal(message, "");
	assert_non_null(resolved);
	assert_string_equal(resolved, expected);
	free(resolved);
}

static void names_of_functions_become_offsets(void **state)
{
	unsigned long first, first_size, second, second_size;
	char self[64], text[512], expected[512];

	(void)state;
	assert_int_equal(filtered_first(1) + filtered_second(1), 1);
	snprintf(self, sizeof(self), "/proc/%d/exe", getpid());
	find_function("filtered_first", &first, &first_size);
	find_function("filtered_second", &second, &second_size);
	assert_int_not_equal(first_size, second_size);

	snprintf(text, sizeof(text), "filter filtered_first @%s", self);
	snprintf(expected, sizeof(expected), "filter 0x%lx/0x%lx@%s", first, first_size, self);
	check_filter(text, expected);
	snprintf(text, sizeof(text), "start filtered_first @%s,stop filtered_second#1 @%s", self,
		 self);
	snprintf(expected, sizeof(expected), "start 0x%lx@%s,stop 0x%lx@%s", first, self, second,
		 self);
	check_filter(text, expected);
	snprintf(text, sizeof(text), "filter filtered_first / filtered_second#g @%s filter 0x40/64",
		 self);
	snprintf(expected, sizeof(expected), "filter 0x%lx/0x%lx@%s,filter 0x40/0x40", first,
		 second + second_size - first, self);
	check_filter(text, expected);
	check_filter("start 4096@/bin/x,stop 0x2000@/bin/x",
		     "start 0x1000@/bin/x,stop 0x2000@/bin/x");
}

static void wrong_filters_are_refused_with_a_reason(void **state)
{
	static const struct {
		const char *text;
		const char *reason;
	} wrong[] = {
		{"", "the filter is empty"},
		{"main @/proc/self/exe", "filter, start or stop expected at 'main"},
		{"filter ", "a function or an address expected"},
		{"filter 0x10", "a size expected"},
		{"filter 0x10/0", "a size expected"},
		{"start 0x10/4", "start has one address, not a range"},
		{"filter main @", "a file expected"},
		{"filter main @/nowhere", "/nowhere: No such file"},
		{"filter main @/proc/self/status", "not an ELF file"},
		{"filter nothing_of_this_name @/proc/self/exe",
		 "has no function nothing_of_this_name"},
		{"filter filtered_first#2 @/proc/self/exe",
		 "has no function filtered_first of this number"},
		{"filter filtered_first#x @/proc/self/exe", "a number from 1 up or g expected"},
		{"filter filtered_second / filtered_first @/proc/self/exe", "is before"},
	};
	char message[256];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_null(record_filter_resolve(wrong[i].text, message, sizeof(message)));
		assert_non_null(strstr(message, wrong[i].reason));
	}
}

static void trcconfigr_has_the_bit_of_each_option(void **state)
{
	(void)state;
	assert_int_equal(record_events_trcconfigr(0), 0);
	assert_int_equal(record_events_trcconfigr(1 << 8), 1 << 3);
	assert_int_equal(record_events_trcconfigr(1 << 12), 1 << 4);
	assert_int_equal(record_events_trcconfigr(1 << 14), 1 << 6);
	assert_int_equal(record_events_trcconfigr(1 << 15), 1 << 7 | 1 << 15);
	assert_int_equal(record_events_trcconfigr(1 << 28), 1 << 11);
	assert_int_equal(record_events_trcconfigr(2 << 4), 1 << 11);
	assert_int_equal(record_events_trcconfigr(1 << 29), 1 << 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_where_sysfs_says),
		cmocka_unit_test(a_sink_is_a_number_of_config2),
		cmocka_unit_test(wrong_terms_are_refused_with_a_reason),
		cmocka_unit_test(registers_are_read_by_cpu),
		cmocka_unit_test(names_of_functions_become_offsets),
		cmocka_unit_test(wrong_filters_are_refused_with_a_reason),
		cmocka_unit_test(trcconfigr_has_the_bit_of_each_option),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests_name("record", tests, make_pmu, remove_pmu);
}
