// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Fuzz target: any bytes as trace of any program. The flow must be the same with and without
 * the graph of ranges, in one piece and in many, once and several times, and stage by stage; what
 * is counted must be the sum of what is given; every executed range must be in the program.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tests/flow_sums.h"
#include "fuzz_flow.h"
#include "hwflow/decoder.h"
#include "hwflow/graph.h"
#include "hwflow/transaction.h"

/* The low pages that the program is in end here. */
#define LOW 0x10000u

struct fold {
	uint64_t sum;
	uint64_t events;
};

static void take(void *ctx, const struct hwf_flow_event *event)
{
	struct fold *fold = ctx;

	fold->events++;
	fuzz_mix(&fold->sum, event->offset);
	fuzz_mix(&fold->sum, event->kind);
	switch (event->kind) {
	case HWF_FLOW_RANGE:
		if (!event->u.range.instructions)
			abort();
		fuzz_mix(&fold->sum, event->u.range.start);
		fuzz_mix(&fold->sum, event->u.range.end);
		fuzz_mix(&fold->sum, event->u.range.instructions);
		fuzz_mix(&fold->sum, event->u.range.taken);
		fuzz_mix(&fold->sum, event->u.range.isa);
		fuzz_mix(&fold->sum, event->u.range.insn.kind);
		break;
	case HWF_FLOW_GAP:
		fuzz_mix(&fold->sum, event->u.gap.reason);
		fuzz_mix(&fold->sum, event->u.gap.has_address ? event->u.gap.address : 0);
		break;
	case HWF_FLOW_EXCEPTION:
		fuzz_mix(&fold->sum, event->u.exception.ret);
		break;
	default:
		break;
	}
}

#define RING  1024
#define NODES 64 /* few, so that they are forgotten */
#define HELD  32

static struct fold decode(const struct hwf_ete_config *config, const struct hwf_code *code,
			  const uint8_t *trace, size_t size, bool cached, size_t chunk)
{
	struct hwf_element *ring = calloc(RING, sizeof(*ring));
	struct hwf_flow_event *held = calloc(HELD, sizeof(*held));
	void *memory = calloc(1, hwf_graph_bytes(NODES));
	struct hwf_transactions transactions;
	struct hwf_graph graph;
	struct hwf_decoder decoder;
	struct fold fold = {0};
	size_t taken = 0;
	size_t given = 0;

	if (!ring || !held || !memory)
		abort();
	hwf_graph_init(&graph, memory, NODES);
	hwf_transactions_init(&transactions, held, HELD, take, NULL, &fold);
	hwf_decoder_init(&decoder, config, code, ring, RING, hwf_transactions_push, &transactions);
	if (cached)
		decoder.follower.graph = &graph;
	while (given < size) {
		given = size - given < chunk ? size : given + chunk;
		taken += hwf_decoder_push(&decoder, trace + taken, given - taken, given == size);
	}
	if (taken != size && size)
		abort();
	free(ring);
	free(held);
	free(memory);
	return fold;
}

static void push_p0(void *ctx, const struct hwf_element *element)
{
	hwf_p0_push(ctx, element);
}

static void push_follower(void *ctx, const struct hwf_element *element)
{
	hwf_follower_push(ctx, element);
}

/* With no short way: each packet through each stage */
static struct fold decode_by_stages(const struct hwf_ete_config *config,
				    const struct hwf_code *code, const uint8_t *trace, size_t size)
{
	struct hwf_element *ring = calloc(RING, sizeof(*ring));
	struct hwf_flow_event *held = calloc(HELD, sizeof(*held));
	struct hwf_transactions transactions;
	struct hwf_elements elements;
	struct hwf_follower follower;
	struct hwf_ete_stream stream;
	struct hwf_ete_packet packet;
	struct hwf_p0 p0;
	struct fold fold = {0};

	if (!ring || !held)
		abort();
	hwf_transactions_init(&transactions, held, HELD, take, NULL, &fold);
	hwf_follower_init(&follower, config, code, hwf_transactions_push, &transactions);
	hwf_p0_init(&p0, config, ring, RING, push_follower, &follower);
	hwf_elements_init(&elements, config, push_p0, &p0);
	hwf_ete_stream_init(&stream, config);
	for (;;) {
		uint64_t offset = stream.offset;
		bool tentative;

		if (!hwf_ete_stream_next(&stream, trace + offset, size - offset, true, &packet))
			break;
		tentative = stream.tentative || !stream.synced;
		hwf_elements_push(&elements, &packet, offset, tentative);
	}
	hwf_elements_flush(&elements);
	free(ring);
	free(held);
	return fold;
}

