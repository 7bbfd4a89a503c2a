/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Between the files that hold, write and read stored profiles. */
#ifndef HWF_STORED_PRIVATE_H
#define HWF_STORED_PRIVATE_H

#include "hwflow/stored_profile.h"

/**
 * struct hwf_stored_file - a file, and what belongs to it
 * @file: as the caller sees it; the first member, so that an address space is also this structure
 * @name: of @file
 */
struct hwf_stored_file {
	struct hwf_profile_file file;
	char *name;
};

/**
 * struct hwf_stored_note - a note, and its text
 * @note: as the caller sees it
 * @text: of @note
 */
struct hwf_stored_note {
	struct hwf_profile_note note;
	char *text;
};

/**
 * struct hwf_stored_group - a group, and its name
 * @name: of the group
 * @part: what it has
 */
struct hwf_stored_group {
	char *name;
	struct hwf_stored_profile *part;
};

/**
 * struct hwf_stored_share - how often a block or an edge was executed in a context
 * @context: number of the context; 0: none
 * @item: index of the block or the edge in the counts of the profile, plus 1
 * @taken: as in struct hwf_profile_block; of an edge how often
 * @not_taken: likewise; of an edge 0
 * @diverted: likewise
 */
struct hwf_stored_share {
	uint32_t context;
	uint32_t item;
	uint64_t taken;
	uint64_t not_taken;
	uint64_t diverted;
};

/**
 * struct hwf_stored_shares - the shares of all contexts in blocks, or in edges
 * @items: one for each context and each block or edge
 * @count: how many
 * @room: @items has room for so many
 * @slots: a hash table of indices in @items, plus 1; 0: the slot is free
 * @slot_count: how many, a power of two; 0: the table does not have the shares
 * @is_sorted: @items are in the order of hwf_stored_compare_shares()
 */
struct hwf_stored_shares {
	struct hwf_stored_share *items;
	size_t count;
	size_t room;
	uint32_t *slots;
	size_t slot_count;
	bool is_sorted;
};

/**
 * struct hwf_stored_contexts - the tree of calls
 * @items: by their numbers, from 1; the first element is unused
 * @count: how many
 * @room: @items has room for so many, with the first element
 * @slots: a hash table of their numbers; 0: the slot is free
 * @slot_count: how many, a power of two; 0: contexts were read, and none was looked up
 * @names: of code in no file, in the order in which they came
 * @name_count: how many
 * @name_room: @names has room for so many
 * @name_tree: of tsearch(3): the same, by text
 * @blocks: shares of the contexts in blocks
 * @edges: and in edges
 * @kept: the profile has contexts
 * @has_counts: it has shares as well
 */
struct hwf_stored_contexts {
	struct hwf_profile_context *items;
	size_t count;
	size_t room;
	uint32_t *slots;
	size_t slot_count;
	char **names;
	size_t name_count;
	size_t name_room;
	void *name_tree;
	struct hwf_stored_shares blocks;
	struct hwf_stored_shares edges;
	bool kept;
	bool has_counts;
};

/**
 * struct hwf_stored_profile - see hwflow/stored_profile.h
 * @counts: blocks and edges, by file and offset
 * @files: in the order in which they came
 * @file_count: how many
 * @file_room: @files has room for so many
 * @file_tree: of tsearch(3): the same, by identity
 * @notes: in the order in which they came
 * @note_count: how many
 * @note_room: @notes has room for so many
 * @note_tree: of tsearch(3): the same, by kind and text
 * @recordings: in ascending order
 * @recording_count: how many
 * @groups: in the order in which they came
 * @group_count: how many
 * @group_room: @groups has room for so many
 * @group_tree: of tsearch(3): the same, by name
 * @contexts: the tree of calls
 * @by: enum hwf_profile_by
 * @failed: memory ran out
 */
struct hwf_stored_profile {
	struct hwf_profile *counts;
	struct hwf_stored_file **files;
	size_t file_count;
	size_t file_room;
	void *file_tree;
	struct hwf_stored_note **notes;
	size_t note_count;
	size_t note_room;
	void *note_tree;
	struct hwf_recording_id *recordings;
	size_t recording_count;
	struct hwf_stored_group **groups;
	size_t group_count;
	size_t group_room;
	void *group_tree;
	struct hwf_stored_contexts contexts;
	uint8_t by;
	bool failed;
};

