/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of a decoder that has a graph of nodes, without chains and counts */
#ifndef HWFLOW_NODE_MEMORY_H
#define HWFLOW_NODE_MEMORY_H

#include "hwflow/graph.h"

/**
 * struct node_memory - first member of the memory that a protocol has
 * @graph: ranges of the code
 * @nodes: memory of @graph
 * @size: nodes there is room for
 */
struct node_memory {
	struct hwf_graph graph;
	void *nodes;
	uint32_t size;
};

/**
 * node_memory_new() - memory for decoding, with an empty graph
 * @bytes: size of the structure of which a struct node_memory is the first member; the other
 *	members have any content
 * @nodes: nodes of the graph, as for hwf_graph_init_nodes()
 *
 * Return: the structure, or NULL without memory. Free it with node_memory_free().
 */
void *node_memory_new(size_t bytes, uint32_t nodes);

/** node_memory_clear() - forget all ranges */
void node_memory_clear(struct node_memory *memory);

/** node_memory_free() - free what node_memory_new() returned */
void node_memory_free(void *memory);

#endif /* HWFLOW_NODE_MEMORY_H */
