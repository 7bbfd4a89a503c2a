/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of JSON. */
#include "json.h"

#include <errno.h>
#include <stdlib.h>

#include "escape.h"

/* The greatest integer below which a double has all of them */
#define SAFE_INTEGER (UINT64_C(1) << 53)

/* The first two of the three bytes of U+2028 and U+2029 */
#define SEPARATORS "\xe2\x80"

/* Bytes at the beginning of a string that need no escape */
static size_t plain(const char *string)
{
	size_t size = 0;

	for (; string[size]; size++) {
		const unsigned char c = (unsigned char)string[size];

		if (c < ' ' || strchr("\"\\<>&", c))
			break;
		if (c == (unsigned char)SEPARATORS[0] &&
		    !strncmp(string + size, SEPARATORS, strlen(SEPARATORS)) &&
		    ((unsigned char)string[size + 2] & 0xfeu) == 0xa8)
			break;
	}
	return size;
}

void json_string(struct text *text, const char *string)
{
	text_char(text, '"');
	for (;;) {
		const size_t size = plain(string);
		const unsigned char c = (unsigned char)string[size];

		text_bytes(text, string, size);
		string += size;
		if (!c)
			break;
		if (c == (unsigned char)SEPARATORS[0]) {
			text_named_hex(text, "\\u", 0x2000u + ((unsigned char)string[2] & 0x3fu));
			string += strlen(SEPARATORS);
		} else if (c == '"' || c == '\\') {
			text_char(text, '\\');
			text_char(text, (char)c);
		} else {
			text_string(text, "\\u00");
			text_hex_zeros(text, c, 2);
		}
		string++;
	}
	text_char(text, '"');
}

void json_name(struct text *text, const char *name)
{
	char *escaped = name ? escape_copy(name) : NULL;

	if (escaped)
		json_string(text, escaped);
	else
		text_string(text, "null");
	if (name && !escaped && !text->hwf.error)
		text->hwf.error = -ENOMEM;
	free(escaped);
}

void json_number(struct text *text, uint64_t number)
{
	const bool is_exact = number < SAFE_INTEGER;

	if (!is_exact)
		text_char(text, '"');
	text_decimal(text, number);
	if (!is_exact)
		text_char(text, '"');
}
