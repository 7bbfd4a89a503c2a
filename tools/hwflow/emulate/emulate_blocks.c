// SPDX-License-Identifier: GPL-2.0-only
/* hwflow emulate: blocks of code. */
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
#include "emulate_blocks.h"
#include "source/input.h"

/* of addresses for a file: more than it will ever have, and the mapping need not move */
#define ROOM ((size_t)1 << 34)

int blocks_add_file(struct blocks *blocks, const char *directory, const char *name)
{
	struct run_blocks file = {.fd = -1}, *more;
	char path[PATH_MAX + 64];
	void *bytes;

	snprintf(path, sizeof(path), "%s" RUN_STREAMS "/%s", directory, name);
	snprintf(file.name, sizeof(file.name), "%.40s", name);
	more = realloc(blocks->files, (blocks->count + 1) * sizeof(*more));
	if (!more)
		return verb_error("not enough memory");
	blocks->files = more;
	file.fd = input_file_open(path, strlen(directory), NULL);
	if (file.fd < 0)
		return verb_error("%s: %s", path, input_file_error(file.fd));
	bytes = mmap(NULL, ROOM, PROT_READ, MAP_SHARED | MAP_NORESERVE, file.fd, 0);
	if (bytes == MAP_FAILED) {
		int status = verb_error("%s: %s", path, strerror(errno));

		close(file.fd);
		return status;
	}
	file.bytes = bytes;
	more[blocks->count++] = file;
	return 0;
}

/* Into the log, but those that it has */
static int write_blocks(const struct blocks *blocks, const uint8_t *bytes, size_t length)
{
	int error = 0;

	if (!blocks->writer || !length)
		return 0;
	if (!blocks->written)
		return truth_writer_blocks(blocks->writer, bytes, length);
	while (length && !error) {
		struct truth_block block;

		memcpy(&block, bytes, sizeof(block));
		if (!truth_has_block(blocks->written, block.number))
			error = truth_writer_blocks(blocks->writer, bytes, block.size);
		bytes += block.size;
		length -= block.size;
	}
	return error;
}

static int read_file(struct blocks *blocks, struct run_blocks *file)
{
	const uint8_t *bytes = file->bytes + file->used;
	struct stat status;
	const char *wrong;
	size_t used = 0;
	int error;

	if (fstat(file->fd, &status))
		return verb_error("%s: %s", file->name, strerror(errno));
	if ((size_t)status.st_size <= file->used || (size_t)status.st_size > ROOM)
		return 0;
	wrong = truth_table_add(&blocks->table, bytes, (size_t)status.st_size - file->used, true,
				&used);
	if (wrong)
		return verb_error("%s: offset %#zx: %s; this is a fault of hwflow", file->name,
				  file->used + used, wrong);
	error = write_blocks(blocks, bytes, used);
	file->used += used;
	return error ? verb_error("cannot write the log: %s", strerror(-error)) : 0;
}

int blocks_read(struct blocks *blocks, uint64_t limit)
{
	int status = 0;

	blocks->table.limit = limit;
	for (size_t i = 0; i < blocks->count && !status; i++)
		status = read_file(blocks, &blocks->files[i]);
	return status;
}

void blocks_free(struct blocks *blocks)
{
	for (size_t i = 0; i < blocks->count; i++) {
		munmap((void *)(uintptr_t)blocks->files[i].bytes, ROOM);
		close(blocks->files[i].fd);
	}
	free(blocks->files);
	free(blocks->table.blocks);
	*blocks = (struct blocks){0};
}
