/* SPDX-License-Identifier: GPL-2.0-only */
/* Text for output: each function beside snprintf(). */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/text.h"

#define RANDOM_VALUES 20000u

/* What was handed on; a write fails once @room bytes are there */
static struct {
	char bytes[4 * TEXT_BYTES];
	size_t size;
	size_t room;
	unsigned int calls;
} written;

static struct text text;

static int take(void *ctx, const char *bytes, size_t size)
{
	assert_ptr_equal(ctx, &written);
	written.calls++;
	if (written.size + size > written.room)
		return -ENOSPC;
	memcpy(written.bytes + written.size, bytes, size);
	written.size += size;
	return 0;
}

static void begin(void)
{
	written.size = 0;
	written.calls = 0;
	written.room = sizeof(written.bytes) - 1;
	text_init(&text, take, &written);
}

static const char *result(void)
{
	text_flush(&text);
	written.bytes[written.size] = '\0';
	written.size = 0;
	return written.bytes;
}

/* What was appended is what snprintf() prints. */
#define EXPECT(...)                                          \
	do {                                                 \
		char want_[256];                             \
		snprintf(want_, sizeof(want_), __VA_ARGS__); \
		assert_string_equal(result(), want_);        \
	} while (0)

/* Numbers with few and with many digits, and those beside powers of 2 and of 10 */
static uint64_t value_at(unsigned int i)
{
	static uint64_t seed = 88172645463325252;
	uint64_t power = 1;

	if (i < 3 * 64)
		return (UINT64_C(1) << i / 3) + i % 3 - 1;
	i -= 3 * 64;
	if (i < 3 * 20) {
		for (unsigned int j = 0; j < i / 3; j++)
			power *= 10;
		return power + i % 3 - 1;
	}
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> seed % 64;
}

static void check_value(uint64_t value, unsigned int width)
{
	text_decimal(&text, value);
	EXPECT("%" PRIu64, value);
	text_decimal_padded(&text, value, width);
	EXPECT("%*" PRIu64, (int)width, value);
	text_signed_padded(&text, (int64_t)value, width);
	EXPECT("%*" PRId64, (int)width, (int64_t)value);
	text_signed_padded(&text, -(int64_t)(value >> 1), width);
	EXPECT("%*" PRId64, (int)width, -(int64_t)(value >> 1));
	text_hex(&text, value);
	EXPECT("%" PRIx64, value);
	text_hex_prefixed(&text, value);
	EXPECT("%#" PRIx64, value);
	text_hex_padded(&text, value, width);
	EXPECT("%*" PRIx64, (int)width, value);
	text_hex_zeros(&text, value, width % 16 + 1);
	EXPECT("%0*" PRIx64, (int)(width % 16 + 1), value);
	text_seconds(&text, value);
	EXPECT("%6" PRIu64 ".%09" PRIu64, value / 1000000000, value % 1000000000);
	text_named_decimal(&text, " count=", value);
	EXPECT(" count=%" PRIu64, value);
	text_named_signed(&text, " tid ", (int32_t)value);
	EXPECT(" tid %" PRId32, (int32_t)value);
	text_named_hex(&text, " addr=0x", value);
	EXPECT(" addr=0x%" PRIx64, value);
}

static void numbers_are_as_snprintf_prints_them(void **state)
{
	(void)state;
	begin();
	for (unsigned int i = 0; i < RANDOM_VALUES; i++)
		check_value(value_at(i), i % 33);
	check_value(UINT64_MAX, 32);
	check_value(0, 0);
}

