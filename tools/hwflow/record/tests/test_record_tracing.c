// SPDX-License-Identifier: GPL-2.0-only
/* The section TRACING_DATA, from files of tracefs. */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/events/tracing_data.h"

static char root[] = "/tmp/hwflow-tracing-XXXXXX";

static void write_file(const char *path, const char *text)
{
	char name[PATH_MAX];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%s", root, path);
	for (char *slash = strchr(name + sizeof(root), '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(name, 0700);
		*slash = '/';
	}
	file = fopen(name, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int make_tracefs(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(root));
	write_file("events/header_page", "page");
	write_file("events/header_event", "event");
	write_file("events/sched/sched_switch/format", "format of switch");
	write_file("events/sched/sched_wakeup/format", "format of wakeup");
	write_file("events/irq/softirq_entry/format", "format of softirq");
	write_file("events/ftrace/print/format", "format of print");
	write_file("printk_formats", "texts");
	return 0;
}

static int remove_file(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int remove_tracefs(void **state)
{
	(void)state;
	return nftw(root, remove_file, 8, FTW_DEPTH | FTW_PHYS);
}

/* A size of so many bytes, then the text */
static void expect_file(FILE *out, const char *text, size_t size_bytes)
{
	const uint64_t size = strlen(text);

	fwrite(&size, size_bytes, 1, out);
	fputs(text, out);
}

static void expect_number(FILE *out, uint32_t value)
{
	fwrite(&value, sizeof(value), 1, out);
}

static void test_layout(void **state)
{
	static const char *const names[] = {"sched:sched_switch", "irq:softirq_entry",
					    "sched:sched_wakeup", "sched:sched_switch",
					    "ftrace:print"};
	struct tracing_data data;
	char *expected = NULL;
	size_t size;
	FILE *out = open_memstream(&expected, &size);

	(void)state;
	assert_non_null(out);
	fwrite("\x17\x08\x44tracing0.6\0\0\x08", 16, 1, out);
	expect_number(out, (uint32_t)sysconf(_SC_PAGESIZE));
	fwrite("header_page", 12, 1, out);
	expect_file(out, "page", 8);
	fwrite("header_event", 13, 1, out);
	expect_file(out, "event", 8);
	expect_number(out, 1);
	expect_file(out, "format of print", 8);
	expect_number(out, 2);
	fwrite("sched", 6, 1, out);
	expect_number(out, 2);
	expect_file(out, "format of switch", 8);
	expect_file(out, "format of wakeup", 8);
	fwrite("irq", 4, 1, out);
	expect_number(out, 1);
	expect_file(out, "format of softirq", 8);
	expect_number(out, 0);
	expect_file(out, "texts", 4);
	expect_file(out, "", 8); /* there is no file saved_cmdlines */
	fclose(out);
	assert_int_equal(tracing_data_read(&data, root, names, 5), 0);
	assert_int_equal(data.size, size);
	assert_memory_equal(data.bytes, expected, size);
	free(data.bytes);
	free(expected);
}

static void test_missing(void **state)
{
	static const char *const names[] = {"sched:sched_switch", "sched:none"};
	struct tracing_data data;

	(void)state;
	assert_int_equal(tracing_data_read(&data, root, names, 2), -ENOENT);
	assert_null(data.bytes);
	assert_int_equal(tracing_data_read(&data, "/nonexistent", names, 1), -ENOENT);
	assert_null(data.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, make_tracefs, remove_tracefs);
}
