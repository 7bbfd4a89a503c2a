/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Nodes and chains: memory for them, adding nodes, counts, and forgetting all. */
#include "fast/graph_private.h"

#include "code/insn/next.h"
#include "fast/memo.h"

/* what is looked at together lies in one line of a cache, of so many bytes */
#define LINE 64u

/* steps are written so many at a time, whatever their number */
#define GIVEN_ROOM (HWF_STEPS_MOST + HWF_STEPS_ROOM)

static uint32_t bits_of(uint32_t size)
{
	uint32_t bits = 0;

	while (size >> (bits + 1))
		bits++;
	return bits;
}

/* Chains that are counted before their uses are added up */
#define CHAINS_COUNTED 8u /* for each node */

size_t hwf_graph_nodes_bytes(uint32_t size)
{
	const struct hwf_graph *graph = NULL;

	return size * (sizeof(*graph->nodes) + sizeof(*graph->buckets)) +
	       GIVEN_ROOM * sizeof(*graph->given) + LINE;
}

size_t hwf_graph_bytes(uint32_t size)
{
	const struct hwf_graph *graph = NULL;
	const size_t chain = sizeof(*graph->steps) + sizeof(*graph->behind) + sizeof(*graph->uses);
	const size_t counts = 2 * (sizeof(*graph->counts.of) + sizeof(*graph->counts.steps)) +
			      sizeof(*graph->counts.first) + sizeof(*graph->counts.jumps) +
			      CHAINS_COUNTED * sizeof(*graph->counts.chains);

	return hwf_graph_nodes_bytes(size) +
	       size * (HWF_CHAINS * chain + counts + sizeof(*graph->jumps)) +
	       HWF_JUMP_PLACES * sizeof(*graph->jumps) + hwf_memo_bytes(size) + LINE;
}

_Static_assert(sizeof(struct hwf_node) == LINE, "a node is a line");

/* hwf_node_to_range() copies the members up to insn; n_is_possible and limit are then overwritten.
 */
#define SAME_PLACE(of_node, of_range)                                     \
	_Static_assert(offsetof(struct hwf_node, of_node) ==              \
			       offsetof(struct hwf_flow_range, of_range), \
		       "a node begins as a range does")
SAME_PLACE(start, start);
SAME_PLACE(end, end);
SAME_PLACE(instructions, instructions);
SAME_PLACE(isa, isa);
SAME_PLACE(n_is_possible, taken);
SAME_PLACE(p0, p0);
SAME_PLACE(limit, cycles);
SAME_PLACE(insn, insn);
_Static_assert(offsetof(struct hwf_flow_range, each) ==
		       offsetof(struct hwf_flow_range, insn) + sizeof(struct hwf_insn),
	       "nothing stands between them");
#undef SAME_PLACE

/* The first line of the cache from an address on */
static void *in_line(void *address)
{
	return (void *)(((uintptr_t)address + LINE - 1) & ~(uintptr_t)(LINE - 1));
}

static void begin(struct hwf_graph *graph, void *memory, uint32_t size)
{
	*graph = (struct hwf_graph){
		.nodes = in_line(memory),
		.size = size,
		.used = 1,
		.bits = bits_of(size),
	};
}

void hwf_graph_init_nodes(struct hwf_graph *graph, void *memory, uint32_t size)
{
	begin(graph, memory, size);
	graph->given = (uint64_t *)(graph->nodes + size);
	graph->buckets = (uint32_t *)(graph->given + GIVEN_ROOM);
	for (uint32_t i = 0; i < size; i++)
		graph->buckets[i] = HWF_NODE_NONE;
}

/* What needs the greatest alignment comes first. */
void hwf_graph_init(struct hwf_graph *graph, void *memory, uint32_t size)
{
	const size_t chains = (size_t)size * HWF_CHAINS;

	begin(graph, memory, size);
	graph->behind = (uint32_t *)(graph->nodes + size);
	graph->uses = graph->behind + chains;
	graph->steps = (uint32_t(*)[HWF_CHAIN_STEPS])(graph->uses + chains);
	graph->jumps = (struct hwf_jump *)(graph->steps + chains);
	graph->counts.of = (uint64_t *)(graph->jumps + size + HWF_JUMP_PLACES);
	graph->counts.first = (struct hwf_first *)(graph->counts.of + 2 * (size_t)size);
	graph->given = (uint64_t *)(graph->counts.first + size);
	graph->buckets = (uint32_t *)(graph->given + GIVEN_ROOM);
	graph->counts.steps = graph->buckets + size;
	graph->counts.jumps = graph->counts.steps + 2 * (size_t)size;
	graph->counts.chains = graph->counts.jumps + size;
	graph->memo =
		hwf_memo_init(in_line(graph->counts.chains + CHAINS_COUNTED * (size_t)size), size);
}

void hwf_graph_flush(struct hwf_graph *graph)
{
	hwf_graph_settle_counts(graph);
	hwf_graph_clear_counts(graph);
	if (graph->memo)
		hwf_memo_flush(graph->memo);
	for (uint32_t i = 1; i < graph->used; i++) {
		const struct hwf_node *node = &graph->nodes[i];

		graph->buckets[hwf_graph_limited_bucket(graph, node->start, node->limit)] =
			HWF_NODE_NONE;
		for (uint32_t j = 0; graph->behind && j < HWF_CHAINS; j++)
			graph->behind[HWF_CHAIN(i, j)] = 0;
	}
	if (graph->jumps_used)
		for (uint32_t i = 0; i < graph->size + HWF_JUMP_PLACES; i++)
			graph->jumps[i] = (struct hwf_jump){0};
	graph->jumps_used = 0;
	graph->used = 1;
	graph->flushes++;
}

