// SPDX-License-Identifier: GPL-2.0-only
/* Our side: packets one by one, ranges in batches as struct hwf_decoder gives them. */
#include <stdlib.h>

#include "hwflow/image.h"
#include "hwflow/graph.h"

#include "bench.h"

/* as many as the command uses */
#define CACHED_RANGES 0x10000u

/* struct packets - what packets leave to a history, as both sides give whole values */
struct packets {
	uint64_t sum;
	struct hwf_address_history history;
};

static uint64_t context_word(const struct hwf_ete_context *context)
{
	if (context->same)
		return BENCH_CONTEXT_SAME;
	return bench_context(context->el, context->sf, context->ns, context->nse, context->has_vmid,
			     context->has_cid);
}

static void fold(struct packets *packets, uint64_t offset, unsigned int type, uint64_t content)
{
	packets->sum = bench_fold_packet(packets->sum, offset, type, content);
}

static void fold_more(struct packets *packets, uint64_t content)
{
	packets->sum = bench_fold_more(packets->sum, content);
}

static void fold_context(struct packets *packets, const struct hwf_ete_context *context)
{
	fold_more(packets, bench_two(context->vmid, context->cid));
}

/* A packet; @value is its address, or its time, whole */
static void fold_content(struct packets *packets, uint64_t offset,
			 const struct hwf_ete_packet *packet, uint64_t value)
{
	const struct hwf_ete_resolve *resolve = &packet->u.resolve;
	unsigned int type = packet->type;

	switch (hwf_ete_type_codec(type)) {
	case HWF_ETE_CODEC_atoms:
		fold(packets, offset, type,
		     bench_atoms(packet->u.atoms.bits, packet->u.atoms.count));
		break;
	case HWF_ETE_CODEC_address:
		fold(packets, offset, type, value);
		break;
	case HWF_ETE_CODEC_exact_match:
		fold(packets, offset, bench_exact(type, packet->u.entry), value);
		break;
	case HWF_ETE_CODECS_CYCLE_COUNT:
		fold(packets, offset, type,
		     bench_two(packet->u.cycle_count.count, packet->u.cycle_count.commit));
		break;
	case HWF_ETE_CODECS_RESOLVE:
		fold(packets, offset, type,
		     bench_resolve(bench_atoms(resolve->atoms.bits, resolve->atoms.count),
				   resolve->mispredict, resolve->commit + resolve->cancel));
		break;
	case HWF_ETE_CODEC_trace_info:
		fold(packets, offset, type,
		     bench_two(packet->u.trace_info.info, packet->u.trace_info.cc_threshold));
		fold_more(packets,
			  bench_two(packet->u.trace_info.key, packet->u.trace_info.spec_depth));
		break;
	case HWF_ETE_CODEC_timestamp:
		fold(packets, offset, type, value);
		if (packet->u.timestamp.has_count)
			fold(packets, offset, type, packet->u.timestamp.count);
		break;
	case HWF_ETE_CODEC_context:
		fold(packets, offset, type, context_word(&packet->u.context));
		fold_context(packets, &packet->u.context);
		break;
	case HWF_ETE_CODEC_address_context:
		fold(packets, offset, type, value);
		fold_more(packets, context_word(&packet->u.address_context.context));
		fold_context(packets, &packet->u.address_context.context);
		break;
	case HWF_ETE_CODEC_instrumentation:
		fold(packets, offset, type, packet->u.instrumentation.value);
		fold_more(packets, packet->u.instrumentation.el);
		break;
	case HWF_ETE_CODEC_event:
		fold(packets, offset, type, packet->u.event);
		break;
	case HWF_ETE_CODEC_q:
		fold(packets, offset, type, value);
		fold(packets, offset, type, bench_two(packet->u.q.count, packet->u.q.type));
		break;
	case HWF_ETE_CODEC_exception:
		fold(packets, offset, type,
		     type == HWF_ETE_EXCEPTION
			     ? bench_exception(packet->u.exception.type, packet->u.exception.ee)
			     : 0);
		break;
	default:
		fold(packets, offset, type, 0);
		break;
	}
}

static uint64_t push(struct hwf_address_history *history, struct hwf_el_address whole)
{
	hwf_history_push(history, whole.value, whole.is);
	return whole.value | whole.is;
}

static uint64_t expand(struct hwf_address_history *history, const struct hwf_ete_address *address)
{
	struct hwf_el_address whole = hwf_history_expand(history, address);

	return whole.value | whole.is;
}

static uint64_t whole_time(struct hwf_address_history *history, const struct hwf_ete_timestamp *ts)
{
	history->timestamp = hwf_ete_expand_time(ts, history->timestamp);
	return history->timestamp;
}

static uint64_t q_address(struct hwf_address_history *history, const struct hwf_ete_q *q)
{
	if (!q->has_address)
		return 0;
	if (q->entry < HWF_HISTORY)
		return push(history, history->entry[q->entry]);
	return expand(history, &q->address);
}

