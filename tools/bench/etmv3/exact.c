// SPDX-License-Identifier: GPL-2.0-only
/* Executed ranges, in cycle-accurate trace with the cycles of each instruction in them. */
#include <opencsd/c_api/opencsd_c_api.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_etm3.h"
#include "peer.h"

#include "hwflow/image.h"

#define CACHED_RANGES 0x4000u

/*
 * struct range - instructions, of which all passed but perhaps the last, with no branch before it
 * @cycles: of each, with those that passed before it with no instruction
 */
struct range {
	uint64_t start;
	uint64_t end;
	uint32_t instructions;
	bool thumb;
	bool passed;
	bool branch;
	uint8_t cycles[HWF_ETM3_RANGE_MAX];
};

/*
 * struct ranges - what a side finds; the other one gives each instruction, which are joined here as
 * we do
 * @held: the range that they make
 * @waits: cycles for the next one
 */
struct ranges {
	struct sum *sum;
	bool cycles;
	uint32_t waits;
	struct range held;
};

static inline void fold_range(struct sum *sum, uint64_t start, uint64_t end, uint32_t instructions,
			      bool thumb, bool passed)
{
	sum->sum = bench_fold_range(sum->sum, start, end, instructions, thumb, passed);
	sum->items += instructions;
}

/* Eight at a time; one instruction at least */
static inline void fold_cycles(struct sum *sum, const uint8_t *cycles, uint32_t count)
{
	uint64_t eight = 0;

	for (; count > 8; count -= 8, cycles += 8) {
		memcpy(&eight, cycles, 8);
		sum->sum = bench_fold_more(sum->sum, eight);
	}
	memcpy(&eight, cycles, 8);
	sum->sum = bench_fold_more(sum->sum, eight << (8 * (8 - count)));
}

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	const struct hwf_flow_range *range = &event->u.range;
	struct sum *sum = ctx;

	if (event->kind == HWF_FLOW_RANGE) {
		fold_range(sum, range->start, range->end, range->instructions,
			   range->isa == HWF_ISA_T32, range->taken);
		if (range->each)
			fold_cycles(sum, range->each, range->instructions);
	} else if (event->kind == HWF_FLOW_CYCLE_COUNT) {
		sum->sum = bench_fold_more(sum->sum, event->u.cycle_count.count);
	} else if (event->kind == HWF_FLOW_GAP ||
		   (event->kind == HWF_FLOW_NO_SYNC && event->offset)) {
		sum->trouble++;
	}
}

static int decode_ours(struct program *program, struct sum *sum)
{
	const struct hwf_image_filter any = {0};
	void *memory = malloc(hwf_graph_nodes_bytes(CACHED_RANGES));
	struct hwf_graph graph;
	struct hwf_image_space *space;
	struct hwf_image_view *view = NULL;
	struct hwf_image_file *file;
	struct hwf_image *image = NULL;
	struct hwf_etm3_decoder decoder;
	int err = memory ? hwf_image_new(&image, NULL, NULL) : -1;

	if (!err)
		err = hwf_image_add_space(image, &any, NULL, &space);
	if (!err)
		err = hwf_image_add_bytes(image, "code", program->code, PROGRAM_BYTES, &file);
	if (!err)
		err = hwf_image_map(space, PROGRAM_BASE, PROGRAM_BYTES, file, 0);
	if (!err)
		err = hwf_image_view_new(&view, image, false);
	if (!err) {
		hwf_etm3_decoder_init(&decoder, &program->config, hwf_image_view_code(view),
				      take_event, sum);
		hwf_graph_init_nodes(&graph, memory, CACHED_RANGES);
		decoder.flow.straight = true;
		decoder.flow.graph = &graph;
		hwf_etm3_decoder_push(&decoder, program->trace, program->length, true);
	}
	hwf_image_view_free(view);
	hwf_image_free(image);
	free(memory);
	return err;
}

static void flush(struct ranges *ranges)
{
	struct range *held = &ranges->held;
	struct sum *sum = ranges->sum;

	if (held->instructions) {
		fold_range(sum, held->start, held->end, held->instructions, held->thumb,
			   held->passed);
		if (ranges->cycles)
			fold_cycles(sum, held->cycles, held->instructions);
	}
	held->instructions = 0;
}

/* Cycles that belong to no instruction */
static void flush_waits(struct ranges *ranges)
{
	struct sum *sum = ranges->sum;

	if (ranges->waits)
		sum->sum = bench_fold_more(sum->sum, ranges->waits);
	ranges->waits = 0;
}

/* One instruction more */
static inline void join(struct ranges *ranges, const ocsd_generic_trace_elem *element)
{
	struct range *held = &ranges->held;
	const bool thumb = element->isa == ocsd_isa_thumb2;

	if (!held->instructions || !held->passed || held->branch || held->end != element->st_addr ||
	    held->thumb != thumb || held->instructions == HWF_ETM3_RANGE_MAX) {
		flush(ranges);
		held->start = element->st_addr;
		held->thumb = thumb;
	}
	held->end = element->en_addr;
	held->passed = element->last_instr_exec;
	held->branch = element->last_i_type != OCSD_INSTR_OTHER;
	if (ranges->cycles) {
		held->cycles[held->instructions] =
			(uint8_t)(ranges->waits + (element->has_cc ? element->cycle_count : 0));
		ranges->waits = 0;
	}
	held->instructions++;
}

static ocsd_datapath_resp_t take_element(const void *ctx, const ocsd_trc_index_t index,
					 const uint8_t id, const ocsd_generic_trace_elem *element)
{
	struct ranges *ranges = (struct ranges *)(uintptr_t)ctx;

	(void)id;
	if (element->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE) {
		join(ranges, element);
		return OCSD_RESP_CONT;
	}
	if (element->elem_type == OCSD_GEN_TRC_ELEM_CYCLE_COUNT) {
		ranges->waits += element->cycle_count;
		return OCSD_RESP_CONT;
	}
	flush(ranges);
	flush_waits(ranges);
	if (element->elem_type == OCSD_GEN_TRC_ELEM_ADDR_NACC ||
	    element->elem_type == OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN ||
	    (element->elem_type == OCSD_GEN_TRC_ELEM_NO_SYNC && index))
		ranges->sum->trouble++;
	return OCSD_RESP_CONT;
}

static int decode_theirs(struct program *program, struct sum *sum)
{
	struct ranges ranges = {.sum = sum, .cycles = program->config.cycle_accurate};
	unsigned char id;
	dcd_tree_handle_t tree = peer_open(program, OCSD_CREATE_FLG_FULL_DECODER, &id);
	int err = tree == C_API_INVALID_TREE_HANDLE;

	if (!err)
		err = ocsd_dt_set_gen_elem_outfn(tree, take_element, &ranges) != OCSD_OK;
	if (!err)
		err = ocsd_dt_add_buffer_mem_acc(tree, PROGRAM_BASE, OCSD_MEM_SPACE_ANY,
						 program->code, PROGRAM_BYTES) != OCSD_OK;
	if (!err)
		err = peer_decode(tree, program);
	flush(&ranges);
	peer_close(tree);
	return err;
}

const struct work exact = {.name = "exact", .ours = decode_ours, .theirs = decode_theirs};
