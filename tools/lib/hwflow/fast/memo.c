/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The memo of a graph: its memory, its states, and the counts of its entries */
#include "fast/memo.h"

#include "fast/graph_private.h"

/* Entries, and states, for so many nodes */
#define NODES_AN_ENTRY 8u

/* Words that there are for each entry, on the average */
#define WORDS_AN_ENTRY 32u

/* What an entry may have, and what may be read behind the words of the last one */
#define WORDS_MOST (HWF_MEMO_STEPS + HWF_MEMO_BYTES + HWF_MEMO_COPIED)

#define LINE 64u

static size_t in_lines(size_t bytes)
{
	return (bytes + LINE - 1) / LINE * LINE;
}

static size_t words_of(uint32_t entries)
{
	return (size_t)entries * WORDS_AN_ENTRY + WORDS_MOST;
}

size_t hwf_memo_bytes(uint32_t size)
{
	const uint32_t entries = size / NODES_AN_ENTRY;
	const struct hwf_memo *memo = NULL;

	return in_lines(sizeof(*memo)) + entries * sizeof(*memo->entries) +
	       in_lines(words_of(entries) * sizeof(*memo->words)) +
	       in_lines(entries * sizeof(*memo->states)) +
	       in_lines(entries * sizeof(*memo->stacks)) +
	       in_lines(2 * (size_t)entries * sizeof(*memo->state_places)) +
	       in_lines(2 * (size_t)entries * sizeof(*memo->seen)) +
	       in_lines(entries * sizeof(*memo->used));
}

struct hwf_memo *hwf_memo_init(void *memory, uint32_t size)
{
	const uint32_t entries = size / NODES_AN_ENTRY;
	struct hwf_memo *memo = memory;
	uint8_t *at = memory;

	/* at first entries are worth while */
	*memo = (struct hwf_memo){.state_count = 1, .average = 8 * HWF_MEMO_VISIT_MOST};
	while (entries >> (memo->bits + 1))
		memo->bits++;
	at += in_lines(sizeof(*memo));
	memo->entries = (struct hwf_memo_entry *)at;
	at += entries * sizeof(*memo->entries);
	memo->words = (uint64_t *)at;
	at += in_lines(words_of(entries) * sizeof(*memo->words));
	memo->states = (struct hwf_memo_state *)at;
	at += in_lines(entries * sizeof(*memo->states));
	memo->stacks = (struct hwf_return_stack *)at;
	at += in_lines(entries * sizeof(*memo->stacks));
	memo->state_places = (uint32_t *)at;
	at += in_lines(2 * (size_t)entries * sizeof(*memo->state_places));
	memo->seen = (uint32_t *)at;
	at += in_lines(2 * (size_t)entries * sizeof(*memo->seen));
	memo->used = (uint32_t *)at;
	return memo;
}

void hwf_memo_flush(struct hwf_memo *memo)
{
	if (memo->state_count == 1)
		return;
	__builtin_memset(memo->entries, 0, sizeof(*memo->entries) << memo->bits);
	__builtin_memset(memo->state_places, 0, sizeof(*memo->state_places) << (memo->bits + 1));
	memo->word_count = 0;
	memo->state_count = 1;
	memo->used_count = 0;
}

