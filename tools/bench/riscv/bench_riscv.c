// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_riscv - how fast RISC-V trace is decoded, beside ETE trace of the same execution.
 *
 * There is no other decoder to compare with that could be had. So the ratio is to ours of ETE, for
 * which there is one: at each address the program has the same instruction in both instruction
 * sets. Both sides take every executed range and fold it into a sum; the sums must be equal. Both
 * start with nothing: decoder, image and caches are made within the time that is measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_median.h"
#include "program.h"

#include "hwflow/decoder.h"
#include "hwflow/image.h"
#include "hwflow/graph.h"
#include "hwflow/riscv_flow.h"

#define CACHED_RANGES 0x4000u
#define PAIRS_MAX     101

/* struct sum - what a side found; @open: a range that goes on in the next one, from @start */
struct sum {
	uint64_t sum;
	uint64_t instructions;
	uint64_t trouble;
	uint64_t start;
	uint32_t open;
};

/*
 * Ranges that no branch or jump ends are parts of one: where they are cut says nothing. Behind the
 * last branch nothing counts, for an ETE does not tell of it.
 */
static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	const struct hwf_flow_range *range = &event->u.range;
	struct sum *sum = ctx;

	if (event->kind == HWF_FLOW_GAP || (event->kind == HWF_FLOW_NO_SYNC && event->offset))
		sum->trouble++;
	if (event->kind != HWF_FLOW_RANGE)
		return;
	if (!sum->open)
		sum->start = range->start;
	sum->open += range->instructions;
	if (!range->p0)
		return;
	sum->instructions += sum->open;
	sum->sum = bench_fold_range(sum->sum, sum->start, range->end, sum->open, 0, range->taken);
	sum->open = 0;
}

/* Ranges of the graph, many at a time; a branch or jump ends each of them */
static void take_steps(void *ctx, const struct hwf_steps *steps)
{
	struct sum *sum = ctx;

	for (size_t i = 0; i < steps->count; i++) {
		const struct hwf_node *node =
			hwf_graph_node(steps->graph, HWF_STEP_NODE(steps->step[i]));
		const uint64_t start = sum->open ? sum->start : node->start;
		const uint32_t instructions = sum->open + node->instructions;

		sum->instructions += instructions;
		sum->sum = bench_fold_range(sum->sum, start, node->end, instructions, 0,
					    HWF_STEP_TAKEN(steps->step[i]));
		sum->open = 0;
	}
}

/* struct place - the program, as a decoder reads it */
struct place {
	struct hwf_image *image;
	struct hwf_image_view *view;
};

static int place_open(struct place *place, const uint32_t *code)
{
	const struct hwf_image_filter any = {0};
	struct hwf_image_space *space;
	struct hwf_image_file *file;
	int err;

	*place = (struct place){0};
	err = hwf_image_new(&place->image, NULL, NULL);
	if (!err)
		err = hwf_image_add_space(place->image, &any, NULL, &space);
	if (!err)
		err = hwf_image_add_bytes(place->image, "code", (const uint8_t *)code,
					  PROGRAM_BYTES, &file);
	if (!err)
		err = hwf_image_map(space, PROGRAM_BASE, PROGRAM_BYTES, file, 0);
	if (!err)
		err = hwf_image_view_new(&place->view, place->image, false);
	return err;
}

static void place_close(struct place *place)
{
	hwf_image_view_free(place->view);
	hwf_image_free(place->image);
}

static int run_riscv(const struct program *program, struct sum *sum)
{
	struct hwf_riscv_decoder *decoder = malloc(sizeof(*decoder));
	void *memory = malloc(hwf_graph_nodes_bytes(HWF_RISCV_NODES));
	struct hwf_graph graph;
	struct hwf_riscv_framing framing;
	struct place place;
	int err = place_open(&place, program->rv64);

	hwf_riscv_framing_init(&framing, HWF_RISCV_REFERENCE);
	if (decoder && memory && !err) {
		hwf_graph_init_nodes(&graph, memory, HWF_RISCV_NODES);
		hwf_riscv_decoder_init(decoder, &program->riscv, &framing, HWF_RV_64,
				       hwf_image_view_code(place.view), take_event, sum);
		decoder->flow.graph = &graph;
		decoder->flow.steps_sink = take_steps;
		hwf_riscv_decoder_push(decoder, program->riscv_trace.bytes,
				       program->riscv_trace.length, true);
	}
	err |= decoder && memory ? 0 : -1;
	place_close(&place);
	free(decoder);
	free(memory);
	return err;
}

static int run_ete(const struct program *program, struct sum *sum)
{
	const uint32_t size = hwf_p0_ring_size(&program->ete);
	struct hwf_element *ring = calloc(size, sizeof(*ring));
	void *memory = calloc(1, hwf_graph_bytes(CACHED_RANGES));
	struct hwf_decoder *decoder = malloc(sizeof(*decoder));
	struct hwf_graph graph;
	struct place place;
	int err = place_open(&place, program->a64);

	if (ring && memory && decoder && !err) {
		hwf_graph_init(&graph, memory, CACHED_RANGES);
		hwf_decoder_init(decoder, &program->ete, hwf_image_view_code(place.view), ring,
				 size, take_event, sum);
		decoder->follower.graph = &graph;
		decoder->follower.steps = take_steps;
		hwf_decoder_push(decoder, program->ete_trace.bytes, program->ete_trace.length,
				 true);
	} else {
		err = -1;
	}
	place_close(&place);
	free(ring);
	free(memory);
	free(decoder);
	return err;
}

