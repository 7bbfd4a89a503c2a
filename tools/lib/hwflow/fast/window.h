/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * P0 elements that wait for their resolution (Arm ARM D4.3.8), as bits of words: bit 0 is the
 * oldest that was not walked yet. What is committed stands below what waits. A bit of @targeted at
 * @total is a Target Address that stands before the P0 element to come.
 */
#ifndef HWF_FAST_WINDOW_H
#define HWF_FAST_WINDOW_H

#include "fast/chains.h"
#include "hwflow/p0.h"
#include "hwflow/window.h"
#include "fast/ops.h"

/* HWF_WINDOW_MAX - P0 elements in the window before a packet: 24 Atoms and an address fit behind
 * them in 64 bits */
#define HWF_WINDOW_MAX 39u

/* HWF_WINDOW_REOPEN - where MAXSPEC is larger than HWF_WINDOW_MAX, the plain stages decode while
 * more than HWF_WINDOW_MAX P0 elements are unresolved, and until no more than these are */
#define HWF_WINDOW_REOPEN 24u

/*
 * struct hwf_window - P0 elements, one bit of each word; the compiler keeps the words in registers
 * @taken: outcomes, with the corrections of Mispredicts
 * @traced: outcomes as they were traced, without corrections
 * @targeted: a Target Address stands before the P0 element
 * @exceptions: the P0 element is an exception
 * @count: low half: P0 elements; high half: those that are not committed
 * @first: place of bit 0 in the memory
 */
struct hwf_window {
	uint64_t taken;
	uint64_t traced;
	uint64_t targeted;
	uint64_t exceptions;
	uint64_t count;
	uint32_t first;
};

static inline uint32_t hwf_window_total(const struct hwf_window *window)
{
	return (uint32_t)window->count;
}

static inline uint32_t hwf_window_waiting(const struct hwf_window *window)
{
	return (uint32_t)(window->count >> 32);
}

/* A mask of the bits below @count, which is less than 64; for other numbers any mask will do */
static inline uint64_t hwf_window_below(uint32_t count)
{
	return (UINT64_C(1) << (count & 63)) - 1;
}

/*
 * Apply the op of a packet of Atoms and the op of the packet behind it, whose second byte is
 * @second. False, with the window unchanged, if the plain stages have to decode the packets: more
 * P0 elements are resolved than there are, more are unresolved than the high half of @most says, or
 * a Mispredict is not of an Atom. @stack is a constant: is there a return stack, which depends on
 * outcomes as they were traced?
 */
static inline __attribute__((always_inline)) bool hwf_window_apply(struct hwf_window *window,
								   uint64_t most,
								   const struct hwf_op *atoms,
								   const struct hwf_op *op,
								   uint8_t second, bool stack)
{
	const uint64_t traced = window->count + atoms->add;
	const uint64_t count = traced - op->sub - second * op->times;
	/* each of these sets the highest bit */
	const uint64_t bad = (most - traced) | (count + (op->mispredict << 32));
	const uint64_t end = UINT64_C(1) << (count & 63);
	const uint64_t last = end >> 1 & op->mispredict;
	const uint64_t taken = (uint64_t)atoms->taken << (window->count & 63);

	if ((int64_t)bad < 0 || window->exceptions & last)
		return false;
	if (stack)
		window->traced = (window->traced | taken) & (end - 1);
	window->taken = ((window->taken | taken) & (end - 1)) ^ last;
	window->exceptions &= end - 1;
	/* with a Mispredict addresses behind the last Atom were of the wrong path (I_GBKKQ) */
	window->targeted &= (end - 1) | (end & ~op->mispredict);
	window->count = count;
	return true;
}

/*
 * Walk the oldest P0 element, at @place, alone: it is an exception, or a corrected Atom where there
 * is a return stack. Return: the node after it, as hwf_flow_walk().
 */
uint32_t hwf_window_walk_one(const struct hwf_window_memory *memory, uint32_t place,
			     struct hwf_follower *follower, uint32_t node, bool exception,
			     bool taken);

/*
 * Move @total P0 elements from the place @first to the first place of the memory. @beside has a bit
 * for each of them, and for the place behind them, whose struct hwf_window_beside is valid.
 */
void hwf_window_move(struct hwf_window_memory *memory, uint32_t first, uint32_t total,
		     uint64_t beside);

static inline void hwf_window_shift(struct hwf_window *window, uint32_t count)
{
	window->taken >>= count;
	window->traced >>= count;
	window->targeted >>= count;
	window->exceptions >>= count;
	window->count -= count;
	window->first += count;
}

/*
 * Walk all committed P0 elements from a node on. Return: the node after them, as hwf_flow_walk().
 * @stack as for hwf_window_apply()
 */
static inline __attribute__((always_inline)) uint32_t
hwf_window_walk(struct hwf_window *window, struct hwf_window_memory *memory,
		struct hwf_follower *follower, uint32_t node, bool stack)
{
	uint32_t left = hwf_window_total(window) - hwf_window_waiting(window);

	hwf_flow_open_steps(follower);
	while (left) {
		const uint64_t alone =
			window->exceptions | (stack ? window->taken ^ window->traced : 0);
		const uint64_t next = (window->targeted | alone) & ~UINT64_C(1);
		uint32_t count = next ? (uint32_t)__builtin_ctzll(next) : left;

		if (window->targeted & 1) {
			const uint64_t target = memory->beside[window->first].target;

			node = hwf_flow_go_to(
				follower, node,
				(struct hwf_el_address){.value = target & ~UINT64_C(1),
							.is = target & 1});
		}
		if (count > left)
			count = left;
		if (__builtin_expect((alone & 1) != 0, 0)) {
			node = hwf_window_walk_one(memory, window->first, follower, node,
						   window->exceptions & 1, window->taken & 1);
			count = 1;
		} else {
			node = hwf_flow_walk(follower, node,
					     window->taken & hwf_window_below(count), count,
					     memory->offset + window->first);
		}
		hwf_window_shift(window, count);
		left -= count;
	}
	if (__builtin_expect(window->first > HWF_WINDOW_ROOM - 2 * HWF_OUTCOMES, 0)) {
		hwf_window_move(memory, window->first, hwf_window_total(window),
				window->targeted | window->exceptions);
		window->first = 0;
	}
	return node;
}

/* Has the window a place for each element of the P0 stage's ring? */
bool hwf_window_fits(const struct hwf_p0 *p0);

/*
 * Copy the elements of the P0 stage's ring, which fit, into the window. The follower's steps_offset
 * is that of the oldest, or smaller.
 */
void hwf_window_open(struct hwf_window *window, struct hwf_window_memory *memory,
		     const struct hwf_p0 *p0, const struct hwf_follower *follower);

/* Copy the P0 elements of the window back into the P0 stage; all that is committed was walked. */
void hwf_window_close(const struct hwf_window *window, const struct hwf_window_memory *memory,
		      struct hwf_p0 *p0, const struct hwf_follower *follower);

/* Offset of the oldest element in the P0 stage's ring; @offset if the ring is empty */
uint64_t hwf_window_oldest(const struct hwf_p0 *p0, uint64_t offset);

#endif /* HWF_FAST_WINDOW_H */
