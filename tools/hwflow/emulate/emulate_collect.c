// SPDX-License-Identifier: GPL-2.0-only
/* hwflow emulate: what happened to the processes, from the files that the plugin left. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input_file.h"
#include "emulate.h"
#include "emulate_kept.h"
#include "source/input.h"

/* One more element of @size bytes, zeroed, at the end of an array; NULL without memory. */
static void *array_add(void **array, size_t *count, size_t size)
{
	uint8_t *more = *array;

	/* full at powers of two */
	if ((*count & (*count - 1)) == 0) {
		more = realloc(*array, (*count ? *count * 2 : 1) * size);
		if (!more) {
			verb_error("not enough memory");
			return NULL;
		}
		*array = more;
	}
	memset(more + *count * size, 0, size);
	return more + (*count)++ * size;
}

/* Map a file of the run. */
static bool map_file(const struct run *run, const char *name, const uint8_t **bytes, size_t *length)
{
	void *map = NULL;
	uint64_t size;
	char *path;
	int fd = -ENOMEM;

	if (asprintf(&path, "%s" RUN_STREAMS "/%s", run->directory, name) >= 0) {
		fd = input_file_open(path, strlen(run->directory), &size);
		free(path);
	}
	if (fd < 0) {
		verb_error("%s: %s", name, input_file_error(fd));
		return false;
	}
	if (size)
		map = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED) {
		verb_error("%s: %s", name, strerror(errno));
		return false;
	}
	*bytes = map;
	*length = (size_t)size;
	return true;
}

static int add_events(struct run *run, const char *name)
{
	const uint8_t *bytes;
	size_t mapped;
	int status = 0;

	if (!map_file(run, name, &bytes, &mapped))
		return EXIT_UNREADABLE;
	for (size_t at = 0; mapped - at >= sizeof(struct run_event);) {
		struct run_happening *happening;
		struct run_event event;

		memcpy(&event, bytes + at, sizeof(event));
		if (!event.size)
			break;
		if (event.size < sizeof(event) + event.text || event.size > mapped - at) {
			status = verb_error("%s: offset %#zx: malformed; this is a fault of hwflow",
					    name, at);
			break;
		}
		happening = array_add((void **)&run->happenings, &run->happening_count,
				      sizeof(*happening));
		if (!happening) {
			status = EXIT_UNREADABLE;
			break;
		}
		happening->event = event;
		happening->order = run->happening_count;
		happening->text = strndup((const char *)bytes + at + sizeof(event), event.text);
		at += event.size;
	}
	munmap((void *)(uintptr_t)bytes, mapped);
	return status;
}

static int compare_happenings(const void *a, const void *b)
{
	const struct run_happening *x = a, *y = b;

	if (x->event.time != y->event.time)
		return x->event.time < y->event.time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* The time at which exec ended a thread that had begun at @start; without exec the end of the run
 */
static uint64_t end_by_exec(const struct run *run, int32_t pid, uint64_t start)
{
	for (size_t i = 0; i < run->happening_count; i++) {
		const struct run_event *event = &run->happenings[i].event;

		if (event->kind == RUN_EXEC && event->pid == pid && event->time > start)
			return event->time - 1;
	}
	return run->end;
}

/* Set the end of each thread that did not end by itself. */
static void end_threads(struct run *run)
{
	for (size_t i = 0; i < run->file_count; i++) {
		struct run_thread *head = &run->files[i].head;

		if (!head->end)
			head->end = end_by_exec(run, head->pid, head->start);
	}
}

int run_collect(struct run *run)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *directory;
	int status = 0;

	snprintf(path, sizeof(path), "%s" RUN_STREAMS, run->directory);
	directory = opendir(path);
	if (!directory)
		return verb_error("%s: %s", path, strerror(errno));
	while (!status && (entry = readdir(directory)) != NULL) {
		if (!strncmp(entry->d_name, "events.", 7))
			status = add_events(run, entry->d_name);
	}
	closedir(directory);
	if (!status && run->happening_count)
		qsort(run->happenings, run->happening_count, sizeof(*run->happenings),
		      compare_happenings);
	if (!status)
		status = kept_save(run);
	if (!status)
		status = run_find_build_ids(run);
	end_threads(run);
	return status;
}
