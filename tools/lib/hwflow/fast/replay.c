/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Decoding by the memo (fast/memo.h): bytes that were decoded before from the same state give the
 * same steps. Other bytes are decoded here packet by packet, into a draft, if all that they lead to
 * is in the graph already; else the loop without speculation decodes them.
 */
#include "fast/chains.h"
#include "fast/draft.h"
#include "fast/loops.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/*
 * The memo saves time where entries decode bytes, and costs time where drafts do: a byte of a draft
 * costs what DRAFT_COST bytes of entries save, and a visit VISIT_COST.
 */
#define DRAFT_COST 3u
#define VISIT_COST 40u
/* A visit ends when it has lost more than so many bytes. */
#define VISIT_LOSS 1024u
/* Bytes that are decoded without the memo for each byte that a visit has lost */
#define PASS_FACTOR 16u

_Static_assert(HWF_MEMO_STEPS + HWF_MEMO_COPIED <= HWF_STEPS_ROOM, "steps may be copied");

/*
 * struct replay - decoding by the memo
 * @memo: that of the follower's graph
 * @number: number of the state where decoding is; HWF_MEMO_NONE: it has none, and is in @state and
 *	the stack of @draft
 * @draft: the packets that are decoded without an entry
 * @drafted: bytes that were decoded into drafts
 * @used: the last entry that was counted, if nothing was counted after it; else NULL
 */
struct replay {
	struct hwf_decoder *decoder;
	struct hwf_follower *follower;
	struct hwf_memo *memo;
	struct hwf_memo_entry *used;
	size_t drafted;
	uint32_t number;
	struct hwf_memo_state state;
	struct hwf_draft *draft;
};

/* The return stack of a state without a number; NULL if the trace unit has none */
static const struct hwf_return_stack *stack_of(const struct replay *replay)
{
	return replay->draft->config->return_stack ? &replay->draft->stack : NULL;
}

/* Go to the state of a number as one without a number. */
static void load_state(struct replay *replay)
{
	if (!replay->number)
		return;
	replay->state = replay->memo->states[replay->number];
	if (replay->follower->config->return_stack)
		hwf_memo_copy_stack(&replay->draft->stack, &replay->memo->stacks[replay->number]);
	replay->number = HWF_MEMO_NONE;
}

/* A step is the last that was counted; with @ends_with_jump, jump number @jump is behind it. */
static void set_last(struct hwf_follower *follower, uint32_t step, bool ends_with_jump,
		     uint64_t jump)
{
	follower->last_chain = 0;
	follower->last_step = step;
	follower->last_jump = ends_with_jump ? &follower->graph->jumps[jump] : NULL;
}

/* The last step of @used is the last that was counted. */
static void note_last(struct replay *replay)
{
	const struct hwf_memo_entry *used = replay->used;
	const uint64_t *words;

	if (!used)
		return;
	replay->used = NULL;
	words = replay->memo->words + used->word;
	set_last(replay->follower, (uint32_t)words[used->steps - 1], used->ends_with_jump,
		 words[used->steps + used->jumps - 1]);
}

/* A number for the present state, from which an entry is made; there is room for the entry. */
static uint32_t begin_entry(struct replay *replay, uint64_t hash)
{
	struct hwf_memo *memo = replay->memo;

	if (!hwf_memo_has_room(memo)) {
		hwf_memo_settle(replay->follower->graph);
		hwf_memo_flush(memo);
	}
	return hwf_memo_number(memo, &replay->state, stack_of(replay), hash);
}

