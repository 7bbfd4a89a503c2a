// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwflow emulate: what the plugin left, to a ground-truth log.
 *
 * A thread whose stream was not closed was killed, by a signal or with its process. What is
 * certain is written: of the block entered last, the instructions up to the last point that was
 * noted, and without a branch of which is not known where it went; then an exception.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulate.h"
#include "input.h"
#include "truth_private.h"

/* a file of blocks */
struct piece {
	const uint8_t *bytes;
	size_t mapped;
	size_t length;
};

struct collection {
	struct run *run;
	int directory;
	struct truth_table table;
	struct piece *pieces;
	size_t piece_count;
};

static struct collection *the_pieces(struct run *run);

/* Map a file of the run; an empty one has no bytes. */
static bool map_file(const struct collection *all, const char *name, const uint8_t **bytes,
		     size_t *length)
{
	int fd = openat(all->directory, name, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *map = NULL;

	*bytes = NULL;
	*length = 0;
	if (fd < 0 || fstat(fd, &status)) {
		emulate_error("%s: %s", name, strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (status.st_size)
		map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED) {
		emulate_error("%s: %s", name, strerror(errno));
		return false;
	}
	*bytes = map;
	*length = (size_t)status.st_size;
	return true;
}
