// SPDX-License-Identifier: GPL-2.0-only
/* Text for output: the functions that are not inline. */
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

/* clang-format off */
const char text_pairs[200] = {
#define T(n) '0' + (n), '0', '0' + (n), '1', '0' + (n), '2', '0' + (n), '3', '0' + (n), '4', \
	     '0' + (n), '5', '0' + (n), '6', '0' + (n), '7', '0' + (n), '8', '0' + (n), '9',
	T(0) T(1) T(2) T(3) T(4) T(5) T(6) T(7) T(8) T(9)
#undef T
};
/* clang-format on */

void text_init(struct text *text, int (*write)(void *ctx, const char *bytes, size_t size),
	       void *ctx)
{
	text->at = text->bytes;
	text->end = text->bytes + TEXT_BYTES;
	text->write = write;
	text->ctx = ctx;
	text->flushes = 0;
	text->error = 0;
	text->by_line = false;
	text->is_limited = false;
	text->is_full = false;
	text->lines = 0;
}

/* A text is larger than a buffer of stdio in most cases: fwrite() writes it, and reports the error.
 */
static int write_file(void *ctx, const char *bytes, size_t size)
{
	FILE *file = ctx;

	errno = 0;
	if (fwrite(bytes, 1, size, file) == size)
		return 0;
	return errno ? -errno : -EIO;
}

void text_to_file(struct text *text, FILE *file)
{
	text_init(text, write_file, file);
}

struct text *text_stdout(void)
{
	static struct text text;

	if (!text.write) {
		text_to_file(&text, stdout);
		text.by_line = isatty(STDOUT_FILENO);
	}
	return &text;
}

void text_stdout_flush(void)
{
	text_flush(text_stdout());
	fflush(stdout);
}

void text_limit(struct text *text, size_t lines)
{
	text->is_limited = true;
	text->lines = lines;
	/* the owner sees @is_full as soon as it is true */
	text->by_line = true;
}

static int drop(void *ctx, const char *bytes, size_t size)
{
	(void)ctx;
	(void)bytes;
	(void)size;
	return 0;
}

struct text *text_nowhere(void)
{
	static struct text text;

	if (!text.write)
		text_init(&text, drop, NULL);
	return &text;
}

/* The bytes of the lines that may still be written */
static size_t within_limit(struct text *text, const char *bytes, size_t size)
{
	size_t at = 0;

	while (at < size && !text->is_full) {
		const char *end = memchr(bytes + at, '\n', size - at);

		if (!end)
			return size;
		at = (size_t)(end - bytes) + 1;
		text->is_full = !--text->lines;
	}
	return at;
}

static void hand_on(struct text *text, const char *bytes, size_t size)
{
	if (text->is_limited)
		size = within_limit(text, bytes, size);
	if (size && !text->error)
		text->error = text->write(text->ctx, bytes, size);
	text->flushes++;
}

void text_flush(struct text *text)
{
	hand_on(text, text->bytes, (size_t)(text->at - text->bytes));
	text->at = text->bytes;
}

void text_pass(struct text *text, const char *bytes, size_t size)
{
	text_flush(text);
	hand_on(text, bytes, size);
}

void text_bytes(struct text *text, const char *bytes, size_t size)
{
	while (size) {
		const size_t room = (size_t)(text->end - text->at);
		const size_t here = size < room ? size : room;

		memcpy(text->at, bytes, here);
		text->at += here;
		bytes += here;
		size -= here;
		if (size)
			text_flush(text);
	}
}

void text_format(struct text *text, const char *format, ...)
{
	char *string;
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vasprintf(&string, format, arguments);
	va_end(arguments);
	if (size < 0) {
		text->error = text->error ? text->error : -ENOMEM;
		return;
	}
	text_bytes(text, string, (size_t)size);
	free(string);
}

void text_hex_bytes(struct text *text, const uint8_t *bytes, size_t size)
{
	for (; size; size--, bytes++) {
		char *at = text_room(text, 2);

		at[0] = "0123456789abcdef"[*bytes >> 4];
		at[1] = "0123456789abcdef"[*bytes & 15];
		text->at += 2;
	}
}

/* Writes the digits of a number before @end; returns the first. */
static char *put_digits(char *end, uint64_t value)
{
	while (value >= 100) {
		end -= 2;
		memcpy(end, text_pairs + 2 * (value % 100), 2);
		value /= 100;
	}
	if (value < 10) {
		*--end = (char)('0' + value);
		return end;
	}
	end -= 2;
	memcpy(end, text_pairs + 2 * value, 2);
	return end;
}

/* Appends the digits up to @end, to the right of @width columns. */
static void put_right(struct text *text, const char *digits, const char *end, unsigned int width)
{
	const size_t size = (size_t)(end - digits);

	if (width > size)
		text_blanks(text, width - size);
	memcpy(text_room(text, size), digits, size);
	text->at += size;
}

void text_decimal_padded(struct text *text, uint64_t value, unsigned int width)
{
	char digits[24], *end = digits + sizeof(digits);

	put_right(text, put_digits(end, value), end, width);
}

void text_signed_padded(struct text *text, int64_t value, unsigned int width)
{
	char digits[24], *end = digits + sizeof(digits), *first;

	first = put_digits(end, value < 0 ? -(uint64_t)value : (uint64_t)value);
	if (value < 0)
		*--first = '-';
	put_right(text, first, end, width);
}

void text_seconds(struct text *text, uint64_t nanoseconds)
{
	const uint32_t rest = (uint32_t)(nanoseconds % 1000000000);
	uint32_t pairs = rest / 10;
	char *at;

	text_decimal_padded(text, nanoseconds / 1000000000, 6);
	at = text_room(text, 10);
	at[0] = '.';
	at[9] = (char)('0' + rest % 10);
	for (int i = 7; i > 0; i -= 2) {
		memcpy(at + i, text_pairs + (size_t)2 * (pairs % 100), 2);
		pairs /= 100;
	}
	text->at += 10;
}

void text_left(struct text *text, const char *string, size_t width)
{
	const size_t size = strlen(string);

	text_bytes(text, string, size);
	if (width > size)
		text_blanks(text, width - size);
}

void text_right(struct text *text, const char *string, size_t width)
{
	const size_t size = strlen(string);

	if (width > size)
		text_blanks(text, width - size);
	text_bytes(text, string, size);
}
