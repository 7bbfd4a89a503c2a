/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text for output, in a buffer of its own. The functions append; none of them reads a format, so a
 * line of many fields costs little more than its bytes.
 *
 *   start          at               end
 *   | text ........|  room .........|        at <= end, always
 *
 * A function that appends a bounded number of bytes makes room for all of them first: it hands the
 * text to the owner's function write if there is less.
 */
#ifndef HWFLOW_TEXT_H
#define HWFLOW_TEXT_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/** TEXT_BYTES - size of the buffer */
#define TEXT_BYTES 0x10000u

/** TEXT_NUMBER - room for any number, padded to this many columns at most */
#define TEXT_NUMBER 32u

/**
 * struct text - text that is not yet written
 * @at: where the next byte goes
 * @end: end of @bytes
 * @write: takes the text; returns 0 or -errno
 * @ctx: first argument of @write
 * @flushes: how often text was handed to @write
 * @error: the first error of @write; text after it is dropped
 * @by_line: each line is written when it ends
 * @is_limited: at most @lines more lines are written
 * @is_full: no more line is written
 * @lines: see @is_limited
 * @bytes: the buffer
 */
struct text {
	char *at;
	char *end;
	int (*write)(void *ctx, const char *bytes, size_t size);
	void *ctx;
	uint64_t flushes;
	int error;
	bool by_line;
	bool is_limited;
	bool is_full;
	size_t lines;
	char bytes[TEXT_BYTES];
};

/** text_init() - begin with no text; @write takes it, with @ctx as its first argument */
void text_init(struct text *text, int (*write)(void *ctx, const char *bytes, size_t size),
	       void *ctx);

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
void text_flush(struct text *text);

/** text_pass() - append bytes that are many: they are not copied, but handed to the owner's
 * function */
void text_pass(struct text *text, const char *bytes, size_t size);

/** text_bytes() - append bytes, as many as there are */
void text_bytes(struct text *text, const char *bytes, size_t size);

/** text_format() - append as printf() does: for lines that are rare */
__attribute__((format(printf, 2, 3))) void text_format(struct text *text, const char *format, ...);

/** text_pairs - the digits of 0 to 99, two for each */
extern const char text_pairs[200];

/**
 * text_room() - make room
 * @text: to append to
 * @size: bytes, TEXT_BYTES at most
 *
 * Return: where to write them; the caller then adds to @text->at what it wrote.
 */
static inline char *text_room(struct text *text, size_t size)
{
	if (__builtin_expect((size_t)(text->end - text->at) < size, 0))
		text_flush(text);
	return text->at;
}

/** text_char() - append a character */
static inline void text_char(struct text *text, char c)
{
	*text_room(text, 1) = c;
	text->at++;
}

/** text_string() - append a string */
static inline void text_string(struct text *text, const char *string)
{
	const size_t size = strlen(string);

	if (__builtin_constant_p(size) && size < TEXT_BYTES) {
		memcpy(text_room(text, size), string, size);
		text->at += size;
	} else {
		text_bytes(text, string, size);
	}
}

/** text_blanks() - append blanks, @count of them */
static inline void text_blanks(struct text *text, size_t count)
{
	for (; count > TEXT_NUMBER; count -= TEXT_NUMBER) {
		memset(text_room(text, TEXT_NUMBER), ' ', TEXT_NUMBER);
		text->at += TEXT_NUMBER;
	}
	memset(text_room(text, TEXT_NUMBER), ' ', TEXT_NUMBER);
	text->at += count;
}

/** text_end_line() - append a newline */
static inline void text_end_line(struct text *text)
{
	text_char(text, '\n');
	if (__builtin_expect(text->by_line, 0))
		text_flush(text);
}

/* The hexadecimal digits of a number, all 8 */
static inline void text_spread_hex(uint32_t value, char digits[8])
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t x = value, letters;

	/* one digit a byte, the last one lowest */
	x = (x << 16 | x) & UINT64_C(0x0000ffff0000ffff);
	x = (x << 8 | x) & UINT64_C(0x00ff00ff00ff00ff);
	x = (x << 4 | x) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	letters = (x + 6 * ones) >> 4 & ones;
	x = htobe64(x + '0' * ones + letters * ('a' - '9' - 1));
	memcpy(digits, &x, sizeof(x));
}

/** text_hex_digits() - how many digits a number has in hexadecimal */
static inline unsigned int text_hex_digits(uint64_t value)
{
	return 16 - (unsigned int)__builtin_clzll(value | 1) / 4;
}

/** text_hex_zeros() - append a number in hexadecimal, with zeros before it: @least digits, 1 to 16
 */
static inline void text_hex_zeros(struct text *text, uint64_t value, unsigned int least)
{
	const unsigned int needed = text_hex_digits(value);
	const unsigned int digits = needed > least ? needed : least;
	char *at = text_room(text, 16);
	/* the bytes after the last digit are copied as well: a copy of fixed size is fast */
	char all[32] = {0};

	text_spread_hex((uint32_t)(value >> 32), all);
	text_spread_hex((uint32_t)value, all + 8);
	memcpy(at, all + 16 - digits, 16);
	text->at += digits;
}

/** text_hex_padded() - append a number in hexadecimal, to the right of @width columns, 32 at most
 */
static inline void text_hex_padded(struct text *text, uint64_t value, unsigned int width)
{
	const unsigned int digits = text_hex_digits(value);
	const unsigned int blanks = width > digits ? width - digits : 0;
	char *at = text_room(text, TEXT_NUMBER + 16);
	char all[32] = {0};

	memset(at, ' ', TEXT_NUMBER);
	text_spread_hex((uint32_t)(value >> 32), all);
	text_spread_hex((uint32_t)value, all + 8);
	memcpy(at + blanks, all + 16 - digits, 16);
	text->at += blanks + digits;
}

/** text_hex() - append a number in hexadecimal */
static inline void text_hex(struct text *text, uint64_t value)
{
	text_hex_padded(text, value, 0);
}

/** text_hex_prefixed() - append a number as %#x does: 0 has no 0x */
static inline void text_hex_prefixed(struct text *text, uint64_t value)
{
	if (value)
		text_string(text, "0x");
	text_hex(text, value);
}

/** text_hex_bytes() - append two digits for each of @size bytes */
void text_hex_bytes(struct text *text, const uint8_t *bytes, size_t size);

/** text_decimal_padded() - append a number, to the right of @width columns, 32 at most */
void text_decimal_padded(struct text *text, uint64_t value, unsigned int width);

/** text_decimal() - append a number */
static inline void text_decimal(struct text *text, uint64_t value)
{
	if (value < 10)
		text_char(text, (char)('0' + value));
	else
		text_decimal_padded(text, value, 0);
}

/** text_signed_padded() - append a number that may be below 0, to the right of @width columns */
void text_signed_padded(struct text *text, int64_t value, unsigned int width);

/** text_seconds() - append nanoseconds as seconds with nine decimals; whole seconds have 6 columns
 */
void text_seconds(struct text *text, uint64_t nanoseconds);

/** text_left() - append a string and blanks, @width columns at least */
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

#endif /* HWFLOW_TEXT_H */
