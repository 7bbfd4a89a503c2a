/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile as JSON Lines: an object a line, of which "type" says what it is */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/escape.h"
#include "base/text.h"
#include "profile_formats.h"

static const char *const note_types[HWF_NOTE_KINDS] = {
	[HWF_NOTE_GAP] = "gap",
	[HWF_NOTE_LEFT_OUT] = "left_out",
};

static const char *const id_kinds[] = {
	[HWF_FILE_ID_NONE] = "none",
	[HWF_FILE_ID_BUILD] = "build_id",
	[HWF_FILE_ID_CONTENT] = "content",
	[HWF_FILE_ID_KERNEL] = "kernel_build_id",
};

/* A name of the recording; bytes that are not UTF-8 are escaped, as in all output. */
static int put_string(struct text *out, const char *name, const char *value)
{
	const size_t size = strlen(value);
	char *escaped = malloc(ESCAPE_GROWTH * size + 1);
	struct json_object *string = NULL;

	if (escaped)
		string = json_object_new_string_len(
			escaped, (int)escape_bytes(ESCAPE_NAME, value, size, escaped));
	free(escaped);
	if (!string)
		return -ENOMEM;
	text_string(out, ",\"");
	text_string(out, name);
	text_string(out, "\":");
	text_string(out, json_object_to_json_string_ext(string, JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(string);
	return 0;
}

static void put_number(struct text *out, const char *name, uint64_t value)
{
	text_string(out, ",\"");
	text_string(out, name);
	text_string(out, "\":");
	text_decimal(out, value);
}

/* @group: the number of a group that the line is of, and 1; 0: of the profile */
static void begin_in(struct text *out, const char *type, size_t group)
{
	text_string(out, "{\"type\":\"");
	text_string(out, type);
	text_char(out, '"');
	if (group)
		put_number(out, "group", group - 1);
}

static void begin(struct text *out, const char *type)
{
	begin_in(out, type, 0);
}

static void end(struct text *out)
{
	text_char(out, '}');
	text_end_line(out);
}

static void put_bytes(struct text *out, const char *name, const uint8_t *bytes, size_t size)
{
	text_string(out, ",\"");
	text_string(out, name);
	text_string(out, "\":\"");
	for (size_t i = 0; i < size; i++)
		text_hex_zeros(out, bytes[i], 2);
	text_char(out, '"');
}

/* The number of a file; left out of code that is in none */
static void put_file(struct text *out, const char *name, const void *space)
{
	const struct hwf_profile_file *file = space;

	if (file)
		put_number(out, name, file->number);
}

static void put_block(struct text *out, const struct hwf_profile_block *block)
{
	put_file(out, "file", block->space);
	put_number(out, "start", block->start);
	put_number(out, "end", block->end);
	put_number(out, "instructions", block->instructions);
	put_number(out, "executed", block->taken + block->not_taken);
	if (block->p0 &&
	    (block->insn.kind == HWF_INSN_DIRECT || block->insn.kind == HWF_INSN_INDIRECT))
		put_number(out, "taken", block->taken);
	if (block->recordings) {
		put_number(out, "recordings", block->recordings);
		put_number(out, "ranks", block->ranks);
	}
	end(out);
}

static void put_edge(struct text *out, const struct hwf_profile_edge *edge)
{
	put_file(out, "from_file", edge->from_space);
	put_number(out, "from", edge->from);
	put_file(out, "to_file", edge->to_space);
	put_number(out, "to", edge->to);
	put_number(out, "count", edge->count);
	end(out);
}

static int put_context(struct text *out, const struct hwf_profile_context *context)
{
	static const char *const opens[HWF_CONTEXT_OPENS] = {
		[HWF_CONTEXT_CALL] = "call",
		[HWF_CONTEXT_UNKNOWN] = "unknown",
		[HWF_CONTEXT_EXCEPTION] = "exception",
	};

	begin(out, "context");
	if (context->caller)
		put_number(out, "caller", context->caller - 1);
	if (put_string(out, "entered", opens[context->open]))
		return -ENOMEM;
	put_file(out, "site_file", context->site_file);
	if (context->site_file)
		put_number(out, "site", context->site);
	put_file(out, "file", context->file);
	if (context->file)
		put_number(out, "entry", context->entry);
	else if (put_string(out, "name", context->name))
		return -ENOMEM;
	put_number(out, "calls", context->calls);
	put_number(out, "instructions", context->instructions);
	end(out);
	return 0;
}

static int put_counts(struct text *out, struct hwf_stored_profile *stored, size_t group)
{
	const struct hwf_profile *counts = hwf_stored_profile_counts(stored);
	const struct hwf_profile_block *block;
	const struct hwf_profile_file *file;
	const struct hwf_profile_note *note;
	struct hwf_profile_edge edge;
	size_t at = 0;

	while ((file = hwf_stored_profile_next_file(stored, &at))) {
		begin_in(out, "file", group);
		if (put_string(out, "name", file->name))
			return -ENOMEM;
		put_bytes(out, id_kinds[file->id_kind], file->id, file->id_size);
		put_number(out, "machine", file->machine);
		end(out);
	}
	at = 0;
	while ((block = hwf_profile_next_block(counts, &at))) {
		begin_in(out, "block", group);
		put_block(out, block);
	}
	at = 0;
	while (hwf_profile_next_edge(counts, &at, &edge)) {
		if (!edge.count)
			continue;
		begin_in(out, "edge", group);
		put_edge(out, &edge);
	}
	at = 0;
	while ((note = hwf_stored_profile_next_note(stored, &at))) {
		begin_in(out, note_types[note->kind], group);
		if (put_string(out, "text", note->text))
			return -ENOMEM;
		put_number(out, "count", note->count);
		put_number(out, "bytes", note->bytes);
		end(out);
	}
	return 0;
}

/* @number: of the context, and 1; 0: it is not known */
static void begin_in_context(struct text *out, const char *type, uint32_t number)
{
	begin(out, type);
	if (number)
		put_number(out, "context", number - 1);
}

/* What was executed in a context */
static int put_context_counts(struct text *out, struct hwf_stored_profile *stored, uint32_t number,
			      struct hwf_profile *counts)
{
	struct hwf_profile_block block;
	const struct hwf_profile_block *next;
	struct hwf_profile_edge edge;
	size_t at = 0;

	hwf_profile_clear(counts);
	hwf_stored_profile_context_counts(stored, number, counts);
	if (hwf_profile_failed(counts))
		return -ENOMEM;
	while ((next = hwf_profile_next_block(counts, &at))) {
		/* those are of the profile as a whole */
		block = *next;
		block.recordings = 0;
		begin_in_context(out, "context_block", number);
		put_block(out, &block);
	}
	at = 0;
	while (hwf_profile_next_edge(counts, &at, &edge)) {
		if (!edge.count)
			continue;
		begin_in_context(out, "context_edge", number);
		put_edge(out, &edge);
	}
	return 0;
}

static int put_contexts(struct text *out, struct hwf_stored_profile *stored)
{
	const struct hwf_profile_context *context;
	struct hwf_profile *counts = hwf_profile_new();
	size_t at = 0;
	int error = counts ? 0 : -ENOMEM;

	while (!error && (context = hwf_stored_profile_next_context(stored, &at)))
		error = put_context(out, context);
	if (hwf_stored_profile_has_context_counts(stored))
		for (size_t i = 0; i <= at && !error; i++)
			error = put_context_counts(out, stored, (uint32_t)i, counts);
	hwf_profile_free(counts);
	return error;
}

/* A line that names the group, and its counts */
static int put_group(struct text *out, struct hwf_stored_profile *part, const char *by,
		     const char *name, size_t group)
{
	size_t recordings;

	hwf_stored_profile_recordings(part, &recordings);
	begin(out, "group");
	if (put_string(out, "by", by) || put_string(out, "name", name))
		return -ENOMEM;
	put_number(out, "recordings", recordings);
	end(out);
	return put_counts(out, part, group);
}

int profile_json(const struct profile_content *content, struct text *out)
{
	static const char *const bys[HWF_PROFILE_BYS] = {
		[HWF_PROFILE_BY_PROCESS] = "process", [HWF_PROFILE_BY_THREAD] = "thread"};
	struct hwf_stored_profile *stored = content->stored, *part;
	const char *by = bys[hwf_stored_profile_by(stored)], *name;
	const struct hwf_recording_id *recordings;
	size_t count, at = 0;
	int error;

	begin(out, "profile");
	put_number(out, "version", 1);
	end(out);
	recordings = hwf_stored_profile_recordings(stored, &count);
	for (size_t i = 0; i < count; i++) {
		begin(out, "recording");
		put_bytes(out, "id", recordings[i].bytes, sizeof(recordings[i].bytes));
		end(out);
	}
	error = put_counts(out, stored, 0);
	error = error ? error : put_contexts(out, stored);
	at = 0;
	while (!error && (part = hwf_stored_profile_next_group(stored, &at, &name)))
		error = put_group(out, part, by, name, at);
	return error;
}
