// SPDX-License-Identifier: GPL-2.0-only
/* Our side: packets as hwf_words_take() gives them, ranges as struct hwf_decoder does. */
#include <stdlib.h>

#include "hwflow/image.h"
#include "hwflow/range_cache.h"
#include "hwflow/words.h"

#include "bench.h"

/* as many as the command uses */
#define CACHED_RANGES 0x10000u

/* struct packets - what packets leave to a history, as both sides give whole values */
struct packets {
	uint64_t sum;
	struct hwf_address_history history;
};

static void fold_address(struct packets *packets, uint64_t offset, unsigned int type,
			 const struct hwf_ete_address *address)
{
	struct hwf_el_address whole = hwf_history_expand(&packets->history, address);

	packets->sum = bench_fold_packet(packets->sum, offset, type, whole.value | whole.is);
}

static void fold_exact_match(struct packets *packets, uint64_t offset,
			     const struct hwf_ete_packet *packet)
{
	struct hwf_el_address whole = packets->history.entry[packet->u.entry];

	hwf_history_push(&packets->history, whole.value, whole.is);
	packets->sum =
		bench_fold_packet(packets->sum, offset, bench_exact(packet->type, packet->u.entry),
				  whole.value | whole.is);
}

static uint64_t context_word(const struct hwf_ete_context *context)
{
	if (context->same)
		return BENCH_CONTEXT_SAME;
	return bench_context(context->el, context->sf, context->ns, context->nse, context->has_vmid,
			     context->has_cid);
}

static void fold_trace_info(struct packets *packets, uint64_t offset,
			    const struct hwf_ete_trace_info *info)
{
	hwf_history_reset(&packets->history);
	packets->sum = bench_fold_packet(packets->sum, offset, HWF_ETE_TRACE_INFO,
					 bench_two(info->info, info->cc_threshold));
	packets->sum = bench_fold_more(packets->sum, bench_two(info->key, info->spec_depth));
}

static void fold_timestamp(struct packets *packets, uint64_t offset,
			   const struct hwf_ete_timestamp *ts)
{
	uint64_t value = ts->value;

	if (ts->bits < 64)
		value |= packets->history.timestamp >> ts->bits << ts->bits;
	packets->history.timestamp = value;
	packets->sum = bench_fold_packet(packets->sum, offset, HWF_ETE_TIMESTAMP, value);
	if (ts->has_count)
		packets->sum =
			bench_fold_packet(packets->sum, offset, HWF_ETE_TIMESTAMP, ts->count);
}

static void fold_cycle_count(struct packets *packets, uint64_t offset,
			     const struct hwf_ete_packet *packet)
{
	const struct hwf_ete_cycle_count *cc = &packet->u.cycle_count;

	packets->sum = bench_fold_packet(packets->sum, offset, packet->type,
					 bench_two(cc->count, cc->commit));
}

static void fold_resolve(struct packets *packets, uint64_t offset,
			 const struct hwf_ete_packet *packet)
{
	const struct hwf_ete_resolve *resolve = &packet->u.resolve;

	packets->sum = bench_fold_packet(
		packets->sum, offset, packet->type,
		bench_resolve(bench_atoms(resolve->atoms.bits, resolve->atoms.count),
			      resolve->mispredict, resolve->commit + resolve->cancel));
}

static void fold_q(struct packets *packets, uint64_t offset, const struct hwf_ete_q *q)
{
	struct hwf_el_address whole = {0};

	if (q->has_address && q->entry < HWF_HISTORY) {
		whole = packets->history.entry[q->entry];
		hwf_history_push(&packets->history, whole.value, whole.is);
	} else if (q->has_address) {
		whole = hwf_history_expand(&packets->history, &q->address);
	}
	packets->sum = bench_fold_packet(packets->sum, offset, HWF_ETE_Q, whole.value | whole.is);
	packets->sum = bench_fold_packet(packets->sum, offset, HWF_ETE_Q,
					 bench_two(q->has_count ? q->count : 0, q->type));
}

static void fold_rare(struct packets *packets, uint64_t offset, const struct hwf_ete_packet *packet)
{
	switch (packet->type) {
	case HWF_ETE_UNSYNC:
		break;
	case HWF_ETE_TRACE_INFO:
		fold_trace_info(packets, offset, &packet->u.trace_info);
		break;
	case HWF_ETE_EXCEPTION:
		packets->sum = bench_fold_packet(
			packets->sum, offset, packet->type,
			bench_exception(packet->u.exception.type, packet->u.exception.ee));
		break;
	case HWF_ETE_PE_RESET:
	case HWF_ETE_TRANSACTION_FAILURE:
		hwf_history_push(&packets->history, 0, 0);
		packets->sum = bench_fold_packet(packets->sum, offset, packet->type, 0);
		break;
	case HWF_ETE_INSTRUMENTATION:
		packets->sum = bench_fold_packet(packets->sum, offset, packet->type,
						 packet->u.instrumentation.value);
		packets->sum = bench_fold_more(packets->sum, packet->u.instrumentation.el);
		break;
	case HWF_ETE_EVENT:
		packets->sum =
			bench_fold_packet(packets->sum, offset, packet->type, packet->u.event);
		break;
	case HWF_ETE_Q:
		fold_q(packets, offset, &packet->u.q);
		break;
	default:
		packets->sum = bench_fold_packet(packets->sum, offset, packet->type, 0);
		break;
	}
}

