// SPDX-License-Identifier: GPL-2.0-only
#include "synthesize.h"

#include <ctype.h>
#include <dirent.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../plugin/maps_path.h"
#include "base/input_file.h"

/* longest line of maps: addresses, device and inode before a path */
#define MAPS_LINE_MAX (PATH_MAX + 128)

/* the kernel maps code of its own, or memory without a file, under names like these */
#define ANONYMOUS "//anon"

/* Names and parents of a thread, from its status */
struct thread_status {
	char comm[16];
	int pid;
	int ppid;
};

static bool read_status(int pid, int tid, struct thread_status *status)
{
	char name[64], line[256];
	FILE *file;

	*status = (struct thread_status){.pid = 0};
	snprintf(name, sizeof(name), "/proc/%d/task/%d/status", pid, tid);
	file = own_file_stream(name);
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "Name:\t", 6))
			snprintf(status->comm, sizeof(status->comm), "%.15s", line + 6);
		else if (!strncmp(line, "Tgid:", 5))
			status->pid = atoi(line + 5);
		else if (!strncmp(line, "PPid:", 5))
			status->ppid = atoi(line + 5);
	}
	if (file)
		fclose(file);
	return status->pid == pid;
}

/* The build id of a file that a process has mapped, seen from its root directory */
static void read_build_id(int pid, struct perfdata_mapping *mapping)
{
	char name[PATH_MAX];
	const void *id = NULL;
	struct stat status;
	ssize_t size;
	Elf *elf;
	int fd;

	if (snprintf(name, sizeof(name), "/proc/%d/root%s", pid, mapping->path) >=
	    (int)sizeof(name))
		return;
	fd = input_file_open(name, 0, NULL);
	if (fd < 0)
		return;
	elf = !fstat(fd, &status) && status.st_ino == mapping->inode
		      ? elf_begin(fd, ELF_C_READ_MMAP, NULL)
		      : NULL;
	size = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	if (size > 0 && size <= (ssize_t)sizeof(mapping->build_id)) {
		memcpy(mapping->build_id, id, (size_t)size);
		mapping->build_id_size = (uint8_t)size;
	}
	elf_end(elf);
	close(fd);
}

/* A line of /proc/PID/maps. @root: of the process. Returns false for memory that cannot be
 * executed. */
static bool parse_mapping(char *line, const char *root, struct perfdata_mapping *mapping)
{
	uint64_t start, end;
	char mode[5];
	int path = 0;

	*mapping = (struct perfdata_mapping){.prot = 0};
	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &start,
		   &end, mode, &mapping->file_offset, &mapping->major, &mapping->minor,
		   &mapping->inode, &path) != 7 ||
	    mode[2] != 'x')
		return false;
	mapping->address = start;
	mapping->length = end - start;
	mapping->prot = PROT_EXEC;
	if (mode[0] == 'r')
		mapping->prot |= PROT_READ;
	if (mode[1] == 'w')
		mapping->prot |= PROT_WRITE;
	mapping->flags = mode[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	mapping->path = path && line[path] ? line + path : ANONYMOUS;
	if (path && line[path] == '/')
		maps_path_read(line + path, root);
	return true;
}

/* Mappings with code. The kernel's own vsyscall page has no code that is traced. */
static int write_mappings(struct perfdata_writer *writer, const struct perfdata_stamp *stamp)
{
	char name[64], root[64], line[MAPS_LINE_MAX];
	struct perfdata_mapping mapping;
	FILE *file;
	int error = 0;

	snprintf(name, sizeof(name), "/proc/%d/maps", stamp->pid);
	snprintf(root, sizeof(root), "/proc/%d/root", stamp->pid);
	file = own_file_stream(name);
	while (file && !error && fgets(line, sizeof(line), file)) {
		if (!parse_mapping(line, root, &mapping) || strlen(mapping.path) >= PATH_MAX)
			continue;
		if (mapping.path[0] == '/' && mapping.inode)
			read_build_id(stamp->pid, &mapping);
		error = perfdata_write_mmap2(writer, stamp, &mapping);
	}
	if (file)
		fclose(file);
	return error;
}

int synthesize_process(struct perfdata_writer *writer, int pid)
{
	struct perfdata_stamp stamp = {.pid = pid, .tid = pid, .cpu = PERFDATA_ANY};
	struct thread_status status;
	struct dirent *entry;
	int error = 0;
	char name[64];
	DIR *dir;

	if (!read_status(pid, pid, &status))
		return 0;
	error = perfdata_write_listed(writer, &stamp, status.ppid, status.ppid);
	if (!error)
		error = perfdata_write_comm(writer, &stamp, status.comm, false);
	if (!error)
		error = write_mappings(writer, &stamp);
	snprintf(name, sizeof(name), "/proc/%d/task", pid);
	dir = opendir(name);
	while (dir && !error && (entry = readdir(dir)) != NULL) {
		stamp.tid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : pid;
		if (stamp.tid == pid || !read_status(pid, stamp.tid, &status))
			continue;
		error = perfdata_write_listed(writer, &stamp, pid, pid);
		if (!error)
			error = perfdata_write_comm(writer, &stamp, status.comm, false);
	}
	if (dir)
		closedir(dir);
	return error;
}

int synthesize_all(struct perfdata_writer *writer)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int error = 0;

	if (!dir)
		return -errno;
	while (!error && (entry = readdir(dir)) != NULL)
		if (isdigit((unsigned char)entry->d_name[0]))
			error = synthesize_process(writer, atoi(entry->d_name));
	closedir(dir);
	return error;
}
