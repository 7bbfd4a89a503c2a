// SPDX-License-Identifier: GPL-2.0-only
/* Paths that several files had while a recording was made. */
#include "replaced_paths.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "perfdata/perfdata_read.h"

/* struct mapped - a file that was mapped, and the last event that says so */
struct mapped {
	const char *path;
	uint64_t inode;
	size_t event;
};

/**
 * struct replaced_paths - paths that several files had
 * @present: the file that has the path now, one for each of these paths, by path
 * @count: how many
 */
struct replaced_paths {
	size_t count;
	struct mapped present[];
};

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct mapped *)a)->path, ((const struct mapped *)b)->path);
}

static int compare(const void *a, const void *b)
{
	const struct mapped *x = a, *y = b;
	const int order = strcmp(x->path, y->path);

	return order ? order : (x->event > y->event) - (x->event < y->event);
}

/* Files without a build id, in the order of @mapped; returns how many */
static size_t gather(const struct perfdata_info *info, struct mapped *mapped)
{
	size_t count = 0;

	for (size_t i = 0; i < info->event_count; i++) {
		const struct perfdata_event *event = &info->events[i];

		if (event->kind == PERFDATA_MMAP && event->pid >= 0 && event->u.mapping->inode &&
		    !event->u.mapping->build_id_size)
			mapped[count++] =
				(struct mapped){event->u.mapping->path, event->u.mapping->inode, i};
	}
	return count;
}

/* The file of those from @first to @last, which have one path, that has the path now */
static const struct mapped *present(const struct mapped *first, const struct mapped *last,
				    const char *symfs)
{
	struct stat status;

	if (*symfs || stat(first->path, &status))
		return last;
	for (const struct mapped *at = first; at <= last; at++)
		if (status.st_ino == at->inode)
			return at;
	return last;
}

int replaced_paths_new(struct replaced_paths **result, const struct perfdata_info *info,
		       const char *symfs)
{
	struct mapped *mapped = calloc(info->event_count + 1, sizeof(*mapped));
	const size_t count = mapped ? gather(info, mapped) : 0;
	struct replaced_paths *paths = calloc(1, sizeof(*paths) + count * sizeof(*mapped));

	if (!mapped || !paths) {
		free(mapped);
		free(paths);
		return -ENOMEM;
	}
	qsort(mapped, count, sizeof(*mapped), compare);
	for (size_t first = 0, last; first < count; first = last + 1) {
		bool several = false;

		for (last = first;
		     last + 1 < count && !strcmp(mapped[last + 1].path, mapped[first].path); last++)
			several |= mapped[last + 1].inode != mapped[first].inode;
		if (several)
			paths->present[paths->count++] =
				*present(&mapped[first], &mapped[last], symfs);
	}
	free(mapped);
	*result = paths;
	return 0;
}

bool replaced_path(const struct replaced_paths *paths, const struct perfdata_mapping *mapping)
{
	const struct mapped key = {.path = mapping->path};
	const struct mapped *found =
		bsearch(&key, paths->present, paths->count, sizeof(key), compare_paths);

	return found && mapping->inode && mapping->inode != found->inode;
}

void replaced_paths_free(struct replaced_paths *paths)
{
	free(paths);
}