/* What a packet does to the history: its address or time, whole */
static uint64_t value_of(struct hwf_address_history *history, const struct hwf_ete_packet *packet)
{
	switch (hwf_ete_type_codec(packet->type)) {
	case HWF_ETE_CODEC_address:
		return expand(history, &packet->u.address);
	case HWF_ETE_CODEC_exact_match:
		return push(history, history->entry[packet->u.entry]);
	case HWF_ETE_CODEC_address_context:
		return expand(history, &packet->u.address_context.address);
	case HWF_ETE_CODEC_q:
		return q_address(history, &packet->u.q);
	case HWF_ETE_CODEC_timestamp:
		return whole_time(history, &packet->u.timestamp);
	case HWF_ETE_CODEC_trace_info:
		hwf_history_reset(history);
		return 0;
	case HWF_ETE_CODEC_exception:
		return packet->type == HWF_ETE_EXCEPTION
			       ? 0
			       : push(history, (struct hwf_el_address){0});
	default:
		return 0;
	}
}

static void fold_packet(struct packets *packets, uint64_t offset,
			const struct hwf_ete_packet *packet)
{
	if (packet->type != HWF_ETE_UNSYNC)
		fold_content(packets, offset, packet, value_of(&packets->history, packet));
}

static void run_piece(struct packets *packets, const struct hwf_ete_config *config,
		      const struct bench_piece *piece, struct bench_watch *watch)
{
	struct hwf_ete_stream stream;
	struct hwf_ete_packet packet;

	hwf_ete_stream_init(&stream, config);
	for (;;) {
		const uint64_t offset = stream.offset;

		if (!hwf_ete_stream_next(&stream, piece->bytes + offset, piece->length - offset,
					 true, &packet))
			break;
		fold_packet(packets, offset, &packet);
		if (watch && packet.type != HWF_ETE_UNSYNC)
			bench_watch_note(watch, packets->sum, offset, packet.type, 0);
	}
}

static int run_packets(struct bench_run *run)
{
	struct packets packets = {0};

	for (size_t i = 0; i < run->work->unit_count; i++) {
		const struct bench_unit *unit = &run->work->units[i];

		for (size_t j = 0; j < unit->piece_count * run->repeat; j++) {
			size_t piece = j / run->repeat;

			packets.history = (struct hwf_address_history){0};
			if (run->watch) {
				run->watch->unit = i;
				run->watch->piece = piece;
			}
			run_piece(&packets, &unit->config, &unit->pieces[piece], run->watch);
		}
	}
	run->sum = packets.sum;
	return 0;
}

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	struct bench_run *run = ctx;

	if (event->kind == HWF_FLOW_RANGE) {
		const struct hwf_flow_range *range = &event->u.range;

		/* of a range that a Q element or an exception ended, the other side always says so;
		 * nobody can guess it, so it is no branch
		 */
		run->sum = bench_fold_range(run->sum, range->start, range->end, range->instructions,
					    range->isa, range->taken | !range->p0);
	} else if (event->kind == HWF_FLOW_GAP) {
		run->trouble.count++;
	}
}

/* Ranges, many at a time */
static void take_steps(void *ctx, const struct hwf_steps *steps)
{
	struct bench_run *run = ctx;
	uint64_t sum = run->sum;

	for (size_t i = 0; i < steps->count; i++) {
		const uint32_t step = (uint32_t)steps->step[i];
		const struct hwf_node *node = hwf_graph_node(steps->graph, HWF_STEP_NODE(step));

		if (HWF_STEP_NODE(step) == HWF_NODE_NONE)
			i++;
		else
			sum = bench_fold_range(sum, node->start, node->end, node->instructions,
					       node->isa, HWF_STEP_TAKEN(step));
	}
	run->sum = sum;
}

/* As take_event(), and tells of each range; and of gaps what they are */
static void watch_event(void *ctx, const struct hwf_flow_event *event)
{
	struct bench_run *run = ctx;

	take_event(run, event);
	if (event->kind == HWF_FLOW_RANGE) {
		bench_watch_note(run->watch, run->sum, event->u.range.start, event->u.range.end,
				 event->u.range.instructions);
	} else if (event->kind == HWF_FLOW_GAP) {
		run->trouble.count--;
		bench_trouble_say(&run->trouble, "gap %u at offset %llu", event->u.gap.reason,
				  (unsigned long long)event->offset);
	}
}

/* struct program - the code of a piece, as an image */
struct program {
	struct hwf_image *image;
	struct hwf_image_view *view;
};

static void program_close(struct program *program)
{
	hwf_image_view_free(program->view);
	hwf_image_free(program->image);
	*program = (struct program){0};
}

static int program_open(struct program *program, const struct bench_code *code, bool wfx)
{
	const struct hwf_image_filter any = {0};
	struct hwf_image_space *space;
	int err = hwf_image_new(&program->image, NULL, NULL);

	if (!err)
		err = hwf_image_add_space(program->image, &any, NULL, &space);
	for (size_t i = 0; i < code->count && !err; i++) {
		const struct bench_region *region = &code->regions[i];
		struct hwf_image_file *file;

		err = hwf_image_add_bytes(program->image, "code", region->bytes,
					  (size_t)region->length, &file);
		if (!err)
			err = hwf_image_map(space, region->start, region->length, file, 0);
	}
	return err ? err : hwf_image_view_new(&program->view, program->image, wfx);
}