/* Make an entry of the draft, between two states. */
static void store(struct replay *replay, uint32_t from, uint32_t to, uint64_t bytes)
{
	const struct hwf_draft *draft = replay->draft;
	const struct hwf_draft_progress *progress = &draft->progress;
	struct hwf_memo *memo = replay->memo;
	struct hwf_memo_entry *entry = hwf_memo_place(memo, from, bytes);
	uint64_t *words = memo->words + memo->word_count;

	if (entry->uses)
		hwf_memo_count(replay->follower->graph, entry, entry->uses);
	*entry = (struct hwf_memo_entry){
		.bytes = bytes,
		.from = from,
		.to = to,
		.word = memo->word_count,
		.size = progress->size & 0xf,
		.last = progress->last & 0xf,
		.steps = (uint8_t)progress->steps,
		.jumps = (uint8_t)progress->jumps,
		.ends_with_jump = progress->ends_with_jump,
	};
	__builtin_memcpy(words, draft->words, progress->steps * sizeof(*words));
	for (uint32_t i = 0; i < progress->jumps; i++)
		words[progress->steps + i] = draft->jumps[i];
	memo->word_count += progress->steps + progress->jumps;
}

/* Give the steps of a draft whose bytes begin at @at. */
static void give_draft(struct hwf_follower *follower, const struct hwf_draft *draft, size_t at)
{
	struct hwf_graph *graph = follower->graph;

	hwf_flow_open_steps(follower);
	for (uint32_t i = 0; i < draft->progress.steps; i++)
		graph->given[graph->given_count++] = draft->words[i] + ((uint64_t)at << 32);
}

/* Ranges are counted from a word of steps on, whose bytes begin at @at. */
static void begin_counting(struct hwf_follower *follower, uint64_t word, size_t at)
{
	hwf_flow_begin_counting(follower, (uint32_t)word, (uint32_t)at + (uint32_t)(word >> 32));
}

static void count_draft(struct hwf_follower *follower, const struct hwf_draft *draft, size_t at)
{
	const struct hwf_draft_progress *progress = &draft->progress;
	struct hwf_graph *graph = follower->graph;

	if (!follower->last_is_counted)
		begin_counting(follower, draft->words[0], at);
	for (uint32_t i = 0; i < progress->steps; i++)
		hwf_graph_count(graph, (uint32_t)draft->words[i], 1);
	for (uint32_t i = 0; i < progress->jumps; i++)
		hwf_graph_count_jump(graph, draft->jumps[i], 1);
	set_last(follower, progress->step, progress->ends_with_jump,
		 progress->jumps ? draft->jumps[progress->jumps - 1] : 0);
}

/*
 * Decode the next packets, which are in no entry. Return: bytes of them; 0 if they have to be
 * decoded by other means. *@last: index of the last packet
 */
static __attribute__((noinline)) size_t decode(struct replay *replay, const uint8_t *bytes,
					       size_t at, uint64_t next, size_t *last)
{
	struct hwf_follower *follower = replay->follower;
	struct hwf_draft *draft = replay->draft;
	struct hwf_draft_progress *progress = &draft->progress;
	uint32_t from = HWF_MEMO_NONE;
	uint64_t hash;

	note_last(replay);
	load_state(replay);
	hash = hwf_memo_hash(&replay->state, stack_of(replay));
	if (hwf_memo_has_seen(replay->memo, hash, next))
		from = begin_entry(replay, hash);
	*progress = (struct hwf_draft_progress){.node = replay->state.node};
	__builtin_memcpy(progress->history.address, replay->state.address,
			 sizeof(replay->state.address));
	draft->stack_changed = false;
	if (!hwf_draft_packets(draft, bytes + at) || (follower->counting && !progress->steps))
		return 0;
	__builtin_memcpy(replay->state.address, progress->history.address,
			 sizeof(replay->state.address));
	replay->state.node = progress->node;
	hash = hwf_memo_hash(&replay->state, stack_of(replay));
	if (from) {
		replay->number =
			hwf_memo_number(replay->memo, &replay->state, stack_of(replay), hash);
		store(replay, from, replay->number, next);
	} else {
		replay->number =
			hwf_memo_find(replay->memo, &replay->state, stack_of(replay), hash);
	}
	(follower->counting ? count_draft : give_draft)(follower, draft, at);
	*last = at + progress->last;
	replay->drafted += progress->size;
	return progress->size;
}

