/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Profile of pprof: a message Profile of protocol buffers, in gzip. Names and numbers of fields are
 * those of profile.proto.
 *
 * Each location has one sample: instructions that were executed in it, and branches in it that were
 * taken. A profile that has calling contexts has a sample of each context instead.
 */
#include <elf.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "block_places.h"
#include "pprof_locations.h"

static void add_block(struct pprof *pprof, struct pprof_file *mapped,
		      const struct hwf_profile_block *block)
{
	const uint64_t count = block->taken + block->not_taken;
	const bool is_branch = block->p0 && (block->insn.kind == HWF_INSN_DIRECT ||
					     block->insn.kind == HWF_INSN_INDIRECT);
	uint32_t left = block->instructions;
	uint64_t offset = block->start;

	mapped->instructions += count * left;
	while (count && left) {
		struct pprof_location *location;
		struct pprof_place place;
		uint32_t done = 0;
		uint64_t bytes = 0;

		pprof_find_place(mapped, offset, &place);
		do {
			bytes += block_insn_size(mapped->binary, block->isa, offset + bytes);
			done++;
		} while (done < left && bytes < place.bytes);
		location = pprof_location(pprof, place.key, &place.stack, place.name);
		if (!location)
			return;
		location->counts[PPROF_INSTRUCTIONS] += count * done;
		left -= done;
		if (!left && is_branch)
			location->counts[PPROF_OTHER] += block->taken;
		offset += bytes;
	}
}

static void put_sample(const void *node, VISIT visit, void *ctx)
{
	const struct pprof_location *location = *(const struct pprof_location *const *)node;
	struct pprof *pprof = ctx;

	if (visit != postorder && visit != leaf)
		return;
	message_numbers(&pprof->inner, 1, &location->number, 1);
	message_numbers(&pprof->inner, 2, location->counts, PPROF_COUNTS);
	message_message(&pprof->profile, PROFILE_SAMPLE, &pprof->inner);
}

static void put_mapping(struct pprof *pprof, const struct pprof_file *mapped, uint64_t number,
			const struct hwf_image_segment *segment)
{
	const struct hwf_profile_file *file = mapped->binary->file;
	char id[2 * HWF_FILE_ID_MAX + 1] = "";
	const uint64_t start = mapped->base + (segment ? segment->address : 0);
	struct message *mapping = &pprof->inner;

	for (size_t i = 0; i < file->id_size && file->id_kind != HWF_FILE_ID_CONTENT; i++) {
		static const char digits[] = "0123456789abcdef";

		id[2 * i] = digits[file->id[i] >> 4];
		id[2 * i + 1] = digits[file->id[i] & 0xf];
	}
	message_number(mapping, 1, number);
	message_number(mapping, 2, start);
	message_number(mapping, 3, start + (segment ? segment->size : PPROF_FILE_SPACE));
	message_number(mapping, 4, segment ? segment->offset : 0);
	message_number(mapping, 5, pprof_string(pprof, file->name));
	message_number(mapping, 6, pprof_string(pprof, id));
	message_number(mapping, 7, mapped->has_functions);
	for (unsigned int field = 8; field <= 10; field++)
		message_number(mapping, field, mapped->has_lines);
	message_message(&pprof->profile, PROFILE_MAPPING, mapping);
}

/* The first mapping is the program. */
static void put_mappings(struct pprof *pprof, const struct pprof_file *mapped)
{
	const struct profile_binary *binary = mapped->binary;
	const struct hwf_image_elf *elf = binary->elf ? hwf_image_file_elf(binary->image) : NULL;
	uint64_t number = mapped->first;

	for (size_t i = 0; elf && i < elf->segment_count; i++)
		if (elf->segments[i].executable)
			put_mapping(pprof, mapped, number++, &elf->segments[i]);
	if (number == mapped->first)
		put_mapping(pprof, mapped, number, NULL);
}

/* Numbers mappings, which a location names. */
static void number_files(struct pprof_file *files, const struct profile_content *content)
{
	uint64_t mapping = 1;

	for (size_t i = 0; i < content->count; i++) {
		const struct profile_binary *binary = &content->binaries[i];
		const struct hwf_image_elf *elf = binary->elf;
		const uint64_t first = mapping;

		for (size_t j = 0; elf && j < elf->segment_count; j++)
			mapping += elf->segments[j].executable;
		mapping += mapping == first;
		files[binary->file->number] =
			(struct pprof_file){.binary = binary,
					    .base = elf && (elf->type == ET_EXEC || binary->kernel)
							    ? 0
							    : (i + 1) * PPROF_FILE_SPACE,
					    .first = first};
	}
}

static int compare_files(const void *a, const void *b)
{
	const struct pprof_file *x = a, *y = b;

	return (y->instructions > x->instructions) - (y->instructions < x->instructions);
}

/* A sample of each location */
static void add_counts(struct pprof *pprof, const struct profile_content *content,
		       struct pprof_file *files)
{
	const struct hwf_profile *counts = hwf_stored_profile_counts(content->stored);
	const bool is_all = content->count == profile_count_files(content->stored);
	const struct hwf_profile_block *block;
	const struct hwf_profile_note *note;
	size_t at = 0;

	while ((block = hwf_profile_next_block(counts, &at))) {
		const struct hwf_profile_file *file = block->space;

		if (files[file->number].binary)
			add_block(pprof, &files[file->number], block);
	}
	at = 0;
	while (is_all && (note = hwf_stored_profile_next_note(content->stored, &at))) {
		struct pprof_location *location =
			note->kind == HWF_NOTE_LEFT_OUT ? pprof_named(pprof, note->text) : NULL;

		if (location)
			location->counts[PPROF_INSTRUCTIONS] += note->count;
	}
	twalk_r(pprof->locations, put_sample, pprof);
}

static void put_types(struct pprof *pprof, bool has_contexts)
{
	const char *const types[PPROF_COUNTS] = {
		[PPROF_INSTRUCTIONS] = "instructions",
		[PPROF_OTHER] = has_contexts ? "calls" : "branches_taken",
	};

	for (size_t i = 0; i < PPROF_COUNTS; i++) {
		message_number(&pprof->inner, 1, pprof_string(pprof, types[i]));
		message_number(&pprof->inner, 2, pprof_string(pprof, "count"));
		message_message(&pprof->profile, PROFILE_SAMPLE_TYPE, &pprof->inner);
	}
	message_number(&pprof->profile, PROFILE_DEFAULT_SAMPLE_TYPE,
		       pprof_string(pprof, types[PPROF_INSTRUCTIONS]));
}

int profile_pprof(const struct profile_content *content, struct text *out)
{
	const size_t count = profile_count_files(content->stored);
	struct pprof_file *files = calloc(count + 1, sizeof(*files));
	const bool has_contexts = hwf_stored_profile_has_contexts(content->stored);
	struct pprof pprof = {0};

	if (!files)
		return -ENOMEM;
	number_files(files, content);
	/* string 0 is empty */
	pprof_string(&pprof, "");
	put_types(&pprof, has_contexts);
	if (has_contexts)
		pprof_add_contexts(&pprof, content, files);
	else
		add_counts(&pprof, content, files);
	qsort(files, count, sizeof(*files), compare_files);
	for (size_t i = 0; i < count; i++)
		if (files[i].binary)
			put_mappings(&pprof, &files[i]);
	pprof.failed |= pprof.profile.failed | pprof.inner.failed | pprof.line.failed;
	if (!pprof.failed)
		message_write(&pprof.profile, out);
	pprof_free(&pprof);
	free(files);
	return pprof.failed ? -ENOMEM : 0;
}
