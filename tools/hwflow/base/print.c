// SPDX-License-Identifier: GPL-2.0-only
/* Text for people: a printf() that escapes strings. */
#include "print.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the longest conversion of a format */
#define LONGEST 32u

/**
 * struct conversion - one conversion of a format, %-*.3lx
 * @text: the conversion with its NUL, without a '*': widths and precisions are numbers
 * @size: bytes of @text
 * @width: least number of columns
 * @precision: -1: none
 * @is_left: the text is to the left of its columns
 * @modifier: of the length: 'h', 'l', 'L' (for ll), 'j', 'z', 't'; 0: none
 * @kind: the letter
 */
struct conversion {
	char text[LONGEST];
	size_t size;
	int width;
	int precision;
	bool is_left;
	char modifier;
	char kind;
};

static void add(struct conversion *conversion, char c)
{
	if (conversion->size < LONGEST - 1)
		conversion->text[conversion->size++] = c;
	conversion->text[conversion->size] = '\0';
}

static void add_number(struct conversion *conversion, int number)
{
	char digits[16];

	snprintf(digits, sizeof(digits), "%d", number);
	for (const char *digit = digits; *digit; digit++)
		add(conversion, *digit);
}

/* A width or a precision: digits, or an argument for a '*' */
static const char *take_number(const char *at, va_list *list, int *number)
{
	if (*at == '*') {
		*number = va_arg(*list, int);
		return at + 1;
	}
	for (*number = 0; *at >= '0' && *at <= '9'; at++)
		*number = 10 * *number + (*at - '0');
	return at;
}

static const char *take_width(const char *at, va_list *list, struct conversion *conversion)
{
	for (; *at && strchr("-+ #0'", *at); at++) {
		conversion->is_left |= *at == '-';
		add(conversion, *at);
	}
	at = take_number(at, list, &conversion->width);
	if (conversion->width < 0) {
		conversion->is_left = true;
		conversion->width = -conversion->width;
		add(conversion, '-');
	}
	if (conversion->width)
		add_number(conversion, conversion->width);
	if (*at != '.')
		return at;
	at = take_number(at + 1, list, &conversion->precision);
	if (conversion->precision < 0)
		return at;
	add(conversion, '.');
	add_number(conversion, conversion->precision);
	return at;
}

/* Takes the conversion that follows a '%'. Returns the end. */
static const char *take_conversion(const char *at, va_list *list, struct conversion *conversion)
{
	*conversion = (struct conversion){.precision = -1};
	add(conversion, '%');
	at = take_width(at, list, conversion);
	while (*at && strchr("hljzt", *at)) {
		conversion->modifier =
			(char)(*at == 'l' && conversion->modifier == 'l' ? 'L' : *at);
		add(conversion, *at++);
	}
	conversion->kind = *at;
	add(conversion, *at);
	return *at ? at + 1 : at;
}

/* Escaped bytes and the blanks that fill their columns. A name without memory is left out. */
static void put_escaped(FILE *out, const struct conversion *conversion, const char *bytes,
			size_t size)
{
	const bool is_plain = escape_plain(ESCAPE_NAME, bytes, size) == size;
	char *escaped = is_plain ? NULL : malloc(ESCAPE_GROWTH * size + 1);
	int blanks;

	if (escaped) {
		size = escape_bytes(ESCAPE_NAME, bytes, size, escaped);
		bytes = escaped;
	} else if (!is_plain) {
		size = 0;
	}
	blanks = size < (size_t)conversion->width ? conversion->width - (int)size : 0;
	if (!conversion->is_left)
		fprintf(out, "%*s", blanks, "");
	fwrite(bytes, 1, size, out);
	if (conversion->is_left)
		fprintf(out, "%*s", blanks, "");
	free(escaped);
}

static void put_string(FILE *out, const struct conversion *conversion, const char *string)
{
	string = string ? string : "(null)";
	put_escaped(out, conversion, string,
		    conversion->precision < 0 ? strlen(string)
					      : strnlen(string, (size_t)conversion->precision));
}

/* Formats are literals, which the compiler checks where print() is called. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* A number: an argument that is narrower than an int is an int. */
static void put_integer(FILE *out, const struct conversion *conversion, va_list *list)
{
	switch (conversion->modifier) {
	case 'l':
		fprintf(out, conversion->text, va_arg(*list, long));
		break;
	case 'L':
		fprintf(out, conversion->text, va_arg(*list, long long));
		break;
	case 'j':
		fprintf(out, conversion->text, va_arg(*list, intmax_t));
		break;
	case 'z':
		fprintf(out, conversion->text, va_arg(*list, size_t));
		break;
	case 't':
		fprintf(out, conversion->text, va_arg(*list, ptrdiff_t));
		break;
	default:
		fprintf(out, conversion->text, va_arg(*list, int));
	}
}

static void put_conversion(FILE *out, const struct conversion *conversion, va_list *list)
{
	char character;

	switch (conversion->kind) {
	case 's':
		put_string(out, conversion, va_arg(*list, const char *));
		break;
	case 'c':
		character = (char)va_arg(*list, int);
		put_escaped(out, conversion, &character, 1);
		break;
	case '%':
		fputc('%', out);
		break;
	case 'e':
	case 'f':
	case 'g':
		fprintf(out, conversion->text, va_arg(*list, double));
		break;
	case 'p':
		fprintf(out, conversion->text, va_arg(*list, void *));
		break;
	default:
		put_integer(out, conversion, list);
	}
}

#pragma GCC diagnostic pop

static void put_format(FILE *out, const char *format, va_list *list)
{
	while (*format) {
		const size_t plain = strcspn(format, "%");
		struct conversion conversion;

		fwrite(format, 1, plain, out);
		format += plain;
		if (!*format)
			return;
		format = take_conversion(format + 1, list, &conversion);
		put_conversion(out, &conversion, list);
	}
}

/* Has a format a conversion of strings or characters? */
static bool has_string(const char *format)
{
	while ((format = strchr(format, '%'))) {
		format += 1 + strspn(format + 1, "-+ #0'0123456789.*hljzt");
		if (*format == 's' || *format == 'c')
			return true;
		format += *format != '\0';
	}
	return false;
}

int print_list(FILE *file, const char *format, va_list list)
{
	char *text = NULL;
	size_t size = 0;
	va_list copy;
	bool failed;
	FILE *out;

	if (!has_string(format))
		return vfprintf(file, format, list);
	out = open_memstream(&text, &size);
	if (!out)
		return -1;
	va_copy(copy, list);
	put_format(out, format, &copy);
	va_end(copy);
	failed = fclose(out) != 0;
	/* one call: standard error has no buffer */
	failed = failed || fwrite(text, 1, size, file) != size;
	free(text);
	return failed ? -1 : (int)size;
}

int print(FILE *file, const char *format, ...)
{
	va_list list;
	int size;

	va_start(list, format);
	size = print_list(file, format, list);
	va_end(list);
	return size;
}

size_t print_bytes(FILE *file, enum escape what, const char *bytes, size_t size)
{
	char *escaped;

	if (escape_plain(what, bytes, size) == size) {
		fwrite(bytes, 1, size, file);
		return size;
	}
	escaped = malloc(ESCAPE_GROWTH * size + 1);
	size = escaped ? escape_bytes(what, bytes, size, escaped) : 0;
	fwrite(escaped ? escaped : "", 1, size, file);
	free(escaped);
	return size;
}