static void strings_are_as_snprintf_prints_them(void **state)
{
	static const char *const strings[] = {"", "a", "fifteen letters", "sixteen letters.",
					      "a name with more than sixteen letters"};

	(void)state;
	begin();
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		for (unsigned int width = 0; width < 100; width += 5) {
			text_left(&text, strings[i], width);
			EXPECT("%-*s", (int)width, strings[i]);
			text_right(&text, strings[i], width);
			EXPECT("%*s", (int)width, strings[i]);
		}
		text_named_string(&text, "name ", strings[i]);
		EXPECT("name %s", strings[i]);
		text_format(&text, "%s and %d", strings[i], -1);
		EXPECT("%s and %d", strings[i], -1);
	}
	for (unsigned int count = 0; count < 100; count++) {
		text_blanks(&text, count);
		EXPECT("%*s", (int)count, "");
	}
	text_char(&text, 'x');
	text_end_line(&text);
	EXPECT("x\n");
}

static void bytes_have_two_digits_each(void **state)
{
	uint8_t bytes[256];
	char want[2 * sizeof(bytes) + 1];

	(void)state;
	begin();
	for (unsigned int i = 0; i < sizeof(bytes); i++) {
		bytes[i] = (uint8_t)(i * 7);
		snprintf(want + (size_t)2 * i, 3, "%02x", bytes[i]);
	}
	text_hex_bytes(&text, bytes, sizeof(bytes));
	assert_string_equal(result(), want);
}

/* Appends lines of all kinds of fields, with and without flushes in between: the same text comes
 * out. */
static void put_lines(unsigned int count, bool flush)
{
	for (unsigned int i = 0; i < count; i++) {
		text_left(&text, "name", i % 40);
		text_hex_padded(&text, i * UINT64_C(0x12345), 12);
		text_decimal_padded(&text, i, i % 30);
		text_seconds(&text, i * UINT64_C(123456789123));
		text_hex_zeros(&text, i, 16);
		text_blanks(&text, i % 70);
		text_end_line(&text);
		if (flush)
			text_flush(&text);
	}
	text_flush(&text);
}

static void a_full_buffer_is_handed_on(void **state)
{
	const unsigned int count = 1000;
	char *want;
	size_t size;

	(void)state;
	begin();
	put_lines(count, true);
	assert_int_equal(written.calls, count);
	size = written.size;
	assert_true(size > TEXT_BYTES && size < sizeof(written.bytes));
	want = malloc(size);
	assert_non_null(want);
	memcpy(want, written.bytes, size);
	begin();
	put_lines(count, false);
	assert_true(written.calls <= size / TEXT_BYTES + 2);
	assert_int_equal(written.size, size);
	assert_memory_equal(written.bytes, want, size);
	free(want);
}

static void bytes_may_be_more_than_the_buffer(void **state)
{
	const size_t size = 3 * TEXT_BYTES + 5;
	char *bytes = malloc(size);

	(void)state;
	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (char)('a' + i % 23);
	begin();
	text_char(&text, '.');
	text_bytes(&text, bytes, size);
	text_flush(&text);
	assert_int_equal(written.size, size + 1);
	assert_memory_equal(written.bytes + 1, bytes, size);
	free(bytes);
}

/* Text goes to a buffer of the owner's, which the function that takes it may set anew. */
static char other[TEXT_BYTES + 100];

static int take_and_move(void *ctx, const char *bytes, size_t size)
{
	size_t *const taken = ctx;

	assert_ptr_equal(bytes, other + *taken);
	*taken += size;
	text_set_buffer(&text, other + *taken, TEXT_BYTES);
	return 0;
}

static void the_buffer_may_be_the_owners(void **state)
{
	size_t taken = 0;

	(void)state;
	text_init(&text, take_and_move, &taken);
	text_set_buffer(&text, other, TEXT_BYTES);
	text_string(&text, "first");
	text_flush(&text);
	text_string(&text, "second");
	text_flush(&text);
	assert_int_equal(taken, 11);
	assert_memory_equal(other, "firstsecond", 11);
	text_set_buffer(&text, NULL, 0);
	assert_ptr_equal(text.hwf.at, text.bytes);
	assert_ptr_equal(text.hwf.end, text.bytes + TEXT_BYTES);
}

