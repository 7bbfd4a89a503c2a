/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The bytes of a .hwprof file. Everything is written in ascending order, so that the same counts
 * are the same bytes. Documentation/profile-format.rst has the layout.
 */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>
#include <zstd.h>

#include "profile/profile_private.h"
#include "profile/stored_put.h"

/* zstd's default */
#define LEVEL ZSTD_CLEVEL_DEFAULT

/* A frame that is skipped (RFC 8878) begins with a magic number and the size of what follows. */
#define SKIPPED_HEAD 8u

void hwf_stored_checksum(uint8_t sum[16], const uint8_t *file, size_t size)
{
	const size_t before = HWF_STORED_CHECKSUM + 16;
	XXH128_canonical_t canonical;

	XXH128_canonicalFromHash(&canonical, XXH3_128bits(file + before, size - before));
	memcpy(sum, canonical.digest, sizeof(canonical.digest));
}

static void put_insn(struct payload *payload, const struct hwf_insn *insn, uint64_t address)
{
	put(payload, insn->kind);
	put(payload, insn->sub);
	put(payload, insn->size);
	put(payload, insn->target_isa);
	put(payload, insn->call);
	put(payload, insn->conditional);
	if (insn->kind == HWF_INSN_DIRECT)
		put_difference(payload, insn->target, address);
}

static int compare_insns(const struct hwf_insn *a, const struct hwf_insn *b)
{
	int order = compare_numbers(a->kind, b->kind);

	order = order ? order : compare_numbers(a->sub, b->sub);
	return order ? order : compare_numbers(a->target, b->target);
}

int hwf_stored_compare_blocks(const struct hwf_profile_block *a, const struct hwf_profile_block *b)
{
	int order = compare_numbers(rank_of(a->space), rank_of(b->space));

	order = order ? order : compare_numbers(a->start, b->start);
	order = order ? order : compare_numbers(a->end, b->end);
	order = order ? order : compare_numbers(a->isa, b->isa);
	order = order ? order : compare_numbers(a->p0, b->p0);
	order = order ? order : compare_numbers(a->instructions, b->instructions);
	return order ? order : compare_insns(&a->insn, &b->insn);
}

int hwf_stored_compare_edges(const struct hwf_profile_edge *a, const struct hwf_profile_edge *b)
{
	int order = compare_numbers(rank_of(a->from_space), rank_of(b->from_space));

	order = order ? order : compare_numbers(a->from, b->from);
	order = order ? order : compare_numbers(rank_of(a->to_space), rank_of(b->to_space));
	order = order ? order : compare_numbers(a->to, b->to);
	return order ? order : compare_insns(&a->insn, &b->insn);
}

/* Names are compared last but one: a context has a name or an entry. */
int hwf_stored_compare_contexts(const struct hwf_profile_context *a,
				const struct hwf_profile_context *b)
{
	int order = compare_numbers(a->open, b->open);

	order = order ? order : compare_numbers(rank_of(a->site_file), rank_of(b->site_file));
	order = order ? order : compare_numbers(a->site, b->site);
	order = order ? order : compare_numbers(rank_of(a->file), rank_of(b->file));
	if (!order && !a->file)
		order = strcmp(a->name, b->name);
	return order ? order : compare_numbers(a->entry, b->entry);
}

/* As qsort() calls them: pointers to pointers */
static int by_file(const void *a, const void *b)
{
	const struct hwf_stored_file *const *x = a, *const *y = b;

	return hwf_stored_compare_files(&(*x)->file, &(*y)->file);
}

static int by_note(const void *a, const void *b)
{
	const struct hwf_stored_note *const *x = a, *const *y = b;

	return hwf_stored_compare_notes(&(*x)->note, &(*y)->note);
}

static int by_block(const void *a, const void *b)
{
	const struct hwf_profile_block *const *x = a, *const *y = b;

	return hwf_stored_compare_blocks(*x, *y);
}

static int by_edge(const void *a, const void *b)
{
	const struct hwf_profile_edge *const *x = a, *const *y = b;

	return hwf_stored_compare_edges(*x, *y);
}

