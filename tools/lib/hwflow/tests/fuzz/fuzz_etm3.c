// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Fuzz target: any bytes as ETMv3 trace of any program. No byte may be lost, what decodes must
 * encode and decode to the same, and the flow must be the same with and without a graph of
 * ranges, in one piece and in several, and packet by packet.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "fuzz_flow.h"
#include "hwflow/etmv3_flow.h"

#define CODE_BASE 0x8000u
#define NODES     16 /* few, so that the graph forgets them often */

struct program {
	const uint8_t *bytes;
	size_t size;
};

struct fold {
	uint64_t sum;
	uint64_t events;
	uint64_t instructions;
	uint64_t cycles;
	bool joined;
};

static void take(void *ctx, const struct hwf_flow_event *event)
{
	struct fold *fold = ctx;

	fold->events++;
	fuzz_mix(&fold->sum, event->offset);
	fuzz_mix(&fold->sum, event->kind);
	switch (event->kind) {
	case HWF_FLOW_RANGE:
		fold->instructions += event->u.range.instructions;
		if (event->u.range.instructions != 1)
			fold->joined = true;
		fuzz_mix(&fold->sum, event->u.range.start);
		fuzz_mix(&fold->sum, event->u.range.end);
		fuzz_mix(&fold->sum, event->u.range.taken);
		fuzz_mix(&fold->sum, event->u.range.isa);
		fuzz_mix(&fold->sum, event->u.range.p0);
		fuzz_mix(&fold->sum, event->u.range.insn.kind);
		fuzz_mix(&fold->sum, event->u.range.cycles);
		fold->cycles += event->u.range.cycles;
		for (uint32_t i = 0; event->u.range.each && i < event->u.range.instructions; i++) {
			fuzz_mix(&fold->sum, event->u.range.each[i]);
			fold->cycles += event->u.range.each[i];
		}
		break;
	case HWF_FLOW_GAP:
		fuzz_mix(&fold->sum, event->u.gap.reason);
		break;
	case HWF_FLOW_EXCEPTION:
		fuzz_mix(&fold->sum, event->u.exception.number);
		break;
	case HWF_FLOW_CYCLE_COUNT:
		fuzz_mix(&fold->sum, event->u.cycle_count.count);
		fold->cycles += event->u.cycle_count.count;
		break;
	case HWF_FLOW_TIMESTAMP:
		fuzz_mix(&fold->sum, event->u.timestamp.value);
		break;
	default:
		break;
	}
}

static size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	const struct program *program = ctx;
	uint64_t at = address - CODE_BASE;

	(void)space;
	if (at >= program->size)
		return 0;
	if (length > program->size - at)
		length = program->size - at;
	memcpy(bytes, program->bytes + at, length);
	return length;
}

static void check_packet(const struct hwf_etm3_config *config, const struct hwf_etm3_packet *packet)
{
	struct hwf_etm3_packet again;
	uint8_t bytes[HWF_ETM3_MAX_PACKET];
	uint8_t twice[HWF_ETM3_MAX_PACKET];
	int size = hwf_etm3_encode(config, packet, bytes, sizeof(bytes));

	if (size < 0 || (uint32_t)size > packet->size)
		abort();
	if (hwf_etm3_decode(config, bytes, (size_t)size, &again) != size ||
	    again.type != packet->type)
		abort();
	if (hwf_etm3_encode(config, &again, twice, sizeof(twice)) != size ||
	    memcmp(bytes, twice, (size_t)size))
		abort();
}

