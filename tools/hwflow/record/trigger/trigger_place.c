// SPDX-License-Identifier: GPL-2.0-only
/* Where the instructions of a trigger are: the file and its offset, the address in a process. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../../../plugin/maps_path.h"
#include "base/input_file.h"
#include "record/events/filter.h"
#include "trigger.h"

#define DEFAULT_PATH "/bin:/usr/bin"

/* The file that execvp(3) executes for a command. Returns false if there is none. */
static bool find_command(const char *command, char *path, size_t size)
{
	const char *directories = getenv("PATH");

	if (strchr(command, '/'))
		return snprintf(path, size, "%s", command) < (int)size;
	for (const char *at = directories ? directories : DEFAULT_PATH; at;) {
		const char *end = strchrnul(at, ':');
		struct stat status;

		if (snprintf(path, size, "%.*s%s%s", (int)(end - at), at, end == at ? "" : "/",
			     command) < (int)size &&
		    !access(path, X_OK) && !stat(path, &status) && S_ISREG(status.st_mode))
			return true;
		at = *end ? end + 1 : NULL;
	}
	return false;
}

/* The program that is meant where a point names no file */
static int find_program(const struct record_options *options, pid_t pid, char *path, char *message,
			size_t size)
{
	if (pid) {
		snprintf(path, PATH_MAX, "/proc/%d/exe", pid);
		return 0;
	}
	if (!options->command) {
		snprintf(message, size,
			 "which program has it? Append @FILE, since all programs are recorded");
		return -EINVAL;
	}
	if (find_command(options->command[0], path, PATH_MAX))
		return 0;
	snprintf(message, size, "%s: not in a directory of PATH; give the path of the program",
		 options->command[0]);
	return -ENOENT;
}

int record_trigger_find(struct record_trigger *trigger, const struct record_options *options,
			pid_t pid, char *message, size_t size)
{
	for (size_t i = 0; i < trigger->point_count; i++) {
		struct record_trigger_point *point = &trigger->points[i];
		char path[PATH_MAX], *real;
		uint64_t offset;
		int error = 0;

		if (point->is_address)
			continue;
		if (*point->file)
			snprintf(path, sizeof(path), "%s", point->file);
		else
			error = find_program(options, pid, path, message, size);
		if (error)
			return error;
		if (!record_filter_find(point->point, path, &offset, message, size))
			return -EINVAL;
		point->value = offset + point->distance;
		real = realpath(path, NULL);
		if (!real || snprintf(point->file, sizeof(point->file), "%s", real) >=
				     (int)sizeof(point->file))
			error = real ? -ENAMETOOLONG : -errno;
		free(real);
		if (error) {
			snprintf(message, size, "%s: %s", path, strerror(-error));
			return error;
		}
	}
	return 0;
}

/* One line of /proc/PID/maps: does this mapping have the instruction? */
static bool has_point(char *line, const char *root, const struct record_trigger_point *point,
		      const struct stat *file, uint64_t *address)
{
	uint64_t start, end, offset, inode;
	unsigned int major_number, minor_number;
	char protection[5];
	int path = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &start,
		   &end, protection, &offset, &major_number, &minor_number, &inode, &path) != 7 ||
	    protection[2] != 'x' || point->value < offset || point->value - offset >= end - start)
		return false;
	maps_path_read(line + path, root);
	/* some file systems report a device in maps that stat(2) does not report */
	if ((inode != file->st_ino || makedev(major_number, minor_number) != file->st_dev) &&
	    strcmp(line + path, point->file) != 0)
		return false;
	*address = point->value - offset + start;
	return true;
}

int record_trigger_address(const struct record_trigger_point *point, pid_t pid, uint64_t *address,
			   char *message, size_t size)
{
	char name[64], root[64], line[PATH_MAX + 256];
	struct stat status;
	bool found = false;
	FILE *maps;

	if (point->is_address) {
		*address = point->value;
		return 0;
	}
	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	maps = stat(point->file, &status) ? NULL : own_file_stream(name);
	if (!maps) {
		const int error = errno;

		snprintf(message, size, "process %d: %s", pid, strerror(error));
		return -error;
	}
	while (!found && fgets(line, sizeof(line), maps))
		found = has_point(line, root, point, &status, address);
	fclose(maps);
	if (found)
		return 0;
	snprintf(message, size, "process %d has not mapped code of %s at offset %#" PRIx64, pid,
		 point->file, point->value);
	return -ENOENT;
}
