// SPDX-License-Identifier: GPL-2.0-only
/* The files of a capture directory. */
#include "capture_files.h"

#include <ctype.h>
#include <errno.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input_file.h"
#include "base/temporary.h"

/* Node of capture_files.read: a file that was read, whatever its names are */
struct read_file {
	dev_t device;
	ino_t inode;
};

void capture_files_free(struct capture_files *files)
{
	tdestroy(files->read, free);
	files->read = NULL;
}

void capture_note(struct capture_files *files, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	input_error(files->shown, UINT64_MAX, "%s", text);
	files->damaged = true;
}

/* A name of Windows may begin with a drive. */
static bool leads_out(const char *name)
{
	return *name == '/' || (isalpha((unsigned char)name[0]) && name[1] == ':') ||
	       strstr(name, "..");
}

char *capture_path(const struct capture_files *files, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", files->directory, name) < 0)
		return NULL;
	for (char *at = path + strlen(files->directory); *at; at++)
		if (*at == '\\')
			*at = '/';
	if (!leads_out(path + strlen(files->directory) + 1))
		return path;
	input_error(files->directory, UINT64_MAX,
		    "%s: the files of a capture must be inside its directory", name);
	free(path);
	return NULL;
}

static int compare_files(const void *a, const void *b)
{
	const struct read_file *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->inode > y->inode) - (x->inode < y->inode);
}

/* Whether a file was read before, by this name or another; -errno without memory */
static int was_read(struct capture_files *files, int fd)
{
	struct read_file *file = malloc(sizeof(*file)), **found;
	struct stat status;

	if (!file || fstat(fd, &status)) {
		free(file);
		return -ENOMEM;
	}
	*file = (struct read_file){status.st_dev, status.st_ino};
	found = tsearch(file, &files->read, compare_files);
	if (found && *found == file)
		return 0;
	free(file);
	return found ? 1 : -ENOMEM;
}

static const char *ini_error(int err)
{
	return err == -EILSEQ ? "the text is UTF-16; save it as UTF-8" : input_file_error(err);
}

int capture_read_ini(struct capture_files *files, const char *name, struct ini *ini, bool *again)
{
	char *path = capture_path(files, name);
	uint64_t size = 0;
	int fd, err, seen = 0;

	if (!path)
		return EXIT_UNREADABLE;
	fd = input_file_open(path, strlen(files->directory), &size);
	err = fd < 0 ? fd : 0;
	if (!err && again) {
		seen = was_read(files, fd);
		*again = seen > 0;
		err = seen < 0 ? seen : 0;
	}
	if (!err && !seen)
		err = ini_read(ini, fd, (size_t)size);
	if (err)
		input_error(path, UINT64_MAX, "%s; a capture directory must have this file",
			    ini_error(err));
	else if (!seen && ini->bad_line)
		capture_note(files,
			     "%s: line %zu is neither [SECTION] nor KEY=VALUE; it is left out",
			     name, ini->bad_line);
	if (fd >= 0)
		close(fd);
	free(path);
	return err ? EXIT_UNREADABLE : 0;
}

static bool map_file(struct capture_files *files, const char *name, struct file_map *map)
{
	char *path = capture_path(files, name);
	uint64_t size = 0;
	int fd, err;

	*map = (struct file_map){0};
	if (!path) {
		files->damaged = true;
		return false;
	}
	fd = input_file_open(path, strlen(files->directory), &size);
	err = fd < 0 ? fd : was_read(files, fd);
	if (err > 0)
		capture_note(
			files,
			"%s: trace.ini names this file for two buffers; the second one is left "
			"out",
			name);
	else if (!err)
		err = file_map_fd(map, fd, (size_t)size);
	if (err < 0)
		capture_note(files, "%s: %s; trace.ini names this file", name,
			     input_file_error(err));
	if (fd >= 0)
		close(fd);
	free(path);
	return !err;
}

/* Append the bytes of a file to the temporary file @fd, of @size bytes. */
static bool append(struct capture_files *files, const char *name, int fd, size_t *size)
{
	struct file_map map;
	int err = 0;

	if (!map_file(files, name, &map))
		return false;
	if (map.size)
		err = temporary_write(fd, *size, map.bytes, map.size);
	*size += map.size;
	file_unmap(&map);
	if (err)
		capture_note(files, "a temporary file in %s: %s; TMPDIR names another directory",
			     temporary_directory(), strerror(-err));
	return !err;
}

/* The bytes of several files, in a temporary file, which is mapped */
static bool map_list(struct capture_files *files, char *names, struct file_map *map)
{
	const int fd = temporary_open();
	bool is_good = fd >= 0;
	char *save = NULL;
	size_t size = 0;

	if (!is_good)
		capture_note(files, "a temporary file in %s: %s; TMPDIR names another directory",
			     temporary_directory(), strerror(errno));
	for (char *name = strtok_r(names, ",", &save); name && is_good;
	     name = strtok_r(NULL, ",", &save))
		is_good = append(files, ini_trim(name), fd, &size);
	if (is_good && file_map_fd(map, fd, size)) {
		capture_note(files, "out of memory");
		is_good = false;
	}
	if (fd >= 0)
		close(fd);
	return is_good;
}

bool capture_map(struct capture_files *files, const char *names, struct file_map *map)
{
	char *copy;
	bool is_good;

	*map = (struct file_map){0};
	if (!strchr(names, ','))
		return map_file(files, names, map);
	copy = strdup(names);
	is_good = copy && map_list(files, copy, map);
	free(copy);
	return is_good;
}
