// SPDX-License-Identifier: GPL-2.0-only
/* hwflow help: the manual pages. */
#include "manual.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "emulate/emulate_program.h"

/* Finds the page of a section in a directory relative to that of the command. */
static bool find_page(char *path, const char *name)
{
	/* where it is built (build/ and build/san/), where it is installed */
	static const struct {
		const char *directory;
		char section;
	} places[] = {
		{"../Documentation/man", '1'},    {"../Documentation/man", '5'},
		{"../../Documentation/man", '1'}, {"../../Documentation/man", '5'},
		{"../share/man/man1", '1'},       {"../share/man/man5", '5'},
	};
	char own[PATH_MAX], file[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (length <= 0)
		return false;
	own[length] = '\0';
	*strrchr(own, '/') = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int written = snprintf(file, PATH_MAX, "%s/%s/hwflow-%s.%c", own,
				       places[i].directory, name, places[i].section);

		if (written < PATH_MAX && !access(file, R_OK)) {
			memcpy(path, file, (size_t)written + 1);
			return true;
		}
	}
	return false;
}

void manual_show(const char *name)
{
	char page[PATH_MAX], man[PATH_MAX];

	if (!isatty(STDOUT_FILENO) || strchr(name, '/') || !find_page(page, name) ||
	    !emulate_find_in_path(man, NULL, "man"))
		return;
	/* a name with a slash is a file to man */
	execl(man, "man", page, (char *)NULL);
}
