/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The frames of a stack, as they change. */
#ifndef HWF_STACK_FRAMES_H
#define HWF_STACK_FRAMES_H

#include "hwflow/stack.h"

/** HWF_STACK_KEPT - a stack with more frames is not kept when another one goes on in its place */
#define HWF_STACK_KEPT 1024

/** HWF_STACK_SEARCH - frames that are looked at to find the one that handles an exception */
#define HWF_STACK_SEARCH 4096

/**
 * struct hwf_stack_jump - a call of setjmp(3) that has returned
 * @to: the address behind the call
 * @frame: index of the frame that has called
 */
struct hwf_stack_jump {
	uint64_t to;
	size_t frame;
};

/** hwf_stack_top() - the innermost frame of a stack, which has one */
static inline struct hwf_stack_frame *hwf_stack_top(const struct hwf_stack *stack)
{
	return &stack->frames[stack->depth - 1];
}

/** hwf_stack_cut() - keep so many frames */
void hwf_stack_cut(struct hwf_stack *stack, size_t depth);

/** hwf_stack_push() - add a frame */
void hwf_stack_push(struct hwf_stack *stack, const struct hwf_stack_frame *frame);

/** hwf_stack_forget() - nothing is known of the stack any more, but no trace was lost */
void hwf_stack_forget(struct hwf_stack *stack);

/** hwf_stack_find() - nothing is known but the function that is executed */
void hwf_stack_find(struct hwf_stack *stack, const struct hwf_stack_function *function);

/** hwf_stack_set() - replace all frames; false without memory: there are none then */
bool hwf_stack_set(struct hwf_stack *stack, const struct hwf_stack_frame *frames, size_t depth,
		   bool is_whole);

/** hwf_stack_add_jump() - note a call of setjmp(3) that has returned */
void hwf_stack_add_jump(struct hwf_stack *stack, const struct hwf_stack_jump *jump);

/** hwf_stack_agree() - the innermost frame executes this function, whatever was believed */
void hwf_stack_agree(struct hwf_stack *stack, const struct hwf_stack_function *function);

/**
 * hwf_stack_common() - how many frames two stacks have in common, counted from the innermost
 * @a: frames of one, the outermost first
 * @a_depth: how many
 * @b: frames of the other
 * @b_depth: how many
 *
 * Frames are the same if they have the same function, and the same caller.
 */
size_t hwf_stack_common(const struct hwf_stack_frame *a, size_t a_depth,
			const struct hwf_stack_frame *b, size_t b_depth);

/** hwf_stack_drop_choices() - nothing is known of what is below the frames of the stack */
void hwf_stack_drop_choices(struct hwf_stack *stack);

#endif /* HWF_STACK_FRAMES_H */
