// SPDX-License-Identifier: GPL-2.0-only
/* What was opened: its sources and their pieces, of whatever kind SRC is. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "capture/deframe.h"
#include "input_private.h"
#include "protocol.h"

struct input_source *input_add_source(struct input *input, const char *name, const char *file)
{
	struct input_source *sources =
		realloc(input->sources, (input->source_count + 1) * sizeof(*sources));
	struct input_source *source;

	if (!sources)
		return NULL;
	input->sources = sources;
	source = &sources[input->source_count];
	*source = (struct input_source){.cpu = INPUT_ANY, .pid = INPUT_ANY, .tid = INPUT_ANY};
	source->name = strdup(name);
	source->file = strdup(file);
	if (!source->name || !source->file) {
		free(source->name);
		free(source->file);
		return NULL;
	}
	input->source_count++;
	return source;
}

struct input_piece *input_add_piece(struct input_source *source)
{
	struct input_piece *pieces =
		realloc(source->pieces, (source->piece_count + 1) * sizeof(*pieces));

	if (!pieces)
		return NULL;
	source->pieces = pieces;
	pieces[source->piece_count] = (struct input_piece){.pid = INPUT_ANY, .tid = INPUT_ANY};
	return &pieces[source->piece_count++];
}

int input_add_stream(const struct input *input, struct input_source *source,
		     const struct file_map *map, const struct frame_stream *stream)
{
	struct input_piece *piece = input_add_piece(source);

	if (!piece) {
		input_error(input->path, UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	piece->bytes = stream->bytes;
	piece->map = map;
	piece->length = stream->length;
	piece->at = stream->at;
	piece->lost = stream->cut ? FRAME_CUT : NULL;
	return 0;
}

int32_t input_context_thread(const struct input_source *source, const struct hwf_context *context,
			     int32_t before)
{
	return source->protocol->thread(source, context, before);
}

void input_free_source(struct input_source *source)
{
	free(source->name);
	free(source->file);
	free(source->pieces);
	free(source->own);
}

void input_remove_source(struct input *input)
{
	input_free_source(&input->sources[--input->source_count]);
}

const struct hwf_code *input_code(struct input *input, const struct input_source *source,
				  const struct input_piece *piece)
{
	struct input_state *state = input->private_data;

	return state->kind->code(input, source, piece);
}

const struct hwf_profile *input_counts(const struct input *input)
{
	const struct input_state *state = input->private_data;

	return state->kind->counts ? state->kind->counts(input) : NULL;
}

bool input_is_split(const struct input *input)
{
	const struct input_state *state = input->private_data;

	return state->kind->is_split && state->kind->is_split(input);
}

bool input_is_ordered(const struct input *input)
{
	const struct input_state *state = input->private_data;

	return state->kind->is_ordered && state->kind->is_ordered(input);
}

const struct perfdata_info *input_recording(const struct input *input)
{
	const struct input_state *state = input->private_data;

	return state->kind->recording ? state->kind->recording(input) : NULL;
}

enum input_protocol input_protocol_of(const struct input_source *source)
{
	return source->protocol->number;
}

bool input_has_timestamps(const struct input_source *source)
{
	return source->protocol->has_timestamps(source);
}

const struct input_source *input_untimed(const struct input *input)
{
	for (size_t i = 0; i < input->source_count; i++)
		if (!input_has_timestamps(&input->sources[i]))
			return &input->sources[i];
	return NULL;
}

unsigned int input_insn_size(unsigned int isa, uint16_t first)
{
	if (!input_isa_is_mixed(isa))
		return 4;
	if (isa == HWF_ISA_T32)
		return hwf_insn_t32_is_wide(first) ? 4 : 2;
	return hwf_rv_size(first) ? hwf_rv_size(first) : 2;
}

uint64_t input_bytes(const struct input *input)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < input->source_count; i++)
		for (size_t j = 0; j < input->sources[i].piece_count; j++)
			bytes += input->sources[i].pieces[j].length;
	return bytes;
}

void input_progress(const struct input *input, const char *verb, const uint64_t *compared,
		    bool lines)
{
	const struct input_state *state = input->private_data;
	const struct progress progress = {verb, input_bytes(input), compared, lines};

	if (state->options->quiet)
		progress_silence();
	else
		progress_begin(&progress);
}
