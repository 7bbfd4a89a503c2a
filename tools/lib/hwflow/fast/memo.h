/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The memo: what the next eight bytes of a trace led to before, from the same state of decoding.
 * It is for trace without speculation, where each packet takes effect at once.
 *
 *   state 7 --- f7 95 40 f9 f6 f6 90 fb ---> state 12   size 7, 14 steps, 2 jumps
 *
 * A state is all that the meaning of bytes depends on. An entry is found by a state and eight
 * bytes; it has whole packets of them, the steps and jumps that these give, and the state behind
 * them. An entry is made when its bytes come for the second time: most that come once, such as the
 * bytes around a timestamp, never come again.
 */
#ifndef HWF_FAST_MEMO_H
#define HWF_FAST_MEMO_H

#include "hwflow/graph.h"

/* HWF_MEMO_BYTES - bytes that an entry is found by */
#define HWF_MEMO_BYTES 8u
/* HWF_MEMO_STEPS - words of steps that an entry has at most */
#define HWF_MEMO_STEPS 64u
/* HWF_MEMO_COPIED - words of steps are copied so many at a time: more than most entries have */
#define HWF_MEMO_COPIED 16u

/* HWF_MEMO_VISIT_MOST - a visit that gained or lost more bytes is taken for one of so many */
#define HWF_MEMO_VISIT_MOST 0x1000

/* HWF_MEMO_NONE - no state */
#define HWF_MEMO_NONE 0u

/*
 * struct hwf_memo_state - a state of decoding between two packets; the return stack, if the trace
 * unit has one, is beside it (@stacks of struct hwf_memo)
 * @address: the packed address history (fast/packed.h)
 * @node: where execution is; not HWF_NODE_NONE
 * @counting: ranges are counted
 * @split_source: as in struct hwf_follower
 */
struct hwf_memo_state {
	uint64_t address[HWF_HISTORY];
	uint32_t node;
	bool counting;
	bool split_source;
};

/*
 * struct hwf_memo_entry - where eight bytes lead to from a state
 * @bytes: the bytes
 * @uses: how often the entry was used while ranges were counted, and not counted in the graph yet
 * @from: number of the state before; HWF_MEMO_NONE: there is no entry
 * @to: number of the state behind
 * @word: index of the first word: steps as in struct hwf_steps, with offsets that count from the
 *	first of @bytes; then the numbers of jumps
 * @size: bytes of the packets
 * @last: index of the first byte of the last packet
 * @steps: words of steps
 * @jumps: how many jumps; the last is behind all steps if @ends_with_jump
 */
struct hwf_memo_entry {
	uint64_t bytes;
	uint64_t uses;
	uint32_t from;
	uint32_t to;
	uint32_t word;
	uint8_t size : 4;
	uint8_t last : 4;
	uint8_t steps;
	uint8_t jumps;
	bool ends_with_jump;
};

_Static_assert(sizeof(struct hwf_memo_entry) == 32, "two entries are a line of the cache");

/*
 * struct hwf_memo - entries and states; memory is that of the graph
 * @entries: by hash; 1 << @bits
 * @words: see struct hwf_memo_entry
 * @states: by number; 1 << @bits
 * @stacks: the return stack of each
 * @state_places: numbers of states by hash, with free places; 2 << @bits
 * @seen: hashes of states and bytes that came once, by their low bits; 2 << @bits
 * @used: indices of entries that have uses, some of them more than once
 * @word_count: words that entries have
 * @state_count: states there are, HWF_MEMO_NONE included; less than 1 << @bits
 * @used_count: indices in @used; at most 1 << @bits
 * @bits: logarithm of the number of entries
 * @threshold: cycle count threshold that the steps were made with
 * @average: gain of a visit (hwf_flow_replay()), in bytes that entries decode; the average, times 8
 * @pass: bytes that are decoded without entries before the next visit
 */
struct hwf_memo {
	struct hwf_memo_entry *entries;
	uint64_t *words;
	struct hwf_memo_state *states;
	struct hwf_return_stack *stacks;
	uint32_t *state_places;
	uint32_t *seen;
	uint32_t *used;
	uint32_t word_count;
	uint32_t state_count;
	uint32_t used_count;
	uint32_t bits;
	uint32_t threshold;
	int32_t average;
	uint32_t pass;
};

/* Memory of the memo of a graph of @size nodes, a multiple of 64 */
size_t hwf_memo_bytes(uint32_t size);

/* Begin with no entry; @memory is all 0, and aligned to a line of the cache. */
struct hwf_memo *hwf_memo_init(void *memory, uint32_t size);

/* Forget all entries and states. No entry may have uses. */
void hwf_memo_flush(struct hwf_memo *memo);

/* Is there room for another entry, and for the states before and behind it? */
bool hwf_memo_has_room(const struct hwf_memo *memo);

/* A hash of a state. @stack: NULL if the trace unit has no return stack */
uint64_t hwf_memo_hash(const struct hwf_memo_state *state, const struct hwf_return_stack *stack);

/* The number of a state, whose hash is @hash; HWF_MEMO_NONE if it has none. */
uint32_t hwf_memo_find(const struct hwf_memo *memo, const struct hwf_memo_state *state,
		       const struct hwf_return_stack *stack, uint64_t hash);

/* The same; a state that has no number gets one. There is room for it. */
uint32_t hwf_memo_number(struct hwf_memo *memo, const struct hwf_memo_state *state,
			 const struct hwf_return_stack *stack, uint64_t hash);

/* Count all uses of entries in the graph. */
void hwf_memo_settle(struct hwf_graph *graph);

/* Count the use of an entry, which is its first. */
void hwf_memo_first_use(struct hwf_graph *graph, struct hwf_memo_entry *entry);

/* Count steps and jumps of an entry in the graph, so often. */
void hwf_memo_count(struct hwf_graph *graph, const struct hwf_memo_entry *entry, uint64_t times);

/* The place of the entry of a state and its next bytes */
static inline struct hwf_memo_entry *hwf_memo_place(const struct hwf_memo *memo, uint32_t state,
						    uint64_t bytes)
{
	const uint64_t mixed = bytes ^ state * UINT64_C(0xd6e8feb86659fd93);

	return &memo->entries[mixed * UINT64_C(0x9e3779b97f4a7c15) >> (64 - memo->bits)];
}

/* Two words, for a vector register */
typedef uint64_t hwf_two_words __attribute__((vector_size(16), aligned(8), may_alias));

/* Copy a return stack. The compiler would use a string instruction, which is slow to start. */
static inline void hwf_memo_copy_stack(struct hwf_return_stack *to,
				       const struct hwf_return_stack *from)
{
	_Static_assert(sizeof(*to) % sizeof(hwf_two_words) == 0,
		       "it is copied two words at a time");
	for (size_t i = 0; i < sizeof(*to) / sizeof(hwf_two_words); i++)
		((hwf_two_words *)to)[i] = ((const hwf_two_words *)from)[i];
}

/* Did a state, whose hash is @hash, and its next bytes come before? @seen may have lost them. */
static inline bool hwf_memo_has_seen(struct hwf_memo *memo, uint64_t hash, uint64_t bytes)
{
	const uint64_t mixed = (hash ^ bytes) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t *place = &memo->seen[mixed >> (63 - memo->bits)];
	const bool came = *place == (uint32_t)mixed;

	*place = (uint32_t)mixed;
	return came;
}

#endif /* HWF_FAST_MEMO_H */
