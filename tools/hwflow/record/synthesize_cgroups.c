// SPDX-License-Identifier: GPL-2.0-only
/* Records of the cgroups that exist. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>

#include "synthesize.h"

/*
 * Where the hierarchy of the perf_event controller is mounted: that of version 1 which has it, else
 * the one of version 2. False if there is neither.
 */
static bool find_mount(char path[PATH_MAX])
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *entry;
	bool found = false, is_first = false;

	while (mounts && !is_first && (entry = getmntent(mounts))) {
		is_first = !strcmp(entry->mnt_type, "cgroup") && hasmntopt(entry, "perf_event");
		if (!is_first && (found || strcmp(entry->mnt_type, "cgroup2") != 0))
			continue;
		found = (size_t)snprintf(path, PATH_MAX, "%s", entry->mnt_dir) < PATH_MAX;
	}
	if (mounts)
		endmntent(mounts);
	return found;
}

/* The number that the kernel has for a cgroup is the file handle of its directory. */
static bool read_id(const char *path, uint64_t *id)
{
	union {
		struct file_handle head;
		uint8_t bytes[sizeof(struct file_handle) + sizeof(*id)];
	} handle = {.head.handle_bytes = sizeof(*id)};
	int mount;

	if (name_to_handle_at(AT_FDCWD, path, &handle.head, &mount, 0) ||
	    handle.head.handle_bytes != sizeof(*id))
		return false;
	memcpy(id, handle.bytes + sizeof(struct file_handle), sizeof(*id));
	return true;
}

int synthesize_cgroups(struct perfdata_writer *writer)
{
	char path[PATH_MAX], *const paths[] = {path, NULL};
	struct perfdata_cgroup cgroup;
	const FTSENT *entry;
	size_t length;
	int error = 0;
	FTS *tree;

	if (!find_mount(path))
		return 0;
	length = strlen(path);
	tree = fts_open(paths, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	if (!tree)
		return -errno;
	while (!error && (entry = fts_read(tree))) {
		/* one that is gone has no threads */
		if (entry->fts_info != FTS_D || !read_id(entry->fts_path, &cgroup.id))
			continue;
		cgroup.path = entry->fts_path[length] ? entry->fts_path + length : "/";
		error = perfdata_write_cgroup(writer, &cgroup);
	}
	fts_close(tree);
	return error;
}
