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
#include <unistd.h>

#include <cmocka.h>

#include "record/events/events.h"
#include "record/events/filter.h"
#include "record/events/pmu_terms.h"

/* A machine whose PMUs are in a temporary directory */
struct fake {
	struct machine machine;
	char root[64];
};

#define PMU PMU_DEVICES "/cs_etm"

static void write_file(const struct fake *fake, const char *path, const char *text)
{
	char name[256];
	FILE *file;

	snprintf(name, sizeof(name), "%s/" PMU "/%s", fake->root, path);
	file = fopen(name, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* A PMU with a field in each word, and one in two parts */
static int make_pmu(void **state)
{
	static struct fake fake = {.root = "/tmp/hwflow-record-XXXXXX"};
	char command[512];

	assert_non_null(mkdtemp(fake.root));
	snprintf(command, sizeof(command),
		 "cd %s && mkdir -p " PMU "/format " PMU "/sinks " PMU "/cpu1/trcidr " PMU
		 "/cpu1/mgmt",
		 fake.root);
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): directories of the test */
	write_file(&fake, "type", "9\n");
	write_file(&fake, "format/cycacc", "config:12\n");
	write_file(&fake, "format/timestamp", "config:4-7\n");
	write_file(&fake, "format/contextid", "config:14\n");
	write_file(&fake, "format/strobe_on", "config1:32-47\n");
	write_file(&fake, "format/whole", "config2:0-63\n");
	write_file(&fake, "format/threshold", "config3:0-11\n");
	write_file(&fake, "format/parted", "config1:0-3,8-11\n");
	write_file(&fake, "format/strange", "config9:0-3\n");
	write_file(&fake, "sinks/trbe0", "0xa1b2c3d4\n");
	write_file(&fake, "cpu1/trcidr/trcidr0", "0x28000ea1\n");
	write_file(&fake, "cpu1/mgmt/trcauthstatus", "0xcc\n");
	write_file(&fake, "cpu1/ts_source", "-1\n");
	assert_int_equal(machine_open(&fake.machine, fake.root), 0);
	*state = &fake;
	return 0;
}

static int remove_pmu(void **state)
{
	struct fake *fake = *state;
	char command[128];

	machine_close(&fake->machine);
	snprintf(command, sizeof(command), "rm -rf '%s'", fake->root);
	return system(command); /* NOLINT(cert-env33-c): a directory of the test */
}

static int set_terms(const struct fake *fake, const char *terms, struct perf_event_attr *attr,
		     char message[256])
{
	const struct pmu_event event = {&fake->machine, "cs_etm", attr};

	return pmu_terms_set(&event, terms, message, 256);
}

static void fields_are_where_sysfs_says(void **state)
{
	struct perf_event_attr attr = {.config = 0};
	char message[256];

	assert_int_equal(set_terms(*state,
				   "cycacc,timestamp=13,strobe_on=0x8001,threshold=256,"
				   "parted=0xa5",
				   &attr, message),
			 0);
	assert_int_equal(attr.config, 1u << 12 | 13u << 4);
	assert_int_equal(attr.config1, UINT64_C(0x8001) << 32 | 0xa05);
	assert_int_equal(attr.config3, 256);
	assert_int_equal(set_terms(*state, "whole=0xffffffffffffffff", &attr, message), 0);
	assert_true(attr.config2 == UINT64_MAX);
	/* a later value takes the place of an earlier one */
	assert_int_equal(set_terms(*state, "timestamp=2", &attr, message), 0);
	assert_int_equal(attr.config, 1u << 12 | 2u << 4);
}

static void a_sink_is_a_number_of_config2(void **state)
{
	struct perf_event_attr attr = {.config = 0};
	char message[256];

	assert_int_equal(set_terms(*state, "@trbe0", &attr, message), 0);
	assert_int_equal(attr.config2, 0xa1b2c3d4);
	assert_int_equal(set_terms(*state, "@../type", &attr, message), -EINVAL);
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
		assert_int_equal(set_terms(*state, wrong[i].terms, &attr, message), -EINVAL);
		assert_non_null(strstr(message, wrong[i].reason));
	}
}

