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

#include "base/temporary.h"
#include "decode/time_merge.h"

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

static void a_word_is_stored_once(void **state)
{
	struct time_merge *merge = begin();
	const uint32_t word = time_merge_word(merge, "word", 4);

	(void)state;
	assert_int_not_equal(word, 0);
	assert_int_equal(time_merge_word(merge, "word and more", 4), word);
	assert_int_not_equal(time_merge_word(merge, "wort", 4), word);
	assert_int_not_equal(time_merge_word(merge, "words", 5), word);
	for (unsigned int source = 0; source < 2; source++) {
		struct text *lines = time_merge_at(merge, source ? &source_b : &source_a,
						   &pieces[source], 10 - source);

		text_string(lines, source ? "b " : "a ");
		time_merge_put_word(lines, word);
		text_string(lines, ".\n");
	}
	expect(merge, "b word.\na word.\n");
}

/* More words than there are numbers: each word that has one is the right one. */
static void words_end_when_there_is_no_room(void **state)
{
	struct time_merge *merge = begin();
	struct text *lines = time_merge_at(merge, &source_a, &pieces[0], 1);
	const unsigned int all = 70000;
	unsigned int i, count = 0;
	char *text, *at, *rest, name[32];

	(void)state;
	for (i = 0; i < all; i++) {
		const uint32_t word =
			time_merge_word(merge, name, (size_t)snprintf(name, sizeof(name), "%u", i));

		if (word)
			time_merge_put_word(lines, word);
		else
			text_string(lines, name);
		text_end_line(lines);
		count += word != 0;
	}
	assert_int_equal(count, 65535);
	assert_int_equal(time_merge_word(merge, "0", 1), 1);
	text = end(merge);
	for (i = 0, at = strtok_r(text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
		snprintf(name, sizeof(name), "%u", i++);
		assert_string_equal(at, name);
	}
	assert_int_equal(i, all);
	free(text);
}

static void long_words_leave_no_room_for_others(void **state)
{
	enum { SIZE = 4096 };
	struct time_merge *merge = begin();
	char *word = malloc(SIZE);
	unsigned int count = 0;

	(void)state;
	assert_non_null(word);
	memset(word, 'x', SIZE);
	for (; count < 10000; count++) {
		memcpy(word, &count, sizeof(count));
		if (!time_merge_word(merge, word, SIZE))
			break;
	}
	assert_int_equal(count, 0x800000 / SIZE);
	time_merge_free(merge);
	free(word);
}

/* The sources are printed in turn; each has a start of its own. */
static void each_source_has_its_start(void **state)
{
	struct time_merge *merge = begin();

	(void)state;
	for (unsigned int source = 0; source < 2; source++) {
		for (unsigned int time = 1; time < 5; time++) {
			struct text *lines = time_merge_at(merge, source ? &source_b : &source_a,
							   &pieces[source], time);

			if (time == 1)
				time_merge_put_start(lines, source ? "b:" : "a:", 2);
			else if (time == 4)
				time_merge_put_start(lines, source ? "B " : "", source ? 2 : 0);
			else
				time_merge_put_same_start(lines);
			text_decimal(lines, time);
			text_end_line(lines);
		}
	}
	expect(merge, "a:1\nb:1\na:2\nb:2\na:3\nb:3\n4\nB 4\n");
}

/* Marks come at all places of a block. */
static void marks_are_whole_in_all_blocks(void **state)
{
	struct time_merge *merge = begin();
	const uint32_t word = time_merge_word(merge, "<word>", 6);
	const unsigned int all = 50000;
	char *text, *at, *rest, want[64];
	unsigned int i;

	(void)state;
	for (i = 0; i < all; i++) {
		struct text *lines = time_merge_at(merge, &source_a, &pieces[0], 1 + i / 10000);

		if (i % 100)
			time_merge_put_same_start(lines);
		else
			time_merge_put_start(lines, "start", 5);
		time_merge_put_word(lines, word);
		text_decimal(lines, i);
		text_end_line(lines);
	}
	text = end(merge);
	for (i = 0, at = strtok_r(text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest)) {
		snprintf(want, sizeof(want), "start<word>%u", i++);
		assert_string_equal(at, want);
	}
	assert_int_equal(i, all);
	free(text);
}

static void no_directory_is_an_error(void **state)
{
	struct time_merge *merge;
	const char *old = getenv("TMPDIR");

	(void)state;
	setenv("TMPDIR", "/nowhere", 1);
	assert_int_equal(time_merge_new(&merge), -ENOENT);
	assert_string_equal(temporary_directory(), "/nowhere");
	setenv("TMPDIR", "", 1);
	assert_string_equal(temporary_directory(), "/tmp");
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
		cmocka_unit_test(a_word_is_stored_once),
		cmocka_unit_test(words_end_when_there_is_no_room),
		cmocka_unit_test(long_words_leave_no_room_for_others),
		cmocka_unit_test(each_source_has_its_start),
		cmocka_unit_test(marks_are_whole_in_all_blocks),
		cmocka_unit_test(no_directory_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