/* Bytes before the compressed payload: magic, checksum of all behind it, size of the payload */
enum { HWF_STORED_CHECKSUM = 8, HWF_STORED_SIZE = 24, HWF_STORED_HEAD = 32 };

/* A payload is at most so many times larger than what it was compressed to, or so large. */
enum { HWF_STORED_RATIO = 1024, HWF_STORED_SMALL = 1 << 20 };

/* What a payload is compressed to has at least so many bytes. */
static inline uint64_t hwf_stored_least_packed(uint64_t size)
{
	return size > HWF_STORED_SMALL ? size / HWF_STORED_RATIO : 0;
}

/* The tags of contexts and of their shares; those of groups are enum hwf_profile_by. */
enum { HWF_STORED_CONTEXTS = 3, HWF_STORED_SHARES = 4 };

_Static_assert((int)HWF_PROFILE_BYS <= (int)HWF_STORED_CONTEXTS, "a tag has one meaning");

/* Room for another pointer in an array of them; false without memory */
bool hwf_stored_make_room(struct hwf_stored_profile *stored, void *array, size_t *room,
			  size_t count);

/* Frees all groups. */
void hwf_stored_free_groups(struct hwf_stored_profile *stored);

/* Did memory run out in a group? */
bool hwf_stored_groups_failed(const struct hwf_stored_profile *stored);

/* Adds the groups of another profile, which are of the same kind; 0 or -errno. */
int hwf_stored_add_groups(struct hwf_stored_profile *stored,
			  const struct hwf_stored_profile *other);

/* Frees all contexts. */
void hwf_stored_free_contexts(struct hwf_stored_contexts *contexts);

/* Adds the contexts of another profile, whose files have these addresses here, by their numbers. */
void hwf_stored_add_contexts(struct hwf_stored_profile *stored,
			     const struct hwf_stored_profile *other,
			     const struct hwf_profile_file *const *joined);

/* Adds a context that @stored does not have, but not to the hash table; false without memory. */
bool hwf_stored_append_context(struct hwf_stored_profile *stored,
			       const struct hwf_profile_context *context);

/* Frees all shares. */
void hwf_stored_free_shares(struct hwf_stored_shares *shares);

/* Adds the shares of another profile; @contexts: the numbers that its contexts have here. */
void hwf_stored_add_shares(struct hwf_stored_profile *stored,
			   const struct hwf_stored_profile *other, const uint32_t *contexts,
			   const struct hwf_profile_file *const *joined);

/* Adds a share that @shares does not have, but not to the hash table; false without memory. */
bool hwf_stored_append_share(struct hwf_stored_profile *stored, struct hwf_stored_shares *shares,
			     const struct hwf_stored_share *share);

/* The order of shares: by context, then by block or edge */
int hwf_stored_compare_shares(const void *a, const void *b);

/* The file of the sum that a file of another profile has become; NULL for none */
static inline const struct hwf_profile_file *hwf_stored_joined_file(
	const struct hwf_profile_file *const *joined, const void *space)
{
	const struct hwf_profile_file *file = space;

	return file ? joined[file->number] : NULL;
}

/* The order of the contexts of one caller, by the numbers of their files */
int hwf_stored_compare_contexts(const struct hwf_profile_context *a,
				const struct hwf_profile_context *b);

/* The order of files: by identity, then by name */
int hwf_stored_compare_files(const struct hwf_profile_file *a, const struct hwf_profile_file *b);

/* The order of notes */
int hwf_stored_compare_notes(const struct hwf_profile_note *a, const struct hwf_profile_note *b);

/* Order of blocks and of edges, by the numbers of their files */
int hwf_stored_compare_blocks(const struct hwf_profile_block *a, const struct hwf_profile_block *b);
int hwf_stored_compare_edges(const struct hwf_profile_edge *a, const struct hwf_profile_edge *b);

/* The checksum of a .hwprof file: 16 bytes of what is behind it */
void hwf_stored_checksum(uint8_t sum[16], const uint8_t *file, size_t size);

#endif /* HWF_STORED_PRIVATE_H */
