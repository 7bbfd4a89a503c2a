/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow emulate: blocks of code, from the files that the plugin appends them to. */
#ifndef HWFLOW_EMULATE_BLOCKS_H
#define HWFLOW_EMULATE_BLOCKS_H

#include "emulate.h"
#include "truth/truth_write.h"

/** struct run_blocks - a file of blocks, mapped with room to grow; @used: bytes read of it */
struct run_blocks {
	char name[48];
	const uint8_t *bytes;
	size_t used;
	int fd;
};

/**
 * struct blocks - all blocks of a run
 * @table: by number; their opcodes stay where they are
 * @files: of all processes
 * @count: how many
 * @writer: of the log, which receives them; NULL: no log
 * @written: the log has these already; NULL: none
 */
struct blocks {
	struct truth_table table;
	struct run_blocks *files;
	size_t count;
	struct truth_writer *writer;
	const struct truth *written;
};

/** blocks_add_file() - a file of the run's directory; 0 or an exit status */
int blocks_add_file(struct blocks *blocks, const char *directory, const char *name);

/** blocks_read() - read what was appended; @limit: no number is as high; 0 or an exit status */
int blocks_read(struct blocks *blocks, uint64_t limit);

/** blocks_free() - free everything */
void blocks_free(struct blocks *blocks);

#endif /* HWFLOW_EMULATE_BLOCKS_H */
