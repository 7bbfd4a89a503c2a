/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Counts by file and offset, of any number of recordings. */
#include "hwflow/stored_profile.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile_private.h"
#include "profile/stored_private.h"

struct hwf_stored_profile *hwf_stored_profile_new(void)
{
	struct hwf_stored_profile *stored = calloc(1, sizeof(*stored));

	if (!stored)
		return NULL;
	stored->counts = hwf_profile_new();
	if (!stored->counts) {
		free(stored);
		return NULL;
	}
	return stored;
}

/* Nodes of the trees are in the arrays as well. */
static void free_nothing(void *node)
{
	(void)node;
}

void hwf_stored_profile_free(struct hwf_stored_profile *stored)
{
	if (!stored)
		return;
	tdestroy(stored->file_tree, free_nothing);
	tdestroy(stored->note_tree, free_nothing);
	for (size_t i = 0; i < stored->file_count; i++) {
		free(stored->files[i]->name);
		free(stored->files[i]);
	}
	for (size_t i = 0; i < stored->note_count; i++) {
		free(stored->notes[i]->text);
		free(stored->notes[i]);
	}
	free(stored->files);
	free(stored->notes);
	free(stored->recordings);
	hwf_profile_free(stored->counts);
	hwf_stored_free_groups(stored);
	hwf_stored_free_contexts(&stored->contexts);
	free(stored);
}

bool hwf_stored_profile_failed(const struct hwf_stored_profile *stored)
{
	return stored->failed || hwf_profile_failed(stored->counts) ||
	       hwf_stored_groups_failed(stored);
}

struct hwf_profile *hwf_stored_profile_counts(struct hwf_stored_profile *stored)
{
	return stored->counts;
}

/* Files are one if this is 0. */
static int compare_identities(const struct hwf_profile_file *a, const struct hwf_profile_file *b)
{
	if (a->id_kind != b->id_kind)
		return a->id_kind < b->id_kind ? -1 : 1;
	if (a->id_kind == HWF_FILE_ID_NONE)
		return strcmp(a->name, b->name);
	if (a->id_size != b->id_size)
		return a->id_size < b->id_size ? -1 : 1;
	return memcmp(a->id, b->id, a->id_size);
}

static int compare_file_nodes(const void *a, const void *b)
{
	const struct hwf_stored_file *x = a, *y = b;

	return compare_identities(&x->file, &y->file);
}

int hwf_stored_compare_files(const struct hwf_profile_file *a, const struct hwf_profile_file *b)
{
	const int order = compare_identities(a, b);

	return order ? order : strcmp(a->name, b->name);
}

int hwf_stored_compare_notes(const struct hwf_profile_note *a, const struct hwf_profile_note *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return strcmp(a->text, b->text);
}

static int compare_note_nodes(const void *a, const void *b)
{
	const struct hwf_stored_note *x = a, *y = b;

	return hwf_stored_compare_notes(&x->note, &y->note);
}

static struct hwf_stored_file *add_file(struct hwf_stored_profile *stored,
					const struct hwf_profile_file *file)
{
	struct hwf_stored_file *added = calloc(1, sizeof(*added));
	char *name = strdup(file->name);

	if (!added || !name ||
	    !hwf_stored_make_room(stored, &stored->files, &stored->file_room, stored->file_count))
		goto failed;
	*added = (struct hwf_stored_file){.file = *file, .name = name};
	added->file.name = name;
	added->file.number = (uint32_t)stored->file_count;
	if (!tsearch(added, &stored->file_tree, compare_file_nodes))
		goto failed;
	stored->files[stored->file_count++] = added;
	return added;

failed:
	stored->failed = true;
	free(name);
	free(added);
	return NULL;
}

const struct hwf_profile_file *hwf_stored_profile_file(struct hwf_stored_profile *stored,
						       const struct hwf_profile_file *file)
{
	const struct hwf_stored_file key = {.file = *file};
	struct hwf_stored_file **node = tfind(&key, &stored->file_tree, compare_file_nodes);
	struct hwf_stored_file *found = node ? *node : add_file(stored, file);
	char *name;

	if (!found)
		return NULL;
	if (strcmp(file->name, found->name) < 0) {
		name = strdup(file->name);
		if (!name) {
			stored->failed = true;
			return NULL;
		}
		free(found->name);
		found->name = name;
		found->file.name = name;
	}
	return &found->file;
}

const struct hwf_profile_file *hwf_stored_profile_next_file(const struct hwf_stored_profile *stored,
							    size_t *at)
{
	return *at < stored->file_count ? &stored->files[(*at)++]->file : NULL;
}

void hwf_stored_profile_note(struct hwf_stored_profile *stored, const struct hwf_profile_note *note)
{
	const struct hwf_stored_note key = {.note = *note};
	struct hwf_stored_note **node = tfind(&key, &stored->note_tree, compare_note_nodes);
	struct hwf_stored_note *added;

	if (node) {
		(*node)->note.count += note->count;
		(*node)->note.bytes += note->bytes;
		return;
	}
	added = calloc(1, sizeof(*added));
	if (!added ||
	    !hwf_stored_make_room(stored, &stored->notes, &stored->note_room, stored->note_count))
		goto failed;
	added->note = *note;
	added->text = strdup(note->text);
	if (!added->text)
		goto failed;
	added->note.text = added->text;
	if (!tsearch(added, &stored->note_tree, compare_note_nodes))
		goto failed_text;
	stored->notes[stored->note_count++] = added;
	return;

failed_text:
	free(added->text);
failed:
	stored->failed = true;
	free(added);
}

