// SPDX-License-Identifier: GPL-2.0-only
/* Decoding the pieces of an input: the loop of all protocols. */
#include <stdlib.h>

#include "base/error.h"
#include "base/progress.h"
#include "decode_ahead.h"
#include "source/input_private.h"
#include "source/protocol.h"

/**
 * struct decode_memory - memory of a protocol, kept from piece to piece
 * @own: from its function new_memory(); NULL: no piece of this protocol was decoded yet
 * @source: source of the piece that was decoded last
 * @changes: of the code when that piece was decoded
 */
struct decode_memory {
	void *own;
	const struct input_source *source;
	uint64_t changes;
};

void input_free_memory(struct input *input)
{
	for (unsigned int i = 0; input->memory && i < INPUT_PROTOCOLS; i++)
		if (input->memory[i].own)
			protocol_number(i)->free_memory(input->memory[i].own);
	free(input->memory);
	input->memory = NULL;
}

/* Memory for a piece of @source, without ranges of other code; NULL without memory */
static void *get_memory(struct input *input, const struct input_source *source)
{
	const struct protocol *protocol = source->protocol;
	const struct input_state *state = input->private_data;
	const uint64_t changes = state->kind->changes ? state->kind->changes(input) : 0;
	struct decode_memory *memory;

	if (!input->memory)
		input->memory = calloc(INPUT_PROTOCOLS, sizeof(*input->memory));
	if (!input->memory)
		return NULL;
	memory = &input->memory[protocol->number];
	if (!memory->own)
		memory->own = protocol->new_memory();
	if (!memory->own)
		return NULL;
	/* another source may see the same code in another way (TRCIDR2.WFXMODE) */
	if (memory->source != source || memory->changes != changes)
		protocol->forget(memory->own);
	memory->source = source;
	memory->changes = changes;
	return memory->own;
}

/* Decodes up to an offset, some bytes less if a packet goes on there; false if the receiver of the
 * events has stopped. */
static bool decode_to(struct decoding *decoding, const struct protocol *protocol, size_t end,
		      bool last)
{
	const struct input_piece *piece = decoding->piece;
	const bool *stop = decoding->how->stop;
	bool is_end = false;

	while (!is_end) {
		const size_t left = end - decoding->at;
		size_t taken;

		is_end = left <= protocol->chunk;
		taken = protocol->push(decoding, piece->bytes + decoding->at,
				       is_end ? left : protocol->chunk, is_end && last);
		progress_add(taken);
		decoding->at += taken;
		decoding->released = input_release(piece, decoding->released, decoding->at);
		if (!is_end && stop && *stop)
			return false;
	}
	return true;
}

/* Report the state of the decoder at an end of the part that was asked for. */
static void reach(const struct decoding *decoding, const struct protocol *protocol, size_t at)
{
	const struct input_part *part = decoding->how->part;
	uint8_t state[HWF_DECODER_STATE];

	part->reached(part->ctx, at, state, protocol->state(decoding, state, HWF_DECODER_STATE));
}

static void decode_span(struct decoding *decoding, const struct protocol *protocol,
			const struct input_span *span)
{
	const bool last = span->end == decoding->piece->length;

	if (span->begin) {
		if (!decode_to(decoding, protocol, span->begin, false))
			return;
		if (protocol->settle)
			protocol->settle(decoding);
		reach(decoding, protocol, span->begin);
	}
	if (protocol->begin_part)
		protocol->begin_part(decoding);
	if (!decode_to(decoding, protocol, span->end, last))
		return;
	if (protocol->end_part)
		protocol->end_part(decoding, last);
	if (!last)
		reach(decoding, protocol, span->end);
	input_release(decoding->piece, decoding->released,
		      last ? decoding->piece->length : decoding->at);
}

int input_decode_here(struct input *input, const struct input_source *source,
		      const struct input_piece *piece, const struct input_decode *how)
{
	const struct input_span whole = {.end = piece->length};
	const struct input_span *span = how->part ? &how->part->span : &whole;
	const struct protocol *protocol = source->protocol;
	struct decoding decoding = {.input = input, .source = source, .piece = piece, .how = how};

	decoding.at = decoding.released = span->from;
	/* first the code: it changes with the time of the piece */
	decoding.code = input_code(input, source, piece);
	if (decoding.code)
		decoding.memory = get_memory(input, source);
	if (decoding.code && how->code)
		decoding.code = how->code;
	if (!decoding.memory || !protocol->begin(&decoding)) {
		input_error(source->file, piece->at, "out of memory");
		return EXIT_UNREADABLE;
	}
	decode_span(&decoding, protocol, span);
	return 0;
}
