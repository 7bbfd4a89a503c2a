/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ranges counted in place of being given, for decoders that give each of them: those of ETMv3 and
 * RISC-V. The events are those of HWF_FLOW_COUNTED (hwflow/flow.h), the counts those of a graph, as
 * the decoder of ETE has them.
 */
#ifndef HWFLOW_RANGE_COUNTS_H
#define HWFLOW_RANGE_COUNTS_H

#include "hwflow/graph.h"
#include "protocol.h"

/**
 * struct range_counts - the stage between a decoder and the sink of struct input_decode
 * @graph: the ranges, how often each was executed, and where indirect branches went
 * @memory: of @graph; NULL: nothing was counted yet
 * @source: source of the piece
 * @how: options, and the functions that receive events and counts
 * @code: the program
 * @space: address space of the ranges
 * @tid: thread of the ranges
 * @is_on: the part that was asked for has begun
 * @holds: @last was neither counted nor given
 * @last: the last range
 */
struct range_counts {
	struct hwf_graph graph;
	void *memory;
	const struct input_source *source;
	const struct input_decode *how;
	const struct hwf_code *code;
	const void *space;
	int32_t tid;
	bool is_on;
	bool holds;
	struct hwf_flow_event last;
};

/**
 * range_counts_begin() - begin a piece
 * @counts: the stage, all 0 before the first piece
 * @decoding: the piece; its options want counts
 *
 * Return: false without memory.
 */
bool range_counts_begin(struct range_counts *counts, const struct decoding *decoding);

/** range_counts_push() - take an event of the decoder; @ctx is the stage */
void range_counts_push(void *ctx, const struct hwf_flow_event *event);

/** range_counts_end() - give the last range and all counts; ranges are given from here on */
void range_counts_end(struct range_counts *counts);

/** range_counts_forget() - forget the ranges: the code has changed, or that of another source comes
 */
void range_counts_forget(struct range_counts *counts);

/** range_counts_free() - free the memory of a stage */
void range_counts_free(struct range_counts *counts);

#endif /* HWFLOW_RANGE_COUNTS_H */
