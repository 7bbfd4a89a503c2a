/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An input of the fuzz target `command`: a command line and a small tree of files. The format:
 *
 *   1 byte     number of the command line, see lines.h
 *   1 byte     TREE_AGAIN, TREE_JOBS
 *   entries, each:
 *     1 byte   enum tree_kind
 *     1 byte   length of the name
 *     4 bytes  length of the contents, little-endian
 *     name     path below the directory of the case
 *     contents of the file; target of the link; nothing otherwise
 *
 * The first component of the first name is the argument of the command.
 */
#ifndef HWFLOW_FUZZ_TREE_H
#define HWFLOW_FUZZ_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TREE_HEAD    2
#define TREE_ENTRY   6
#define TREE_ENTRIES 24
#define TREE_NAME    96

/* flags: the command runs twice, and prints the same; the second time with two processes */
#define TREE_AGAIN 1u
#define TREE_JOBS  2u

/** enum tree_kind - what an entry is */
enum tree_kind {
	TREE_FILE,
	TREE_LINK,
	TREE_FIFO,
	TREE_DIRECTORY,
	TREE_KINDS,
};

/**
 * struct tree_entry - a file
 * @kind: enum tree_kind
 * @name: path below the directory of the case
 * @bytes: contents
 * @size: bytes of @bytes
 */
struct tree_entry {
	uint8_t kind;
	char name[TREE_NAME];
	const uint8_t *bytes;
	size_t size;
};

/**
 * struct tree - an input
 * @line: number of the command line
 * @flags: TREE_*
 * @entries: the files
 * @count: number of @entries
 */
struct tree {
	uint8_t line;
	uint8_t flags;
	struct tree_entry entries[TREE_ENTRIES];
	size_t count;
};

/** tree_parse() - the tree that bytes describe, without a copy of them; false if they describe none
 */
bool tree_parse(struct tree *tree, const uint8_t *data, size_t size);

/** tree_pack() - the bytes of a tree, @room at most; entries without room are left out. Returns the
 * size */
size_t tree_pack(const struct tree *tree, uint8_t *data, size_t room);

/**
 * tree_write() - make the files below a directory; names that lead out of it are left out
 * @tree: the files
 * @directory: where
 * @named: a file in a folder that the command line names; NULL for none. It names files without a
 *	folder as well
 */
void tree_write(const struct tree *tree, const char *directory, const char *named);

/** tree_size() - bytes of all files */
size_t tree_size(const struct tree *tree);

#endif /* HWFLOW_FUZZ_TREE_H */
