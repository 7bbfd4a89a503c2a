/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * P-headers through the range cache. First as many of them as there are become one row of atoms,
 * with nothing asked of any but whether it is one. Then a range that was followed before takes as
 * many atoms as it has instructions. The same result as hwf_etm3_follow(), faster.
 */
#include "etmv3/etm3_flow_private.h"
#include "flow/range_find.h"

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

/* The node of @most instructions at an address, fewer if a branch comes first; NULL: no code */
static struct hwf_range_node *get_node(struct hwf_etm3_flow *flow, uint32_t pc, uint8_t isa,
				       uint32_t most)
{
	struct hwf_range_node *node = hwf_range_find(flow->cache, flow->space, pc, isa, most);
	struct hwf_run run;

	if (node)
		return node;
	hwf_run_walk(flow->code, flow->space, pc, (enum hwf_isa)isa, false, most, UINT64_MAX, &run);
	if (!run.instructions)
		return NULL;
	if (run.insn.kind == HWF_INSN_BARRIER || run.insn.kind == HWF_INSN_WFX)
		run.insn.kind = HWF_INSN_OTHER;
	return hwf_range_cache_add(flow->cache, flow->space, pc, isa, most, &run);
}

static uint32_t longest(const struct hwf_etm3_flow *flow)
{
	return hwf_etm3_is_straight(flow) ? HWF_ETM3_RANGE_MAX : 1;
}

/* Where it goes on behind a range */
static void go_on(struct hwf_etm3_flow *flow, const struct hwf_flow_range *range, bool passed)
{
	flow->pc = (uint32_t)range->end;
	flow->isa = range->isa;
	flow->has_pc = !(passed && range->insn.kind == HWF_INSN_INDIRECT);
	if (passed && range->insn.kind == HWF_INSN_DIRECT) {
		flow->pc = (uint32_t)range->insn.target;
		flow->isa = range->insn.target_isa;
	}
}

/* The node of where we are */
static struct hwf_range_node *first_node(struct hwf_etm3_flow *flow)
{
	return get_node(flow, flow->pc, flow->isa, longest(flow));
}

/* A node, or the first @most instructions of it */
static struct hwf_range_node *cut(struct hwf_etm3_flow *flow, struct hwf_range_node *node,
				  uint32_t most)
{
	if (!node || node->event.u.range.instructions <= most)
		return node;
	return get_node(flow, (uint32_t)node->event.u.range.start, node->event.u.range.isa, most);
}

/* The node behind one, which it is stored in unless all was forgotten; NULL where there is none */
static struct hwf_range_node *follow_link(struct hwf_etm3_flow *flow, struct hwf_range_node *node,
					  bool passed)
{
	const uint32_t flushes = flow->cache->flushes;
	struct hwf_range_node *next;

	go_on(flow, &node->event.u.range, passed);
	if (!flow->has_pc)
		return NULL;
	next = first_node(flow);
	if (flow->cache->flushes == flushes)
		node->after[passed] = next;
	return next;
}

/* The same, where that way may have been gone before */
static struct hwf_range_node *next_node(struct hwf_etm3_flow *flow, struct hwf_range_node *node,
					bool passed)
{
	struct hwf_range_node *next = node->after[passed];

	if (!next)
		return follow_link(flow, node, passed);
	flow->pc = (uint32_t)next->event.u.range.start;
	flow->isa = next->event.u.range.isa;
	return next;
}

/* Instructions of a node, from atom @at on, as the range that is held, or more of it */
static void hold(struct hwf_etm3_flow *flow, const struct run *run, uint64_t offset,
		 const struct hwf_range_node *node, uint32_t at, bool passed)
{
	const struct hwf_flow_range *from = &node->event.u.range;
	struct hwf_flow_range *range = &flow->held[0].u.range;
	uint32_t had = 0;

	if (hwf_etm3_joins(flow, from->isa)) {
		had = range->instructions;
		range->end = from->end;
		range->instructions += from->instructions;
		range->p0 = from->p0;
		range->insn = from->insn;
	} else {
		hwf_etm3_commit(flow);
		flow->held[0] = node->event;
		flow->held[0].offset = offset + run->header[at];
		flow->held_count = 1;
	}
	range->taken = passed;
	if (!flow->config->cycle_accurate)
		return;
	range->cycles = hwf_etm3_counts_each(flow) ? 0 : run->cycles[at];
	/* eight at a time, as there are seldom more */
	for (uint32_t i = 0; i < from->instructions; i += 8)
		__builtin_memcpy(flow->each + had + i, run->cycles + at + i, 8);
}

