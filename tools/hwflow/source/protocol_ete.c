// SPDX-License-Identifier: GPL-2.0-only
/* ETE and ETMv4. */
#include <linux/arm_ete_pmu.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config.h"
#include "core/sync.h"
#include "hwflow/graph.h"
#include "hwflow/transaction.h"
#include "input_private.h"
#include "protocol.h"

/* Ranges a program has that are executed often enough to matter: 60 MB of addresses, of which those
 * are used that have a range */
#define NODES 0x10000u

/* fuzz targets have fewer: to allocate so much takes most of their time */
#ifdef HWFLOW_GRAPH_NODES
#undef NODES
#define NODES HWFLOW_GRAPH_NODES
#endif

/* zeros of the Alignment Synchronisation packet of ETE and ETMv4 */
#define SYNC_ZEROS 11u

/* Bytes between two looks at the clock: some 100,000 instructions */
#define CHUNK 0x10000u

/*
 * struct split - a piece of several programs: the code is another one from some events on. Each
 * program has an address space of its own, so ranges of all of them can be counted
 */
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
	if (ete->is_split) {
		sink = take_split;
		ctx = &ete->split;
	}
	ete->counted = (struct counted){.source = decoding->source,
					.how = how,
					.transactions = &ete->transactions,
					.follower = &ete->decoder.follower,
					.sink = sink,
					.ctx = ctx,
					.tid = decoding->piece->tid};
	if (ete->is_counted) {
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
	ete->is_counted = how->counts;
	route(ete, decoding);
	ete->decoder.stream.offset = decoding->at;
	ete->decoder.follower.graph = &ete->graph;
	ete->decoder.follower.split_source = how->split_source;
	if (how->steps && !ete->is_split)
		ete->decoder.follower.steps = how->steps;
	if (ete->is_counted)
		ete->decoder.follower.before_flush = give_counts;
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

#define REGISTER(name, member, captured) \
	CONFIG_REGISTER(name, struct hwf_ete_regs, member, false, captured)

/* A capture needs the trace ID only for frames, and a trace unit has the others in some versions.
 */
static const struct config_row registers[] = {
	REGISTER("TRCCONFIGR", trcconfigr, true),  REGISTER("TRCTRACEIDR", trctraceidr, false),
	REGISTER("TRCIDR0", trcidr0, true),        REGISTER("TRCIDR1", trcidr1, true),
	REGISTER("TRCIDR2", trcidr2, true),        REGISTER("TRCIDR8", trcidr8, true),
	REGISTER("TRCDEVARCH", trcdevarch, false), REGISTER("TRCAUTHSTATUS", trcauthstatus, false),
};

static const struct config_names names = {
	.rows = registers,
	.count = sizeof(registers) / sizeof(registers[0]),
};

static bool is_ete(const char *type)
{
	return !strcasecmp(type, "ETE");
}

/* with or without a minor version */
static bool is_etmv4(const char *type)
{
	return !strncasecmp(type, "ETM4", 4) || !strncasecmp(type, "ETMv4", 5);
}

static int init_source(struct input_source *source, const struct protocol *protocol,
		       enum hwf_ete_protocol number, const void *config)
{
	source->protocol = protocol;
	source->regs = *(const struct hwf_ete_regs *)config;
	source->regs.protocol = (uint8_t)number;
	return hwf_ete_config_init(&source->config, &source->regs);
}

static int init_ete(struct input_source *source, const void *config)
{
	return init_source(source, &protocol_ete, HWF_PROTOCOL_ETE, config);
}

static int init_etmv4(struct input_source *source, const void *config)
{
	return init_source(source, &protocol_etmv4, HWF_PROTOCOL_ETMV4, config);
}

static bool fault_of(enum hwf_ete_protocol number, const void *config,
		     struct hwf_config_fault *fault)
{
	struct hwf_ete_regs regs = *(const struct hwf_ete_regs *)config;

	regs.protocol = (uint8_t)number;
	return hwf_ete_config_fault(&regs, fault);
}

static bool ete_fault(const void *config, struct hwf_config_fault *fault)
{
	return fault_of(HWF_PROTOCOL_ETE, config, fault);
}

static bool etmv4_fault(const void *config, struct hwf_config_fault *fault)
{
	return fault_of(HWF_PROTOCOL_ETMV4, config, fault);
}

static bool is_same(const struct input_source *source, const void *config)
{
	const uint32_t version = 0xff0; /* of TRCIDR1, which also names the product */
	const struct hwf_ete_regs *a = &source->regs, *b = config;

	return a->trcconfigr == b->trcconfigr && a->trcidr0 == b->trcidr0 &&
	       (a->trcidr1 & version) == (b->trcidr1 & version) && a->trcidr2 == b->trcidr2 &&
	       a->trcidr8 == b->trcidr8 && a->trcdevarch == b->trcdevarch;
}

static uint8_t trace_id(const struct input_source *source)
{
	return source->regs.trctraceidr & 0x7f;
}

static int32_t thread_of(const struct input_source *source, const struct hwf_context *context,
			 int32_t before)
{
	const uint32_t config = source->regs.trcconfigr;

	if (config & ARM_ETE_PMU_TRCCONFIGR_VMID && config & ARM_ETE_PMU_TRCCONFIGR_VMIDOPT)
		return context->has_vmid ? (int32_t)context->vmid : before;
	if (config & ARM_ETE_PMU_TRCCONFIGR_CID)
		return context->has_cid ? (int32_t)context->cid : before;
	return before;
}

static bool has_timestamps(const struct input_source *source)
{
	return source->regs.trcconfigr & ARM_ETE_PMU_TRCCONFIGR_TS;
}

/* Is a packet decoded that no Trace Info packet precedes (R_HMDGL), or is there nothing in it? */
static bool needs_no_info(const struct hwf_ete_packet *packet)
{
	return packet->type >= HWF_ETE_TYPES || packet->type == HWF_ETE_ALIGN_SYNC ||
	       packet->type == HWF_ETE_EVENT || packet->type == HWF_ETE_INSTRUMENTATION ||
	       packet->type == HWF_ETE_OVERFLOW || packet->type == HWF_ETE_DISCARD ||
	       packet->type == HWF_ETE_IGNORE;
}

/* Zeros that are no whole packet begin one of those whose header is zero, or the kernel added them.
 */
static size_t end_of_sample(const struct input_source *source, const struct input_piece *piece)
{
	struct hwf_ete_stream stream;
	struct hwf_ete_packet packet;
	size_t size = 1, zeros = 0, at = 0;

	while (zeros < piece->length && !piece->bytes[piece->length - 1 - zeros])
		zeros++;
	if (!zeros)
		return piece->length;
	hwf_ete_stream_init(&stream, &source->config);
	while (size) {
		size = hwf_ete_stream_next(&stream, piece->bytes + at, piece->length - at, true,
					   &packet);
		if (size && packet.type == HWF_ETE_INCOMPLETE)
			break;
		at += size;
	}
	return at < piece->length && piece->length - at <= zeros &&
			       piece->length - at < sizeof(uint64_t)
		       ? at
		       : piece->length;
}

static bool has_sync(const struct input_source *source, const struct input_piece *piece,
		     enum input_sync level)
{
	struct hwf_ete_stream stream;
	struct hwf_ete_packet packet;
	bool is_synced = false, is_lost = false;
	size_t released = 0, at = 0, size = 1;

	hwf_ete_stream_init(&stream, &source->config);
	while (size && !(is_synced && level == INPUT_SYNC_PACKETS)) {
		size = hwf_ete_stream_next(&stream, piece->bytes + at, piece->length - at, true,
					   &packet);
		at += size;
		released = input_release(piece, released, at);
		if (!size || !stream.synced)
			continue;
		if (packet.type == HWF_ETE_TRACE_INFO)
			return true;
		is_synced = true;
		is_lost |= !needs_no_info(&packet);
	}
	return is_synced && !is_lost;
}

static size_t next_sync(const struct input_source *source, const struct input_piece *piece,
			size_t from, size_t end)
{
	size_t maybe;

	(void)source;
	return from + hwf_find_sync(piece->bytes + from, end - from, SYNC_ZEROS, &maybe);
}

static void set_session(const struct input_source *source, struct hwf_session_config *config)
{
	config->protocol = source->protocol == &protocol_ete ? HWF_SESSION_ETE : HWF_SESSION_ETMV4;
	config->ete = &source->regs;
}

static uint64_t packet_time(const struct input_source *source, struct packet_clock *clock,
			    const struct hwf_packet *packet)
{
	(void)source;
	if (packet->type == HWF_ETE_TRACE_INFO)
		clock->ete = 0;
	if (hwf_ete_type_codec(packet->type) != HWF_ETE_CODEC_timestamp)
		return 0;
	clock->ete = hwf_ete_expand_time(&packet->u.ete->u.timestamp, clock->ete);
	return clock->ete;
}

/* clang-format off */
/* What ETE and ETMv4 have in common */
#define COMMON                                                                 \
	.has_elements = true,                                                  \
	.config_size = sizeof(struct hwf_ete_regs),                            \
	.names = &names,                                                       \
	.same = is_same,                                                       \
	.trace_id = trace_id,                                                  \
	.thread = thread_of,                                                   \
	.has_timestamps = has_timestamps,                                      \
	.padding = 0x70, /* Ignore */                                          \
	.end_of_sample = end_of_sample,                                        \
	.has_sync = has_sync,                                                  \
	.session = set_session,                                                \
	.packet_time = packet_time,                                            \
	.next_sync = next_sync,                                                \
	.chunk = CHUNK,                                                        \
	.new_memory = new_memory,                                              \
	.free_memory = free_memory,                                            \
	.forget = forget,                                                      \
	.begin = begin,                                                        \
	.push = push,                                                          \
	.begin_part = begin_part,                                              \
	.end_part = end_part,                                                  \
	.settle = settle,                                                      \
	.state = write_state

const struct protocol protocol_ete = {
	.number = INPUT_ETE,
	.word = "ete",
	.name = "ETE",
	.no_sync = "; is it a trace of ETE?",
	.no_start = "no Trace Info packet found",
	.is_type = is_ete,
	.init = init_ete,
	.fault = ete_fault,
	COMMON,
};

const struct protocol protocol_etmv4 = {
	.number = INPUT_ETMV4,
	.word = "etmv4",
	.name = "ETMv4",
	.no_sync = "; is it a trace of ETMv4?",
	.no_start = "no Trace Info packet found",
	.is_type = is_etmv4,
	.init = init_etmv4,
	.fault = etmv4_fault,
	COMMON,
};
/* clang-format on */

_Static_assert(sizeof(struct hwf_ete_regs) <= PROTOCOL_CONFIG, "a configuration has room");