static void fold_context(struct packets *packets, uint64_t offset,
			 const struct hwf_ete_packet *packet)
{
	const struct hwf_ete_context *context = &packet->u.context;

	if (packet->type == HWF_ETE_CONTEXT) {
		packets->sum = bench_fold_packet(packets->sum, offset, packet->type,
						 context_word(context));
	} else {
		context = &packet->u.address_context.context;
		fold_address(packets, offset, packet->type, &packet->u.address_context.address);
		packets->sum = bench_fold_more(packets->sum, context_word(context));
	}
	packets->sum = bench_fold_more(packets->sum, bench_two(context->vmid, context->cid));
}

/* One that did not fit a word, or came too close to the end */
static void fold_packet(struct packets *packets, uint64_t offset,
			const struct hwf_ete_packet *packet)
{
	switch (packet->type) {
	case HWF_ETE_TARGET_ADDRESS_SHORT_IS0:
	case HWF_ETE_TARGET_ADDRESS_SHORT_IS1:
	case HWF_ETE_TARGET_ADDRESS_32BIT_IS0:
	case HWF_ETE_TARGET_ADDRESS_32BIT_IS1:
	case HWF_ETE_TARGET_ADDRESS_64BIT_IS0:
	case HWF_ETE_TARGET_ADDRESS_64BIT_IS1:
	case HWF_ETE_SOURCE_ADDRESS_SHORT_IS0:
	case HWF_ETE_SOURCE_ADDRESS_SHORT_IS1:
	case HWF_ETE_SOURCE_ADDRESS_32BIT_IS0:
	case HWF_ETE_SOURCE_ADDRESS_32BIT_IS1:
	case HWF_ETE_SOURCE_ADDRESS_64BIT_IS0:
	case HWF_ETE_SOURCE_ADDRESS_64BIT_IS1:
		fold_address(packets, offset, packet->type, &packet->u.address);
		break;
	case HWF_ETE_TARGET_ADDRESS_EXACT_MATCH:
	case HWF_ETE_SOURCE_ADDRESS_EXACT_MATCH:
		fold_exact_match(packets, offset, packet);
		break;
	case HWF_ETE_ATOM_F1:
	case HWF_ETE_ATOM_F2:
	case HWF_ETE_ATOM_F3:
	case HWF_ETE_ATOM_F4:
	case HWF_ETE_ATOM_F5:
	case HWF_ETE_ATOM_F6:
		packets->sum =
			bench_fold_packet(packets->sum, offset, packet->type,
					  bench_atoms(packet->u.atoms.bits, packet->u.atoms.count));
		break;
	case HWF_ETE_CYCLE_COUNT_F1:
	case HWF_ETE_CYCLE_COUNT_F2:
	case HWF_ETE_CYCLE_COUNT_F3:
		fold_cycle_count(packets, offset, packet);
		break;
	case HWF_ETE_COMMIT:
	case HWF_ETE_CANCEL_F1:
	case HWF_ETE_CANCEL_F2:
	case HWF_ETE_CANCEL_F3:
	case HWF_ETE_MISPREDICT:
		fold_resolve(packets, offset, packet);
		break;
	case HWF_ETE_TIMESTAMP:
		fold_timestamp(packets, offset, &packet->u.timestamp);
		break;
	case HWF_ETE_CONTEXT:
	case HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_32BIT_IS0:
	case HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_32BIT_IS1:
	case HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_64BIT_IS0:
	case HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_64BIT_IS1:
		fold_context(packets, offset, packet);
		break;
	default:
		fold_rare(packets, offset, packet);
		break;
	}
}

/* as many as fit the nearest cache, and leave room there */
#define BATCH 256u

/* What a word adds to the sum */
static inline uint64_t term(const struct hwf_word *word, uint64_t offset)
{
	return bench_fold_packet(0, offset + word->at, bench_exact(word->type, word->entry),
				 word->value);
}

