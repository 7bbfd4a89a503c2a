/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Drafts: packets that are in no entry of the memo, decoded in the form of an entry. */
#ifndef HWF_FAST_DRAFT_H
#define HWF_FAST_DRAFT_H

#include "decode/follower.h"
#include "fast/memo.h"
#include "fast/packed.h"

/*
 * struct hwf_draft_progress - how far a draft is
 * @history: address history
 * @node: where execution is; HWF_NODE_NONE: an address has to come first
 * @step: the last step
 * @size, @last, @steps, @jumps, @ends_with_jump: as in struct hwf_memo_entry
 */
struct hwf_draft_progress {
	struct hwf_packed_history history;
	uint32_t node;
	uint32_t step;
	uint32_t size;
	uint32_t last;
	uint32_t steps;
	uint32_t jumps;
	bool ends_with_jump;
};

/*
 * struct hwf_draft - the next packets, decoded
 * @stack: the return stack; used if the trace unit has one
 * @known_stack: what it was behind the last packet behind which the node is known, if it changed
 *	since then
 * @stack_changed: it changed
 * @words: steps, as in struct hwf_steps, with offsets that count from the first packet
 * @jumps: numbers of jumps, while ranges are counted
 */
struct hwf_draft {
	struct hwf_follower *follower;
	const struct hwf_ete_config *config;
	uint32_t threshold;
	struct hwf_draft_progress progress;
	struct hwf_return_stack stack;
	struct hwf_return_stack known_stack;
	bool stack_changed;
	uint64_t words[HWF_MEMO_STEPS];
	uint32_t jumps[HWF_MEMO_BYTES];
};

/*
 * Add the packets that lie within HWF_MEMO_BYTES, as far as the node behind them is in the graph.
 * False if there are none.
 */
bool hwf_draft_packets(struct hwf_draft *draft, const uint8_t *bytes);

#endif /* HWF_FAST_DRAFT_H */
