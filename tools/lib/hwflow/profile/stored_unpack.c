/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * A .hwprof file, read. What hwf_stored_profile_pack() would not have written is refused: then each
 * profile has one file, and a file that was put together by someone else is no surprise to those
 * who read the counts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "profile/stored_get.h"

static const char damaged[] = "the profile is damaged";

static void get_recordings(struct payload *payload, struct hwf_stored_profile *stored)
{
	const size_t size = sizeof(*stored->recordings);
	const size_t count = get_count(payload, size);
	const uint8_t *bytes = get_bytes(payload, count * size);

	if (!bytes)
		return;
	for (size_t i = 1; i < count; i++)
		payload->bad |= memcmp(bytes + (i - 1) * size, bytes + i * size, size) >= 0;
	stored->recordings = malloc(count * size + 1);
	if (!stored->recordings) {
		stored->failed = true;
		return;
	}
	memcpy(stored->recordings, bytes, count * size);
	stored->recording_count = count;
}

static void get_file(struct payload *payload, struct hwf_stored_profile *stored)
{
	const size_t number = stored->file_count;
	struct hwf_profile_file file = {0};
	const struct hwf_profile_file *added;
	const uint8_t *id;
	char *name;

	file.id_kind = (uint8_t)get_at_most(payload, HWF_FILE_ID_KERNEL);
	file.id_size = (uint8_t)get_at_most(payload, sizeof(file.id));
	payload->bad |= (file.id_kind == HWF_FILE_ID_NONE) != !file.id_size;
	id = get_bytes(payload, file.id_size);
	if (!id)
		return;
	memcpy(file.id, id, file.id_size);
	file.machine = (uint16_t)get_at_most(payload, UINT16_MAX);
	name = get_text(payload);
	if (!name)
		return;
	file.name = name;
	added = hwf_stored_profile_file(stored, &file);
	if (added)
		payload->bad |= added->number != number ||
				(number && hwf_stored_compare_files(
						   &stored->files[number - 1]->file, added) >= 0);
	free(name);
}

static void get_files(struct payload *payload, struct hwf_stored_profile *stored)
{
	const size_t count = get_count(payload, 4);

	for (size_t i = 0; i < count && !payload->bad && !stored->failed; i++)
		get_file(payload, stored);
}

static struct hwf_insn get_insn(struct payload *payload, uint64_t address)
{
	struct hwf_insn insn = {0};

	insn.kind = (uint8_t)get_at_most(payload, HWF_INSN_TSTART);
	insn.sub = (uint8_t)get_at_most(payload, HWF_SUB_LOOP);
	insn.size = (uint8_t)get_at_most(payload, 4);
	insn.target_isa = (uint8_t)get_at_most(payload, HWF_ISA_JAZELLE);
	insn.call = (uint8_t)get_at_most(payload, HWF_CALL_UDF);
	insn.conditional = get_at_most(payload, 1);
	if (insn.kind == HWF_INSN_DIRECT)
		insn.target = get_difference(payload, address);
	return insn;
}

static uint32_t rank_of(const void *space)
{
	const struct hwf_profile_file *file = space;

	return file ? file->number + 1 : 0;
}

static void get_block(struct payload *payload, const struct hwf_stored_profile *stored,
		      struct hwf_profile_block *block, const struct hwf_profile_block *before)
{
	const uint32_t rank = before ? rank_of(before->space) : 0;

	*block = (struct hwf_profile_block){0};
	block->space = file_of(payload, stored, get_after(payload, rank));
	block->start =
		get_after(payload, before && before->space == block->space ? before->start : 0);
	block->end = get_after(payload, block->start);
	block->isa = (uint8_t)get_at_most(payload, HWF_ISA_JAZELLE);
	block->p0 = get_at_most(payload, 1);
	block->instructions = (uint32_t)get_at_most(payload, UINT32_MAX);
	block->insn = get_insn(payload, block->end);
	block->taken = get(payload);
	block->not_taken = get(payload);
	block->diverted = get(payload);
	block->recordings = get_at_most(payload, stored->recording_count);
	block->ranks = get(payload);
	payload->bad |= !block->space || block->instructions > block->end - block->start ||
			block->insn.size > block->end - block->start ||
			!(block->taken | block->not_taken | block->diverted) ||
			block->ranks < block->recordings || (block->ranks && !block->recordings) ||
			(before && hwf_stored_compare_blocks(before, block) >= 0);
}