bool hwf_memo_has_room(const struct hwf_memo *memo)
{
	return memo->state_count + 2 <= UINT32_C(1) << memo->bits &&
	       memo->word_count + WORDS_MOST <= words_of(UINT32_C(1) << memo->bits);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* Entry @i of a return stack, 0 is the newest; place of the entry in the ring */
static uint32_t stack_place(const struct hwf_return_stack *stack, uint32_t i)
{
	return (stack->top + HWF_RETURN_STACK - i) % HWF_RETURN_STACK;
}

uint64_t hwf_memo_hash(const struct hwf_memo_state *state, const struct hwf_return_stack *stack)
{
	uint64_t hash = mix((uint64_t)state->counting << 1 | state->split_source, state->node);

	for (uint32_t i = 0; i < HWF_HISTORY; i++)
		hash = mix(hash, state->address[i]);
	return stack ? mix(hash, stack->hash) : hash;
}

static bool stacks_are_equal(const struct hwf_return_stack *a, const struct hwf_return_stack *b)
{
	uint64_t differ = (a->hash ^ b->hash) | (uint64_t)(a->used ^ b->used);

	for (uint32_t i = 0; i < a->used && !differ; i++) {
		const uint32_t in_a = stack_place(a, i);
		const uint32_t in_b = stack_place(b, i);

		differ = (a->address[in_a] ^ b->address[in_b]) |
			 (uint64_t)(a->isa[in_a] ^ b->isa[in_b]);
	}
	return !differ;
}

static bool states_are_equal(const struct hwf_memo_state *a, const struct hwf_memo_state *b)
{
	uint64_t differ = (a->node ^ b->node) | (uint64_t)(a->counting ^ b->counting) |
			  (uint64_t)(a->split_source ^ b->split_source);

	for (uint32_t i = 0; i < HWF_HISTORY; i++)
		differ |= a->address[i] ^ b->address[i];
	return !differ;
}

/* The place of a state, or the free place where it may be put */
static uint32_t *state_place(const struct hwf_memo *memo, const struct hwf_memo_state *state,
			     const struct hwf_return_stack *stack, uint64_t hash)
{
	const uint32_t places = UINT32_C(2) << memo->bits;
	uint32_t at = (uint32_t)hash & (places - 1);

	for (; memo->state_places[at]; at = (at + 1) & (places - 1)) {
		const uint32_t number = memo->state_places[at];

		if (states_are_equal(&memo->states[number], state) &&
		    (!stack || stacks_are_equal(&memo->stacks[number], stack)))
			break;
	}
	return &memo->state_places[at];
}

uint32_t hwf_memo_find(const struct hwf_memo *memo, const struct hwf_memo_state *state,
		       const struct hwf_return_stack *stack, uint64_t hash)
{
	return *state_place(memo, state, stack, hash);
}

uint32_t hwf_memo_number(struct hwf_memo *memo, const struct hwf_memo_state *state,
			 const struct hwf_return_stack *stack, uint64_t hash)
{
	uint32_t *place = state_place(memo, state, stack, hash);
	uint32_t number = *place;

	if (!number) {
		number = memo->state_count++;
		*place = number;
		memo->states[number] = *state;
		if (stack)
			hwf_memo_copy_stack(&memo->stacks[number], stack);
	}
	return number;
}

void hwf_memo_count(struct hwf_graph *graph, const struct hwf_memo_entry *entry, uint64_t times)
{
	const uint64_t *word = graph->memo->words + entry->word;

	for (uint32_t i = 0; i < entry->steps; i++)
		hwf_graph_count(graph, (uint32_t)*word++, times);
	for (uint32_t i = 0; i < entry->jumps; i++)
		hwf_graph_count_jump(graph, (uint32_t)*word++, times);
}

void hwf_memo_settle(struct hwf_graph *graph)
{
	struct hwf_memo *memo = graph->memo;

	for (uint32_t i = 0; i < memo->used_count; i++) {
		struct hwf_memo_entry *entry = &memo->entries[memo->used[i]];

		if (entry->uses)
			hwf_memo_count(graph, entry, entry->uses);
		entry->uses = 0;
	}
	memo->used_count = 0;
}

void hwf_memo_first_use(struct hwf_graph *graph, struct hwf_memo_entry *entry)
{
	struct hwf_memo *memo = graph->memo;

	entry->uses = 0;
	if (memo->used_count == UINT32_C(1) << memo->bits)
		hwf_memo_settle(graph);
	entry->uses = 1;
	memo->used[memo->used_count++] = (uint32_t)(entry - memo->entries);
	for (uint32_t i = 0; i < entry->steps; i++)
		hwf_graph_execute(graph, (uint32_t)memo->words[entry->word + i]);
}
