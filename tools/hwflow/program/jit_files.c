// SPDX-License-Identifier: GPL-2.0-only
#include "jit_files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"
#include "perfdata/perfdata_read.h"

static bool map_file(struct jit_file *file, size_t root)
{
	const int fd = input_file_open(file->path, root, NULL);
	void *bytes = MAP_FAILED;
	struct stat status;

	if (fd < 0)
		return false;
	if (!fstat(fd, &status) && status.st_size && (!status.st_uid || status.st_uid == geteuid()))
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return false;
	file->bytes = bytes;
	file->size = (size_t)status.st_size;
	file->root = root;
	return true;
}

bool jit_file_open(struct jit_file *file, const struct perfdata_info *info, const char *symfs,
		   const char *original)
{
	const char *recording = info->path ? info->path : "";
	const char *slash = strrchr(recording, '/'), *name = strrchr(original, '/');
	const int folder = slash ? (int)(slash + 1 - recording) : 0;

	if (snprintf(file->path, sizeof(file->path), "%.*s%s", folder, recording,
		     name ? name + 1 : original) < PATH_MAX &&
	    map_file(file, 0))
		return true;
	return snprintf(file->path, sizeof(file->path), "%s%s", symfs, original) < PATH_MAX &&
	       map_file(file, strlen(symfs));
}

void jit_file_close(struct jit_file *file)
{
	munmap((void *)(uintptr_t)file->bytes, file->size);
}

bool jit_is_dump_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	int end = 0;

	return sscanf(slash ? slash + 1 : path, "jit-%*u.dump%n", &end) == 0 && end &&
	       !(slash ? slash + 1 : path)[end];
}

bool jit_is_dump(const struct perfdata_event *event)
{
	const char *slash;
	char name[32];

	if (event->kind != PERFDATA_MMAP || event->pid < 0)
		return false;
	snprintf(name, sizeof(name), "/jit-%" PRId32 ".dump", event->pid);
	slash = strrchr(event->u.mapping->path, '/');
	return slash && !strcmp(slash, name);
}
