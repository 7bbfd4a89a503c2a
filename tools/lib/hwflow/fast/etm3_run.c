/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * P-headers through the graph of ranges. First as many P-headers as there are become one row of
 * atoms, with nothing asked of any byte but whether it is a P-header. Then each node of the graph
 * takes as many atoms as it has instructions. The result is that of hwf_etm3_follow(), faster.
 */
#include "fast/etm3_run.h"

#include "decode/etm3_flow_private.h"
#include "fast/graph_private.h"

/* P-headers at once, atoms of one, and of one in cycle-accurate trace */
#define HEADERS     128u
#define ATOMS       HWF_ETM3_MAX_ATOMS
#define CYCLE_ATOMS 8u

/*
 * enum counts - how cycles are given: not at all, with each instruction, or with each of a range,
 * where those of P-headers without an atom are counted to the next instruction
 */
enum counts { NONE, ONE, EACH };

/*
 * struct run - atoms of P-headers
 * @bits: set for E, the oldest lowest
 * @cycles: of each atom
 * @header: which P-header it is of
 * @count: atoms
 * @headers: P-headers
 * @waits: cycles behind the last atom
 */
struct run {
	uint8_t bits[HEADERS * ATOMS / 8 + 16];
	uint8_t cycles[HEADERS * CYCLE_ATOMS + CYCLE_ATOMS];
	uint8_t header[HEADERS * ATOMS + ATOMS];
	uint32_t count;
	uint32_t headers;
	uint64_t waits;
};

/* spelt out, so that it becomes one store, or load, where a core has that */
static inline void store64(uint8_t *at, uint64_t value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
	at[2] = (uint8_t)(value >> 16);
	at[3] = (uint8_t)(value >> 24);
	at[4] = (uint8_t)(value >> 32);
	at[5] = (uint8_t)(value >> 40);
	at[6] = (uint8_t)(value >> 48);
	at[7] = (uint8_t)(value >> 56);
}