/* Each packet cut and pushed by itself */
static struct fold decode_by_packets(const struct hwf_etm3_config *config,
				     const struct hwf_code *code, const uint8_t *data, size_t size)
{
	struct hwf_etm3_stream stream;
	struct hwf_etm3_packet packet;
	struct hwf_etm3_flow flow;
	struct fold fold = {0};
	size_t at = 0;

	hwf_etm3_stream_init(&stream, config);
	hwf_etm3_flow_init(&flow, config, code, take, &fold);
	while (at < size) {
		size_t taken = hwf_etm3_stream_next(&stream, data + at, size - at, true, &packet);

		if (!taken || taken != packet.size || taken > size - at)
			abort();
		if (packet.type < HWF_ETM3_TYPES)
			check_packet(config, &packet);
		hwf_etm3_flow_push(&flow, &packet, at, stream.error,
				   stream.tentative || !stream.synced);
		at += taken;
	}
	hwf_etm3_flow_flush(&flow);
	return fold;
}

static struct fold decode(const struct hwf_etm3_config *config, const struct hwf_code *code,
			  const uint8_t *data, size_t size, bool cached, bool straight,
			  size_t chunk)
{
	void *memory = malloc(hwf_graph_nodes_bytes(NODES));
	struct hwf_graph graph;
	struct hwf_etm3_decoder decoder;
	struct fold fold = {0};
	size_t taken = 0;
	size_t given = 0;

	if (!memory)
		abort();
	hwf_graph_init_nodes(&graph, memory, NODES);
	hwf_etm3_decoder_init(&decoder, config, code, take, &fold);
	decoder.flow.straight = straight;
	decoder.flow.graph = cached ? &graph : NULL;
	do {
		given = size - given < chunk ? size : given + chunk;
		taken +=
			hwf_etm3_decoder_push(&decoder, data + taken, given - taken, given == size);
	} while (given < size);
	if (taken != size)
		abort();
	free(memory);
	return fold;
}

static bool differ(const struct fold *a, const struct fold *b)
{
	return a->sum != b->sum || a->events != b->events;
}

/* Three bytes: how the trace unit is made */
static int make_config(struct hwf_etm3_config *config, const uint8_t **data, size_t *size)
{
	struct hwf_etm3_regs regs;
	const uint8_t *head = *data;

	if (*size < 5)
		return -1;
	regs = (struct hwf_etm3_regs){
		.etmcr = (uint32_t)head[0] << 12 | (head[1] & 3u) << 2 |
			 (head[1] & 0x80 ? 1u << 20 : 0),
		.etmidr = 0x41000200u | (head[2] % 6u) << 4 | (uint32_t)(head[2] >> 6) << 18 |
			  (head[1] & 4 ? 1u << 20 : 0),
		.etmccer = 1u << 22 | (uint32_t)(head[1] >> 3 & 3) << 28,
		.armv7m = head[1] & 0x40,
	};
	regs.etmcr &= ~0x000e2000u & 0x0011f00cu;
	*data += 3;
	*size -= 3;
	return hwf_etm3_config_init(config, &regs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hwf_etm3_config config;
	struct program program;
	struct hwf_code code = {.ctx = &program, .read = read_code};
	struct fold plain;
	struct fold cached;
	struct fold packets;
	struct fold straight;
	struct fold straight_cached;
	size_t chunk;

	if (make_config(&config, &data, &size))
		return 0;
	/* one byte: how much of the input is program, in 1/256; one byte: size of a piece */
	program = (struct program){.bytes = data + 2, .size = (size - 2) * data[0] / 256};
	chunk = 1u + data[1];
	data += 2 + program.size;
	size -= 2 + program.size;
	plain = decode(&config, &code, data, size, false, false, SIZE_MAX);
	cached = decode(&config, &code, data, size, true, false, chunk);
	straight = decode(&config, &code, data, size, false, true, SIZE_MAX);
	straight_cached = decode(&config, &code, data, size, true, true, chunk);
	packets = decode_by_packets(&config, &code, data, size);
	/* bytes passed over come in several pieces, at offsets of their own, but give one event */
	if (differ(&plain, &packets) || plain.events != cached.events || differ(&plain, &cached))
		abort();
	if (differ(&straight, &straight_cached) || plain.joined ||
	    straight.instructions != plain.instructions || straight.cycles != plain.cycles)
		abort();
	return 0;
}