/* Copy the steps of an entry whose bytes begin at @at. */
ALWAYS_INLINE void copy_steps(struct hwf_follower *follower, const struct hwf_memo *memo,
			      const struct hwf_memo_entry *entry, size_t at)
{
	struct hwf_graph *graph = follower->graph;
	const uint64_t offset = (uint64_t)at << 32;
	const hwf_two_words offsets = {offset, offset};
	const hwf_two_words *from = (const hwf_two_words *)(memo->words + entry->word);
	hwf_two_words *to;

	hwf_flow_open_steps(follower);
	to = (hwf_two_words *)(graph->given + graph->given_count);
	/* so many at a time, whatever their number: that is faster than a branch on it */
	for (uint32_t copied = 0; copied < entry->steps; copied += HWF_MEMO_COPIED) {
		for (uint32_t i = 0; i < HWF_MEMO_COPIED / 2; i++)
			to[i] = from[i] + offsets;
		to += HWF_MEMO_COPIED / 2;
		from += HWF_MEMO_COPIED / 2;
	}
	graph->given_count += entry->steps;
}

/* Count one use of an entry whose bytes begin at @at. */
ALWAYS_INLINE void count_entry(struct replay *replay, struct hwf_memo_entry *entry, size_t at)
{
	struct hwf_follower *follower = replay->follower;

	if (__builtin_expect(!follower->last_is_counted, 0))
		begin_counting(follower, replay->memo->words[entry->word], at);
	if (__builtin_expect(!entry->uses++, 0))
		hwf_memo_first_use(follower->graph, entry);
	replay->used = entry;
}

/* Kinds of packets, by their headers */
enum kind { OTHER, ENTRY, INDEPENDENT };

/* Packets that entries have, and packets that change no state that entries depend on */
static const uint8_t kinds[256] = {
	[0x02 ... 0x03] = INDEPENDENT, /* Timestamp */
	[0x0c ... 0x0e] = ENTRY,
	[0x10 ... 0x1f] = ENTRY,       /* Cycle Count */
	[0x70 ... 0x7f] = INDEPENDENT, /* Event */
	[0x90 ... 0x9f] = ENTRY,
	[0xb0 ... 0xbf] = ENTRY, /* Target and Source Address */
	[HWF_ATOM_HEADERS... 0xff] = ENTRY,
};

/*
 * A Timestamp or an Event takes the plain stages; its event is given behind the steps that wait.
 * Return: its size; 0 if it is another packet, or is not complete
 */
static __attribute__((noinline)) size_t push_independent(struct replay *replay,
							 const uint8_t *bytes, size_t at,
							 size_t length)
{
	struct hwf_decoder *decoder = replay->decoder;
	struct hwf_ete_stream after = decoder->stream;
	struct hwf_ete_packet packet;
	size_t size;

	after.offset += at;
	size = hwf_ete_stream_next(&after, bytes + at, length - at, false, &packet);
	if (!size || (packet.type != HWF_ETE_TIMESTAMP && packet.type != HWF_ETE_EVENT))
		return 0;
	note_last(replay);
	hwf_elements_push(&decoder->elements, &packet, decoder->stream.offset + at, false);
	return size;
}

