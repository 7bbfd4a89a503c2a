/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of source files. */
#ifndef HWFLOW_VERBS_SOURCE_TEXT_H
#define HWFLOW_VERBS_SOURCE_TEXT_H

#include <stddef.h>

/** struct source_text - the source files that were read */
struct source_text;

/**
 * source_text_new() - begin with no files
 * @symfs: files are below this directory, which no path leaves; NULL: a path is that of this
 * machine. Must outlive the result
 *
 * Return: NULL without memory.
 */
struct source_text *source_text_new(const char *symfs);

/**
 * source_text_line() - a line of a source file
 * @text: the source files
 * @path: of the file, as the debug information has it
 * @number: of the line, from 1 up
 * @length: receives its bytes, without the line feed
 *
 * Return: the line, valid as long as @text; NULL if there is no such file or line.
 */
const char *source_text_line(struct source_text *text, const char *path, int number,
			     size_t *length);

/** source_text_free() - free everything; NULL is allowed */
void source_text_free(struct source_text *text);

#endif /* HWFLOW_VERBS_SOURCE_TEXT_H */
