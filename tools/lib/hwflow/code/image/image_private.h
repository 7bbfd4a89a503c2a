/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Structures and functions that the files of image/ share. */
#ifndef HWF_CODE_IMAGE_PRIVATE_H
#define HWF_CODE_IMAGE_PRIVATE_H

#include <pthread.h>

#include "hwflow/image.h"

/** enum hwf_image_state - state of a file */
enum hwf_image_state {
	HWF_IMAGE_CLOSED,
	HWF_IMAGE_OPEN,
	HWF_IMAGE_MISSING,
};

/**
 * struct hwf_image_map - P0 map of a file, with an entry for 4 bytes; or its hops, one for 2 bytes
 * @entries: see p0_map.c and hops.c; only entries that were made take memory
 * @size: bytes reserved
 */
struct hwf_image_map {
	uint64_t *entries;
	size_t size;
};

struct hwf_image_file {
	struct hwf_image *image;
	struct hwf_image_file *next;
	char *path;
	char *name;
	char *reason;
	struct hwf_image_identity identity;
	const uint8_t *bytes;
	size_t size;
	bool mapped;
	bool yields; /* see hwf_image_file_yield() */
	uint8_t state;
	int error;
	bool is_elf;
	struct hwf_image_elf elf;
	struct hwf_image_segment *segments;
	struct hwf_image_map maps[2]; /* by wfx */
	struct hwf_image_map hops[4]; /* A32 and T32, by wfx */
};

/**
 * struct hwf_image_mapping - contiguous addresses with one file
 * @start: first address
 * @length: bytes; start + length - 1 does not overflow
 * @file: what is mapped
 * @offset: of the first byte
 */
struct hwf_image_mapping {
	uint64_t start;
	uint64_t length;
	struct hwf_image_file *file;
	uint64_t offset;
};

/**
 * struct hwf_image_node - node of a tree of mappings, see tree.c
 * @mapping: its own
 * @left: mappings at lower addresses; of a spare node, the next one
 * @right: mappings at higher addresses
 * @refs: address spaces and nodes that have it
 * @height: levels of the tree that it is the root of
 */
struct hwf_image_node {
	struct hwf_image_mapping mapping;
	struct hwf_image_node *left;
	struct hwf_image_node *right;
	uint32_t refs;
	uint32_t height;
};

struct hwf_image_space {
	struct hwf_image *image;
	struct hwf_image_space *next;
	const struct hwf_image_space *parent;
	struct hwf_image_filter filter;
	bool filtered;
	bool backing;                /* see hwf_image_space_back() */
	struct hwf_image_node *tree; /* NULL: nothing is mapped */
};

struct hwf_image_slab;

/**
 * struct hwf_image - files and address spaces
 * @files: newest first
 * @spaces: newest first
 * @changes: counts changes of mappings; a change empties the caches of the views
 * @spare: nodes of trees that are not used
 * @spare_count: how many
 * @slabs: memory of all nodes
 * @lock: held while a file is opened
 * @missing: called for each missing file
 * @missing_ctx: its first argument
 * @open: opens a file; NULL: open(2)
 */
struct hwf_image {
	struct hwf_image_file *files;
	struct hwf_image_space *spaces;
	uint64_t changes;
	struct hwf_image_node *spare;
	size_t spare_count;
	struct hwf_image_slab *slabs;
	pthread_mutex_t lock;
	hwf_image_missing_fn *missing;
	void *missing_ctx;
	hwf_image_open_fn *open;
};

/** hwf_image_file_free() - free one file */
void hwf_image_file_free(struct hwf_image_file *file);

/** hwf_image_space_free() - free one address space, but not its mappings */
void hwf_image_space_free(struct hwf_image_space *space);

/**
 * hwf_image_tree_reserve() - allocate the nodes that the next change of a tree may need
 * @image: the tree belongs to it
 * @tree: NULL for an empty one
 *
 * Return: 0 or -ENOMEM.
 */
int hwf_image_tree_reserve(struct hwf_image *image, const struct hwf_image_node *tree);

/** hwf_image_tree_put() - map, or without a file unmap, addresses; Return: the tree afterwards */
struct hwf_image_node *hwf_image_tree_put(struct hwf_image *image, struct hwf_image_node *tree,
					  const struct hwf_image_mapping *mapping);

/** hwf_image_tree_share() - another reference to a tree; Return: the tree */
struct hwf_image_node *hwf_image_tree_share(struct hwf_image_node *tree);

/** hwf_image_tree_drop() - give a reference to a tree back */
void hwf_image_tree_drop(struct hwf_image *image, struct hwf_image_node *tree);