/* The plain stages, or with ranges that are counted */
static struct sums sums_of(const struct hwf_ete_config *config, const struct hwf_code *code,
			   const uint8_t *trace, size_t size, bool counted, size_t chunk)
{
	struct hwf_element *ring = calloc(RING, sizeof(*ring));
	void *memory = calloc(1, hwf_graph_bytes(NODES));
	struct hwf_decoder decoder;
	struct hwf_graph graph;
	struct sums sums = {0};
	size_t taken = 0;
	size_t given = 0;

	if (!ring || !memory)
		abort();
	hwf_graph_init(&graph, memory, NODES);
	hwf_decoder_init(&decoder, config, code, ring, RING, add_event, &sums);
	if (counted) {
		decoder.follower.graph = &graph;
		decoder.follower.counting = true;
		decoder.follower.before_flush = add_counts;
	}
	while (given < size) {
		given = size - given < chunk ? size : given + chunk;
		taken += hwf_decoder_push(&decoder, trace + taken, given - taken, given == size);
	}
	hwf_graph_settle_counts(&graph);
	add_counts(&sums, &graph);
	free(ring);
	free(memory);
	return sums;
}

static void check_counts(const struct hwf_ete_config *config, const struct hwf_code *code,
			 const uint8_t *trace, size_t size, size_t chunk)
{
	const struct sums given = sums_of(config, code, trace, size, false, SIZE_MAX);
	const struct sums counted = sums_of(config, code, trace, size, true, chunk);

	if (given.ranges != counted.ranges || given.jumps != counted.jumps ||
	    given.events != counted.events)
		abort();
}

/*
 * The trace several times, one behind the other: bytes that come again from the same state are
 * found in the memo of the graph.
 */
static void check_repeated(const struct hwf_ete_config *config, const struct hwf_code *code,
			   const uint8_t *trace, size_t size, size_t chunk)
{
	enum { TIMES = 4 };
	uint8_t *again = malloc(TIMES * size + 1);
	struct fold stages, cached;

	if (!again)
		abort();
	for (size_t i = 0; i < TIMES; i++)
		memcpy(again + i * size, trace, size);
	stages = decode_by_stages(config, code, again, TIMES * size);
	cached = decode(config, code, again, TIMES * size, true, chunk);
	if (stages.sum != cached.sum || stages.events != cached.events)
		abort();
	check_counts(config, code, again, TIMES * size, chunk);
	free(again);
}

static void run(enum hwf_ete_protocol protocol, const uint8_t *data, size_t size)
{
	struct hwf_ete_config config;
	struct fuzz_program program;
	struct hwf_code code = {.ctx = &program, .read = fuzz_read_code};
	struct fold plain;
	struct fold cached;
	struct fold pieces;
	struct fold stages;
	size_t chunk;

	if (fuzz_config(&config, protocol, &data, &size) || size < 2)
		return;
	/* one byte: how much of the input is program, in 1/256; one byte: size of a piece */
	program = (struct fuzz_program){data + 2, (size - 2) * data[0] / 256, LOW};
	chunk = 1 + data[1];
	data += 2 + program.size;
	size -= 2 + program.size;
	plain = decode(&config, &code, data, size, false, SIZE_MAX);
	cached = decode(&config, &code, data, size, true, SIZE_MAX);
	pieces = decode(&config, &code, data, size, true, chunk);
	if (plain.sum != cached.sum || plain.events != cached.events)
		abort();
	if (plain.sum != pieces.sum || plain.events != pieces.events)
		abort();
	check_counts(&config, &code, data, size, SIZE_MAX);
	check_counts(&config, &code, data, size, chunk);
	/* nothing at all is never pushed into a decoder */
	stages = decode_by_stages(&config, &code, data, size);
	if (size && (plain.sum != stages.sum || plain.events != stages.events))
		abort();
	/* without speculation, and short enough to be worth while */
	if (size && size <= 1024 && !config.max_spec)
		check_repeated(&config, &code, data, size, data[0] & 1 ? SIZE_MAX : chunk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	run(HWF_PROTOCOL_ETE, data, size);
	run(HWF_PROTOCOL_ETMV4, data, size);
	return 0;
}
