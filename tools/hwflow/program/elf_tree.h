/* SPDX-License-Identifier: GPL-2.0-only */
/* ELF files below a directory, by build id: a file is found whatever its name is. */
#ifndef HWFLOW_ELF_TREE_H
#define HWFLOW_ELF_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct elf_tree - ELF files below a directory */
struct elf_tree;

/** enum elf_part - what is wanted of a file: a program and its debug file have one build id */
enum elf_part {
	ELF_PART_CODE,
	ELF_PART_SYMBOLS,
};

/**
 * elf_tree_new() - name a directory; it is read with the first elf_tree_find()
 * @directory: its symbolic links and other file systems mounted in it are left out
 *
 * Return: NULL without memory.
 */
struct elf_tree *elf_tree_new(const char *directory);

/** elf_tree_directory() - the directory as it was given */
const char *elf_tree_directory(const struct elf_tree *tree);

/**
 * elf_tree_find() - find a file
 * @tree: where
 * @id: build id
 * @size: bytes of @id; nothing is found with 0
 * @part: what the file must have
 *
 * Return: path of the file, with the directory; NULL if there is none.
 */
const char *elf_tree_find(struct elf_tree *tree, const uint8_t *id, size_t size,
			  enum elf_part part);

/** elf_tree_free() - free a tree, which may be NULL */
void elf_tree_free(struct elf_tree *tree);

#endif /* HWFLOW_ELF_TREE_H */