/** hwf_image_tree_after() - the first mapping that ends at an address or behind it; NULL: none */
const struct hwf_image_mapping *hwf_image_tree_after(const struct hwf_image_node *tree,
						     uint64_t address);

/** hwf_image_tree_free_slabs() - free the nodes of all trees of an image */
void hwf_image_tree_free_slabs(struct hwf_image *image);

/**
 * hwf_image_elf_read() - read the headers of an ELF file
 * @file: the file; it is open
 *
 * Return: 0, also if the file is no ELF file; -ENOMEM.
 */
int hwf_image_elf_read(struct hwf_image_file *file);

/**
 * hwf_image_find_mapping() - the mapping that has an address
 * @space: the address space
 * @address: to look up
 *
 * Return: the mapping, or NULL. Its file need not be open.
 */
const struct hwf_image_mapping *hwf_image_find_mapping(const struct hwf_image_space *space,
						       uint64_t address);

/**
 * hwf_image_hidden() - does a mapping of a nearer address space overlap a mapping?
 * @space: the address space where the look-up began
 * @mapping: the result of the look-up, in @space or in a parent
 */
bool hwf_image_hidden(const struct hwf_image_space *space, const struct hwf_image_mapping *mapping);

/**
 * hwf_image_map_entry() - the entry of an instruction of a file; it is made at the first call
 * @file: the file, open
 * @wfx: which of its maps
 * @index: of the entry: file offset divided by 4
 *
 * Return: the entry; HWF_ENTRY_FAR if the run is longer than HWF_RUN_MAX, or leaves the file; 0 if
 * there is no map.
 */
uint64_t hwf_image_map_entry(struct hwf_image_file *file, bool wfx, size_t index);

/**
 * hwf_image_map_make() - reserve memory for the entries of a map, at the first call
 * @map: the map
 * @count: number of entries
 *
 * The kernel allocates pages when they are written. Return: 0; -ENOMEM.
 */
int hwf_image_map_make(struct hwf_image_map *map, size_t count);

/** hwf_image_hops() - the hops of a file; @isa: HWF_ISA_A32 or HWF_ISA_T32 */
static inline struct hwf_image_map *hwf_image_hops(struct hwf_image_file *file, bool wfx,
						   enum hwf_isa isa)
{
	return &file->hops[2 * (isa == HWF_ISA_T32) + wfx];
}

/**
 * hwf_image_hop() - the hop from a half-word of a file; it is made at the first call
 * @file: the file, open
 * @wfx: whether WFI and WFE are P0 instructions
 * @isa: HWF_ISA_A32 or HWF_ISA_T32
 * @index: file offset divided by 2
 *
 * Return: the hop; it has no instruction if a P0 instruction is next, or the file ends.
 */
uint64_t hwf_image_hop(struct hwf_image_file *file, bool wfx, enum hwf_isa isa, size_t index);

/* a hop: number of instructions in bits 11:0, of their half-words above */
#define HWF_HOP_HALVES_AT             12
#define HWF_HOP(instructions, halves) ((uint64_t)(halves) << HWF_HOP_HALVES_AT | (instructions))

static inline uint32_t hwf_hop_instructions(uint64_t hop)
{
	return (uint32_t)hop & 0xfff;
}

static inline uint32_t hwf_hop_halves(uint64_t hop)
{
	return (uint32_t)hop >> HWF_HOP_HALVES_AT;
}

/* an entry: see p0_map.c */
#define HWF_ENTRY_COUNT_BITS 20
#define HWF_ENTRY_COUNT_MAX  ((1u << HWF_ENTRY_COUNT_BITS) - 1)
#define HWF_ENTRY_KIND_AT    20
#define HWF_ENTRY_SUB_AT     24
#define HWF_ENTRY_COND_AT    28
#define HWF_ENTRY_FAR        (UINT64_C(1) << 29)
#define HWF_ENTRY_QUIET      (UINT64_C(1) << 30)
#define HWF_ENTRY_TARGET_AT  32

static inline uint32_t hwf_entry_count(uint64_t entry)
{
	return (uint32_t)entry & HWF_ENTRY_COUNT_MAX;
}

static inline bool hwf_entry_made(uint64_t entry)
{
	return entry && entry != HWF_ENTRY_QUIET;
}

_Static_assert(HWF_RUN_MAX <= HWF_ENTRY_COUNT_MAX, "each run has an entry");

#endif /* HWF_CODE_IMAGE_PRIVATE_H */