static void get_blocks(struct payload *payload, struct hwf_stored_profile *stored)
{
	const size_t count = get_count(payload, 17);
	struct hwf_profile_block blocks[2];

	for (size_t i = 0; i < count; i++) {
		struct hwf_profile_block *block = &blocks[i & 1];

		get_block(payload, stored, block, i ? &blocks[~i & 1] : NULL);
		if (payload->bad)
			return;
		hwf_profile_add_block(stored->counts, block);
	}
}

static void get_edge(struct payload *payload, const struct hwf_stored_profile *stored,
		     struct hwf_profile_edge *edge, const struct hwf_profile_edge *before)
{
	const uint32_t rank = before ? rank_of(before->from_space) : 0;

	*edge = (struct hwf_profile_edge){0};
	edge->from_space = file_of(payload, stored, get_after(payload, rank));
	edge->from = get_after(payload,
			       before && before->from_space == edge->from_space ? before->from : 0);
	edge->to_space = file_of(payload, stored, get(payload));
	edge->to = get_difference(payload, edge->from);
	edge->insn = get_insn(payload, edge->from);
	edge->count = get(payload);
	payload->bad |= !edge->count || hwf_profile_edge_follows(edge) ||
			(before && hwf_stored_compare_edges(before, edge) >= 0);
}

static void get_edges(struct payload *payload, struct hwf_stored_profile *stored)
{
	const size_t count = get_count(payload, 11);
	struct hwf_profile_edge edges[2];

	for (size_t i = 0; i < count; i++) {
		struct hwf_profile_edge *edge = &edges[i & 1];

		get_edge(payload, stored, edge, i ? &edges[~i & 1] : NULL);
		if (payload->bad)
			return;
		hwf_profile_add_edge(stored->counts, edge);
	}
}

static void get_notes(struct payload *payload, struct hwf_stored_profile *stored)
{
	const size_t count = get_count(payload, 4);
	struct hwf_profile_note note = {0};

	for (size_t i = 0; i < count && !payload->bad && !stored->failed; i++) {
		char *text;

		note.kind = (uint8_t)get_at_most(payload, HWF_NOTE_KINDS - 1);
		text = get_text(payload);
		if (!text)
			return;
		note.text = text;
		note.count = get(payload);
		note.bytes = get(payload);
		payload->bad |=
			i && hwf_stored_compare_notes(&stored->notes[i - 1]->note, &note) >= 0;
		if (!payload->bad)
			hwf_stored_profile_note(stored, &note);
		free(text);
	}
}

static void get_profile(struct payload *payload, struct hwf_stored_profile *stored)
{
	get_recordings(payload, stored);
	get_files(payload, stored);
	if (!payload->bad && !stored->failed)
		get_blocks(payload, stored);
	if (!payload->bad)
		get_edges(payload, stored);
	if (!payload->bad)
		get_notes(payload, stored);
}

static int compare_recordings(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct hwf_recording_id));
}

/* A group is in some of the recordings, and in no other. */
static bool has_recordings(const struct hwf_stored_profile *stored,
			   const struct hwf_stored_profile *part)
{
	for (size_t i = 0; i < part->recording_count; i++)
		if (!stored->recording_count ||
		    !bsearch(&part->recordings[i], stored->recordings, stored->recording_count,
			     sizeof(*part->recordings), compare_recordings))
			return false;
	return part->recording_count;
}

static void get_group(struct payload *payload, struct hwf_stored_profile *stored)
{
	const size_t number = stored->group_count;
	struct hwf_stored_profile *part;
	char *name = get_text(payload);

	if (!name)
		return;
	payload->bad |= number && strcmp(stored->groups[number - 1]->name, name) >= 0;
	part = payload->bad ? NULL : hwf_stored_profile_group(stored, name);
	free(name);
	if (!part)
		return;
	get_profile(payload, part);
	if (hwf_stored_profile_failed(part))
		stored->failed = true;
	else
		payload->bad |= !has_recordings(stored, part);
}

