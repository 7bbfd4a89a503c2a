// SPDX-License-Identifier: GPL-2.0-only
/* Strings of an input in text output. */
#include "escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A range of characters that are escaped, its ends included */
struct range {
	uint32_t first;
	uint32_t last;
};

/* What is not ASCII: C1 controls, line separators and what Unicode calls Bidi_Control */
static const struct range unshown[] = {
	{0x80, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},
	{0x2028, 0x202e}, {0x2066, 0x2069}, {0xd800, 0xdfff},
};

static bool is_shown(uint32_t character)
{
	for (size_t i = 0; i < sizeof(unshown) / sizeof(unshown[0]); i++)
		if (character >= unshown[i].first && character <= unshown[i].last)
			return false;
	return character <= 0x10ffff;
}

/* How many bytes a character has that begins with this byte; 0: none does */
static size_t length_of(uint8_t byte)
{
	if (byte >= 0xc2 && byte <= 0xdf)
		return 2;
	if (byte >= 0xe0 && byte <= 0xef)
		return 3;
	return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

/* The bytes of the character at @bytes, which is not ASCII, if it is shown as it is; else 0 */
static size_t shown_length(const uint8_t *bytes, size_t size)
{
	/* smaller values have a shorter encoding */
	static const uint32_t least[] = {[2] = 0x80, [3] = 0x800, [4] = 0x10000};
	const size_t length = length_of(bytes[0]);
	uint32_t character;

	if (!length || length > size)
		return 0;
	character = bytes[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		character = character << 6 | (bytes[i] & 0x3f);
	}
	return character >= least[length] && is_shown(character) ? length : 0;
}

/* The bytes of the next character if it needs no escape; else 0 */
static size_t plain_length(enum escape what, const uint8_t *bytes, size_t size)
{
	if (*bytes >= 0x80)
		return shown_length(bytes, size);
	return *bytes >= ' ' && *bytes != 0x7f && (*bytes != '\\' || what == ESCAPE_LINE);
}

size_t escape_plain(enum escape what, const char *bytes, size_t size)
{
	size_t at = 0;

	while (at < size) {
		const size_t length = plain_length(what, (const uint8_t *)bytes + at, size - at);

		if (!length)
			break;
		at += length;
	}
	return at;
}

static size_t escape_byte(uint8_t byte, char out[ESCAPE_GROWTH])
{
	static const char letters[] = "abtnvfr";

	out[0] = '\\';
	if (byte == '\\' || (byte >= '\a' && byte <= '\r')) {
		out[1] = (char)(byte == '\\' ? '\\' : letters[byte - '\a']);
		return 2;
	}
	out[1] = (char)('0' + (byte >> 6));
	out[2] = (char)('0' + (byte >> 3 & 7));
	out[3] = (char)('0' + (byte & 7));
	return 4;
}

size_t escape_bytes(enum escape what, const char *bytes, size_t size, char *out)
{
	char *const begin = out;
	size_t at = 0;

	while (at < size) {
		const size_t plain = escape_plain(what, bytes + at, size - at);

		memcpy(out, bytes + at, plain);
		out += plain;
		at += plain;
		if (at < size)
			out += escape_byte((uint8_t)bytes[at++], out);
	}
	return (size_t)(out - begin);
}

char *escape_copy(const char *name)
{
	const size_t size = strlen(name);
	char *copy = malloc(ESCAPE_GROWTH * size + 1);

	if (!copy)
		return NULL;
	copy[escape_bytes(ESCAPE_NAME, name, size, copy)] = '\0';
	return copy;
}
