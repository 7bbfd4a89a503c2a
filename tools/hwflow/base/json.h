/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values of JSON, as they may stand in a script element of a page, too: no string has a character
 * that ends the element, or one that ends a line of JavaScript.
 */
#ifndef HWFLOW_BASE_JSON_H
#define HWFLOW_BASE_JSON_H

#include "text.h"

/** json_separate() - begin another value of a list or object: a comma and a new line, if it @has
 * one */
static inline void json_separate(struct text *text, bool has)
{
	if (has)
		text_string(text, ",\n");
}

/** json_string() - append a string, which escape_copy() has made: it is UTF-8 */
void json_string(struct text *text, const char *string);

/** json_name() - append a string that may come from an input: it is escaped as text_name() does.
 * NULL: null */
void json_name(struct text *text, const char *name);

/**
 * json_number() - append a number
 *
 * A number that a double cannot have exactly is a string of its digits.
 */
void json_number(struct text *text, uint64_t number);

#endif /* HWFLOW_BASE_JSON_H */
