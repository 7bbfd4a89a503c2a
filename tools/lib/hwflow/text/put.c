/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Appending to a struct hwf_text: the functions that are not inline. */
#include "text/put.h"

#include "hwflow/err.h"

/* clang-format off */
const char hwf_put_pairs[200] = {
#define T(n) '0' + (n), '0', '0' + (n), '1', '0' + (n), '2', '0' + (n), '3', '0' + (n), '4', \
	     '0' + (n), '5', '0' + (n), '6', '0' + (n), '7', '0' + (n), '8', '0' + (n), '9',
	T(0) T(1) T(2) T(3) T(4) T(5) T(6) T(7) T(8) T(9)
#undef T
};
/* clang-format on */

void hwf_text_init(struct hwf_text *text, char *bytes, size_t size,
		   int (*write)(void *ctx, const char *bytes, size_t size), void *ctx)
{
	text->at = bytes;
	text->end = bytes + size;
	text->bytes = bytes;
	text->write = write;
	text->ctx = ctx;
	text->flushes = 0;
	text->error = 0;
	text->by_line = false;
}

void hwf_text_flush(struct hwf_text *text)
{
	const size_t size = (size_t)(text->at - text->bytes);

	if (size && !text->error)
		text->error =
			text->write ? text->write(text->ctx, text->bytes, size) : HWF_ERR_NO_SPACE;
	text->flushes++;
	text->at = text->bytes;
}

void hwf_put_bytes(struct hwf_text *text, const char *bytes, size_t size)
{
	while (size) {
		const size_t room = (size_t)(text->end - text->at);
		const size_t here = size < room ? size : room;

		memcpy(text->at, bytes, here);
		text->at += here;
		bytes += here;
		size -= here;
		if (size)
			hwf_text_flush(text);
	}
}

/* The core has no strlen(). */
void hwf_put_any_string(struct hwf_text *text, const char *string)
{
	const char *end = text->end;
	char *at = text->at;

	for (; *string; string++) {
		if (at == end) {
			text->at = at;
			hwf_text_flush(text);
			at = text->at;
		}
		*at++ = *string;
	}
	text->at = at;
}

void hwf_put_hex_bytes(struct hwf_text *text, const uint8_t *bytes, size_t size)
{
	for (; size; size--, bytes++) {
		char *at = hwf_put_room(text, 2);

		at[0] = "0123456789abcdef"[*bytes >> 4];
		at[1] = "0123456789abcdef"[*bytes & 15];
		text->at += 2;
	}
}

char *hwf_put_digits(char *end, uint64_t value)
{
	while (value >= 100) {
		end -= 2;
		memcpy(end, hwf_put_pairs + 2 * (value % 100), 2);
		value /= 100;
	}
	if (value < 10) {
		*--end = (char)('0' + value);
		return end;
	}
	end -= 2;
	memcpy(end, hwf_put_pairs + 2 * value, 2);
	return end;
}

void hwf_put_right(struct hwf_text *text, const char *digits, const char *end, unsigned int width)
{
	const size_t size = (size_t)(end - digits);

	if (width > size)
		hwf_put_blanks(text, width - size);
	memcpy(hwf_put_room(text, size), digits, size);
	text->at += size;
}

void hwf_put_decimal_padded(struct hwf_text *text, uint64_t value, unsigned int width)
{
	char digits[24], *end = digits + sizeof(digits);

	hwf_put_right(text, hwf_put_digits(end, value), end, width);
}
