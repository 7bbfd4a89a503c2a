// SPDX-License-Identifier: GPL-2.0-only
/* Lines of source files, which are read when the first line of them is asked for. */
#include "source_text.h"

#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"

/* larger files are no source code that somebody reads */
#define LARGEST_FILE (64u << 20)

/**
 * struct source_file - node of source_text.files
 * @path: as it was asked for
 * @bytes: of the file; NULL if it cannot be read
 * @size: how many
 * @lines: where each line begins, and the end of the last one
 * @line_count: how many lines
 */
struct source_file {
	char *path;
	char *bytes;
	size_t size;
	size_t *lines;
	size_t line_count;
};

/**
 * struct source_text - the source files that were read
 * @symfs: see source_text_new()
 * @files: tree of struct source_file
 * @last: the one asked for last
 */
struct source_text {
	const char *symfs;
	void *files;
	struct source_file *last;
};

struct source_text *source_text_new(const char *symfs)
{
	struct source_text *text = calloc(1, sizeof(*text));

	if (text)
		text->symfs = symfs;
	return text;
}

static int compare_files(const void *a, const void *b)
{
	return strcmp(((const struct source_file *)a)->path, ((const struct source_file *)b)->path);
}

/* Reads @size bytes; false if the file has fewer. */
static bool read_all(int fd, char *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		const ssize_t got = read(fd, bytes + done, size - done);

		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

static void read_file(struct source_file *file, const char *path, size_t root)
{
	const int fd = input_file_open(path, root, NULL);
	struct stat status;

	if (fd < 0)
		return;
	if (!fstat(fd, &status) && status.st_size > 0 && status.st_size <= LARGEST_FILE)
		file->bytes = malloc((size_t)status.st_size);
	if (file->bytes) {
		file->size = (size_t)status.st_size;
		if (!read_all(fd, file->bytes, file->size)) {
			free(file->bytes);
			file->bytes = NULL;
		}
	}
	close(fd);
}

/* Finds the lines; without memory the file has none. */
static void find_lines(struct source_file *file)
{
	size_t count = 1;

	for (size_t i = 0; i < file->size; i++)
		count += file->bytes[i] == '\n';
	file->lines = calloc(count + 1, sizeof(*file->lines));
	if (!file->lines)
		return;
	file->line_count = count;
	count = 1;
	for (size_t i = 0; i < file->size; i++)
		if (file->bytes[i] == '\n')
			file->lines[count++] = i + 1;
	/* as if the last line had a line feed */
	file->lines[count] = file->size + 1;
}

static void free_file(void *item)
{
	struct source_file *file = item;

	free(file->path);
	free(file->bytes);
	free(file->lines);
	free(file);
}

/* A file, read when it is first asked for; NULL without memory */
static struct source_file *file_get(struct source_text *text, const char *path)
{
	struct source_file *file = calloc(1, sizeof(*file)), **found;
	char below[PATH_MAX];

	if (!file)
		return NULL;
	file->path = strdup(path);
	found = file->path ? tsearch(file, &text->files, compare_files) : NULL;
	if (!found || *found != file) {
		free_file(file);
		return found ? *found : NULL;
	}
	if (!text->symfs)
		read_file(file, path, 0);
	else if (snprintf(below, sizeof(below), "%s/%s", text->symfs, path) < PATH_MAX)
		read_file(file, below, strlen(text->symfs));
	if (file->bytes)
		find_lines(file);
	return file;
}

const char *source_text_line(struct source_text *text, const char *path, int number, size_t *length)
{
	const struct source_file *file = text->last;
	const size_t index = (size_t)number - 1;

	if (!file || strcmp(file->path, path) != 0)
		file = text->last = file_get(text, path);
	if (!file || number < 1 || index >= file->line_count)
		return NULL;
	*length = file->lines[index + 1] - 1 - file->lines[index];
	return file->bytes + file->lines[index];
}

void source_text_free(struct source_text *text)
{
	if (!text)
		return;
	tdestroy(text->files, free_file);
	free(text);
}
