// SPDX-License-Identifier: GPL-2.0-only
/* In place of all other files of this directory, if libperf or libtraceevent was not found */
#include <stdarg.h>
#include <stdio.h>

#include "../input.h"
#include "../record.h"

int record_error(const char *format, ...)
{
	va_list args;

	fputs("hwflow record: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_UNREADABLE;
}

int record_run(const struct record_options *options)
{
	(void)options;
	return record_error("this hwflow was built without libperf and libtraceevent: run 'make "
			    "deps', and build it again");
}
