// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decoding the pieces of an input: the loop of all verbs and protocols. A session of the library
 * decodes; it is kept from piece to piece, as long as the pieces are of one source and are decoded
 * with the same options.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/progress.h"
#include "loop.h"
#include "source/input_private.h"
#include "source/protocol.h"

/* Ranges a program has that are executed often enough to matter: 60 MB of addresses, of which those
 * are used that have a range */
#define NODES 0x10000u

/* fuzz targets have fewer: to allocate so much takes most of their time */
#ifdef HWFLOW_GRAPH_NODES
#undef NODES
#define NODES HWFLOW_GRAPH_NODES
#endif

/* Bytes between two looks at the clock: some 100,000 instructions */
#define CHUNK 0x10000u

/**
 * struct decode_memory - what is kept from piece to piece
 * @session: decodes pieces of @source; NULL: no piece was decoded yet
 * @source: see @session
 * @how: the options of @session
 * @is_split: pieces of @session are of several programs
 * @changes: of the code when the last piece was decoded
 * @code: the program of the piece, of which the session has the address
 * @graph: ranges of ETE and ETMv4; another session may use it
 * @graph_memory: of @graph
 * @profile: what was counted since the last call of @how.counts
 * @input: what is decoded
 * @piece: the piece that is decoded
 * @tid: its present thread
 * @is_on: the part that is wanted has begun
 * @failed: memory ran out
 * @at: offset in the piece up to which it is decoded
 * @released: see input_release()
 */
struct decode_memory {
	struct hwf_session *session;
	const struct input_source *source;
	struct decode_options how;
	bool is_split;
	uint64_t changes;
	struct hwf_code code;
	struct hwf_graph graph;
	void *graph_memory;
	struct hwf_profile *profile;
	struct input *input;
	const struct input_piece *piece;
	int32_t tid;
	bool is_on;
	bool failed;
	size_t at;
	size_t released;
};

void decode_free(struct input *input)
{
	struct decode_memory *memory = input->memory;

	input->memory = NULL;
	if (!memory)
		return;
	hwf_session_free(memory->session);
	hwf_profile_free(memory->profile);
	free(memory->graph_memory);
	free(memory);
}

/* ---- events ---- */

static void give_counts(struct decode_memory *memory)
{
	hwf_session_counts(memory->session);
	if (memory->is_on)
		memory->how.counts(memory->how.ctx, memory->profile);
	hwf_profile_clear(memory->profile);
}

/* The sink of a session that counts, or whose pieces are of several programs */
static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	struct decode_memory *memory = ctx;
	int32_t tid = memory->tid;

	if (event->kind == HWF_FLOW_CONTEXT)
		tid = input_context_thread(memory->source, &event->u.context.context, tid);
	/* what was counted is another thread's */
	if (tid != memory->tid && memory->how.counts)
		give_counts(memory);
	memory->tid = tid;
	memory->how.sink(memory->how.ctx, event);
}

static void take_back(void *ctx, const struct hwf_flow_event *event)
{
	const struct decode_memory *memory = ctx;

	memory->how.taken_back(memory->how.ctx, event);
}

/* Each program has an address space of its own, so ranges of all of them can be counted. */
static bool program_changes(void *ctx, const struct hwf_flow_event *event)
{
	const struct decode_memory *memory = ctx;
	const struct input_state *state = memory->input->private_data;

	return state->kind->passed(memory->input, event);
}

/* ---- the session ---- */

static bool is_same(const struct decode_memory *memory, const struct input_source *source,
		    const struct decode_options *how, bool is_split)
{
	const struct decode_options *old = &memory->how;

	return memory->session && memory->source == source && memory->is_split == is_split &&
	       old->sink == how->sink && old->counts == how->counts &&
	       old->taken_back == how->taken_back && old->ctx == how->ctx &&
	       old->steps == how->steps && old->split_source == how->split_source &&
	       old->raw_transactions == how->raw_transactions &&
	       old->each_instruction == how->each_instruction;
}

static void set_consumer(struct decode_memory *memory, struct hwf_session_config *config)
{
	const struct decode_options *how = &memory->how;

	config->profile = how->counts ? memory->profile : NULL;
	config->steps = memory->is_split ? NULL : how->steps;
	config->changes = memory->is_split ? program_changes : NULL;
	config->sink = how->sink;
	config->taken_back = how->taken_back;
	config->ctx = how->ctx;
	if (!how->counts && !memory->is_split)
		return;
	config->sink = take_event;
	config->taken_back = how->taken_back ? take_back : NULL;
	config->ctx = memory;
}

/* Memory that all sessions use; false without */
static bool allocate(struct decode_memory *memory)
{
	if (!memory->profile)
		memory->profile = hwf_profile_new();
	if (!memory->profile || memory->graph_memory || !memory->source->protocol->has_elements)
		return memory->profile;
	memory->graph_memory = calloc(1, hwf_graph_bytes(NODES));
	if (memory->graph_memory)
		hwf_graph_init(&memory->graph, memory->graph_memory, NODES);
	return memory->graph_memory;
}

