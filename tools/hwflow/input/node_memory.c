// SPDX-License-Identifier: GPL-2.0-only
/* Memory of a decoder and its graph */
#include "node_memory.h"

#include <stdlib.h>

void node_memory_clear(struct node_memory *memory)
{
	hwf_graph_init_nodes(&memory->graph, memory->nodes, memory->size);
}

/* Of a large decoder most is written only as the program needs it. */
void *node_memory_new(size_t bytes, uint32_t nodes)
{
	struct node_memory *memory = malloc(bytes);

	if (!memory)
		return NULL;
	memory->size = nodes;
	memory->nodes = malloc(hwf_graph_nodes_bytes(nodes));
	if (!memory->nodes) {
		free(memory);
		return NULL;
	}
	node_memory_clear(memory);
	return memory;
}

void node_memory_free(void *memory)
{
	struct node_memory *ranges = memory;

	free(ranges->nodes);
	free(ranges);
}