/* Decode from @at on, up to @length. Return: index behind the last packet; *@last: its index */
ALWAYS_INLINE size_t run(struct replay *replay, const uint8_t *bytes, size_t at, size_t length,
			 bool counting, size_t *last)
{
	const struct hwf_memo *const memo = replay->memo;
	const size_t begin = at;

	/* the receiver of an event may switch counting on or off */
	while (at < length && replay->follower->counting == counting) {
		struct hwf_memo_entry *entry;
		uint64_t next;
		size_t size;

		__builtin_memcpy(&next, bytes + at, sizeof(next));
		entry = hwf_memo_place(memo, replay->number, next);
		if (__builtin_expect(entry->bytes == next && entry->from == replay->number &&
					     replay->number,
				     1)) {
			if (counting)
				count_entry(replay, entry, at);
			else
				copy_steps(replay->follower, memo, entry, at);
			*last = at + entry->last;
			at += entry->size;
			replay->number = entry->to;
			continue;
		}
		if (kinds[bytes[at]] == ENTRY) {
			if (replay->drafted * DRAFT_COST > at - begin + VISIT_LOSS)
				break;
			size = decode(replay, bytes, at, next, last);
		} else if (kinds[bytes[at]] == INDEPENDENT) {
			size = push_independent(replay, bytes, at, length + HWF_PACKED_ROOM);
			if (size)
				*last = at;
		} else {
			size = 0;
		}
		if (!size)
			break;
		at += size;
	}
	return at;
}

/* One function for each case, so that the compiler removes the code of the other case */
static __attribute__((noinline)) size_t run_steps(struct replay *replay, const uint8_t *bytes,
						  size_t at, size_t length, size_t *last)
{
	return run(replay, bytes, at, length, false, last);
}

static __attribute__((noinline)) size_t run_counting(struct replay *replay, const uint8_t *bytes,
						     size_t at, size_t length, size_t *last)
{
	return run(replay, bytes, at, length, true, last);
}

/* Take account of a visit in which entries decoded so many bytes, and drafts so many. */
static void weigh(struct hwf_memo *memo, size_t decoded, size_t drafted)
{
	int64_t gain = (int64_t)decoded - (int64_t)(DRAFT_COST * drafted + VISIT_COST);

	if (gain > HWF_MEMO_VISIT_MOST)
		gain = HWF_MEMO_VISIT_MOST;
	if (gain < -HWF_MEMO_VISIT_MOST)
		gain = -HWF_MEMO_VISIT_MOST;
	memo->average += (int32_t)gain - memo->average / 8;
	memo->pass = memo->average < 0 && gain < 0 ? PASS_FACTOR * (uint32_t)-gain : 0;
}

size_t hwf_flow_replay(struct hwf_decoder *decoder, struct hwf_packed_history *history,
		       uint32_t *node, const uint8_t *bytes, size_t at, size_t length, size_t *last)
{
	struct hwf_follower *follower = &decoder->follower;
	const size_t begin = at;
	/* too large to be set to 0 each time */
	struct hwf_draft draft;
	struct replay replay = {
		.decoder = decoder,
		.follower = follower,
		.memo = follower->graph->memo,
		.state =
			{
				.node = *node,
				.counting = follower->counting,
				.split_source = follower->split_source,
			},
		.draft = &draft,
	};

	draft.follower = follower;
	draft.config = follower->config;
	draft.threshold = decoder->elements.cc_threshold;
	if (replay.memo->threshold != decoder->elements.cc_threshold) {
		hwf_memo_settle(follower->graph);
		hwf_memo_flush(replay.memo);
		replay.memo->threshold = decoder->elements.cc_threshold;
	}
	__builtin_memcpy(replay.state.address, history->address, sizeof(history->address));
	if (follower->config->return_stack)
		hwf_memo_copy_stack(&draft.stack, &follower->stack);
	replay.number = hwf_memo_find(replay.memo, &replay.state, stack_of(&replay),
				      hwf_memo_hash(&replay.state, stack_of(&replay)));
	at = (follower->counting ? run_counting : run_steps)(&replay, bytes, at, length, last);
	weigh(replay.memo, at - begin - replay.drafted, replay.drafted);
	note_last(&replay);
	load_state(&replay);
	__builtin_memcpy(history->address, replay.state.address, sizeof(history->address));
	if (follower->config->return_stack)
		hwf_memo_copy_stack(&follower->stack, &draft.stack);
	*node = replay.state.node;
	return at;
}
