/* SPDX-License-Identifier: GPL-2.0-only */
/* The first line of a script, as execve(2) of Linux reads it. */
#ifndef HWFLOW_SCRIPT_LINE_H
#define HWFLOW_SCRIPT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define SCRIPT_LINE_BYTES   256 /* BINPRM_BUF_SIZE: Linux reads no more of the file */
#define SCRIPT_LINE_NESTING 5   /* a script may be the interpreter of a script */

/**
 * struct script_line - the interpreter of a script
 * @name: its path
 * @argument: all that follows it, without spaces and tabs at both ends; "" for none
 */
struct script_line {
	char name[SCRIPT_LINE_BYTES];
	char argument[SCRIPT_LINE_BYTES];
};

/**
 * script_line_parse() - take the line apart
 * @line: receives it
 * @head: the first bytes of the file, which begin with "#!"
 * @length: how many; at most SCRIPT_LINE_BYTES. Fewer are the whole file.
 *
 * Return: false if the line has no interpreter, or one whose end is not in @head.
 */
static inline bool script_line_parse(struct script_line *line, const char *head, size_t length)
{
	char text[SCRIPT_LINE_BYTES + 1];
	char *at = text + 2, *end;
	size_t name;

	memcpy(text, head, length);
	text[length] = '\0';
	end = strchr(text, '\n');
	if (end)
		*end = '\0';
	at += strspn(at, " \t");
	name = strcspn(at, " \t");
	/* a name that fills the rest of the buffer may go on behind it */
	if (!name || at + name == text + SCRIPT_LINE_BYTES)
		return false;
	for (end = at + strlen(at); end[-1] == ' ' || end[-1] == '\t'; end--)
		end[-1] = '\0';
	memcpy(line->name, at, name);
	line->name[name] = '\0';
	at += name + strspn(at + name, " \t");
	memcpy(line->argument, at, strlen(at) + 1);
	return true;
}

#endif /* HWFLOW_SCRIPT_LINE_H */
