// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_contexts PROFILE RESULT <CONTEXTS - add calling contexts to a profile.
 *
 * PROFILE and RESULT are .hwprof files. Each line of CONTEXTS is a context:
 *
 *   CALLER OPEN SITE-FILE SITE FILE ENTRY CALLS INSTRUCTIONS [NAME]
 *
 * CALLER is the number of a line before, from 1, or 0; files are numbered as in the profile, and -1
 * is none; NAME is what code in no file is called.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_map.h"
#include "hwflow/stored_profile.h"
#include "profile/items.h"
#include "verbs/profile_file.h"

static const struct hwf_profile_file *file_of(const struct hwf_stored_profile *stored, long number)
{
	size_t at = (size_t)number;

	return number < 0 ? NULL : hwf_stored_profile_next_file(stored, &at);
}

static bool read_context(struct hwf_stored_profile *stored, const char *line, uint32_t *numbers,
			 size_t at)
{
	struct hwf_profile_context context = {0};
	uint32_t caller;
	long site_file, file;
	int name = 0;

	if (sscanf(line,
		   "%" SCNu32 " %" SCNu8 " %ld %" SCNi64 " %ld %" SCNi64 " %" SCNu64 " %" SCNu64
		   " %n",
		   &caller, &context.open, &site_file, (int64_t *)&context.site, &file,
		   (int64_t *)&context.entry, &context.calls, &context.instructions, &name) != 8)
		return false;
	context.caller = numbers[caller];
	context.site_file = file_of(stored, site_file);
	context.file = file_of(stored, file);
	context.name = line + name;
	numbers[at] = hwf_stored_profile_context(stored, &context);
	return numbers[at];
}

int main(int argc, char **argv)
{
	struct hwf_stored_profile *stored;
	struct file_map map = {0};
	const char *reason = "wrong usage";
	struct items numbers = {0};
	char *line = NULL;
	size_t room = 0, at = 0;
	FILE *result;

	if (argc != 3 || !items_add(&numbers, sizeof(uint32_t)) || file_map(&map, argv[1], 0) ||
	    hwf_stored_profile_unpack(&stored, map.bytes, map.size, &reason)) {
		fprintf(stderr, "make_contexts: %s\n", reason);
		return 1;
	}
	hwf_stored_profile_keep_contexts(stored);
	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = '\0';
		at++;
		if (!items_add(&numbers, sizeof(uint32_t)) ||
		    !read_context(stored, line, numbers.at, at)) {
			fprintf(stderr, "make_contexts: line %zu: %s\n", at, line);
			return 1;
		}
	}
	result = fopen(argv[2], "w");
	if (!result || profile_file_put(stored, fileno(result)) || fclose(result)) {
		perror(argv[2]);
		return 1;
	}
	hwf_stored_profile_free(stored);
	file_unmap(&map);
	free(line);
	free(numbers.at);
	return 0;
}