/* struct side - how long one side took, and instructions of the machine if it counts them */
struct side {
	double seconds[PAIRS_MAX];
	uint64_t counted;
};

static void print_side(const char *work, const char *name, const struct program *program,
		       const struct trace *trace, struct side *side, unsigned int pairs)
{
	const double seconds = bench_median(side->seconds, pairs);

	printf("bench: riscv_exact/%s/%s %.2f MB/s\n", work, name,
	       (double)trace->length / seconds / 1e6);
	printf("bench: riscv_exact/%s/%s_instructions %.2f Minstructions/s\n", work, name,
	       (double)program->instructions / seconds / 1e6);
	printf("bench: riscv_exact/%s/%s_per_byte %.2f instructions\n", work, name,
	       (double)program->instructions / (double)trace->length);
	if (trace->packets)
		printf("bench: riscv_exact/%s/%s_per_packet %.2f instructions\n", work, name,
		       (double)program->instructions / (double)trace->packets);
	if (side->counted)
		printf("bench: riscv_exact/%s/%s_cost %.2f instructions\n", work, name,
		       (double)side->counted / (double)program->instructions);
}

static bool agree(const char *work, const struct program *program, const struct sum *riscv,
		  const struct sum *ete)
{
	if (!riscv->trouble && !ete->trouble && riscv->instructions == program->instructions &&
	    ete->instructions == program->instructions && riscv->sum == ete->sum)
		return true;
	fprintf(stderr,
		"bench_riscv: %s: %llu and %llu instructions of %llu, %llu and %llu faults: the "
		"sides "
		"differ\n",
		work, (unsigned long long)riscv->instructions,
		(unsigned long long)ete->instructions, (unsigned long long)program->instructions,
		(unsigned long long)riscv->trouble, (unsigned long long)ete->trouble);
	return false;
}

/* The ratio of one kind of trace; 0: the two sides do not agree, or one failed */
static double measure(const char *work, const struct program *program, unsigned int pairs)
{
	struct side riscv = {0}, ete = {0};
	double ratios[PAIRS_MAX] = {0};
	double ratio;

	for (unsigned int i = 0; i < pairs; i++) {
		struct sum riscv_sum = {0}, ete_sum = {0};
		struct bench_cost cost;
		int err;

		bench_meter_start();
		err = run_riscv(program, &riscv_sum);
		cost = bench_meter_stop();
		riscv.seconds[i] = cost.seconds;
		riscv.counted = cost.instructions;
		bench_meter_start();
		err |= run_ete(program, &ete_sum);
		cost = bench_meter_stop();
		ete.seconds[i] = cost.seconds;
		ete.counted = cost.instructions;
		ratios[i] = ete.seconds[i] / riscv.seconds[i];
		if (err || !agree(work, program, &riscv_sum, &ete_sum))
			return 0;
	}
	ratio = bench_median(ratios, pairs);
	printf("bench: riscv_exact_vs_ete/%s %.2f ratio\n", work, ratio);
	print_side(work, "riscv", program, &program->riscv_trace, &riscv, pairs);
	print_side(work, "ete", program, &program->ete_trace, &ete, pairs);
	return ratio;
}

/* struct work - a kind of trace, by what both trace units leave out */
struct work {
	const char *name;
	bool returns;
	bool predicted;
};

static void configure(struct program *program, const struct work *work)
{
	struct hwf_riscv_params *params = &program->params;

	program->regs = (struct hwf_ete_regs){.trcconfigr = work->returns ? 0x1001 : 1,
					      .trcidr0 = 0x084002a1,
					      .trcidr1 = 0x4100fff0,
					      .trcidr2 = 0x40001088,
					      .trcdevarch = 0x47735a13};
	hwf_riscv_params_init(params, HWF_RISCV_V2);
	params->itype_width_p = 4;
	params->max_resync = 1000;
	params->implicit_return = work->returns;
	params->irets = work->returns;
	params->return_stack_size_p = work->returns ? 4 : 0;
	params->branch_prediction = work->predicted;
	params->jump_target_cache = work->predicted;
	params->bpred_size_p = work->predicted ? 10 : 0;
	params->cache_size_p = work->predicted ? 8 : 0;
	params->f0s_width_p = work->predicted;
}

int main(int argc, char **argv)
{
	static const struct work works[] = {
		{"plain", false, false},
		{"returns", true, false},
		{"predicted", false, true},
	};
	unsigned int pairs = argc > 1 ? (unsigned int)atoi(argv[1]) : 5;
	uint64_t instructions = argc > 2 ? strtoull(argv[2], NULL, 0) : 20000000;
	double worst = 0;
	int status = 0;

	if (argc > 3 || pairs < 1 || pairs > PAIRS_MAX || !instructions) {
		fputs("usage: bench_riscv [PAIRS [INSTRUCTIONS]]\n", stderr);
		return 1;
	}
	bench_meter_open(-1);
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		struct program *program = calloc(1, sizeof(*program));
		double ratio = 0;

		if (!program)
			return 2;
		configure(program, &works[i]);
		if (!program_run(program, instructions))
			ratio = measure(works[i].name, program, pairs);
		if (ratio == 0)
			status = 2;
		else if (worst == 0 || ratio < worst)
			worst = ratio;
		free(program->ete_trace.bytes);
		free(program->riscv_trace.bytes);
		free(program);
	}
	/* the worst is the result */
	if (!status)
		printf("bench: riscv_exact_vs_ete %.2f ratio\n", worst);
	return status;
}
