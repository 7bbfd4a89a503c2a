/* SPDX-License-Identifier: GPL-2.0-only */
/* The map of basic blocks that clang -fbasic-block-address-map puts into a program. */
#ifndef HWFLOW_PROFILE_BLOCK_MAP_H
#define HWFLOW_PROFILE_BLOCK_MAP_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct basic_block - a block of the compiler
 * @start: address of its first instruction
 * @end: address behind its last
 * @id: its number in the function
 * @function: the function, numbered by struct block_map
 */
struct basic_block {
	uint64_t start;
	uint64_t end;
	uint32_t id;
	uint32_t function;
};

/**
 * struct block_map - all basic blocks of a program
 * @blocks: by address; they do not overlap. Some are empty, and come before the block that begins
 *	where they are
 * @count: how many
 * @entries: address of each function
 * @functions: how many
 */
struct block_map {
	struct basic_block *blocks;
	size_t count;
	uint64_t *entries;
	uint32_t functions;
};

/**
 * block_map_read() - read the map of a program
 * @map: receives it; the caller frees it with block_map_free(), also after an error
 * @bytes: the program, an ELF file that elf_bounds_good() has checked
 * @size: how many bytes
 * @reason: receives what is wrong, if something is
 *
 * Return: 0; -ENOENT: the program has no map; -EINVAL: the map is damaged; -EOPNOTSUPP: it is of a
 * later version; -ENOMEM.
 */
int block_map_read(struct block_map *map, const uint8_t *bytes, size_t size, const char **reason);

/** block_map_find() - the block that has the instruction at an address; NULL if there is none */
const struct basic_block *block_map_find(const struct block_map *map, uint64_t address);

/** block_map_free() - free what a map has */
void block_map_free(struct block_map *map);

#endif /* HWFLOW_PROFILE_BLOCK_MAP_H */