/* What stdio has, and texts short and long, are written in order. */
static void a_file_has_all_text_in_order(void **state)
{
	static char bytes[TEXT_BYTES], read_back[TEXT_BYTES + 32];
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	memset(bytes, 'l', sizeof(bytes));
	text_to_file(&text, file);
	fputs("stdio,", file);
	text_pass(&text, bytes, sizeof(bytes));
	text_string(&text, ",short,");
	text_flush(&text);
	fputs("stdio", file);
	assert_int_equal(fflush(file), 0);
	rewind(file);
	assert_int_equal(fread(read_back, 1, sizeof(read_back), file), TEXT_BYTES + 18);
	assert_memory_equal(read_back, "stdio,", 6);
	assert_memory_equal(read_back + 6, bytes, TEXT_BYTES);
	assert_memory_equal(read_back + 6 + TEXT_BYTES, ",short,stdio", 12);
	fclose(file);
}

/* A device without room: the text and the file both have the error. */
static void a_file_that_is_full_has_an_error(void **state)
{
	static char bytes[TEXT_BYTES];
	FILE *file = fopen("/dev/full", "we");

	(void)state;
	assert_non_null(file);
	text_to_file(&text, file);
	text_pass(&text, bytes, sizeof(bytes));
	assert_int_equal(text.hwf.error, -ENOSPC);
	assert_true(ferror(file));
	fclose(file);
}

static void the_first_error_stays_and_text_after_it_is_dropped(void **state)
{
	(void)state;
	begin();
	written.room = 10;
	text_string(&text, "012345678");
	text_flush(&text);
	assert_int_equal(text.hwf.error, 0);
	text_string(&text, "too long");
	text_flush(&text);
	assert_int_equal(text.hwf.error, -ENOSPC);
	text_string(&text, "x");
	text_flush(&text);
	assert_int_equal(text.hwf.error, -ENOSPC);
	assert_int_equal(written.calls, 2);
	assert_int_equal(written.size, 9);
}

static void lines_to_a_terminal_are_written_when_they_end(void **state)
{
	(void)state;
	begin();
	text.hwf.by_line = true;
	text_string(&text, "a line");
	assert_int_equal(written.size, 0);
	text_end_line(&text);
	assert_int_equal(written.size, 7);
}

static void a_file_that_cannot_be_written_gives_its_error(void **state)
{
	FILE *file = fopen("/dev/full", "we");

	(void)state;
	assert_non_null(file);
	text_to_file(&text, file);
	for (unsigned int i = 0; i < 2 * TEXT_BYTES; i++)
		text_char(&text, 'x');
	text_flush(&text);
	assert_int_equal(text.hwf.error, -ENOSPC);
	assert_true(ferror(file));
	fclose(file);
}

static void a_limit_cuts_after_its_last_line(void **state)
{
	(void)state;
	begin();
	text_limit(&text, 3);
	text_string(&text, "one");
	text_end_line(&text);
	assert_false(text.is_full);
	/* two lines at once, and a part of a third */
	text_string(&text, "two\nthree\nfour");
	text_flush(&text);
	assert_true(text.is_full);
	text_string(&text, "five");
	text_end_line(&text);
	assert_string_equal(result(), "one\ntwo\nthree\n");
	assert_int_equal(text.hwf.error, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_as_snprintf_prints_them),
		cmocka_unit_test(strings_are_as_snprintf_prints_them),
		cmocka_unit_test(bytes_have_two_digits_each),
		cmocka_unit_test(a_full_buffer_is_handed_on),
		cmocka_unit_test(bytes_may_be_more_than_the_buffer),
		cmocka_unit_test(the_buffer_may_be_the_owners),
		cmocka_unit_test(a_file_has_all_text_in_order),
		cmocka_unit_test(a_file_that_is_full_has_an_error),
		cmocka_unit_test(the_first_error_stays_and_text_after_it_is_dropped),
		cmocka_unit_test(lines_to_a_terminal_are_written_when_they_end),
		cmocka_unit_test(a_limit_cuts_after_its_last_line),
		cmocka_unit_test(a_file_that_cannot_be_written_gives_its_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
