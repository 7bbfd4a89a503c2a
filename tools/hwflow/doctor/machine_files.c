// SPDX-License-Identifier: GPL-2.0-only
/* Files that describe a machine. */
#include "machine_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/resolve.h"

/* No file that is read here is larger; the kernel's log is 16 MB at most */
#define LARGEST (32U << 20)

int machine_open(struct machine *machine, const char *root)
{
	machine->live = !root;
	machine->root = open(root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return machine->root < 0 ? -errno : 0;
}

void machine_close(struct machine *machine)
{
	if (machine->root >= 0)
		close(machine->root);
	machine->root = -1;
}

/* Open a file without blocking, also if it is a pipe or a device. */
static int open_file(const struct machine *machine, const char *path, int flags)
{
	if (!(flags & O_PATH))
		flags |= O_NONBLOCK | O_NOCTTY;
	return machine->live ? openat(machine->root, path, flags | O_CLOEXEC)
			     : resolve_open(machine->root, path, flags);
}

/* The path is in @path, or errno is set */
__attribute__((format(printf, 2, 0))) static bool make_path(char *path, const char *format,
							    va_list words)
{
	int length = vsnprintf(path, PATH_MAX, format, words);

	if (length > 0 && length < PATH_MAX)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

/* The size of files in /proc and /sys is not known before they are read. */
static char *read_all(int fd, size_t *length)
{
	size_t size = 4096, at = 0;
	char *bytes = malloc(size), *larger;
	ssize_t got = 0;

	while (bytes) {
		got = read(fd, bytes + at, size - at - 1);
		if (got <= 0)
			break;
		at += (size_t)got;
		if (at + 1 < size)
			continue;
		larger = size < LARGEST ? realloc(bytes, 2 * size) : NULL;
		if (!larger) {
			free(bytes);
			errno = EFBIG;
			return NULL;
		}
		bytes = larger;
		size *= 2;
	}
	if (got < 0) {
		free(bytes);
		return NULL;
	}
	if (!bytes)
		return NULL;
	bytes[at] = '\0';
	if (length)
		*length = at;
	return bytes;
}

static char *read_path(const struct machine *machine, size_t *length, const char *path)
{
	int fd = open_file(machine, path, O_RDONLY), error;
	struct stat status;
	char *bytes = NULL;

	if (fd < 0)
		return NULL;
	errno = EINVAL;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		bytes = read_all(fd, length);
	error = errno;
	close(fd);
	errno = error;
	return bytes;
}

char *machine_read(const struct machine *machine, size_t *length, const char *format, ...)
{
	char path[PATH_MAX];
	va_list words;
	bool made;

	va_start(words, format);
	made = make_path(path, format, words);
	va_end(words);
	return made ? read_path(machine, length, path) : NULL;
}

/* The first line of the file @path */
static bool read_word(const struct machine *machine, char *word, size_t size, const char *path)
{
	char *text = read_path(machine, NULL, path);

	*word = '\0';
	if (!text)
		return false;
	text[strcspn(text, "\n")] = '\0';
	snprintf(word, size, "%s", text);
	free(text);
	return true;
}

bool machine_word(const struct machine *machine, char *word, size_t size, const char *format, ...)
{
	char path[PATH_MAX];
	va_list words;
	bool made;

	*word = '\0';
	va_start(words, format);
	made = make_path(path, format, words);
	va_end(words);
	return made && read_word(machine, word, size, path);
}

bool machine_number(const struct machine *machine, uint64_t *value, const char *format, ...)
{
	char path[PATH_MAX], word[64], *end;
	va_list words;
	bool made;

	va_start(words, format);
	made = make_path(path, format, words);
	va_end(words);
	/* strtoull() would accept a sign */
	if (!made || !read_word(machine, word, sizeof(word), path) ||
	    !isdigit((unsigned char)*word))
		return false;
	errno = 0;
	*value = strtoull(word, &end, 0);
	return !errno && end != word && !*end;
}

bool machine_exists(const struct machine *machine, const char *format, ...)
{
	char path[PATH_MAX];
	va_list words;
	bool made;
	int fd;

	va_start(words, format);
	made = make_path(path, format, words);
	va_end(words);
	fd = made ? open_file(machine, path, O_PATH) : -1;
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool machine_link(const struct machine *machine, char *name, size_t size, const char *format, ...)
{
	char path[PATH_MAX], target[PATH_MAX], *last;
	ssize_t length = -1;
	va_list words;
	bool made;
	int fd;

	*name = '\0';
	va_start(words, format);
	made = make_path(path, format, words);
	va_end(words);
	fd = made ? open_file(machine, path, O_PATH | O_NOFOLLOW) : -1;
	if (fd < 0)
		return false;
	length = readlinkat(fd, "", target, sizeof(target) - 1);
	close(fd);
	if (length <= 0)
		return false;
	target[length] = '\0';
	last = strrchr(target, '/');
	snprintf(name, size, "%s", last ? last + 1 : target);
	return true;
}

static int is_name(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

/* An array of pointers, ended by NULL, and the strings behind it; NULL without memory */
static char **join_names(struct dirent **entries, size_t count)
{
	size_t size = (count + 1) * sizeof(char *);
	char **names, *at;

	for (size_t i = 0; i < count; i++)
		size += strlen(entries[i]->d_name) + 1;
	names = calloc(1, size);
	if (!names)
		return NULL;
	at = (char *)(names + count + 1);
	for (size_t i = 0; i < count; i++) {
		names[i] = at;
		at = stpcpy(at, entries[i]->d_name) + 1;
	}
	return names;
}

char **machine_names(const struct machine *machine, size_t *count, const char *format, ...)
{
	char path[PATH_MAX], **names = NULL;
	struct dirent **entries;
	int fd = -1, found;
	va_list words;

	*count = 0;
	va_start(words, format);
	if (make_path(path, format, words))
		fd = open_file(machine, path, O_RDONLY | O_DIRECTORY);
	va_end(words);
	if (fd < 0)
		return NULL;
	found = scandirat(fd, ".", &entries, is_name, versionsort);
	if (found >= 0) {
		names = join_names(entries, (size_t)found);
		*count = names ? (size_t)found : 0;
		for (int i = 0; i < found; i++)
			free(entries[i]);
		free(entries);
	}
	close(fd);
	return names;
}
