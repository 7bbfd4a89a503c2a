/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The loop with speculation: packets to the window, and committed P0 elements to the graph. */
#include "fast/loops.h"
#include "fast/packed.h"
#include "fast/counts.h"
#include "fast/window.h"

/*
 * struct loop - state of the loop; the compiler keeps most of it in registers
 * @most: MAXSPEC in the high half, for hwf_window_apply()
 * @bias: offset of the first byte, relative to the follower's steps_offset
 * @node: the node where execution is
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

/* A packet of Atoms, and the packet behind it if that resolves P0 elements. Return: bytes of both;
 * 0 if the plain stages have to decode them */
ALWAYS_INLINE size_t take_atoms(struct loop *loop, const uint8_t *bytes, size_t at, bool stack,
				bool counting)
{
	const struct hwf_op *atoms = &loop->ops->op[bytes[at]];
	const struct hwf_op *behind =
		&(counting ? loop->ops->counting : loop->ops->after_atoms)[bytes[at + 1]];

	put_offsets(loop, atoms, at);
	return hwf_window_apply(&loop->window, loop->most, atoms, behind, bytes[at + 2], stack)
		       ? 1 + (size_t)behind->size
		       : 0;
}

/* Any other packet that has an op */
ALWAYS_INLINE size_t take_op(struct loop *loop, const uint8_t *bytes, size_t at, bool stack)
{
	const struct hwf_op *op = &loop->ops->op[bytes[at]];

	put_offsets(loop, op, at);
	return hwf_window_apply(&loop->window, loop->most, op, op, bytes[at + 1], stack) ? op->size
											 : 0;
}

/* A Target Address: it stands before the next P0 element. */
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

/* An exception is a P0 element. Return: bytes of its packet and of its address; 0 for other packets
 */
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

/* Walk all committed P0 elements. */
ALWAYS_INLINE void walk(struct loop *loop, bool stack)
{
	loop->node =
		hwf_window_walk(&loop->window, loop->memory, loop->follower, loop->node, stack);
}

/*
 * R_BZQWX: the Commit of a Cycle Count comes first, and the count belongs to it. While ranges are
 * counted, cycle counts are not given.
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

/* Decode the packets before @length. Return: bytes of them; *@last: index of the last packet */
ALWAYS_INLINE size_t run(struct loop *loop, const uint8_t *bytes, size_t length, bool stack,
			 bool counting, size_t *last)
{
	size_t at = 0;

	/* the receiver of an event may switch counting on or off */
	while (at < length && loop->follower->counting == counting) {
		size_t begin = at;
		size_t size;

		if (hwf_window_total(&loop->window) > HWF_WINDOW_MAX)
			walk(loop, stack);
		if (bytes[at] >= HWF_ATOM_HEADERS) {
			size = take_atoms(loop, bytes, at, stack, counting);
			begin += size > 1;
		} else if (bytes[at] >> 4 == HWF_TARGET_HEADERS) {
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

/* One function for each case, so that the compiler removes the code of the other cases */
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

/* Indexed by: is there a return stack? are ranges counted? */
static run_fn *const runs[2][2] = {{run_ranges, run_counting},
				   {run_ranges_with_stack, run_counting_with_stack}};

size_t hwf_flow_push_window(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length)
{
	const struct hwf_ete_config *config = decoder->p0.config;
	const uint64_t begin = decoder->stream.offset;
	const uint32_t most = config->max_spec < HWF_WINDOW_MAX ? config->max_spec : HWF_WINDOW_MAX;
	struct loop loop = {
		.memory = &decoder->window,
		.follower = &decoder->follower,
		.config = config,
		.ops = &decoder->ops,
		/* the low half must not change the comparison */
		.most = (uint64_t)most << 32 | UINT32_MAX,
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
