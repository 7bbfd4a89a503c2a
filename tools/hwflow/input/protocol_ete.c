// SPDX-License-Identifier: GPL-2.0-only
/* ETE and ETMv4. */
#include <stdlib.h>

#include "hwflow/graph.h"
#include "hwflow/transaction.h"
#include "input_private.h"
#include "protocol.h"

/* Ranges a program has that are executed often enough to matter: 60 MB of addresses, of which those
 * are used that have a range */
#define NODES 0x10000u

/* Bytes between two looks at the clock: some 100,000 instructions */
#define CHUNK 0x10000u

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
	struct hwf_transactions *transactions;
	struct hwf_follower *follower;
	hwf_flow_fn *sink;
	void *ctx;
	int32_t tid;
	bool is_on; /* of the part that is counted */
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
	if (counted->how->raw_transactions)
		hwf_transactions_push(counted->transactions, event);
	/* whether ranges in a transaction were executed is not known yet */
	counted->follower->counting = counted->is_on && !counted->transactions->open;
}

static void take_nothing(void *ctx, const struct hwf_flow_event *event)
{
	(void)ctx;
	(void)event;
}

/**
 * struct ete - memory for decoding, and state of the piece that is being decoded
 * @ring: for the speculation depth of the source that has most
 * @ring_size: elements of it
 * @graph_memory: of @graph
 * @graph: ranges of the code
 * @held: events of a transaction
 * @decoder: decoder of the piece
 * @transactions: give events that were held back; with raw transactions they only know of open ones
 * @counted: see there
 * @split: likewise
 * @is_counted: ranges are counted
 * @is_split: the piece is of several programs
 */
struct ete {
	struct hwf_element *ring;
	uint32_t ring_size;
	void *graph_memory;
	struct hwf_graph graph;
	struct hwf_flow_event *held;
	struct hwf_decoder decoder;
	struct hwf_transactions transactions;
	struct counted counted;
	struct split split;
	bool is_counted;
	bool is_split;
};

static void free_memory(void *memory)
{
	struct ete *ete = memory;

	free(ete->ring);
	free(ete->graph_memory);
	free(ete->held);
	free(ete);
}

static void *new_memory(void)
{
	struct ete *ete = calloc(1, sizeof(*ete));

	if (!ete)
		return NULL;
	ete->graph_memory = calloc(1, hwf_graph_bytes(NODES));
	ete->held = malloc(INPUT_HELD_EVENTS * sizeof(*ete->held));
	if (ete->graph_memory && ete->held) {
		hwf_graph_init(&ete->graph, ete->graph_memory, NODES);
		return ete;
	}
	free_memory(ete);
	return NULL;
}

static void forget(void *memory)
{
	struct ete *ete = memory;

	hwf_graph_flush(&ete->graph);
}

static bool make_ring(struct ete *ete, const struct hwf_ete_config *config)
{
	const uint32_t size = hwf_p0_ring_size(config);

	if (size <= ete->ring_size)
		return true;
	free(ete->ring);
	ete->ring_size = 0;
	ete->ring = calloc(size, sizeof(*ete->ring));
	if (!ete->ring)
		return false;
	ete->ring_size = size;
	return true;
}

/* Who takes the decoder's events, and the order in which they go through the others */
static void route(struct ete *ete, const struct decoding *decoding)
{
	const struct input_decode *how = decoding->how;
	const struct hwf_ete_config *config = &decoding->source->config;
	hwf_flow_fn *const last = how->raw_transactions ? how->sink : hwf_transactions_push;
	void *const last_ctx = how->raw_transactions ? how->ctx : &ete->transactions;
	hwf_flow_fn *sink = last;
	void *ctx = last_ctx;

	ete->split = (struct split){
		.input = decoding->input, .decoder = &ete->decoder, .sink = last, .ctx = last_ctx};
	ete->counted = (struct counted){.source = decoding->source,
					.how = how,
					.transactions = &ete->transactions,
					.follower = &ete->decoder.follower,
					.sink = last,
					.ctx = last_ctx,
					.tid = decoding->piece->tid};
	if (ete->is_split) {
		sink = take_split;
		ctx = &ete->split;
	} else if (ete->is_counted) {
		sink = take_counted;
		ctx = &ete->counted;
	}
	hwf_decoder_init(&ete->decoder, config, decoding->code, ete->ring, hwf_p0_ring_size(config),
			 sink, ctx);
}

static bool begin(struct decoding *decoding)
{
	const struct input_decode *how = decoding->how;
	struct ete *ete = decoding->memory;

	if (!make_ring(ete, &decoding->source->config))
		return false;
	hwf_transactions_init(&ete->transactions, ete->held, INPUT_HELD_EVENTS,
			      how->raw_transactions ? take_nothing : how->sink,
			      how->raw_transactions ? NULL : how->taken_back, how->ctx);
	ete->is_split = input_is_split(decoding->input);
	ete->is_counted = how->counts && !ete->is_split;
	route(ete, decoding);
	ete->decoder.stream.offset = decoding->at;
	ete->decoder.follower.graph = &ete->graph;
	ete->decoder.follower.split_source = how->split_source;
	if (how->steps && !ete->is_split)
		ete->decoder.follower.steps = how->steps;
	if (ete->is_counted)
		ete->decoder.follower.forgets = give_counts;
	return true;
}

static size_t push(struct decoding *decoding, const uint8_t *bytes, size_t length, bool last)
{
	struct ete *ete = decoding->memory;

	return hwf_decoder_push(&ete->decoder, bytes, length, last);
}

static void settle(struct decoding *decoding)
{
	struct ete *ete = decoding->memory;

	hwf_decoder_settle(&ete->decoder);
}

static void begin_part(struct decoding *decoding)
{
	struct ete *ete = decoding->memory;

	ete->counted.is_on = ete->is_counted;
	ete->decoder.follower.counting = ete->is_counted && !ete->transactions.open;
}

static void end_part(struct decoding *decoding, bool last)
{
	struct ete *ete = decoding->memory;

	ete->counted.is_on = false;
	if (!last)
		settle(decoding);
	if (ete->is_counted)
		give_counts(&ete->counted, &ete->graph);
}

static size_t write_state(const struct decoding *decoding, uint8_t *state, size_t size)
{
	const struct ete *ete = decoding->memory;

	if (ete->is_split || ete->transactions.open)
		return 0;
	return hwf_decoder_state(&ete->decoder, state, size);
}

const struct protocol protocol_ete = {
	.chunk = CHUNK,
	.new_memory = new_memory,
	.free_memory = free_memory,
	.forget = forget,
	.begin = begin,
	.push = push,
	.begin_part = begin_part,
	.end_part = end_part,
	.settle = settle,
	.state = write_state,
};
