/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of several sources by time. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/time_merge.h"

/* Stand for sources and pieces */
static const char source_a, source_b, source_c;
static const char pieces[8];

static struct time_merge *begin(void)
{
	struct time_merge *merge;

	assert_int_equal(time_merge_new(&merge), 0);
	return merge;
}

/* All lines; the caller frees them. */
static char *end(struct time_merge *merge)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	static struct text out;

	assert_non_null(file);
	text_to_file(&out, file);
	assert_int_equal(time_merge_print(merge, &out), 0);
	text_flush(&out);
	fclose(file);
	time_merge_free(merge);
	return text;
}

static void expect(struct time_merge *merge, const char *want)
{
	char *text = end(merge);

	assert_string_equal(text, want);
	free(text);
}

static void add(struct time_merge *merge, const char *source, const char *piece, uint64_t time,
		const char *line)
{
	text_string(time_merge_at(merge, source, piece, time), line);
}

static void lines_are_by_time_and_then_by_source(void **state)
{
	struct time_merge *merge = begin();

	(void)state;
	add(merge, &source_a, &pieces[0], 10, "a10\n");
	add(merge, &source_a, &pieces[0], 10, "a10 again\n");
	add(merge, &source_a, &pieces[0], 30, "a30\n");
	add(merge, &source_b, &pieces[1], 5, "b5\n");
	add(merge, &source_b, &pieces[1], 10, "b10\n");
	add(merge, &source_b, &pieces[1], 20, "b20\n");
	add(merge, &source_c, &pieces[2], 30, "c30\n");
	expect(merge, "b5\na10\na10 again\nb10\nb20\na30\nc30\n");
}

static void lines_before_the_first_time_of_a_piece_have_that(void **state)
{
	struct time_merge *merge = begin();

	(void)state;
	add(merge, &source_a, &pieces[0], 0, "a start\n");
	add(merge, &source_a, &pieces[0], 10, "a10\n");
	add(merge, &source_a, &pieces[1], 0, "a again\n");
	add(merge, &source_a, &pieces[1], 50, "a50\n");
	add(merge, &source_b, &pieces[2], 0, "b start\n");
	add(merge, &source_b, &pieces[2], 20, "b20\n");
	/* this one never has a time */
	add(merge, &source_b, &pieces[3], 0, "b none\n");
	add(merge, &source_c, &pieces[4], 0, "c none\n");
	expect(merge, "c none\na start\na10\nb start\nb20\nb none\na again\na50\n");
}

static void times_that_go_back_keep_the_order_of_the_source(void **state)
{
	struct time_merge *merge = begin();

	(void)state;
	add(merge, &source_a, &pieces[0], 30, "a30\n");
	add(merge, &source_a, &pieces[0], 20, "a20\n");
	add(merge, &source_a, &pieces[1], 10, "a10\n");
	add(merge, &source_a, &pieces[1], 40, "a40\n");
	add(merge, &source_b, &pieces[2], 35, "b35\n");
	expect(merge, "a30\na20\na10\nb35\na40\n");
}

static void nothing_is_nothing(void **state)
{
	(void)state;
	expect(begin(), "");
	time_merge_free(NULL);
}

#define SOURCES 300
#define LINES   2000

/* Each line has its time and its source: of many, in many blocks, all are there and in order. */
static void many_sources_are_merged(void **state)
{
	static char own[SOURCES];
	static uint32_t next[SOURCES];
	struct time_merge *merge = begin();
	uint64_t last = 0, time;
	unsigned int source, number, count = 0, last_source = 0;
	uint32_t seed = 2463534242;
	char *text, *at, *rest;

	(void)state;
	for (source = 0; source < SOURCES; source++) {
		time = source;
		for (number = 0; number < LINES; number++) {
			seed = seed * 1664525 + 1013904223;
			time += (seed >> 20) % 7;
			text_format(time_merge_at(merge, &own[source], &own[source], time + 1),
				    "%llu %u %u %0*d\n", (unsigned long long)time + 1, source,
				    number, (int)(seed >> 28) + 1, 0);
		}
	}
	text = end(merge);
	for (at = strtok_r(text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
		assert_int_equal(sscanf(at, "%" SCNu64 " %u %u", &time, &source, &number), 3);
		assert_true(time > last || (time == last && source >= last_source));
		assert_int_equal(number, next[source]++);
		last = time;
		last_source = source;
		count++;
	}
	assert_int_equal(count, SOURCES * LINES);
	free(text);
}

/* A line longer than a block, and one without an end */
static void long_lines_are_whole(void **state)
{
	struct time_merge *merge = begin();
	char *line = calloc(1, 200001), *text;

	(void)state;
	memset(line, 'x', 200000);
	add(merge, &source_a, &pieces[0], 10, line);
	add(merge, &source_b, &pieces[1], 10, "b");
	text = end(merge);
	assert_int_equal(strlen(text), 200001);
	assert_int_equal(text[199999], 'x');
	assert_int_equal(text[200000], 'b');
	free(text);
	free(line);
}

static void no_directory_is_an_error(void **state)
{
	struct time_merge *merge;
	const char *old = getenv("TMPDIR");

	(void)state;
	setenv("TMPDIR", "/nowhere", 1);
	assert_int_equal(time_merge_new(&merge), -ENOENT);
	assert_string_equal(time_merge_directory(), "/nowhere");
	setenv("TMPDIR", "", 1);
	assert_string_equal(time_merge_directory(), "/tmp");
	if (old)
		setenv("TMPDIR", old, 1);
	else
		unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_by_time_and_then_by_source),
		cmocka_unit_test(lines_before_the_first_time_of_a_piece_have_that),
		cmocka_unit_test(times_that_go_back_keep_the_order_of_the_source),
		cmocka_unit_test(nothing_is_nothing),
		cmocka_unit_test(many_sources_are_merged),
		cmocka_unit_test(long_lines_are_whole),
		cmocka_unit_test(no_directory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