const struct hwf_profile_note *hwf_stored_profile_next_note(const struct hwf_stored_profile *stored,
							    size_t *at)
{
	return *at < stored->note_count ? &stored->notes[(*at)++]->note : NULL;
}

/* Joins two lists in ascending order; -EEXIST if they have an item in common. */
static int join_recordings(struct hwf_stored_profile *stored, const struct hwf_recording_id *more,
			   size_t count)
{
	struct hwf_recording_id *joined =
		calloc(stored->recording_count + count + 1, sizeof(*joined));
	size_t a = 0, b = 0, at = 0;

	if (!joined)
		return -ENOMEM;
	while (a < stored->recording_count || b < count) {
		const int order =
			a == stored->recording_count ? 1
			: b == count                 ? -1
				     : memcmp(&stored->recordings[a], &more[b], sizeof(*joined));

		if (!order) {
			free(joined);
			return -EEXIST;
		}
		joined[at++] = order < 0 ? stored->recordings[a++] : more[b++];
	}
	free(stored->recordings);
	stored->recordings = joined;
	stored->recording_count = at;
	return 0;
}

static int by_first(const void *a, const void *b)
{
	const struct hwf_profile_block *const *x = a, *const *y = b;

	return hwf_first_precedes(&(*y)->first, &(*x)->first) -
	       hwf_first_precedes(&(*x)->first, &(*y)->first);
}

/* Ranks the blocks that were executed in the recording that was counted last. */
static bool rank_blocks(struct hwf_profile *counts)
{
	struct hwf_profile_block **ranked = calloc(counts->block_count + 1, sizeof(*ranked));
	size_t count = 0;

	if (!ranked)
		return false;
	for (size_t i = 0; i < counts->block_count; i++)
		if (counts->blocks[i].first.order)
			ranked[count++] = &counts->blocks[i];
	qsort(ranked, count, sizeof(*ranked), by_first);
	for (size_t i = 0; i < count; i++) {
		ranked[i]->first = (struct hwf_first){0};
		ranked[i]->recordings++;
		ranked[i]->ranks += i + 1;
	}
	free(ranked);
	return true;
}

int hwf_stored_profile_recording(struct hwf_stored_profile *stored,
				 const struct hwf_recording_id *id)
{
	const int status = join_recordings(stored, id, 1);

	if (!status && !rank_blocks(stored->counts)) {
		stored->failed = true;
		return -ENOMEM;
	}
	return status;
}

const struct hwf_recording_id *hwf_stored_profile_recordings(
	const struct hwf_stored_profile *stored, size_t *count)
{
	*count = stored->recording_count;
	return stored->recordings;
}

/* The files of another profile as those of this one, by their numbers there; NULL without memory */
static const struct hwf_profile_file **join_files(struct hwf_stored_profile *stored,
						  const struct hwf_stored_profile *other)
{
	const struct hwf_profile_file **joined = calloc(other->file_count + 1, sizeof(*joined));

	for (size_t i = 0; joined && i < other->file_count; i++)
		joined[i] = hwf_stored_profile_file(stored, &other->files[i]->file);
	if (!joined)
		stored->failed = true;
	return joined;
}

int hwf_stored_profile_add(struct hwf_stored_profile *stored, struct hwf_stored_profile *other)
{
	const struct hwf_profile_file **joined;
	const struct hwf_profile_block *block;
	struct hwf_profile_edge edge;
	size_t at = 0;
	int status;

	if (!stored->recording_count) {
		stored->by = other->by;
		stored->contexts.kept |= other->contexts.kept;
		stored->contexts.has_counts |= other->contexts.has_counts;
	}
	if (stored->by != other->by || stored->contexts.kept != other->contexts.kept ||
	    stored->contexts.has_counts != other->contexts.has_counts)
		return -EINVAL;
	status = join_recordings(stored, other->recordings, other->recording_count);
	if (status)
		return status;
	joined = join_files(stored, other);
	if (stored->failed) {
		free(joined);
		return -ENOMEM;
	}
	for (size_t i = 0; i < other->note_count; i++)
		hwf_stored_profile_note(stored, &other->notes[i]->note);
	while ((block = hwf_profile_next_block(other->counts, &at))) {
		struct hwf_profile_block here = *block;

		here.space = hwf_stored_joined_file(joined, block->space);
		hwf_profile_add_block(stored->counts, &here);
	}
	at = 0;
	while (hwf_profile_next_edge(other->counts, &at, &edge)) {
		edge.from_space = hwf_stored_joined_file(joined, edge.from_space);
		edge.to_space = hwf_stored_joined_file(joined, edge.to_space);
		hwf_profile_add_edge(stored->counts, &edge);
	}
	hwf_stored_add_contexts(stored, other, joined);
	free(joined);
	status = hwf_stored_add_groups(stored, other);
	return hwf_stored_profile_failed(stored) ? -ENOMEM : status;
}