uint32_t hwf_graph_add(struct hwf_graph *graph, const void *space, uint64_t address, uint8_t isa,
		       uint32_t limit, const struct hwf_run *run)
{
	uint32_t *bucket = &graph->buckets[hwf_graph_limited_bucket(graph, address, limit)];
	const uint32_t number = graph->used++;

	graph->nodes[number] = (struct hwf_node){
		.start = address,
		.end = run->end,
		.insn = run->insn,
		.space = space,
		.next = *bucket,
		.instructions = run->instructions,
		.isa = isa,
		.n_is_possible = hwf_flow_n_is_possible(isa, &run->insn),
		.p0 = !run->status,
		.limit = (uint8_t)limit,
	};
	*bucket = number;
	return number;
}

uint32_t hwf_graph_steps_of(const struct hwf_graph *graph, size_t chain)
{
	if (graph->behind[chain] & HWF_CHAIN_ENDS)
		return HWF_CHAIN_NODE(graph->behind[chain]);
	/* as many as outcomes, above which there is a 1 */
	return 31 - (uint32_t)__builtin_clz((uint32_t)chain & (HWF_CHAINS - 1));
}

void hwf_graph_execute(struct hwf_graph *graph, uint32_t step)
{
	struct hwf_counts *counts = &graph->counts;
	struct hwf_first *first = &counts->first[HWF_STEP_NODE(step)];

	if (counts->latest && !first->order)
		*first = hwf_first_next(counts->latest);
}

void hwf_graph_count(struct hwf_graph *graph, uint32_t step, uint64_t times)
{
	struct hwf_counts *counts = &graph->counts;

	if (!counts->of[step]) {
		counts->steps[counts->step_count++] = step;
		hwf_graph_execute(graph, step);
	}
	counts->of[step] = HWF_COUNT_LISTED | (counts->of[step] + times);
}

static void settle_chain(struct hwf_graph *graph, size_t chain)
{
	for (uint32_t i = 0; i < hwf_graph_steps_of(graph, chain); i++)
		hwf_graph_count(graph, graph->steps[chain][i], graph->uses[chain]);
	graph->uses[chain] = 0;
}

void hwf_graph_first_use(struct hwf_graph *graph, size_t chain)
{
	struct hwf_counts *counts = &graph->counts;

	if (!graph->uses[chain]) {
		/* it was counted as often as there are numbers */
		graph->uses[chain] = UINT32_MAX;
		settle_chain(graph, chain);
		graph->uses[chain] = 1;
		return;
	}
	if (counts->chain_count == CHAINS_COUNTED * graph->size)
		hwf_graph_settle_counts(graph);
	/* the uses of all that are not listed are 0 */
	graph->uses[chain] = 1;
	counts->chains[counts->chain_count++] = (uint32_t)chain;
	for (uint32_t i = 0; i < hwf_graph_steps_of(graph, chain); i++)
		hwf_graph_execute(graph, graph->steps[chain][i]);
}

/* It was executed all the same. */
void hwf_graph_take_back(struct hwf_graph *graph, uint32_t step)
{
	hwf_graph_count(graph, step, UINT64_MAX);
}

struct hwf_jump *hwf_graph_jump_entry(struct hwf_graph *graph, uint32_t from, uint64_t address)
{
	struct hwf_jump *jump = hwf_jump_place(graph, from, address);
	uint32_t i = 0;

	while (i < HWF_JUMP_PLACES && jump[i].from &&
	       (jump[i].address != address || jump[i].from != from))
		i++;
	if (i == HWF_JUMP_PLACES)
		return NULL;
	jump += i;
	if (!jump->from) {
		if (graph->jumps_used == graph->size / 2)
			return NULL;
		graph->jumps_used++;
		jump->from = from;
		jump->address = address;
	}
	return jump;
}

void hwf_graph_count_jump(struct hwf_graph *graph, uint32_t number, uint64_t times)
{
	struct hwf_jump *jump = &graph->jumps[number];
	struct hwf_counts *counts = &graph->counts;

	jump->uses += times;
	if (!jump->listed)
		counts->jumps[counts->jump_count++] = number;
	jump->listed = true;
}

struct hwf_jump *hwf_graph_first_jump(struct hwf_graph *graph, uint32_t from, uint64_t address)
{
	struct hwf_jump *jump = hwf_graph_jump_entry(graph, from, address);

	if (!jump)
		return NULL;
	jump->uses = 0;
	hwf_graph_count_jump(graph, (uint32_t)(jump - graph->jumps), 1);
	return jump;
}

void hwf_graph_settle_counts(struct hwf_graph *graph)
{
	struct hwf_counts *counts = &graph->counts;

	for (uint32_t i = 0; i < counts->chain_count; i++)
		settle_chain(graph, counts->chains[i]);
	counts->chain_count = 0;
	if (graph->memo)
		hwf_memo_settle(graph);
}

void hwf_graph_clear_counts(struct hwf_graph *graph)
{
	struct hwf_counts *counts = &graph->counts;

	for (uint32_t i = 0; i < counts->step_count; i++) {
		counts->of[counts->steps[i]] = 0;
		counts->first[HWF_STEP_NODE(counts->steps[i])] = (struct hwf_first){0};
	}
	for (uint32_t i = 0; i < counts->jump_count; i++) {
		graph->jumps[counts->jumps[i]].uses = 0;
		graph->jumps[counts->jumps[i]].listed = false;
	}
	counts->step_count = 0;
	counts->jump_count = 0;
}

void hwf_steps_each(const struct hwf_steps *steps, hwf_flow_fn *sink, void *ctx)
{
	struct hwf_flow_event event;

	for (size_t i = 0; i < steps->count;) {
		i = hwf_steps_event(steps, i, &event);
		sink(ctx, &event);
	}
}
