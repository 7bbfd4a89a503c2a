// SPDX-License-Identifier: GPL-2.0-only
/* Messages about files that cannot be used as they are. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

#include "print.h"
#include "progress.h"
#include "text.h"

/* The verb that runs */
static const char *verb_name = "";

void input_error(const char *file, uint64_t offset, const char *format, ...)
{
	va_list args;

	progress_hide();
	text_stdout_flush();
	print(stderr, "hwflow: %s: ", file);
	if (offset != UINT64_MAX)
		print(stderr, "offset %#llx: ", (unsigned long long)offset);
	va_start(args, format);
	print_list(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

void verb_begin(const char *verb)
{
	verb_name = verb;
}

int verb_error(const char *format, ...)
{
	va_list args;

	progress_hide();
	text_stdout_flush();
	print(stderr, "hwflow %s: ", verb_name);
	va_start(args, format);
	print_list(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_UNREADABLE;
}
