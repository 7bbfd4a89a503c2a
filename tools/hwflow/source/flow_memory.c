// SPDX-License-Identifier: GPL-2.0-only
/* Memory of a decoder: its graph, and the counts of its ranges */
#include "flow_memory.h"

#include <stdlib.h>

void flow_memory_clear(struct flow_memory *memory)
{
	hwf_graph_init_nodes(&memory->graph, memory->nodes, memory->size);
}

/* Of a large decoder most is written only as the program needs it. */
void *flow_memory_new(size_t bytes, uint32_t nodes)
{
	struct flow_memory *memory = malloc(bytes);

	if (!memory)
		return NULL;
	*memory =
		(struct flow_memory){.nodes = malloc(hwf_graph_nodes_bytes(nodes)), .size = nodes};
	if (memory->nodes) {
		flow_memory_clear(memory);
		return memory;
	}
	free(memory);
	return NULL;
}

bool flow_memory_begin(struct flow_memory *memory, const struct decoding *decoding)
{
	memory->is_counted = decoding->how->counts;
	memory->sink = memory->is_counted ? range_counts_push : decoding->how->sink;
	memory->ctx = memory->is_counted ? &memory->counts : decoding->how->ctx;
	return !memory->is_counted || range_counts_begin(&memory->counts, decoding);
}

void flow_memory_begin_part(struct decoding *decoding)
{
	struct flow_memory *memory = decoding->memory;

	memory->counts.is_on = memory->is_counted;
}

void flow_memory_end_part(struct decoding *decoding, bool last)
{
	struct flow_memory *memory = decoding->memory;

	(void)last;
	if (memory->is_counted)
		range_counts_end(&memory->counts);
}

void flow_memory_free(void *memory)
{
	struct flow_memory *flow = memory;

	range_counts_free(&flow->counts);
	free(flow->nodes);
	free(flow);
}
