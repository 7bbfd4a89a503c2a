// SPDX-License-Identifier: GPL-2.0-only
/* Text for output: the functions that are not inline. */
#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "print.h"

/* Bytes that are written by one system call */
#define LARGE 0x4000u

void text_set_buffer(struct text *text, char *buffer, size_t size)
{
	text->hwf.bytes = buffer ? buffer : text->bytes;
	text->hwf.end = text->hwf.bytes + (buffer ? size : TEXT_BYTES);
	text->hwf.at = text->hwf.bytes;
}

void text_init(struct text *text, int (*write)(void *ctx, const char *bytes, size_t size),
	       void *ctx)
{
	hwf_text_init(&text->hwf, text->bytes, TEXT_BYTES, write, ctx);
	text->is_full = false;
}

/* Writes a text that is larger than a buffer of stdio. Returns how much of it was written: the
 * file did not take the rest. */
static size_t write_large(FILE *file, const char *bytes, size_t size)
{
	size_t done = 0;

	if (fflush(file))
		return 0;
	while (done < size) {
		const ssize_t written = write(fileno(file), bytes + done, size - done);

		if (written > 0)
			done += (size_t)written;
		else if (written == 0 || errno != EINTR)
			break;
	}
	return done;
}

/* fwrite() copies the end of a text that is larger than its buffer, and makes two system calls.
 * An error is reported by fwrite(): the file has it, as ferror() says. */
static int write_file(void *ctx, const char *bytes, size_t size)
{
	FILE *file = ctx;

	if (size >= LARGE && fileno(file) >= 0) {
		const size_t done = write_large(file, bytes, size);

		bytes += done;
		size -= done;
	}
	if (!size)
		return 0;
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

	if (!text.hwf.write) {
		text_to_file(&text, stdout);
		text.hwf.by_line = isatty(STDOUT_FILENO);
	}
	return &text;
}

void text_stdout_flush(void)
{
	text_flush(text_stdout());
	fflush(stdout);
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

static int write_limited(void *ctx, const char *bytes, size_t size)
{
	struct text *text = ctx;

	size = within_limit(text, bytes, size);
	return size ? text->write(text->ctx, bytes, size) : 0;
}

void text_limit(struct text *text, size_t lines)
{
	if (text->hwf.write != write_limited) {
		text->write = text->hwf.write;
		text->ctx = text->hwf.ctx;
		text->hwf.write = write_limited;
		text->hwf.ctx = text;
	}
	text->lines = lines;
	/* the owner sees @is_full as soon as it is true */
	text->hwf.by_line = true;
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

	if (!text.hwf.write)
		text_init(&text, drop, NULL);
	return &text;
}

void text_pass(struct text *text, const char *bytes, size_t size)
{
	text_flush(text);
	if (size && !text->hwf.error)
		text->hwf.error = text->hwf.write(text->hwf.ctx, bytes, size);
	text->hwf.flushes++;
}

static void fail(struct text *text, int error)
{
	if (!text->hwf.error)
		text->hwf.error = error;
}

void text_format(struct text *text, const char *format, ...)
{
	char *string = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&string, &size);
	va_list arguments;
	bool failed = !file;

	if (file) {
		va_start(arguments, format);
		failed = print_list(file, format, arguments) < 0;
		va_end(arguments);
		failed = fclose(file) || failed;
	}
	if (failed)
		fail(text, -ENOMEM);
	else
		text_bytes(text, string, size);
	free(string);
}

/* Appends a name, escaped. Returns its bytes. */
static size_t put_name(struct text *text, const char *name)
{
	size_t size = strlen(name);
	char *escaped;

	if (escape_plain(ESCAPE_NAME, name, size) == size) {
		text_bytes(text, name, size);
		return size;
	}
	escaped = malloc(ESCAPE_GROWTH * size + 1);
	if (!escaped) {
		fail(text, -ENOMEM);
		return 0;
	}
	size = escape_bytes(ESCAPE_NAME, name, size, escaped);
	text_bytes(text, escaped, size);
	free(escaped);
	return size;
}

void text_name(struct text *text, const char *name)
{
	put_name(text, name);
}

void text_signed_padded(struct text *text, int64_t value, unsigned int width)
{
	char digits[24], *end = digits + sizeof(digits), *first;

	first = hwf_put_digits(end, value < 0 ? -(uint64_t)value : (uint64_t)value);
	if (value < 0)
		*--first = '-';
	hwf_put_right(&text->hwf, first, end, width);
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
		memcpy(at + i, hwf_put_pairs + (size_t)2 * (pairs % 100), 2);
		pairs /= 100;
	}
	text->hwf.at += 10;
}

void text_left(struct text *text, const char *string, size_t width)
{
	const size_t size = put_name(text, string);

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
