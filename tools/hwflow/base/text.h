/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text for output: a struct hwf_text of the library, with a buffer of its own or memory of the
 * owner.
 */
#ifndef HWFLOW_BASE_TEXT_H
#define HWFLOW_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "text/put.h"

/** TEXT_BYTES - size of the buffer */
#define TEXT_BYTES 0x10000u

/**
 * struct text - text that is not yet written
 * @hwf: its place in the buffer; the function write gets it, and returns 0 or -errno. It may call
 *	text_set_buffer()
 * @write: of a text with a limit: takes the lines, as write of @hwf does elsewhere
 * @ctx: first argument of @write
 * @lines: at most so many more lines are written
 * @is_full: no more line is written
 * @bytes: the buffer, unless the owner has set another one
 */
struct text {
	struct hwf_text hwf;
	int (*write)(void *ctx, const char *bytes, size_t size);
	void *ctx;
	size_t lines;
	bool is_full;
	char bytes[TEXT_BYTES];
};

/** text_init() - begin with no text; @write takes it, with @ctx as its first argument */
void text_init(struct text *text, int (*write)(void *ctx, const char *bytes, size_t size),
	       void *ctx);

/**
 * text_set_buffer() - append to other memory from here on
 * @text: has no text, or is inside its function write
 * @buffer: the memory; NULL: the buffer that @text has of its own
 * @size: bytes of @buffer, at least TEXT_BYTES
 */
void text_set_buffer(struct text *text, char *buffer, size_t size);

/** text_to_file() - begin with no text; it goes to @file, which must outlive @text */
void text_to_file(struct text *text, FILE *file);

/**
 * text_stdout() - the text for standard output, of which a program has one
 *
 * Each line is written when it ends if standard output is a terminal. Code that
 * writes to stdout by other means calls text_stdout_flush() first.
 */
struct text *text_stdout(void);

/** text_limit() - write at most @lines lines more; text after them is dropped */
void text_limit(struct text *text, size_t lines);

/** text_nowhere() - a text that is dropped */
struct text *text_nowhere(void);

/** text_stdout_flush() - write the text for standard output, and what stdio has for it */
void text_stdout_flush(void);

/** text_flush() - hand the text to the owner's function; the buffer is empty then */
static inline void text_flush(struct text *text)
{
	hwf_text_flush(&text->hwf);
}

/** text_pass() - append bytes that are many: they are not copied, but handed to the owner's
 * function */
void text_pass(struct text *text, const char *bytes, size_t size);

/** text_bytes() - append bytes, as many as there are */
static inline void text_bytes(struct text *text, const char *bytes, size_t size)
{
	hwf_put_bytes(&text->hwf, bytes, size);
}

/** text_format() - append as print() does: for lines that are rare */
__attribute__((format(printf, 2, 3))) void text_format(struct text *text, const char *format, ...);

/**
 * text_room() - make room
 * @text: to append to
 * @size: bytes, TEXT_BYTES at most
 *
 * Return: where to write them; the caller then adds to @text->hwf.at what it wrote.
 */
static inline char *text_room(struct text *text, size_t size)
{
	return hwf_put_room(&text->hwf, size);
}

/** text_char() - append a character */
static inline void text_char(struct text *text, char c)
{
	hwf_put_char(&text->hwf, c);
}

/** text_string() - append a string */
static inline void text_string(struct text *text, const char *string)
{
	if (__builtin_constant_p(strlen(string)))
		hwf_put_string(&text->hwf, string);
	else
		hwf_put_bytes(&text->hwf, string, strlen(string));
}

/** text_blanks() - append blanks, @count of them */
static inline void text_blanks(struct text *text, size_t count)
{
	hwf_put_blanks(&text->hwf, count);
}

/** text_end_line() - append a newline */
static inline void text_end_line(struct text *text)
{
	hwf_put_end_line(&text->hwf);
}

/** text_hex_zeros() - append a number in hexadecimal, with zeros before it: @least digits, 1 to 16
 */
static inline void text_hex_zeros(struct text *text, uint64_t value, unsigned int least)
{
	hwf_put_hex_zeros(&text->hwf, value, least);
}

/** text_hex_padded() - append a number in hexadecimal, to the right of @width columns, 32 at most
 */
static inline void text_hex_padded(struct text *text, uint64_t value, unsigned int width)
{
	hwf_put_hex_padded(&text->hwf, value, width);
}

/** text_hex() - append a number in hexadecimal */
static inline void text_hex(struct text *text, uint64_t value)
{
	hwf_put_hex(&text->hwf, value);
}

/** text_hex_prefixed() - append a number as %#x does: 0 has no 0x */
static inline void text_hex_prefixed(struct text *text, uint64_t value)
{
	hwf_put_hex_prefixed(&text->hwf, value);
}

/** text_hex_bytes() - append two digits for each of @size bytes */
static inline void text_hex_bytes(struct text *text, const uint8_t *bytes, size_t size)
{
	hwf_put_hex_bytes(&text->hwf, bytes, size);
}

/** text_decimal_padded() - append a number, to the right of @width columns, 32 at most */
static inline void text_decimal_padded(struct text *text, uint64_t value, unsigned int width)
{
	hwf_put_decimal_padded(&text->hwf, value, width);
}

/** text_decimal() - append a number */
static inline void text_decimal(struct text *text, uint64_t value)
{
	hwf_put_decimal(&text->hwf, value);
}

/** text_signed_padded() - append a number that may be below 0, to the right of @width columns */
void text_signed_padded(struct text *text, int64_t value, unsigned int width);

/** text_seconds() - append nanoseconds as seconds with nine decimals; whole seconds have 6 columns
 */
void text_seconds(struct text *text, uint64_t nanoseconds);

/**
 * text_name() - append a string that may come from an input: it is escaped (see escape.h)
 *
 * All other functions of this file append strings as they are.
 */
void text_name(struct text *text, const char *name);

/** text_left() - append an escaped string, as text_name(), and blanks: @width columns at least */
void text_left(struct text *text, const char *string, size_t width);

/** text_right() - append blanks and a string, @width columns at least */
void text_right(struct text *text, const char *string, size_t width);

/** text_named_decimal() - append a name and a number */
static inline void text_named_decimal(struct text *text, const char *name, uint64_t value)
{
	text_string(text, name);
	text_decimal(text, value);
}

/** text_named_signed() - append a name and a number that may be below 0 */
static inline void text_named_signed(struct text *text, const char *name, int64_t value)
{
	text_string(text, name);
	text_signed_padded(text, value, 0);
}

/** text_named_hex() - append a name and a number in hexadecimal; the name may end with 0x */
static inline void text_named_hex(struct text *text, const char *name, uint64_t value)
{
	text_string(text, name);
	text_hex(text, value);
}

/** text_named_string() - append a name and a string */
static inline void text_named_string(struct text *text, const char *name, const char *string)
{
	text_string(text, name);
	text_string(text, string);
}

/** text_named_name() - append a name, and a string that may come from an input: it is escaped */
static inline void text_named_name(struct text *text, const char *name, const char *string)
{
	text_string(text, name);
	text_name(text, string);
}

#endif /* HWFLOW_BASE_TEXT_H */
