// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Fuzz target: any bytes as RISC-V trace of any program, under any parameters, with data trace in
 * between. What decodes must encode and decode to itself; the flow must be the same in one piece
 * and in many, and instruction by instruction; every executed range must be in the program.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "fuzz_flow.h"
#include "hwflow/riscv_flow.h"

/* The low pages that the program is in end here. */
#define LOW 0x40000u

/* A packet may count four thousand million branches, which are then walked. */
#define BRANCHES 512

/* Few, so that the graph forgets them often */
#define NODES 16

struct fold {
	uint64_t sum;
	uint64_t events;
};

static void take(void *ctx, const struct hwf_flow_event *event)
{
	struct fold *fold = ctx;
	const struct hwf_flow_range *range = &event->u.range;

	fold->events++;
	fuzz_mix(&fold->sum, event->offset);
	fuzz_mix(&fold->sum, event->kind);
	switch (event->kind) {
	case HWF_FLOW_RANGE:
		if (!range->instructions || !range->insn.size ||
		    range->end - range->start < 2 * (uint64_t)range->instructions)
			abort();
		fuzz_mix(&fold->sum, range->start);
		fuzz_mix(&fold->sum, range->end);
		fuzz_mix(&fold->sum, range->instructions);
		fuzz_mix(&fold->sum, range->taken);
		break;
	case HWF_FLOW_GAP:
		fuzz_mix(&fold->sum, event->u.gap.reason);
		fuzz_mix(&fold->sum, event->u.gap.has_address ? event->u.gap.address : 0);
		break;
	case HWF_FLOW_TRAP:
		fuzz_mix(&fold->sum, event->u.trap.has_epc ? event->u.trap.epc : 0);
		fuzz_mix(&fold->sum, event->u.trap.cause);
		break;
	default:
		break;
	}
}

/* struct how - how the input is to be read, from its first bytes */
struct how {
	struct hwf_riscv_config config;
	struct hwf_riscv_framing framing;
	unsigned int isa;
};

#define HEAD 8

/* What 2.0 alone has: from bits that say nothing else there, or little */
static void ratified_params(struct hwf_riscv_params *params, const uint8_t *head)
{
	static const uint8_t widths[] = {0, 32, 64, 128};

	params->data_width_p = widths[head[1] / 65];
	params->daddress_width_p = head[1] % 65;
	params->dtype_width_p = (uint8_t)(1 + (head[1] & 3));
	params->lrid_width_p = head[3] & 0x40 ? 5 : 0;
	params->irets = head[3] & 0x40;
	params->ddiff_width = (uint8_t)(1 + (head[6] & 1));
	params->mmacas = head[7] & 0x80;
}

static int read_how(struct how *how, const uint8_t *head)
{
	const enum hwf_riscv_dialect dialect = (enum hwf_riscv_dialect)(head[0] % 3);
	const bool ratified = dialect != HWF_RISCV_DRAFT_026;
	struct hwf_riscv_params params = {
		.iaddress_width_p = head[1] % 65,
		.iaddress_lsb_p = head[2] & 3,
		.context_width_p = head[2] >> 2 & 31,
		.nocontext_p = head[2] >> 7,
		.privilege_width_p = 1 + (head[3] & 3),
		.ecause_width_p = 1 + (head[3] >> 2 & 15),
		.itype_width_p = 3,
		.notval_p = !ratified && head[3] & 0x40,
		.full_address = head[3] & 0x80,
		.sijump_p = head[4] & 1,
	};

	if (ratified) {
		params.implicit_return = head[4] & 2;
		params.implicit_exception = head[4] & 4;
		params.branch_prediction = head[4] & 8;
		params.jump_target_cache = head[4] & 16;
		params.return_stack_size_p = head[4] & 32 ? 3 : 0;
		params.call_counter_size_p = head[4] & 32 ? 0 : head[4] >> 6;
		params.bpred_size_p = head[5] & 7;
		params.cache_size_p = head[5] >> 3 & 7;
		params.f0s_width_p = head[5] >> 6 & 1;
		params.time_width_p = dialect == HWF_RISCV_V2 ? head[6] & 63 : 0;
		params.tvec = head[5] & 0x80 ? FUZZ_PAGE | 1 : 0;
	}
	if (dialect == HWF_RISCV_V2)
		ratified_params(&params, head);
	how->isa = head[6] >> 6;
	hwf_riscv_framing_init(&how->framing, (enum hwf_riscv_framing_kind)(head[7] & 3));
	if (how->framing.kind == HWF_RISCV_ENCAP || how->framing.kind == HWF_RISCV_SIEMENS) {
		how->framing.srcid_width = head[7] >> 2 & 15;
		how->framing.type_width = head[7] >> 6 & 1;
	}
	return hwf_riscv_config_init(&how->config, dialect, &params) ||
	       hwf_riscv_framing_check(&how->framing);
}