static bool make_session(struct decode_memory *memory)
{
	const struct decode_options *how = &memory->how;
	struct hwf_session_config config = {
		.size = sizeof(config),
		.code = &memory->code,
		.held_transaction = INPUT_HELD_EVENTS,
	};

	hwf_session_free(memory->session);
	memory->session = NULL;
	if (!allocate(memory))
		return false;
	if (memory->graph_memory)
		config.graph = &memory->graph;
	if (how->split_source)
		config.flags |= HWF_SESSION_SPLIT_SOURCE;
	if (how->raw_transactions)
		config.flags |= HWF_SESSION_RAW_TRANSACTIONS;
	if (how->each_instruction)
		config.flags |= HWF_SESSION_EACH_INSTRUCTION;
	set_consumer(memory, &config);
	memory->source->protocol->session(memory->source, &config);
	return !hwf_session_new(&memory->session, &config);
}

/* Begin to decode a piece at an offset, where a synchronisation is; false without memory. */
static bool begin_piece(struct decode_memory *memory, const struct input_source *source,
			const struct input_piece *piece, const struct decode_options *how,
			size_t at)
{
	const struct input_state *state = memory->input->private_data;
	const uint64_t changes = state->kind->changes ? state->kind->changes(memory->input) : 0;
	const bool is_split = input_is_split(memory->input);
	/* another source may see the same code in another way (TRCIDR2.WFXMODE) */
	const bool forget = memory->source != source || memory->changes != changes;
	bool is_begun = false;
	size_t found;

	if (!is_same(memory, source, how, is_split)) {
		memory->source = source;
		memory->how = *how;
		memory->is_split = is_split;
		if (!make_session(memory))
			return false;
		is_begun = !at;
	}
	memory->how = *how;
	memory->changes = changes;
	memory->piece = piece;
	memory->tid = piece->tid;
	memory->is_on = false;
	memory->at = memory->released = at;
	if (!is_begun && hwf_session_seek(memory->session, piece->bytes, piece->length, at,
					  HWF_SEEK_HERE, &found))
		return false;
	if (forget)
		hwf_session_forget(memory->session);
	hwf_profile_clear(memory->profile);
	return true;
}

/* ---- bytes ---- */

/* Decodes up to an offset; false if the receiver of the events has stopped, or without memory. */
static bool decode_to(struct decode_memory *memory, size_t end, bool last)
{
	const struct input_piece *piece = memory->piece;
	const bool *stop = memory->how.stop;
	bool is_end = false;

	while (!is_end) {
		const size_t left = end - memory->at;
		const size_t size = left < CHUNK ? left : CHUNK;

		is_end = left <= CHUNK;
		memory->failed = hwf_session_push(memory->session, piece->bytes + memory->at, size,
						  is_end && last, NULL) != HWF_OK;
		if (memory->failed)
			return false;
		progress_add(size);
		memory->at += size;
		memory->released = input_release(piece, memory->released, memory->at);
		if (!is_end && stop && *stop)
			return false;
	}
	return true;
}

/* The state of the decoder at an end of the part that was asked for */
static size_t take_state(struct decode_memory *memory, uint8_t state[HWF_SESSION_STATE])
{
	const size_t size = hwf_session_state(memory->session, state, HWF_SESSION_STATE);

	return memory->is_split || input_is_ordered(memory->input) ? 0 : size;
}

static void decode_span(struct decode_memory *memory, const struct input_span *span)
{
	const struct input_part *part = memory->how.part;
	const bool last = span->end == memory->piece->length;
	uint8_t state[HWF_SESSION_STATE];
	size_t size;

	if (span->begin) {
		if (!decode_to(memory, span->begin, false))
			return;
		size = take_state(memory, state);
		hwf_profile_clear(memory->profile);
		part->reached(part->ctx, span->begin, state, size);
	}
	memory->is_on = true;
	if (!decode_to(memory, span->end, last))
		return;
	size = last ? 0 : take_state(memory, state);
	if (memory->how.counts)
		give_counts(memory);
	if (!last)
		part->reached(part->ctx, span->end, state, size);
	input_release(memory->piece, memory->released, last ? memory->piece->length : memory->at);
}

int decode_piece(struct input *input, const struct input_source *source,
		 const struct input_piece *piece, const struct decode_options *how)
{
	const struct input_span whole = {.end = piece->length};
	const struct input_span *span = how->part ? &how->part->span : &whole;
	/* first the code: it changes with the time of the piece */
	const struct hwf_code *code = input_code(input, source, piece);
	struct decode_memory *memory = input->memory;

	if (!memory)
		memory = input->memory = calloc(1, sizeof(*memory));
	if (memory && code) {
		memory->input = input;
		memory->code = how->code ? *how->code : *code;
	}
	if (!memory || !code || !begin_piece(memory, source, piece, how, span->from)) {
		input_error(source->file, piece->at, "out of memory");
		return EXIT_UNREADABLE;
	}
	decode_span(memory, span);
	if (!memory->failed)
		return 0;
	input_error(source->file, piece->at, "out of memory");
	return EXIT_UNREADABLE;
}