static inline uint64_t load64(const uint8_t *at)
{
	return at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
	       (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
	       (uint64_t)at[7] << 56;
}

/* P-headers, as many as there are */
static inline __attribute__((always_inline)) void read_headers(
	const struct hwf_etm3_p_header *p_headers, const uint8_t *bytes, uint32_t most,
	const enum counts counts, struct run *run)
{
	uint8_t *word = &run->bits[0];
	uint64_t number = 0; /* of the P-header, in each byte */
	uint64_t bits = 0;
	uint64_t waits = run->waits;
	uint32_t count = 0;
	uint32_t at = 0;

	for (; at < most && waits <= HWF_ETM3_WAITS_MAX; at++) {
		const struct hwf_etm3_p_header *p_header = &p_headers[bytes[at]];
		const uint32_t behind = count + p_header->atoms.count;

		if (p_header->stop || (counts == ONE && behind == count))
			break;
		__builtin_memcpy(run->header + count, &number, 8);
		if (counts == NONE)
			__builtin_memcpy(run->header + count + 8, &number, 8);
		else
			store64(run->cycles + count, p_header->cycles + waits);
		if (counts == EACH)
			waits = (p_header->cycles + waits) & p_header->keep;
		bits |= (uint64_t)p_header->atoms.bits << (count & 63);
		if ((count ^ behind) & 64) {
			store64(word, bits);
			word += 8;
			bits = (uint64_t)p_header->atoms.bits >> (-count & 63);
		}
		count = behind;
		number += UINT64_C(0x0101010101010101);
	}
	store64(word, bits);
	store64(word + 8, 0);
	run->count = count;
	run->headers = at;
	run->waits = waits;
}

/* Atoms from one on, HWF_ETM3_RANGE_MAX at least */
static inline uint64_t atoms_at(const struct run *run, uint32_t at)
{
	return load64(run->bits + at / 8) >> (at & 7);
}

/*
 * The node of at most @limit instructions at an address, fewer if a branch comes first;
 * HWF_NODE_NONE: no code
 */
static uint32_t node_at(struct hwf_etm3_flow *flow, uint32_t pc, uint8_t isa, uint32_t limit)
{
	const uint32_t number = hwf_graph_find_limited(flow->graph, flow->space, pc, isa, limit);
	struct hwf_run run;

	if (number || !hwf_etm3_walk(flow, pc, isa, limit, &run))
		return number;
	if (!hwf_graph_has_room(flow->graph, 1))
		hwf_graph_flush(flow->graph);
	return hwf_graph_add(flow->graph, flow->space, pc, isa, limit, &run);
}

static uint32_t longest(const struct hwf_etm3_flow *flow)
{
	return hwf_etm3_is_straight(flow) ? HWF_ETM3_RANGE_MAX : 1;
}

/* The node of where we are */
static uint32_t first_node(struct hwf_etm3_flow *flow)
{
	return node_at(flow, flow->pc, flow->isa, longest(flow));
}

/* A node, or the node of its first @count instructions */
static uint32_t cut(struct hwf_etm3_flow *flow, uint32_t number, uint32_t count)
{
	const struct hwf_node *node = hwf_graph_node(flow->graph, number);

	if (!number || node->instructions <= count)
		return number;
	return node_at(flow, (uint32_t)node->start, node->isa, count);
}

/* Where execution goes on behind a node */
static inline void leave_node(struct hwf_etm3_flow *flow, uint32_t number, bool passed)
{
	const struct hwf_node *node = hwf_graph_node(flow->graph, number);

	hwf_etm3_go_on(flow, &node->insn, node->end, node->isa, passed);
}

/*
 * The node behind one, which remembers it unless all nodes were forgotten; HWF_NODE_NONE where
 * there is none
 */
static uint32_t follow_link(struct hwf_etm3_flow *flow, uint32_t number, bool passed)
{
	const uint32_t flushes = flow->graph->flushes;
	uint32_t next;

	leave_node(flow, number, passed);
	if (!flow->has_pc)
		return HWF_NODE_NONE;
	next = first_node(flow);
	if (flow->graph->flushes == flushes)
		flow->graph->nodes[number].after[passed] = next;
	return next;
}

/* Execution is at the beginning of a node. */
static inline void go_to(struct hwf_etm3_flow *flow, uint32_t number)
{
	const struct hwf_node *node = hwf_graph_node(flow->graph, number);

	flow->pc = (uint32_t)node->start;
	flow->isa = node->isa;
}

/* The same as follow_link(), where that way may have been gone before */
static uint32_t next_node(struct hwf_etm3_flow *flow, uint32_t number, bool passed)
{
	const uint32_t next = hwf_graph_node(flow->graph, number)->after[passed];

	if (!next)
		return follow_link(flow, number, passed);
	go_to(flow, next);
	return next;
}

/* Instructions of a node, from atom @at on, as the range that is held, or more of it */
static void hold(struct hwf_etm3_flow *flow, const struct run *run, uint64_t offset,
		 uint32_t number, uint32_t at, bool passed)
{
	const struct hwf_node *node = hwf_graph_node(flow->graph, number);
	const uint32_t had = hwf_etm3_hold(flow, offset + run->header[at], node, passed);

	if (!flow->config->cycle_accurate)
		return;
	if (!hwf_etm3_counts_each(flow))
		flow->held[0].u.range.cycles = run->cycles[at];
	/* eight at a time, as there are seldom more */
	for (uint32_t i = 0; i < node->instructions; i += 8)
		__builtin_memcpy(flow->each + had + i, run->cycles + at + i, 8);
}

/*
 * One range from atom @at on, or what there are atoms for, is held. @node: that of where it begins;
 * receives the next one, HWF_NODE_NONE where it is not known. The atom behind it
 */
static uint32_t hold_next(struct hwf_etm3_flow *flow, const struct run *run, uint64_t offset,
			  uint32_t at, uint32_t *node)
{
	const uint64_t failed = ~atoms_at(run, at);
	const uint32_t passed = failed ? (uint32_t)__builtin_ctzll(failed) : 64;
	const bool joins = hwf_etm3_joins(flow, flow->isa);
	uint32_t most = run->count - at;
	uint32_t from = *node ? *node : first_node(flow);
	uint32_t count;

	*node = HWF_NODE_NONE;
	if (most > passed)
		most = passed + 1;
	if (joins && most > longest(flow) - flow->held[0].u.range.instructions)
		most = longest(flow) - flow->held[0].u.range.instructions;
	from = cut(flow, from, most);
	if (from && hwf_graph_node(flow->graph, from)->instructions > passed &&
	    !hwf_graph_node(flow->graph, from)->n_is_possible)
		from = passed ? cut(flow, from, passed) : HWF_NODE_NONE;
	if (!from)
		return at;
	count = hwf_graph_node(flow->graph, from)->instructions;
	hold(flow, run, offset, from, at, count <= passed);
	if (at + count == run->count)
		leave_node(flow, from, count <= passed);
	else
		*node = next_node(flow, from, count <= passed);
	return at + count;
}

/*
 * Ranges from atom @at on, each given at once, up to the one that the last atom is of. The atom
 * behind them
 */
static inline __attribute__((always_inline)) uint32_t follow(struct hwf_etm3_flow *flow,
							     const struct run *run, uint64_t offset,
							     uint32_t at, uint32_t *from,
							     const enum counts counts)
{
	const struct hwf_node *const nodes = flow->graph->nodes;
	struct hwf_flow_event event;
	struct hwf_flow_range *range = &event.u.range;
	uint32_t number = *from;

	event.kind = HWF_FLOW_RANGE;
	range->each = NULL;
	while (number) {
		const struct hwf_node *node = &nodes[number];
		uint32_t count = node->instructions;
		uint32_t next;
		uint64_t atoms;
		bool passed;

		if (run->count - at <= count)
			break;
		atoms = atoms_at(run, at);
		if (~atoms << 1 << (64 - count)) {
			/* one before the last has failed */
			count = (uint32_t)__builtin_ctzll(~atoms) + 1;
			number = cut(flow, number, count);
			if (!number)
				break;
			node = &nodes[number];
		}
		passed = atoms >> (count - 1) & 1;
		next = node->after[passed];
		if (!next && !passed && !node->n_is_possible)
			break;
		event.offset = offset + run->header[at];
		hwf_node_to_range(node, passed, range);
		if (counts == EACH)
			range->each = run->cycles + at;
		else if (counts == ONE)
			range->cycles = run->cycles[at];
		flow->sink(flow->sink_ctx, &event);
		at += count;
		number = next ? next : follow_link(flow, number, passed);
	}
	if (number)
		go_to(flow, number);
	*from = number;
	return at;
}

/* The range of a node, where the last atom is that of its last instruction, is held. */
static bool hold_last(struct hwf_etm3_flow *flow, const struct run *run, uint64_t offset,
		      uint32_t number, uint32_t at)
{
	const struct hwf_node *node = hwf_graph_node(flow->graph, number);
	const uint32_t count = node->instructions;
	const uint64_t atoms = atoms_at(run, at);
	const bool passed = atoms >> (count - 1) & 1;

	if (run->count - at != count || ~atoms << 1 << (64 - count) ||
	    !(passed || node->n_is_possible))
		return false;
	hold(flow, run, offset, number, at, passed);
	leave_node(flow, number, passed);
	return true;
}

/* All atoms, up to one that cannot be taken here. The atom behind them */
static uint32_t follow_all(struct hwf_etm3_flow *flow, const struct run *run, uint64_t offset,
			   enum counts counts)
{
	uint32_t node = first_node(flow);
	uint32_t at = 0;

	if (node && hwf_etm3_joins(flow, flow->isa))
		at = hold_next(flow, run, offset, 0, &node);
	while (node && at < run->count) {
		hwf_etm3_commit(flow);
		if (counts == NONE)
			at = follow(flow, run, offset, at, &node, NONE);
		else if (counts == ONE)
			at = follow(flow, run, offset, at, &node, ONE);
		else
			at = follow(flow, run, offset, at, &node, EACH);
		if (node && hold_last(flow, run, offset, node, at))
			return run->count;
		if (node)
			at = hold_next(flow, run, offset, at, &node);
	}
	return at;
}

/* The rest of a P-header, from an atom of the run on, that cannot be taken here. Bytes taken */
static uint32_t follow_rest(struct hwf_etm3_decoder *decoder, const struct run *run,
			    const uint8_t *bytes, uint64_t offset, uint32_t at)
{
	struct hwf_etm3_flow *flow = &decoder->flow;
	const uint32_t header = run->header[at];
	const struct hwf_etm3_p_header *p_header = &decoder->p_headers[bytes[header]];
	unsigned int first = 0;

	while (first < at && run->header[at - first - 1] == header)
		first++;
	flow->waits = 0;
	if (!first && hwf_etm3_counts_each(flow))
		flow->waits = (uint8_t)(run->cycles[at] - (uint8_t)p_header->cycles);
	hwf_etm3_follow(flow, offset + header, p_header->type, &p_header->atoms, first);
	return header + 1;
}

/* Is all as it is nearly always? */
static bool is_usual(const struct hwf_etm3_flow *flow)
{
	return flow->graph && flow->has_pc && !flow->suspect && flow->config->whole_thumb &&
	       (flow->isa == HWF_ISA_A32 || flow->isa == HWF_ISA_T32);
}

size_t hwf_etm3_run(struct hwf_etm3_decoder *decoder, const uint8_t *bytes, size_t length)
{
	const uint32_t most = length < HEADERS ? (uint32_t)length : HEADERS;
	const uint64_t offset = decoder->stream.offset;
	struct hwf_etm3_flow *flow = &decoder->flow;
	enum counts counts = NONE;
	struct run run; /* a row of atoms is written before it is read; to clear it would cost */
	uint32_t at;

	if (!is_usual(flow))
		return 0;
	run.waits = flow->waits;
	if (!flow->config->cycle_accurate) {
		read_headers(decoder->p_headers, bytes, most, NONE, &run);
	} else if (!hwf_etm3_counts_each(flow)) {
		counts = ONE;
		read_headers(decoder->p_headers, bytes, most, ONE, &run);
	} else {
		counts = EACH;
		read_headers(decoder->p_headers, bytes, most, EACH, &run);
	}
	if (!run.headers)
		return 0;
	at = run.count ? follow_all(flow, &run, offset, counts) : 0;
	if (at < run.count)
		return follow_rest(decoder, &run, bytes, offset, at);
	flow->waits = (uint8_t)run.waits;
	if (flow->waits > HWF_ETM3_WAITS_MAX)
		hwf_etm3_give_waits(flow, offset + run.headers - 1);
	return run.headers;
}
