/* SPDX-License-Identifier: GPL-2.0-only */
/* What the memory of ETMv3 and that of RISC-V have in common: a graph of nodes, and counts of
 * ranges */
#ifndef HWFLOW_FLOW_MEMORY_H
#define HWFLOW_FLOW_MEMORY_H

#include "range_counts.h"

/**
 * struct flow_memory - first member of the memory of a protocol
 * @graph: ranges of the code, without chains and counts
 * @nodes: memory of @graph
 * @size: nodes there is room for
 * @counts: counts the ranges, if @is_counted
 * @is_counted: of the piece that is being decoded
 * @sink: takes the events of the decoder
 * @ctx: its first argument
 */
struct flow_memory {
	struct hwf_graph graph;
	void *nodes;
	uint32_t size;
	struct range_counts counts;
	bool is_counted;
	hwf_flow_fn *sink;
	void *ctx;
};

/**
 * flow_memory_new() - memory for decoding, with an empty graph
 * @bytes: size of the structure of which a struct flow_memory is the first member; the other
 *	members have any content
 * @nodes: nodes of the graph, as for hwf_graph_init_nodes()
 *
 * Return: the structure, or NULL without memory. Free it with flow_memory_free().
 */
void *flow_memory_new(size_t bytes, uint32_t nodes);

/** flow_memory_clear() - forget all nodes of @memory->graph */
void flow_memory_clear(struct flow_memory *memory);

/** flow_memory_begin() - begin a piece: sets @memory->sink and @memory->ctx; false without memory
 */
bool flow_memory_begin(struct flow_memory *memory, const struct decoding *decoding);

/** flow_memory_begin_part() - as begin_part of struct protocol */
void flow_memory_begin_part(struct decoding *decoding);

/** flow_memory_end_part() - as end_part of struct protocol */
void flow_memory_end_part(struct decoding *decoding, bool last);

/** flow_memory_free() - as free_memory of struct protocol */
void flow_memory_free(void *memory);

#endif /* HWFLOW_FLOW_MEMORY_H */
