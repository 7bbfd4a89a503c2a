/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* With speculation: packets into the window, and what they commit into the graph. */
#include "flow/loops.h"
#include "history/packed.h"
#include "window/counts.h"
#include "window/window.h"

#define ATOMS   0xc0 /* headers of Atom packets, from here on */
#define TARGETS 0x9  /* bits 7:4 of headers of Target Addresses, and others */

/*
 * struct loop - what the loop works on; most of it lives in registers
 * @most: as hwf_window_do() wants it
 * @bias: offset of the bytes' begin, as of steps
 */
struct loop {
	struct hwf_window_memory *memory;
	struct hwf_follower *follower;
	const struct hwf_ete_config *config;
	const struct hwf_ops *ops;
	struct hwf_packed_history history;
	struct hwf_window window;
	uint64_t most;
	uint32_t threshold;
	uint32_t bias;
	uint32_t node;
};

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE void put_offsets(struct loop *loop, const struct hwf_op *op, size_t at)
{
	hwf_offsets_put(loop->memory->offset + loop->window.first + hwf_window_total(&loop->window),
			(uint32_t)op->add, loop->bias + (uint32_t)at);
}

/* Atoms, and what resolves behind them, if there is such: bytes of both, 0 where there is more to
 * them */
ALWAYS_INLINE size_t take_atoms(struct loop *loop, const uint8_t *bytes, size_t at, bool stack,
				bool counting)
{
	const struct hwf_op *atoms = &loop->ops->op[bytes[at]];
	const struct hwf_op *behind =
		&(counting ? loop->ops->counting : loop->ops->behind)[bytes[at + 1]];

	put_offsets(loop, atoms, at);
	return hwf_window_do(&loop->window, loop->most, atoms, behind, bytes[at + 2], stack)
		       ? 1 + (size_t)behind->size
		       : 0;
}

/* Any other packet of the table */
ALWAYS_INLINE size_t take_op(struct loop *loop, const uint8_t *bytes, size_t at, bool stack)
{
	const struct hwf_op *op = &loop->ops->op[bytes[at]];

	put_offsets(loop, op, at);
	return hwf_window_do(&loop->window, loop->most, op, op, bytes[at + 1], stack) ? op->size
										      : 0;
}

/* A Target Address stands before the P0 element to come. */
ALWAYS_INLINE size_t take_target(struct loop *loop, const uint8_t *bytes, size_t at)
{
	const uint32_t total = hwf_window_total(&loop->window);
	struct hwf_window_beside *place = &loop->memory->beside[loop->window.first + total];
	const size_t size = hwf_packed_target(&loop->history, bytes + at);

	if (!size)
		return 0;
	place->target = loop->history.address[0];
	place->target_offset = loop->follower->steps_offset + loop->bias + at;
	loop->window.targeted |= UINT64_C(1) << total;
	return size;
}

/* An exception in place of an Atom: bytes of both its packets */
ALWAYS_INLINE size_t take_exception(struct loop *loop, const uint8_t *bytes, size_t at,
				    size_t *last)
{
	const uint32_t total = hwf_window_total(&loop->window);
	const uint32_t place = loop->window.first + total;
	struct hwf_packed_exception exception;

	if (loop->window.count >> 32 == loop->most >> 32 ||
	    !hwf_packed_exception(&loop->history, bytes + at, &exception))
		return 0;
	loop->memory->offset[place] = loop->bias + (uint32_t)at;
	loop->memory->beside[place].exception = exception.element;
	loop->window.exceptions |= UINT64_C(1) << total;
	loop->window.count += HWF_OP_BOTH(1);
	*last = at + exception.first;
	return exception.size;
}

/* All that is committed */
ALWAYS_INLINE void walk(struct loop *loop, bool stack)
{
	loop->node =
		hwf_window_walk(&loop->window, loop->memory, loop->follower, loop->node, stack);
}

/*
 * R_BZQWX: the count belongs to the Commit in the same packet, which comes first. With @counting
 * nobody takes it.
 */
