/* SPDX-License-Identifier: GPL-2.0-only */
/* Which functions and files have rows. */
#include "row_filter.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/print.h"

static bool add(const char ***patterns, size_t *count, const char *pattern)
{
	const char **more = reallocarray(*patterns, *count + 1, sizeof(*more));

	if (!more)
		return false;
	more[(*count)++] = pattern;
	*patterns = more;
	return true;
}

/* What follows a key; NULL if @text has another */
static const char *after_key(const char *text, const char *key)
{
	const size_t length = strlen(key);

	return strncmp(text, key, length) || !text[length] ? NULL : text + length;
}

bool row_filter_take(struct row_filter *filter, const char *verb, const char *text)
{
	const char *function = after_key(text, "function:"), *file = after_key(text, "dso:");

	if (!function && !file) {
		print(stderr, "hwflow %s: --filter=%s: expected function:PATTERN or dso:PATTERN\n",
		      verb, text);
		return false;
	}
	if (function ? add(&filter->functions, &filter->function_count, function)
		     : add(&filter->files, &filter->file_count, file))
		return true;
	print(stderr, "hwflow %s: out of memory\n", verb);
	return false;
}

bool row_filter_is_set(const struct row_filter *filter)
{
	return filter->function_count || filter->file_count;
}

static bool matches(const char *const *patterns, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return !count;
}

bool row_filter_matches(const struct row_filter *filter, const char *function, const char *file)
{
	const char *slash = strrchr(file, '/');

	return matches(filter->functions, filter->function_count, function) &&
	       (matches(filter->files, filter->file_count, file) ||
		(slash && matches(filter->files, filter->file_count, slash + 1)));
}

int row_filter_no_match(const char *path)
{
	input_error(
		path, UINT64_MAX,
		"--filter: it matches no code that was executed; 'hwflow report --limit=0' lists "
		"functions and their files");
	return EXIT_USAGE;
}

void row_filter_free(struct row_filter *filter)
{
	free(filter->functions);
	free(filter->files);
}
