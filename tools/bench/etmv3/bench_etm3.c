// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_etm3 - how fast ETMv3 trace is decoded, beside OpenCSD in the same run.
 *
 * Both sides take every packet, or every executed range, and fold it into a sum; the sums must be
 * equal. Both start with nothing: decoder, image and caches are made within the time that is
 * measured.
 */
#include <opencsd/c_api/opencsd_c_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "bench_median.h"
#include "bench_etm3.h"

#define PAIRS_MAX 101

static void print_side(const struct work *work, const char *trace, const char *side,
		       const struct program *program, uint64_t items, double seconds)
{
	printf("bench: etmv3_%s/%s/%s %.2f MB/s\n", work->name, trace, side,
	       (double)program->length / seconds / 1e6);
	printf("bench: etmv3_%s/%s/%s_%s %.2f M%s/s\n", work->name, trace, side,
	       work == &exact ? "instructions" : "packets", (double)items / seconds / 1e6,
	       work == &exact ? "instructions" : "packets");
}

static bool agree(const struct work *work, const char *trace, const struct program *program,
		  const struct sum *ours, const struct sum *theirs)
{
	const bool all = work != &exact || ours->items == program->instructions;

	if (all && !ours->trouble && !theirs->trouble && ours->items == theirs->items &&
	    ours->sum == theirs->sum)
		return true;
	fprintf(stderr,
		"bench_etm3: %s of %s: %llu and %llu items, %llu and %llu faults: the sides "
		"differ\n",
		work->name, trace, (unsigned long long)ours->items,
		(unsigned long long)theirs->items, (unsigned long long)ours->trouble,
		(unsigned long long)theirs->trouble);
	return false;
}

/* The ratio for one kind of trace; 0: the two sides do not agree, or one failed */
static double measure(const struct work *work, const char *trace, struct program *program,
		      unsigned int pairs)
{
	double ours[PAIRS_MAX] = {0}, theirs[PAIRS_MAX] = {0}, ratios[PAIRS_MAX] = {0};
	uint64_t items = 0;
	double ratio;

	for (unsigned int i = 0; i < pairs; i++) {
		struct sum our_sum = {0};
		struct sum their_sum = {0};
		int err;

		bench_meter_start();
		err = work->ours(program, &our_sum);
		ours[i] = bench_meter_stop().seconds;
		bench_meter_start();
		err |= work->theirs(program, &their_sum);
		theirs[i] = bench_meter_stop().seconds;
		ratios[i] = theirs[i] / ours[i];
		items = our_sum.items;
		if (!agree(work, trace, program, &our_sum, &their_sum) || err)
			return 0;
	}
	ratio = bench_median(ratios, pairs);
	printf("bench: etmv3_%s_vs_opencsd/%s %.2f ratio\n", work->name, trace, ratio);
	print_side(work, trace, "hwflow", program, items, bench_median(ours, pairs));
	print_side(work, trace, "opencsd", program, items, bench_median(theirs, pairs));
	return ratio;
}

/* Both works of one kind of trace; @worst receives what is lower than it was. 0, or not */
static int run(const char *trace, bool thumb, uint32_t etmcr, uint64_t instructions,
	       unsigned int pairs, double *worst)
{
	const struct work *const works[] = {&packets, &exact};
	struct program *program = calloc(1, sizeof(*program));
	int status = 0;

	if (!program)
		return 2;
	program->thumb = thumb;
	program->regs = (struct hwf_etm3_regs){
		.etmcr = etmcr, .etmidr = 0x410cf250, .etmccer = 0x344008f2, .etmtraceidr = 0x10};
	if (program_run(program, instructions))
		status = 2;
	for (size_t i = 0; !status && i < 2; i++) {
		const double ratio = measure(works[i], trace, program, pairs);

		if (ratio == 0)
			status = 2;
		else if (worst[i] == 0 || ratio < worst[i])
			worst[i] = ratio;
	}
	free(program->trace);
	free(program);
	return status;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		bool thumb;
		uint32_t etmcr;
	} traces[] = {
		{"arm", false, 0},
		{"thumb", true, 0},
		{"arm-cycles", false, 1u << 12},
		{"thumb-cycles", true, 1u << 12},
	};
	unsigned int pairs = argc > 1 ? (unsigned int)atoi(argv[1]) : 5;
	uint64_t instructions = argc > 2 ? strtoull(argv[2], NULL, 0) : 5000000;
	double worst[2] = {0};
	int status = 0;

	if (argc > 3 || pairs < 1 || pairs > PAIRS_MAX || !instructions) {
		fputs("usage: bench_etm3 [PAIRS [INSTRUCTIONS]]\n", stderr);
		return 1;
	}
	ocsd_def_errlog_init(OCSD_ERR_SEV_ERROR, 0);
	bench_meter_open(-1);
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++)
		status |= run(traces[i].name, traces[i].thumb, traces[i].etmcr, instructions, pairs,
			      worst);
	/* the worst is the result */
	if (!status) {
		printf("bench: etmv3_packets_vs_opencsd %.2f ratio\n", worst[0]);
		printf("bench: etmv3_exact_vs_opencsd %.2f ratio\n", worst[1]);
	}
	return status;
}
