/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Appending to a struct hwf_text. None of these functions reads a format, so that a line of many
 * fields costs little more than its bytes. A function that appends a bounded number of bytes makes
 * room for all of them first.
 */
#ifndef HWF_TEXT_PUT_H
#define HWF_TEXT_PUT_H

#include <string.h>

#include "hwflow/text.h"

/* Room for any number, padded to this many columns at most */
#define HWF_PUT_NUMBER 32u

_Static_assert(2 * HWF_PUT_NUMBER <= HWF_TEXT_LEAST, "a number has room");
_Static_assert(HWF_TEXT_READY <= HWF_TEXT_LEAST, "so has a text that is kept");

/* The digits of 0 to 99, two for each */
extern const char hwf_put_pairs[200];

/* Append bytes, as many as there are. */
void hwf_put_bytes(struct hwf_text *text, const char *bytes, size_t size);

/* Append a string whose length the compiler does not know. */
void hwf_put_any_string(struct hwf_text *text, const char *string);

/* Append two digits for each of @size bytes. */
void hwf_put_hex_bytes(struct hwf_text *text, const uint8_t *bytes, size_t size);

/* Append a number, to the right of @width columns, 32 at most. */
void hwf_put_decimal_padded(struct hwf_text *text, uint64_t value, unsigned int width);

/* Write the digits of a number before @end; returns the first. */
char *hwf_put_digits(char *end, uint64_t value);

/* Append the digits up to @end, to the right of @width columns. */
void hwf_put_right(struct hwf_text *text, const char *digits, const char *end, unsigned int width);

/* Make room for @size bytes, HWF_TEXT_LEAST at most; the caller adds to text->at what it wrote. */
static inline char *hwf_put_room(struct hwf_text *text, size_t size)
{
	if (__builtin_expect((size_t)(text->end - text->at) < size, 0))
		hwf_text_flush(text);
	return text->at;
}

static inline void hwf_put_char(struct hwf_text *text, char c)
{
	*hwf_put_room(text, 1) = c;
	text->at++;
}

static inline void hwf_put_string(struct hwf_text *text, const char *string)
{
	if (__builtin_constant_p(__builtin_strlen(string)) &&
	    __builtin_strlen(string) <= HWF_TEXT_LEAST) {
		const size_t size = __builtin_strlen(string);

		memcpy(hwf_put_room(text, size), string, size);
		text->at += size;
	} else {
		hwf_put_any_string(text, string);
	}
}

static inline void hwf_put_blanks(struct hwf_text *text, size_t count)
{
	for (; count > HWF_PUT_NUMBER; count -= HWF_PUT_NUMBER) {
		memset(hwf_put_room(text, HWF_PUT_NUMBER), ' ', HWF_PUT_NUMBER);
		text->at += HWF_PUT_NUMBER;
	}
	memset(hwf_put_room(text, HWF_PUT_NUMBER), ' ', HWF_PUT_NUMBER);
	text->at += count;
}

static inline void hwf_put_end_line(struct hwf_text *text)
{
	hwf_put_char(text, '\n');
	if (__builtin_expect(text->by_line, 0))
		hwf_text_flush(text);
}

/* The hexadecimal digits of a number, all 8 */
static inline void hwf_put_spread_hex(uint32_t value, char digits[8])
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t x = value, letters;

	/* one digit a byte, the last one lowest */
	x = (x << 16 | x) & UINT64_C(0x0000ffff0000ffff);
	x = (x << 8 | x) & UINT64_C(0x00ff00ff00ff00ff);
	x = (x << 4 | x) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	letters = (x + 6 * ones) >> 4 & ones;
	x = x + '0' * ones + letters * ('a' - '9' - 1);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	memcpy(digits, &x, sizeof(x));
}

/* How many digits a number has in hexadecimal */
static inline unsigned int hwf_put_hex_digits(uint64_t value)
{
	return 16 - (unsigned int)__builtin_clzll(value | 1) / 4;
}

/* Append a number in hexadecimal, with zeros before it: @least digits, 1 to 16
 */
static inline void hwf_put_hex_zeros(struct hwf_text *text, uint64_t value, unsigned int least)
{
	const unsigned int needed = hwf_put_hex_digits(value);
	const unsigned int digits = needed > least ? needed : least;
	char *at = hwf_put_room(text, 16);
	/* the bytes after the last digit are copied as well: a copy of fixed size is fast */
	char all[32] = {0};

	hwf_put_spread_hex((uint32_t)(value >> 32), all);
	hwf_put_spread_hex((uint32_t)value, all + 8);
	memcpy(at, all + 16 - digits, 16);
	text->at += digits;
}

/* Append a number in hexadecimal, to the right of @width columns, 32 at most
 */
static inline void hwf_put_hex_padded(struct hwf_text *text, uint64_t value, unsigned int width)
{
	const unsigned int digits = hwf_put_hex_digits(value);
	const unsigned int blanks = width > digits ? width - digits : 0;
	char *at = hwf_put_room(text, HWF_PUT_NUMBER + 16);
	char all[32] = {0};

	memset(at, ' ', HWF_PUT_NUMBER);
	hwf_put_spread_hex((uint32_t)(value >> 32), all);
	hwf_put_spread_hex((uint32_t)value, all + 8);
	memcpy(at + blanks, all + 16 - digits, 16);
	text->at += blanks + digits;
}

/* Append a number in hexadecimal */
static inline void hwf_put_hex(struct hwf_text *text, uint64_t value)
{
	hwf_put_hex_padded(text, value, 0);
}

/* Append a number as %#x does: 0 has no 0x */
static inline void hwf_put_hex_prefixed(struct hwf_text *text, uint64_t value)
{
	if (value)
		hwf_put_string(text, "0x");
	hwf_put_hex(text, value);
}

static inline void hwf_put_decimal(struct hwf_text *text, uint64_t value)
{
	if (value < 10)
		hwf_put_char(text, (char)('0' + value));
	else
		hwf_put_decimal_padded(text, value, 0);
}

/* A name, and a number or a string behind it */
static inline void hwf_put_named_decimal(struct hwf_text *text, const char *name, uint64_t value)
{
	hwf_put_string(text, name);
	hwf_put_decimal(text, value);
}

static inline void hwf_put_named_hex(struct hwf_text *text, const char *name, uint64_t value)
{
	hwf_put_string(text, name);
	hwf_put_hex(text, value);
}

static inline void hwf_put_named_string(struct hwf_text *text, const char *name, const char *string)
{
	hwf_put_string(text, name);
	hwf_put_string(text, string);
}

#endif /* HWF_TEXT_PUT_H */
