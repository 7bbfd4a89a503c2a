// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_etm3 - how fast ETMv3 trace is decoded, beside OpenCSD in the same run.
 *
 * Both sides take every executed range, in cycle-accurate trace with the cycles of each instruction
 * in it, and fold it into a sum; the sums must be equal. Both start with nothing: decoder, image
 * and caches are made within the time that is measured.
 */
#include <opencsd/c_api/opencsd_c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "program.h"

#include "hwflow/image.h"

#define CACHED_RANGES 0x4000u
#define PAIRS_MAX     101

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
 * struct sum - what a side found; @trouble: what is neither an instruction nor expected; @held: the
 * other side gives each instruction, which are joined here as we do; @waits: cycles for the next
 */
struct sum {
	uint64_t sum;
	uint64_t instructions;
	uint64_t trouble;
	bool cycles;
	uint32_t waits;
	struct range held;
};

static inline void fold_range(struct sum *sum, uint64_t start, uint64_t end, uint32_t instructions,
			      bool thumb, bool passed)
{
	sum->sum = bench_fold_range(sum->sum, start, end, instructions, thumb, passed);
	sum->instructions += instructions;
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

static int run_ours(struct program *program, struct sum *sum)
{
	const struct hwf_image_filter any = {0};
	void *memory = malloc(hwf_range_cache_bytes(CACHED_RANGES));
	struct hwf_range_cache cache;
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
		hwf_range_cache_init(&cache, memory, CACHED_RANGES);
		decoder.flow.straight = true;
		decoder.flow.cache = &cache;
		hwf_etm3_decoder_push(&decoder, program->trace, program->length, true);
	}
	hwf_image_view_free(view);
	hwf_image_free(image);
	free(memory);
	return err;
}

static void flush(struct sum *sum)
{
	struct range *held = &sum->held;

	if (held->instructions) {
		fold_range(sum, held->start, held->end, held->instructions, held->thumb,
			   held->passed);
		if (sum->cycles)
			fold_cycles(sum, held->cycles, held->instructions);
	}
	held->instructions = 0;
}

/* Cycles that belong to no instruction */
static void flush_waits(struct sum *sum)
{
	if (sum->waits)
		sum->sum = bench_fold_more(sum->sum, sum->waits);
	sum->waits = 0;
}

/* One instruction more */
static inline void join(struct sum *sum, const ocsd_generic_trace_elem *element)
{
	struct range *held = &sum->held;
	const bool thumb = element->isa == ocsd_isa_thumb2;

	if (!held->instructions || !held->passed || held->branch || held->end != element->st_addr ||
	    held->thumb != thumb || held->instructions == HWF_ETM3_RANGE_MAX) {
		flush(sum);
		held->start = element->st_addr;
		held->thumb = thumb;
	}
	held->end = element->en_addr;
	held->passed = element->last_instr_exec;
	held->branch = element->last_i_type != OCSD_INSTR_OTHER;
	if (sum->cycles) {
		held->cycles[held->instructions] =
			(uint8_t)(sum->waits + (element->has_cc ? element->cycle_count : 0));
		sum->waits = 0;
	}
	held->instructions++;
}

static ocsd_datapath_resp_t take_element(const void *ctx, const ocsd_trc_index_t index,
					 const uint8_t id, const ocsd_generic_trace_elem *element)
{
	struct sum *sum = (struct sum *)(uintptr_t)ctx;

	(void)id;
	if (element->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE) {
		join(sum, element);
		return OCSD_RESP_CONT;
	}
	if (element->elem_type == OCSD_GEN_TRC_ELEM_CYCLE_COUNT) {
		sum->waits += element->cycle_count;
		return OCSD_RESP_CONT;
	}
	flush(sum);
	flush_waits(sum);
	if (element->elem_type == OCSD_GEN_TRC_ELEM_ADDR_NACC ||
	    element->elem_type == OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN ||
	    (element->elem_type == OCSD_GEN_TRC_ELEM_NO_SYNC && index))
		sum->trouble++;
	return OCSD_RESP_CONT;
}

