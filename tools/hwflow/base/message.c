// SPDX-License-Identifier: GPL-2.0-only
/* Messages that are written once. */
#include "message.h"

#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"
#include "progress.h"
#include "text.h"

/* who takes lines in place of standard error, if anybody does */
static void (*taker)(void *ctx, const char *line);
static void *taker_ctx;

/* lines that were written, of char * */
static void *written;

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Was this line written before? It is remembered; without memory the answer is no. */
static bool is_known(char *line)
{
	char **node = (char **)tsearch(line, &written, compare);

	return node && *node != line;
}

void message_once(const char *format, ...)
{
	va_list arguments;
	char *line;
	int size;

	va_start(arguments, format);
	size = vasprintf(&line, format, arguments);
	va_end(arguments);
	if (size < 0)
		return;
	if (taker) {
		taker(taker_ctx, line);
		free(line);
		return;
	}
	if (is_known(line)) {
		free(line);
		return;
	}
	progress_hide();
	text_stdout_flush();
	print(stderr, "%s\n", line);
}

void message_forget(void)
{
	tdestroy(written, free);
	written = NULL;
}

void message_forward(void (*take)(void *ctx, const char *line), void *ctx)
{
	taker = take;
	taker_ctx = ctx;
}