static void put_recordings(struct payload *payload, const struct hwf_stored_profile *stored)
{
	put(payload, stored->recording_count);
	put_bytes(payload, stored->recordings,
		  stored->recording_count * sizeof(*stored->recordings));
}

static void put_files(struct payload *payload, const struct hwf_stored_profile *stored)
{
	put(payload, stored->file_count);
	for (size_t i = 0; i < stored->file_count; i++) {
		const struct hwf_profile_file *file = &stored->files[i]->file;

		put(payload, file->id_kind);
		put(payload, file->id_size);
		put_bytes(payload, file->id, file->id_size);
		put(payload, file->machine);
		put_text(payload, file->name);
	}
}

static void put_block(struct payload *payload, const struct hwf_profile_block *block,
		      const struct hwf_profile_block *before)
{
	const bool same = before && before->space == block->space;

	put(payload, rank_of(block->space) - (before ? rank_of(before->space) : 0));
	put(payload, block->start - (same ? before->start : 0));
	put(payload, block->end - block->start);
	put(payload, block->isa);
	put(payload, block->p0);
	put(payload, block->instructions);
	put_insn(payload, &block->insn, block->end);
	put(payload, block->taken);
	put(payload, block->not_taken);
	put(payload, block->diverted);
	put(payload, block->recordings);
	put(payload, block->ranks);
}

static bool is_empty(const struct hwf_profile_block *block)
{
	return !block->taken && !block->not_taken && !block->diverted;
}

const struct hwf_profile_block **hwf_stored_sort_blocks(const struct hwf_profile *counts,
							size_t *count)
{
	const struct hwf_profile_block **sorted = calloc(counts->block_count + 1, sizeof(*sorted));

	*count = 0;
	if (!sorted)
		return NULL;
	for (size_t i = 0; i < counts->block_count; i++)
		if (!is_empty(&counts->blocks[i]))
			sorted[(*count)++] = &counts->blocks[i];
	qsort(sorted, *count, sizeof(*sorted), by_block);
	return sorted;
}

static bool put_blocks(struct payload *payload, const struct hwf_profile *counts)
{
	size_t count;
	const struct hwf_profile_block **sorted = hwf_stored_sort_blocks(counts, &count);

	if (!sorted)
		return false;
	put(payload, count);
	for (size_t i = 0; i < count; i++)
		put_block(payload, sorted[i], i ? sorted[i - 1] : NULL);
	free(sorted);
	return true;
}

static void put_edge(struct payload *payload, const struct hwf_profile_edge *edge,
		     const struct hwf_profile_edge *before)
{
	const bool same = before && before->from_space == edge->from_space;

	put(payload, rank_of(edge->from_space) - (before ? rank_of(before->from_space) : 0));
	put(payload, edge->from - (same ? before->from : 0));
	put(payload, rank_of(edge->to_space));
	put_difference(payload, edge->to, edge->from);
	put_insn(payload, &edge->insn, edge->from);
	put(payload, edge->count);
}

const struct hwf_profile_edge **hwf_stored_sort_edges(const struct hwf_profile *counts,
						      size_t *count)
{
	const struct hwf_profile_edge **sorted = calloc(counts->edge_count + 1, sizeof(*sorted));

	*count = 0;
	if (!sorted)
		return NULL;
	for (size_t i = 0; i < counts->edge_count; i++)
		if (counts->edges[i].count)
			sorted[(*count)++] = &counts->edges[i];
	qsort(sorted, *count, sizeof(*sorted), by_edge);
	return sorted;
}

static bool put_edges(struct payload *payload, const struct hwf_profile *counts)
{
	size_t count;
	const struct hwf_profile_edge **sorted = hwf_stored_sort_edges(counts, &count);

	if (!sorted)
		return false;
	put(payload, count);
	for (size_t i = 0; i < count; i++)
		put_edge(payload, sorted[i], i ? sorted[i - 1] : NULL);
	free(sorted);
	return true;
}