/*
 * One range from atom @at on, or what there are atoms for, is held. @node: that of where it begins;
 * receives the next one, NULL where it is not known. The atom behind it
 */
static uint32_t hold_next(struct hwf_etm3_flow *flow, const struct run *run, uint64_t offset,
			  uint32_t at, struct hwf_range_node **node)
{
	const uint64_t failed = ~atoms_at(run, at);
	const uint32_t passed = failed ? (uint32_t)__builtin_ctzll(failed) : 64;
	const bool joins = hwf_etm3_joins(flow, flow->isa);
	uint32_t most = run->count - at;
	struct hwf_range_node *from = *node ? *node : first_node(flow);
	uint32_t count;

	*node = NULL;
	if (most > passed)
		most = passed + 1;
	if (joins && most > longest(flow) - flow->held[0].u.range.instructions)
		most = longest(flow) - flow->held[0].u.range.instructions;
	from = cut(flow, from, most);
	if (from && from->event.u.range.instructions > passed && !from->n_is_possible)
		from = passed ? cut(flow, from, passed) : NULL;
	if (!from)
		return at;
	count = from->event.u.range.instructions;
	hold(flow, run, offset, from, at, count <= passed);
	if (at + count == run->count)
		go_on(flow, &from->event.u.range, count <= passed);
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
							     uint32_t at,
							     struct hwf_range_node **from,
							     const enum counts counts)
{
	struct hwf_range_node *node = *from;

	while (node) {
		uint32_t count = node->event.u.range.instructions;
		struct hwf_range_node *next;
		uint64_t atoms;
		bool passed;

		if (run->count - at <= count)
			break;
		atoms = atoms_at(run, at);
		if (~atoms << 1 << (64 - count)) {
			/* one before the last has failed */
			count = (uint32_t)__builtin_ctzll(~atoms) + 1;
			node = cut(flow, node, count);
			if (!node)
				break;
		}
		passed = atoms >> (count - 1) & 1;
		next = node->after[passed];
		if (!next && !passed && !node->n_is_possible)
			break;
		node->event.offset = offset + run->header[at];
		node->event.u.range.taken = passed;
		if (counts == EACH)
			node->event.u.range.each = run->cycles + at;
		else if (counts == ONE)
			node->event.u.range.cycles = run->cycles[at];
		flow->sink(flow->sink_ctx, &node->event);
		at += count;
		node = next ? next : follow_link(flow, node, passed);
	}
	if (node) {
		flow->pc = (uint32_t)node->event.u.range.start;
		flow->isa = node->event.u.range.isa;
	}
	*from = node;
	return at;
}

/* The range of a node, where the last atom is that of its last instruction, is held. */
static bool hold_last(struct hwf_etm3_flow *flow, const struct run *run, uint64_t offset,
		      const struct hwf_range_node *node, uint32_t at)
{
	const uint32_t count = node->event.u.range.instructions;
	const uint64_t atoms = atoms_at(run, at);
	const bool passed = atoms >> (count - 1) & 1;

	if (run->count - at != count || ~atoms << 1 << (64 - count) ||
	    !(passed || node->n_is_possible))
		return false;
	hold(flow, run, offset, node, at, passed);
	go_on(flow, &node->event.u.range, passed);
	return true;
}

/* All atoms, up to one that cannot be taken here. The atom behind them */
static uint32_t follow_all(struct hwf_etm3_flow *flow, const struct run *run, uint64_t offset,
			   enum counts counts)
{
	struct hwf_range_node *node = first_node(flow);
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
	return flow->cache && flow->has_pc && !flow->suspect && flow->config->whole_thumb &&
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