static int run_theirs(struct program *program, struct sum *sum)
{
	const ocsd_etmv3_cfg config = {
		.reg_idr = program->regs.etmidr,
		.reg_ctrl = program->regs.etmcr,
		.reg_ccer = program->regs.etmccer,
		.reg_trc_id = program->regs.etmtraceidr,
		.arch_ver = ARCH_V7,
		.core_prof = profile_CortexA,
	};
	dcd_tree_handle_t tree = ocsd_create_dcd_tree(OCSD_TRC_SRC_SINGLE, 0);
	ocsd_datapath_resp_t resp = OCSD_RESP_CONT;
	uint32_t taken = 0;
	unsigned char id;
	int err = tree == C_API_INVALID_TREE_HANDLE;

	if (!err)
		err = ocsd_dt_create_decoder(tree, OCSD_BUILTIN_DCD_ETMV3,
					     OCSD_CREATE_FLG_FULL_DECODER, &config, &id);
	if (!err)
		err = ocsd_dt_set_gen_elem_outfn(tree, take_element, sum);
	if (!err)
		err = ocsd_dt_add_buffer_mem_acc(tree, PROGRAM_BASE, OCSD_MEM_SPACE_ANY,
						 program->code, PROGRAM_BYTES);
	for (size_t at = 0; !err && at < program->length; at += taken) {
		resp = ocsd_dt_process_data(tree, OCSD_OP_DATA, (ocsd_trc_index_t)at,
					    (uint32_t)(program->length - at), program->trace + at,
					    &taken);
		if (OCSD_DATA_RESP_IS_FATAL(resp))
			err = -1;
	}
	if (!err)
		ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, &taken);
	flush(sum);
	if (tree != C_API_INVALID_TREE_HANDLE)
		ocsd_destroy_dcd_tree(tree);
	return err;
}

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned int count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void print_side(const char *work, const char *side, const struct program *program,
		       double seconds)
{
	printf("bench: etmv3_exact/%s/%s %.2f MB/s\n", work, side,
	       (double)program->length / seconds / 1e6);
	printf("bench: etmv3_exact/%s/%s_instructions %.2f Minstructions/s\n", work, side,
	       (double)program->instructions / seconds / 1e6);
}

/* The ratio of one kind of trace; 0: the two sides do not agree, or one failed */
static double measure(const char *work, struct program *program, unsigned int pairs)
{
	double ours[PAIRS_MAX] = {0}, theirs[PAIRS_MAX] = {0}, ratios[PAIRS_MAX] = {0};
	double ratio;

	for (unsigned int i = 0; i < pairs; i++) {
		struct sum our_sum = {0};
		struct sum their_sum = {.cycles = program->config.cycle_accurate};
		int err;

		bench_meter_start();
		err = run_ours(program, &our_sum);
		ours[i] = bench_meter_stop().seconds;
		bench_meter_start();
		err |= run_theirs(program, &their_sum);
		theirs[i] = bench_meter_stop().seconds;
		ratios[i] = theirs[i] / ours[i];
		if (err || our_sum.trouble || their_sum.trouble ||
		    our_sum.instructions != program->instructions || our_sum.sum != their_sum.sum) {
			fprintf(stderr,
				"bench_etm3: %s: %llu and %llu instructions of %llu, %llu and %llu "
				"faults: the sides differ\n",
				work, (unsigned long long)our_sum.instructions,
				(unsigned long long)their_sum.instructions,
				(unsigned long long)program->instructions,
				(unsigned long long)our_sum.trouble,
				(unsigned long long)their_sum.trouble);
			return 0;
		}
	}
	ratio = median(ratios, pairs);
	printf("bench: etmv3_exact_vs_opencsd/%s %.2f ratio\n", work, ratio);
	print_side(work, "hwflow", program, median(ours, pairs));
	print_side(work, "opencsd", program, median(theirs, pairs));
	return ratio;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		bool thumb;
		uint32_t etmcr;
	} works[] = {
		{"arm", false, 0},
		{"thumb", true, 0},
		{"arm-cycles", false, 1u << 12},
		{"thumb-cycles", true, 1u << 12},
	};
	unsigned int pairs = argc > 1 ? (unsigned int)atoi(argv[1]) : 5;
	uint64_t instructions = argc > 2 ? strtoull(argv[2], NULL, 0) : 5000000;
	double worst = 0;
	int status = 0;

	if (argc > 3 || pairs < 1 || pairs > PAIRS_MAX || !instructions) {
		fputs("usage: bench_etm3 [PAIRS [INSTRUCTIONS]]\n", stderr);
		return 1;
	}
	ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 0);
	bench_meter_open(-1);
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		struct program *program = calloc(1, sizeof(*program));
		double ratio = 0;

		if (!program)
			return 2;
		program->thumb = works[i].thumb;
		program->regs = (struct hwf_etm3_regs){.etmcr = works[i].etmcr,
						       .etmidr = 0x410cf250,
						       .etmccer = 0x344008f2,
						       .etmtraceidr = 0x10};
		if (!program_run(program, instructions))
			ratio = measure(works[i].name, program, pairs);
		if (ratio == 0)
			status = 2;
		else if (worst == 0 || ratio < worst)
			worst = ratio;
		free(program->trace);
		free(program);
	}
	/* the worst is the result */
	if (!status)
		printf("bench: etmv3_exact_vs_opencsd %.2f ratio\n", worst);
	return status;
}