static void a_trace_unit_is_found_by_its_cpu(void **state)
{
	const struct fake *fake = *state;
	const struct pmu_unit *unit;
	struct pmu pmu;

	assert_true(pmu_read(&fake->machine, "cs_etm", &pmu));
	assert_int_equal(pmu.type, 9);
	unit = pmu_find_unit(&pmu, 1);
	assert_non_null(unit);
	assert_int_equal(unit->idr[0], 0x28000ea1);
	assert_int_equal(unit->authstatus, 0xcc);
	/* a negative number is no value of a register */
	assert_int_equal(unit->time, 0);
	assert_null(pmu_find_unit(&pmu, 0));
}

static void a_pmu_is_found_by_its_name(void **state)
{
	const struct fake *fake = *state;
	uint32_t type = 0;

	assert_true(pmu_type(&fake->machine, "cs_etm", &type));
	assert_int_equal(type, 9);
	assert_false(pmu_type(&fake->machine, "none", &type));
	assert_false(pmu_type(&fake->machine, "", &type));
	assert_false(pmu_type(&fake->machine, ".", &type));
	assert_false(pmu_type(&fake->machine, "../devices/cs_etm", &type));
}

/* Functions that filters name; each has another size */
int __attribute__((noinline)) filtered_first(int value);
int __attribute__((noinline)) filtered_second(int value);
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

/* The attributes of the event that reports mappings, for a command line */
static struct perf_event_attr tracking(const struct fake *fake,
				       const struct record_options *options, bool by_cpu,
				       bool perfmon)
{
	static struct record_events events;
	const struct record_target target = {.by_cpu = by_cpu, .inherit = !by_cpu};
	struct record_trigger trigger = {.kind = TRIGGER_NONE};

	memset(&events, 0, sizeof(events));
	events.machine = fake->machine;
	events.user.perfmon = perfmon;
	assert_true(pmu_read(&events.machine, "cs_etm", &events.pmu));
	assert_int_equal(record_events_find(&events, options, &target, &trigger), 0);
	/* the trace waits in all cases */
	assert_true(events.list[RECORD_TRACE].attr.disabled);
	return events.list[RECORD_TRACKING].attr;
}

static void mappings_are_reported_from_the_beginning(void **state)
{
	char *command[] = {"true", NULL};
	const struct record_options program = {.command = command};
	const struct record_options delayed = {.command = command, .delay = 10};
	const struct record_options controlled = {.command = command, .delay = -1};
	const struct record_options cpus = {.all_cpus = true};

	assert_true(tracking(*state, &program, false, true).enable_on_exec);
	assert_true(tracking(*state, &program, false, true).disabled);
	assert_false(tracking(*state, &delayed, false, true).disabled);
	assert_false(tracking(*state, &controlled, false, true).disabled);
	assert_false(tracking(*state, &cpus, true, true).disabled);
}

static void namespaces_require_a_capability(void **state)
{
	const struct record_options cpus = {.all_cpus = true};

	assert_true(tracking(*state, &cpus, true, true).namespaces);
	assert_false(tracking(*state, &cpus, true, false).namespaces);
	assert_true(tracking(*state, &cpus, true, false).ksymbol);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_where_sysfs_says),
		cmocka_unit_test(a_sink_is_a_number_of_config2),
		cmocka_unit_test(wrong_terms_are_refused_with_a_reason),
		cmocka_unit_test(a_trace_unit_is_found_by_its_cpu),
		cmocka_unit_test(a_pmu_is_found_by_its_name),
		cmocka_unit_test(names_of_functions_become_offsets),
		cmocka_unit_test(wrong_filters_are_refused_with_a_reason),
		cmocka_unit_test(trcconfigr_has_the_bit_of_each_option),
		cmocka_unit_test(mappings_are_reported_from_the_beginning),
		cmocka_unit_test(namespaces_require_a_capability),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests_name("record", tests, make_pmu, remove_pmu);
}
