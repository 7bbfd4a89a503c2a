// SPDX-License-Identifier: GPL-2.0-only
/* Decoding the pieces of an input. */
#include <stdlib.h>

#include "cli/progress.h"
#include "etm3.h"
#include "hwflow/graph.h"
#include "hwflow/transaction.h"
#include "input_riscv.h"

/* Ranges a program has that are executed often enough to matter: 60 MB of addresses, of which those
 * are used that have a range */
#define NODES 0x10000u

/* Flow events of a transaction; a PE's transactions are a few thousand instructions at most. */
#define HELD_EVENTS 0x4000u

/* Bytes between two looks at the clock: some 100,000 instructions */
#define CHUNK 0x10000u

/**
 * struct decode_memory - what all pieces are decoded with
 * @ring: for the speculation depth of the source that has most
 * @ring_size: elements of it
 * @graph_memory: of @graph
 * @graph: ranges of @code as it was after @changes
 * @held: events of a transaction
 * @source: that was decoded last
 * @changes: of the code then
 */
struct decode_memory {
	struct hwf_element *ring;
	uint32_t ring_size;
	void *graph_memory;
	struct hwf_graph graph;
	struct hwf_flow_event *held;
	const struct input_source *source;
	uint64_t changes;
};

void input_free_memory(struct input *input)
{
	struct decode_memory *memory = input->memory;

	if (!memory)
		return;
	free(memory->ring);
	free(memory->graph_memory);
	free(memory->held);
	free(memory);
	input->memory = NULL;
}

static struct decode_memory *new_memory(struct input *input)
{
	struct decode_memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	input->memory = memory;
	memory->graph_memory = calloc(1, hwf_graph_bytes(NODES));
	memory->held = malloc(HELD_EVENTS * sizeof(*memory->held));
	if (memory->graph_memory && memory->held) {
		hwf_graph_init(&memory->graph, memory->graph_memory, NODES);
		return memory;
	}
	input_free_memory(input);
	return NULL;
}

/* Memory for a piece of @source; the ranges in it are those of the code as it is now. */
static struct decode_memory *get_memory(struct input *input, const struct input_source *source)
{
	struct decode_memory *memory = input->memory ? input->memory : new_memory(input);
	const struct input_state *state = input->private_data;
	const uint64_t changes = state->kind->changes ? state->kind->changes(input) : 0;
	const uint32_t ring_size = hwf_p0_ring_size(&source->config);

	if (!memory)
		return NULL;
	if (ring_size > memory->ring_size) {
		free(memory->ring);
		memory->ring_size = 0;
		memory->ring = calloc(ring_size, sizeof(*memory->ring));
		if (!memory->ring)
			return NULL;
		memory->ring_size = ring_size;
	}
	/* another source may see the same code in another way (TRCIDR2.WFXMODE) */
	if (memory->source != source || memory->changes != changes)
		hwf_graph_flush(&memory->graph);
	memory->source = source;
	memory->changes = changes;
	return memory;
}

/* struct split - a piece of several programs: the code is another one from some events on */
struct split {
	struct input *input;
	const struct hwf_decoder *decoder;
	hwf_flow_fn *sink;
	void *ctx;
};

static void take_split(void *ctx, const struct hwf_flow_event *event)
{
	const struct split *split = ctx;
	const struct input_state *state = split->input->private_data;
	const struct hwf_follower *follower = &split->decoder->follower;
	struct hwf_flow_event context = {.offset = event->offset, .kind = HWF_FLOW_CONTEXT};
	const bool passed = state->kind->passed(split->input, event);

	split->sink(split->ctx, event);
	/* the context is the same, but its address space is another one */
	if (!passed || event->kind == HWF_FLOW_CONTEXT || !follower->has_context)
		return;
	context.u.context.context = follower->context;
	context.u.context.isa = follower->isa;
	split->sink(split->ctx, &context);
}

/* struct counted - a piece whose ranges are counted: @sink takes the other events */
struct counted {
	const struct input_source *source;
	const struct input_decode *how;
	const struct hwf_transactions *transactions;
	struct hwf_follower *follower;
	hwf_flow_fn *sink;
	void *ctx;
	int32_t tid;
};

static void give_counts(void *ctx, struct hwf_graph *graph)
{
	const struct counted *counted = ctx;

	hwf_graph_settle_counts(graph);
	counted->how->counts(counted->how->ctx, graph);
	hwf_graph_clear_counts(graph);
}

static void take_counted(void *ctx, const struct hwf_flow_event *event)
{
	struct counted *counted = ctx;
	int32_t tid = counted->tid;

	if (event->kind == HWF_FLOW_CONTEXT)
		tid = input_context_thread(counted->source, &event->u.context.context, tid);
	/* what was counted is another thread's */
	if (tid != counted->tid)
		give_counts(counted, counted->follower->graph);
	counted->tid = tid;
	counted->sink(counted->ctx, event);
	/* whether ranges in a transaction were executed is not known yet */
	counted->follower->counting = !counted->transactions->open;
}

int input_decode(struct input *input, const struct input_source *source,
		 const struct input_piece *piece, const struct input_decode *how)
{
	/* first the code: it changes with the time of the piece */
	const struct hwf_code *code = input_code(input, source, piece);
	const struct input_state *state = input->private_data;
	struct counted counted = {.source = source, .how = how, .tid = piece->tid};
	struct split split = {.input = input};
	struct decode_memory *memory;
	struct hwf_transactions transactions;
	struct hwf_decoder decoder;
	bool is_split, is_counted;
	size_t released = 0;
	size_t at = 0;

	if (code && source->riscv)
		return input_riscv_decode(source, piece, code, how);
	if (code && source->etm3)
		return etm3_decode(source, piece, code, how);
	memory = code ? get_memory(input, source) : NULL;
	if (!memory) {
		input_error(source->file, piece->at, "out of memory");
		return EXIT_UNREADABLE;
	}
	hwf_transactions_init(&transactions, memory->held, HELD_EVENTS, how->sink, how->taken_back,
			      how->ctx);
	split.sink = how->raw_transactions ? how->sink : hwf_transactions_push;
	split.ctx = how->raw_transactions ? how->ctx : &transactions;
	split.decoder = &decoder;
	counted.sink = split.sink;
	counted.ctx = split.ctx;
	counted.follower = &decoder.follower;
	counted.transactions = &transactions;
	is_split = state->kind->is_split && state->kind->is_split(input);
	is_counted = how->counts && !is_split;
	hwf_decoder_init(&decoder, &source->config, code, memory->ring,
			 hwf_p0_ring_size(&source->config),
			 is_split     ? take_split
			 : is_counted ? take_counted
				      : split.sink,
			 is_split     ? (void *)&split
			 : is_counted ? &counted
				      : split.ctx);
	decoder.follower.graph = &memory->graph;
	decoder.follower.split_source = how->split_source;
	decoder.follower.counting = is_counted;
	if (is_counted)
		decoder.follower.forgets = give_counts;
	while (piece->length - at > CHUNK) {
		size_t taken = hwf_decoder_push(&decoder, piece->bytes + at, CHUNK, false);

		progress_add(taken);
		at += taken;
		released = input_release(piece, released, at);
		if (how->stop && *how->stop)
			return 0;
	}
	hwf_decoder_push(&decoder, piece->bytes + at, piece->length - at, true);
	if (is_counted)
		give_counts(&counted, &memory->graph);
	progress_add(piece->length - at);
	input_release(piece, released, piece->length);
	return 0;
}