/* struct memory - what a decoder needs */
struct memory {
	struct hwf_element *ring;
	uint32_t ring_size;
	void *cached;
	struct hwf_graph graph;
	struct program program;
};

/* A range that was not counted, whatever the order */
static void count_event(void *ctx, const struct hwf_flow_event *event)
{
	const struct hwf_flow_range *range = &event->u.range;
	struct bench_run *run = ctx;

	if (event->kind == HWF_FLOW_RANGE)
		run->sum += bench_fold_range(0, range->start, range->end, range->instructions,
					     range->isa, range->taken | !range->p0);
	else if (event->kind == HWF_FLOW_GAP)
		run->trouble.count++;
}

/* Those that were */
static void take_counts(void *ctx, struct hwf_graph *graph)
{
	struct bench_run *run = ctx;

	hwf_graph_settle_counts(graph);
	for (uint32_t i = 0; i < graph->counts.step_count; i++) {
		const uint32_t step = graph->counts.steps[i];
		const struct hwf_node *node = hwf_graph_node(graph, HWF_STEP_NODE(step));

		run->sum += HWF_COUNT(graph->counts.of[step]) *
			    bench_fold_range(0, node->start, node->end, node->instructions,
					     node->isa, HWF_STEP_TAKEN(step));
	}
	hwf_graph_clear_counts(graph);
}

static void count_piece(struct bench_run *run, struct memory *memory, const struct bench_unit *unit,
			const struct bench_piece *piece)
{
	struct hwf_decoder decoder;

	hwf_decoder_init(&decoder, &unit->config, hwf_image_view_code(memory->program.view),
			 memory->ring, memory->ring_size, count_event, run);
	decoder.follower.graph = &memory->graph;
	decoder.follower.counting = true;
	decoder.follower.before_flush = take_counts;
	hwf_decoder_push(&decoder, piece->bytes, piece->length, true);
	take_counts(run, &memory->graph);
}

static void decode_piece(struct bench_run *run, struct memory *memory,
			 const struct bench_unit *unit, const struct bench_piece *piece)
{
	struct hwf_decoder decoder;

	hwf_decoder_init(&decoder, &unit->config, hwf_image_view_code(memory->program.view),
			 memory->ring, memory->ring_size, run->watch ? watch_event : take_event,
			 run);
	decoder.follower.graph = &memory->graph;
	if (!run->watch)
		decoder.follower.steps = take_steps;
	hwf_decoder_push(&decoder, piece->bytes, piece->length, true);
}

static int decode_unit(struct bench_run *run, struct memory *memory, size_t index, bool counts)
{
	const struct bench_unit *unit = &run->work->units[index];
	size_t code = SIZE_MAX;

	for (size_t i = 0; i < unit->piece_count * run->repeat; i++) {
		size_t piece = i / run->repeat;

		if (unit->pieces[piece].code != code) {
			code = unit->pieces[piece].code;
			program_close(&memory->program);
			hwf_graph_flush(&memory->graph);
			if (program_open(&memory->program, &unit->codes[code], unit->config.wfx))
				return -1;
		}
		if (run->watch) {
			run->watch->unit = index;
			run->watch->piece = piece;
		}
		(counts ? count_piece : decode_piece)(run, memory, unit, &unit->pieces[piece]);
	}
	return 0;
}

static uint32_t largest_ring(const struct bench_work *work)
{
	uint32_t size = 1;

	for (size_t i = 0; i < work->unit_count; i++) {
		const uint32_t of_unit = hwf_p0_ring_size(&work->units[i].config);

		size = of_unit > size ? of_unit : size;
	}
	return size;
}

/* All units with one memory, as in the command */
static int run_ranges(struct bench_run *run, bool counts)
{
	const uint32_t ring_size = largest_ring(run->work);
	struct memory memory = {
		.ring = calloc(ring_size, sizeof(*memory.ring)),
		.ring_size = ring_size,
		.cached = calloc(1, hwf_graph_bytes(CACHED_RANGES)),
	};
	int err = memory.ring && memory.cached ? 0 : -1;

	if (memory.cached)
		hwf_graph_init(&memory.graph, memory.cached, CACHED_RANGES);
	for (size_t i = 0; i < run->work->unit_count && !err; i++) {
		err = decode_unit(run, &memory, i, counts);
		program_close(&memory.program);
	}
	free(memory.ring);
	free(memory.cached);
	if (err)
		bench_trouble_say(&run->trouble, "out of memory");
	return err;
}

static int run_exact(struct bench_run *run)
{
	return run_ranges(run, false);
}

static int run_counts(struct bench_run *run)
{
	return run_ranges(run, true);
}

static const char *version(void)
{
	return "hwflow";
}

const struct bench_side bench_ours = {
	.name = "hwflow",
	.version = version,
	.run = {run_packets, run_exact, run_counts},
};