/* The same sum as one after the other gives, but a multiplication does not wait for the last. */
static void fold_words(struct packets *packets, uint64_t offset, const struct hwf_word *words,
		       size_t count, struct bench_watch *watch)
{
	const uint64_t k2 = BENCH_K * BENCH_K;
	uint64_t sum = packets->sum;
	size_t i = 0;

	for (; i + 4 <= count && !watch; i += 4)
		sum = sum * (k2 * k2) +
		      (term(&words[i], offset) * BENCH_K + term(&words[i + 1], offset)) * k2 +
		      (term(&words[i + 2], offset) * BENCH_K + term(&words[i + 3], offset));
	for (; i < count; i++) {
		sum = sum * BENCH_K + term(&words[i], offset);
		if (watch && (i + 1 == count || words[i + 1].kind != HWF_WORD_MORE))
			bench_watch_note(watch, sum, offset + words[i].at, words[i].type, 0);
	}
	packets->sum = sum;
}

static void run_piece(struct packets *packets, const struct hwf_words *words,
		      const struct bench_piece *piece, struct bench_watch *watch)
{
	struct hwf_ete_stream stream;
	struct hwf_ete_packet packet;
	size_t size;

	hwf_ete_stream_init(&stream, words->config);
	do {
		struct hwf_word batch[BATCH];
		uint64_t offset = stream.offset;
		size_t count = 0;

		if (stream.synced && !stream.tentative)
			stream.offset +=
				hwf_words_take(words, &packets->history, piece->bytes + offset,
					       piece->length - offset, batch, BATCH, &count);
		fold_words(packets, offset, batch, count, watch);
		offset = stream.offset;
		if (count + HWF_WORDS_MORE > BATCH)
			continue;
		size = hwf_ete_stream_next(&stream, piece->bytes + offset, piece->length - offset,
					   true, &packet);
		if (!size)
			break;
		fold_packet(packets, offset, &packet);
		if (watch && packet.type != HWF_ETE_UNSYNC)
			bench_watch_note(watch, packets->sum, offset, packet.type, 0);
	} while (true);
}

static int run_packets(struct bench_run *run)
{
	struct packets packets = {0};

	for (size_t i = 0; i < run->work->unit_count; i++) {
		const struct bench_unit *unit = &run->work->units[i];
		struct hwf_words words;

		hwf_words_init(&words, &unit->config);
		for (size_t j = 0; j < unit->piece_count * run->repeat; j++) {
			size_t piece = j / run->repeat;

			packets.history = (struct hwf_address_history){0};
			if (run->watch) {
				run->watch->unit = i;
				run->watch->piece = piece;
			}
			run_piece(&packets, &words, &unit->pieces[piece], run->watch);
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

		/* of a range that a Q element or an exception ended, the other side always says so
		 */
		run->sum = bench_fold_range(run->sum, range->start, range->end, range->instructions,
					    range->isa, range->taken || !range->p0);
	} else if (event->kind == HWF_FLOW_GAP) {
		run->trouble.count++;
	}
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
	struct hwf_range_cache cache;
	struct program program;
};

static void decode_piece(struct bench_run *run, struct memory *memory,
			 const struct bench_unit *unit, const struct bench_piece *piece)
{
	struct hwf_decoder decoder;

	hwf_decoder_init(&decoder, &unit->config, hwf_image_view_code(memory->program.view),
			 memory->ring, memory->ring_size, run->watch ? watch_event : take_event,
			 run);
	decoder.follower.cache = &memory->cache;
	hwf_decoder_push(&decoder, piece->bytes, piece->length, true);
}

static int decode_unit(struct bench_run *run, struct memory *memory, size_t index)
{
	const struct bench_unit *unit = &run->work->units[index];
	size_t code = SIZE_MAX;

	for (size_t i = 0; i < unit->piece_count * run->repeat; i++) {
		size_t piece = i / run->repeat;

		if (unit->pieces[piece].code != code) {
			code = unit->pieces[piece].code;
			program_close(&memory->program);
			hwf_range_cache_init(&memory->cache, memory->cached, CACHED_RANGES);
			if (program_open(&memory->program, &unit->codes[code], unit->config.wfx))
				return -1;
		}
		if (run->watch) {
			run->watch->unit = index;
			run->watch->piece = piece;
		}
		decode_piece(run, memory, unit, &unit->pieces[piece]);
	}
	return 0;
}

static int run_exact(struct bench_run *run)
{
	int err = 0;

	for (size_t i = 0; i < run->work->unit_count && !err; i++) {
		uint32_t ring_size = hwf_p0_ring_size(&run->work->units[i].config);
		struct memory memory = {
			.ring = calloc(ring_size, sizeof(*memory.ring)),
			.ring_size = ring_size,
			.cached = malloc(hwf_range_cache_bytes(CACHED_RANGES)),
		};

		err = memory.ring && memory.cached ? decode_unit(run, &memory, i) : -1;
		program_close(&memory.program);
		free(memory.ring);
		free(memory.cached);
	}
	if (err)
		bench_trouble_say(&run->trouble, "out of memory");
	return err;
}

static const char *version(void)
{
	return "hwflow";
}

const struct bench_side bench_ours = {
	.name = "hwflow",
	.version = version,
	.run = {run_packets, run_exact},
};