static void put_notes(struct payload *payload, const struct hwf_stored_profile *stored)
{
	put(payload, stored->note_count);
	for (size_t i = 0; i < stored->note_count; i++) {
		const struct hwf_profile_note *note = &stored->notes[i]->note;

		put(payload, note->kind);
		put_text(payload, note->text);
		put(payload, note->count);
		put(payload, note->bytes);
	}
}

/* Appends zeros that a reader skips, in a frame of zstd, if the payload is compressed to less than
 * a reader accepts: the same call again and again, for example. */
static size_t pad(uint8_t *packed, size_t size, size_t payload_size)
{
	static const uint8_t magic[] = {0x50, 0x2a, 0x4d, 0x18};
	const size_t least = (size_t)hwf_stored_least_packed(payload_size);
	const size_t zeros = least > size ? least - size : 0;

	if (!zeros)
		return size;
	memcpy(packed + size, magic, sizeof(magic));
	for (size_t i = 0; i < 4; i++)
		packed[size + sizeof(magic) + i] = (uint8_t)(zeros >> 8 * i);
	memset(packed + size + SKIPPED_HEAD, 0, zeros);
	return size + SKIPPED_HEAD + zeros;
}

/* The head, and the payload behind it, compressed */
static void *pack(const struct payload *payload, size_t *size)
{
	const size_t room = HWF_STORED_HEAD + ZSTD_compressBound(payload->size) + SKIPPED_HEAD;
	uint8_t *file = malloc(room);
	size_t packed;

	if (!file)
		return NULL;
	packed = ZSTD_compress(file + HWF_STORED_HEAD, room - HWF_STORED_HEAD, payload->bytes,
			       payload->size, LEVEL);
	if (ZSTD_isError(packed)) {
		free(file);
		return NULL;
	}
	*size = HWF_STORED_HEAD + pad(file + HWF_STORED_HEAD, packed, payload->size);
	memcpy(file, HWF_PROFILE_MAGIC, sizeof(HWF_PROFILE_MAGIC) - 1);
	for (size_t i = 0; i < 8; i++)
		file[HWF_STORED_SIZE + i] = (uint8_t)((uint64_t)payload->size >> 8 * i);
	hwf_stored_checksum(file + HWF_STORED_CHECKSUM, file, *size);
	return file;
}

static int by_name(const void *a, const void *b)
{
	const struct hwf_stored_group *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static bool put_profile(struct payload *payload, struct hwf_stored_profile *stored)
{
	if (stored->file_count)
		qsort(stored->files, stored->file_count, sizeof(struct hwf_stored_file *), by_file);
	if (stored->note_count)
		qsort(stored->notes, stored->note_count, sizeof(struct hwf_stored_note *), by_note);
	for (size_t i = 0; i < stored->file_count; i++)
		stored->files[i]->file.number = (uint32_t)i;
	put_recordings(payload, stored);
	put_files(payload, stored);
	if (!put_blocks(payload, stored->counts) || !put_edges(payload, stored->counts))
		return false;
	put_notes(payload, stored);
	return true;
}

/* A profile without groups ends before them. */
static bool put_groups(struct payload *payload, const struct hwf_stored_profile *stored)
{
	if (stored->by == HWF_PROFILE_WHOLE)
		return true;
	if (stored->group_count)
		qsort(stored->groups, stored->group_count, sizeof(struct hwf_stored_group *),
		      by_name);
	put(payload, stored->by);
	put(payload, stored->group_count);
	for (size_t i = 0; i < stored->group_count; i++) {
		put_text(payload, stored->groups[i]->name);
		if (!put_profile(payload, stored->groups[i]->part))
			return false;
	}
	return true;
}

void *hwf_stored_profile_pack(struct hwf_stored_profile *stored, size_t *size)
{
	struct payload payload = {0};
	void *file = NULL;

	if (hwf_stored_profile_failed(stored))
		return NULL;
	if (put_profile(&payload, stored) && put_groups(&payload, stored) &&
	    hwf_stored_put_contexts(&payload, stored) && !payload.failed)
		file = pack(&payload, size);
	free(payload.bytes);
	return file;
}
