// SPDX-License-Identifier: GPL-2.0-only
/* Mapping of files for reading, and release of the pages that were read. */
#include "file_map.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input_file.h"

/* Bytes that are released at once: few enough for the resident set, enough for the system call */
#define STEP (2u << 20)

/* A page fault maps the pages around it that are in the page cache: fault_around_bytes of Linux */
#define FAULT_AROUND 0x10000u

/* Files that a thread reads in turns: two recordings, a ground-truth log */
#define READINGS 4

/**
 * struct reading - pages of a file that were read and are not released yet
 * @bytes: file_map.bytes of the file; NULL if the entry is not in use
 * @from: offset of the first byte
 * @to: offset of the end
 */
struct reading {
	const uint8_t *bytes;
	size_t from;
	size_t to;
};

static _Thread_local struct reading readings[READINGS];
static _Thread_local unsigned int next_reading;

int file_map_fd(struct file_map *map, int fd, size_t size)
{
	void *bytes = NULL;

	*map = (struct file_map){0};
	if (size)
		bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	/* an advice for readahead: the file is read without it, too */
	if (size)
		madvise(bytes, size, MADV_SEQUENTIAL);
	*map = (struct file_map){bytes, size};
	return 0;
}

int file_map(struct file_map *map, const char *path, size_t root)
{
	uint64_t size;
	const int fd = input_file_open(path, root, &size);
	int error;

	*map = (struct file_map){0};
	if (fd < 0)
		return fd;
	error = file_map_fd(map, fd, (size_t)size);
	close(fd);
	return error;
}

void file_unmap(struct file_map *map)
{
	if (map->bytes)
		munmap((void *)(uintptr_t)map->bytes, map->size);
	*map = (struct file_map){0};
}

/*
 * Pages before @from and behind @to that a page fault has mapped are released, too. They may be
 * those of a part of the file that is not read next.
 */
static void release(const struct file_map *map, const struct reading *reading)
{
	const uintptr_t begin = (uintptr_t)map->bytes;
	uintptr_t from = (begin + reading->from) & ~(uintptr_t)(FAULT_AROUND - 1);
	uintptr_t to = (begin + reading->to + FAULT_AROUND - 1) & ~(uintptr_t)(FAULT_AROUND - 1);

	if (from < begin)
		from = begin;
	/* the kernel rounds the length up to whole pages */
	if (to > begin + map->size)
		to = begin + map->size;
	/* pages that are not released stay resident, which is no error */
	if (from < to)
		madvise((void *)from, to - from, MADV_DONTNEED);
}

/* The entry of a file: a new one, in place of the oldest, if the file has none */
static struct reading *find_reading(const struct file_map *map, size_t from)
{
	struct reading *reading;

	for (unsigned int i = 0; i < READINGS; i++)
		if (readings[i].bytes == map->bytes)
			return &readings[i];
	reading = &readings[next_reading++ % READINGS];
	*reading = (struct reading){map->bytes, from, from};
	return reading;
}

void file_map_release(const struct file_map *map, const uint8_t *from, const uint8_t *to)
{
	struct reading *reading;
	size_t begin, end;
	bool jump;

	if (from == to)
		return;
	begin = (size_t)(from - map->bytes);
	end = (size_t)(to - map->bytes);
	reading = find_reading(map, begin);
	jump = begin < reading->from || (begin > reading->to && begin - reading->to > STEP);
	if (jump) {
		release(map, reading);
		reading->from = reading->to = begin;
	}
	if (end > reading->to)
		reading->to = end;
	if (reading->to - reading->from < STEP)
		return;
	release(map, reading);
	reading->from = reading->to;
}