ALWAYS_INLINE size_t take_count(struct loop *loop, const uint8_t *bytes, size_t at, bool stack,
				bool counting)
{
	const struct hwf_count count = hwf_count_read(loop->config, bytes + at);

	if (!count.size || count.commit > hwf_window_waiting(&loop->window))
		return 0;
	loop->window.count -= (uint64_t)count.commit << 32;
	if (counting)
		return count.size;
	walk(loop, stack);
	hwf_flow_give_cycles(loop->follower, loop->bias + (uint32_t)at,
			     loop->threshold + count.count);
	return count.size;
}

/* Packets before @length: bytes taken; *@last: where the last one begins */
ALWAYS_INLINE size_t run(struct loop *loop, const uint8_t *bytes, size_t length, bool stack,
			 bool counting, size_t *last)
{
	size_t at = 0;

	/* an event of the walk may begin or end counting */
	while (at < length && loop->follower->counting == counting) {
		size_t begin = at;
		size_t size;

		if (hwf_window_total(&loop->window) > HWF_WINDOW_MOST)
			walk(loop, stack);
		if (bytes[at] >= ATOMS) {
			size = take_atoms(loop, bytes, at, stack, counting);
			begin += size > 1;
		} else if (bytes[at] >> 4 == TARGETS) {
			size = take_target(loop, bytes, at);
		} else if (loop->ops->op[bytes[at]].size) {
			size = take_op(loop, bytes, at, stack);
		} else if (bytes[at] == HWF_EXCEPTION_HEADER) {
			size = take_exception(loop, bytes, at, &begin);
		} else {
			size = take_count(loop, bytes, at, stack, counting);
		}
		if (!size)
			break;
		*last = begin;
		at += size;
	}
	walk(loop, stack);
	return at;
}

/* A function each, so that what only one of them wants costs the others nothing */
#define RUN(name, stack, counting)                                                             \
	static __attribute__((noinline)) size_t name(struct loop *given, const uint8_t *bytes, \
						     size_t length, size_t *last)              \
	{                                                                                      \
		struct loop loop = *given;                                                     \
		const size_t size = run(&loop, bytes, length, stack, counting, last);          \
                                                                                               \
		*given = loop;                                                                 \
		return size;                                                                   \
	}

RUN(run_ranges, false, false)
RUN(run_counting, false, true)
RUN(run_ranges_with_stack, true, false)
RUN(run_counting_with_stack, true, true)

typedef size_t run_fn(struct loop *loop, const uint8_t *bytes, size_t length, size_t *last);

/* By return stack and counting */
static run_fn *const runs[2][2] = {{run_ranges, run_counting},
				   {run_ranges_with_stack, run_counting_with_stack}};

size_t hwf_flow_push_window(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length)
{
	const struct hwf_ete_config *config = decoder->p0.config;
	const uint64_t begin = decoder->stream.offset;
	struct loop loop = {
		.memory = &decoder->window,
		.follower = &decoder->follower,
		.config = config,
		.ops = &decoder->ops,
		/* the low half is no part of what is compared */
		.most = (uint64_t)config->max_spec << 32 | UINT32_MAX,
		.threshold = decoder->elements.cc_threshold,
		.node = hwf_flow_resume(&decoder->follower),
	};
	size_t taken, last = 0;

	if (length < HWF_PACKED_ROOM)
		return 0;
	length -= HWF_PACKED_ROOM;
	/* so that offsets fit */
	if (length > UINT32_MAX / 4)
		length = UINT32_MAX / 4;
	hwf_flow_begin_steps(loop.follower, hwf_window_oldest(&decoder->p0, begin));
	hwf_window_open(&loop.window, loop.memory, &decoder->p0, loop.follower);
	loop.bias = (uint32_t)(begin - loop.follower->steps_offset);
	hwf_packed_open(&loop.history, &decoder->elements.history);
	taken = runs[config->return_stack][loop.follower->counting](&loop, bytes, length, &last);
	hwf_flow_leave(loop.follower, loop.node);
	hwf_window_close(&loop.window, loop.memory, &decoder->p0, loop.follower);
	if (taken)
		decoder->elements.last_offset = begin + last;
	hwf_packed_close(&loop.history, &decoder->elements.history);
	decoder->stream.offset += taken;
	return taken;
}
