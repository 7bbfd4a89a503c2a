/* SPDX-License-Identifier: GPL-2.0-only */
/* What is measured of ETMv3, on both sides. */
#ifndef HWFLOW_BENCH_ETMV3_H
#define HWFLOW_BENCH_ETMV3_H

#include "hwflow/etmv3_flow.h"
#include "program.h"

/**
 * struct sum - what a side found
 * @sum: of all of it, in order
 * @items: instructions, or packets
 * @trouble: what is neither that nor expected
 * @cycles: the trace is cycle-accurate
 */
struct sum {
	uint64_t sum;
	uint64_t items;
	uint64_t trouble;
	bool cycles;
};

/**
 * struct work - what both sides do with a trace
 * @name: of the benchmark
 * @ours: finds all there is, from nothing; 0, or not where it fails
 * @theirs: the same
 */
struct work {
	const char *name;
	int (*ours)(struct program *program, struct sum *sum);
	int (*theirs)(struct program *program, struct sum *sum);
};

extern const struct work exact;
extern const struct work packets;

#endif /* HWFLOW_BENCH_ETMV3_H */
