// SPDX-License-Identifier: GPL-2.0-only
/* Decoding the pieces of an input. */
#include <stdlib.h>

#include "cli/progress.h"
#include "etm3.h"
#include "hwflow/graph.h"
#include "hwflow/transaction.h"
#include "input_riscv.h"
#include "parallel/decode_ahead.h"

/* Ranges a program has that are executed often enough to matter: 60 MB of addresses, of which those
 * are used that have a range */
#define NODES 0x10000u

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
	memory->held = malloc(INPUT_HELD_EVENTS * sizeof(*memory->held));
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
 * struct decoding - a piece of ETE or ETMv4 trace while it is decoded
 * @how: options, and who takes the events
 * @piece: the piece
 * @decoder: its decoder
 * @transactions: give events that were held back; with raw transactions they only know of open ones
 * @counted: see there
 * @split: likewise
 * @is_counted: ranges are counted
 * @is_split: the piece is of several programs
 * @at: what was decoded
 * @released: see input_release()
 */
struct decoding {
	const struct input_decode *how;
	const struct input_piece *piece;
	struct hwf_decoder decoder;
	struct hwf_transactions transactions;
	struct counted counted;
	struct split split;
	bool is_counted;
	bool is_split;
	size_t at;
	size_t released;
};

/* Who takes the decoder's events, and the order in which they go through the others */
static void begin_decoding(struct decoding *decoding, struct input *input,
			   const struct input_source *source, const struct hwf_code *code,
			   struct decode_memory *memory)
{
	const struct input_decode *how = decoding->how;
	hwf_flow_fn *const last = how->raw_transactions ? how->sink : hwf_transactions_push;
	void *const last_ctx = how->raw_transactions ? how->ctx : &decoding->transactions;
	hwf_flow_fn *sink = last;
	void *ctx = last_ctx;

	hwf_transactions_init(&decoding->transactions, memory->held, INPUT_HELD_EVENTS,
			      how->raw_transactions ? take_nothing : how->sink,
			      how->raw_transactions ? NULL : how->taken_back, how->ctx);
	decoding->is_split = input_is_split(input);
	decoding->is_counted = how->counts && !decoding->is_split;
	decoding->split = (struct split){
		.input = input, .decoder = &decoding->decoder, .sink = last, .ctx = last_ctx};
	decoding->counted = (struct counted){.source = source,
					     .how = how,
					     .transactions = &decoding->transactions,
					     .follower = &decoding->decoder.follower,
					     .sink = last,
					     .ctx = last_ctx,
					     .tid = decoding->piece->tid};
	if (decoding->is_split) {
		sink = take_split;
		ctx = &decoding->split;
	} else if (decoding->is_counted) {
		sink = take_counted;
		ctx = &decoding->counted;
	}
	hwf_decoder_init(&decoding->decoder, &source->config, code, memory->ring,
			 hwf_p0_ring_size(&source->config), sink, ctx);
	decoding->decoder.follower.graph = &memory->graph;
	decoding->decoder.follower.split_source = how->split_source;
	if (how->steps && !decoding->is_split)
		decoding->decoder.follower.steps = how->steps;
	if (decoding->is_counted)
		decoding->decoder.follower.forgets = give_counts;
}

static void set_counting(struct decoding *decoding)
{
	decoding->counted.is_on = decoding->is_counted;
	decoding->decoder.follower.counting = decoding->is_counted && !decoding->transactions.open;
}

/* Decodes up to an offset, some bytes less if a packet goes on there; false if nobody wants more.
 */
static bool decode_to(struct decoding *decoding, size_t end, bool last)
{
	const struct input_piece *piece = decoding->piece;
	const bool *stop = decoding->how->stop;
	bool is_end = false;

	while (!is_end) {
		const size_t left = end - decoding->at;
		size_t taken;

		is_end = left <= CHUNK;
		taken = hwf_decoder_push(&decoding->decoder, piece->bytes + decoding->at,
					 is_end ? left : CHUNK, is_end && last);
		progress_add(taken);
		decoding->at += taken;
		decoding->released = input_release(piece, decoding->released, decoding->at);
		if (!is_end && stop && *stop)
			return false;
	}
	return true;
}

/* Whoever wanted a part only is told the state of the decoder at its ends. */
static void reach(struct decoding *decoding, size_t at)
{
	const struct input_part *part = decoding->how->part;
	uint8_t state[HWF_DECODER_STATE];
	size_t size = 0;

	if (!decoding->is_split && !decoding->transactions.open)
		size = hwf_decoder_state(&decoding->decoder, state, HWF_DECODER_STATE);
	part->reached(part->ctx, at, state, size);
}

static void decode_span(struct decoding *decoding, const struct input_span *span,
			struct hwf_graph *graph)
{
	const bool last = span->end == decoding->piece->length;

	decoding->at = span->from;
	decoding->released = span->from;
	decoding->decoder.stream.offset = span->from;
	if (span->begin) {
		if (!decode_to(decoding, span->begin, false))
			return;
		hwf_decoder_settle(&decoding->decoder);
		reach(decoding, span->begin);
	}
	set_counting(decoding);
	if (!decode_to(decoding, span->end, last))
		return;
	decoding->counted.is_on = false;
	if (!last)
		hwf_decoder_settle(&decoding->decoder);
	if (decoding->is_counted)
		give_counts(&decoding->counted, graph);
	if (!last)
		reach(decoding, span->end);
	input_release(decoding->piece, decoding->released,
		      last ? decoding->piece->length : decoding->at);
}

static int decode_ete(struct input *input, const struct input_source *source,
		      const struct input_piece *piece, const struct hwf_code *code,
		      const struct input_decode *how)
{
	const struct input_span whole = {.end = piece->length};
	const struct input_span *span = how->part ? &how->part->span : &whole;
	struct decode_memory *memory = get_memory(input, source);
	struct decoding *decoding = malloc(sizeof(*decoding));

	if (!memory || !decoding) {
		free(decoding);
		input_error(source->file, piece->at, "out of memory");
		return EXIT_UNREADABLE;
	}
	decoding->how = how;
	decoding->piece = piece;
	begin_decoding(decoding, input, source, code, memory);
	decode_span(decoding, span, &memory->graph);
	free(decoding);
	return 0;
}

int input_decode(struct input *input, const struct input_source *source,
		 const struct input_piece *piece, const struct input_decode *how)
{
	const struct hwf_code *code;
	int status;

	if (input->ahead && decode_ahead_take(input, source, piece, how, &status))
		return status;
	/* first the code: it changes with the time of the piece */
	code = input_code(input, source, piece);
	if (code && how->code)
		code = how->code;
	if (!code) {
		input_error(source->file, piece->at, "out of memory");
		return EXIT_UNREADABLE;
	}
	if (source->riscv)
		return input_riscv_decode(source, piece, code, how);
	if (source->etm3)
		return etm3_decode(source, piece, code, how);
	return decode_ete(input, source, piece, code, how);
}