/* Each has a name, a recording, and four more lists. */
static void get_groups(struct payload *payload, struct hwf_stored_profile *stored)
{
	const size_t count = get_count(payload, 1 + 1 + sizeof(struct hwf_recording_id) + 4);

	for (size_t i = 0; i < count && !payload->bad && !stored->failed; i++)
		get_group(payload, stored);
}

/* Sections that only some profiles have are after the others; each has a tag. */
static void get_sections(struct payload *payload, struct hwf_stored_profile *stored)
{
	uint64_t tag;

	if (payload->bad || payload->at == payload->end)
		return;
	tag = get_at_most(payload, HWF_STORED_CONTEXTS);
	if (tag != HWF_STORED_CONTEXTS) {
		stored->by = (uint8_t)tag;
		payload->bad |= tag == HWF_PROFILE_WHOLE;
		get_groups(payload, stored);
		if (payload->bad || stored->failed || payload->at == payload->end)
			return;
		tag = get(payload);
	}
	payload->bad |= tag != HWF_STORED_CONTEXTS;
	if (!payload->bad)
		hwf_stored_get_contexts(payload, stored);
	if (payload->bad || stored->failed || payload->at == payload->end)
		return;
	payload->bad |= get(payload) != HWF_STORED_SHARES;
	if (!payload->bad)
		hwf_stored_get_shares(payload, stored);
}

/* Takes what was decompressed; 0 or -errno. */
static int take(struct hwf_stored_profile *stored, const uint8_t *bytes, size_t size)
{
	struct payload payload = {bytes, bytes + size, false};

	get_profile(&payload, stored);
	get_sections(&payload, stored);
	if (hwf_stored_profile_failed(stored))
		return -ENOMEM;
	return payload.bad || payload.at != payload.end ? -EINVAL : 0;
}

/* Is this such a file, whole, and of this version? 0 or -errno */
static int check_head(const uint8_t *file, size_t size, const char **reason)
{
	const size_t magic = sizeof(HWF_PROFILE_MAGIC) - 1;
	uint8_t sum[16];

	if (size < magic || memcmp(file, HWF_PROFILE_MAGIC, magic - 1) != 0) {
		*reason = "this is no .hwprof file";
		return -EINVAL;
	}
	if (file[magic - 1] != HWF_PROFILE_MAGIC[magic - 1]) {
		*reason = "a later version of hwflow wrote this profile";
		return -EOPNOTSUPP;
	}
	if (size < HWF_STORED_HEAD) {
		*reason = "the profile ends too early";
		return -EINVAL;
	}
	hwf_stored_checksum(sum, file, size);
	if (memcmp(sum, file + HWF_STORED_CHECKSUM, sizeof(sum)) != 0) {
		*reason = damaged;
		return -EINVAL;
	}
	return 0;
}

/* The payload, which the caller frees; NULL without memory or if it is not as its head says */
static uint8_t *decompress(const uint8_t *file, size_t size, size_t *result)
{
	const size_t packed = size - HWF_STORED_HEAD;
	uint64_t whole = 0;
	uint8_t *bytes;

	for (size_t i = 0; i < 8; i++)
		whole |= (uint64_t)file[HWF_STORED_SIZE + i] << 8 * i;
	if (packed < hwf_stored_least_packed(whole))
		return NULL;
	bytes = malloc((size_t)whole + 1);
	if (!bytes)
		return NULL;
	*result = ZSTD_decompress(bytes, (size_t)whole, file + HWF_STORED_HEAD, packed);
	if (!ZSTD_isError(*result) && *result == whole)
		return bytes;
	free(bytes);
	return NULL;
}

int hwf_stored_profile_unpack(struct hwf_stored_profile **result, const void *bytes, size_t size,
			      const char **reason)
{
	struct hwf_stored_profile *stored;
	uint8_t *payload;
	size_t length;
	int status = check_head(bytes, size, reason);

	if (status)
		return status;
	stored = hwf_stored_profile_new();
	if (!stored) {
		*reason = "out of memory";
		return -ENOMEM;
	}
	payload = decompress(bytes, size, &length);
	status = payload ? take(stored, payload, length) : -EINVAL;
	free(payload);
	if (status) {
		*reason = status == -ENOMEM ? "out of memory" : damaged;
		hwf_stored_profile_free(stored);
		return status;
	}
	*result = stored;
	return 0;
}