static struct fold decode(const struct how *how, const struct hwf_code *code, const uint8_t *trace,
			  size_t size, size_t chunk, bool use_graph)
{
	struct hwf_riscv_decoder *decoder = malloc(sizeof(*decoder));
	void *memory = malloc(hwf_graph_nodes_bytes(NODES));
	struct hwf_graph graph;
	struct fold fold = {0};
	size_t taken = 0;
	size_t given = 0;

	if (!decoder || !memory)
		abort();
	hwf_graph_init_nodes(&graph, memory, NODES);
	hwf_riscv_decoder_init(decoder, &how->config, &how->framing, how->isa, code, take, &fold);
	decoder->flow.branch_limit = BRANCHES;
	decoder->flow.graph = use_graph ? &graph : NULL;
	while (given < size) {
		given = size - given < chunk ? size : given + chunk;
		taken += hwf_riscv_decoder_push(decoder, trace + taken, given - taken,
						given == size);
	}
	if (taken != size)
		abort();
	free(decoder);
	free(memory);
	return fold;
}

static void check_data(const struct hwf_riscv_config *config,
		       const struct hwf_riscv_requests *requests,
		       const struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_packet again;
	uint8_t bytes[HWF_RISCV_MAX_PAYLOAD];
	uint8_t more[HWF_RISCV_MAX_PAYLOAD];
	const int length = hwf_riscv_data_encode(config, packet, bytes, sizeof(bytes));

	if (length < 0 || hwf_riscv_data_decode(config, requests, bytes, (size_t)length, &again) ||
	    again.type != packet->type)
		abort();
	if (hwf_riscv_data_encode(config, &again, more, sizeof(more)) != length ||
	    memcmp(bytes, more, (size_t)length) != 0)
		abort();
}

static void check_packets(const struct how *how, const uint8_t *trace, size_t size)
{
	struct hwf_riscv_stream stream;
	struct hwf_riscv_packet packet;
	struct hwf_riscv_packet again;
	uint8_t bytes[HWF_RISCV_MAX_PAYLOAD];
	uint8_t more[HWF_RISCV_MAX_PAYLOAD];
	size_t step;

	hwf_riscv_stream_init(&stream, &how->config, &how->framing);
	for (size_t at = 0; at < size; at += step) {
		const struct hwf_riscv_config config = stream.config;
		const struct hwf_riscv_requests requests = stream.requests;
		int length;

		step = hwf_riscv_stream_next(&stream, trace + at, size - at, true, &packet);
		if (!step || step > size - at)
			abort();
		if (packet.type > HWF_RISCV_INCOMPLETE)
			check_data(&config, &requests, &packet);
		if (packet.type >= HWF_RISCV_TYPES)
			continue;
		length = hwf_riscv_encode(&config, &packet, bytes, sizeof(bytes));
		/* what is not compressed may be longer than a header can say */
		if (length == HWF_ERR_NO_SPACE && how->framing.kind == HWF_RISCV_BARE)
			continue;
		if (length < 0 ||
		    hwf_riscv_decode(&config, packet.type == HWF_RISCV_TE_SUPPORT, bytes,
				     (size_t)length, &again) ||
		    again.type != packet.type)
			abort();
		if (hwf_riscv_encode(&config, &again, more, sizeof(more)) != length ||
		    memcmp(bytes, more, (size_t)length) != 0)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct how how;
	struct fuzz_program program;
	struct hwf_code code = {.ctx = &program, .read = fuzz_read_code};
	struct fold whole;
	struct fold pieces;
	size_t chunk;

	if (size < HEAD + 2 || read_how(&how, data))
		return 0;
	/* one byte: how much of the input is program, in 1/256; one byte: size of a piece */
	program = (struct fuzz_program){data + HEAD + 2, (size - HEAD - 2) * data[HEAD] / 256, LOW};
	chunk = 1 + data[HEAD + 1];
	data += HEAD + 2 + program.size;
	size -= HEAD + 2 + program.size;
	check_packets(&how, data, size);
	/* where a packet cannot be read, and nothing says how long it is, all that is there is
	 * passed */
	if (how.framing.kind == HWF_RISCV_BARE)
		chunk = SIZE_MAX;
	whole = decode(&how, &code, data, size, SIZE_MAX, false);
	pieces = decode(&how, &code, data, size, chunk, true);
	if (whole.sum != pieces.sum || whole.events != pieces.events)
		abort();
	return 0;
}
