/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Choices: what a stack may be. The frames that all choices have in common, counted from the
 * innermost, are the frames of the stack. When they have returned, the next frame has the same
 * function in all choices, but not the same caller: it is HWF_STACK_FRAME_FOUND, and the choices
 * are open. When that returns, where it goes says which choices are left.
 */
#ifndef HWF_STACK_CHOICES_H
#define HWF_STACK_CHOICES_H

#include "stack/frames.h"

/** HWF_STACK_CHOICES - choices at most: of more, nothing is known */
#define HWF_STACK_CHOICES 256

/**
 * struct hwf_stack_choice - one of them
 * @frames: the outermost first
 * @depth: how many are below the frames of the stack. If choices are open, frame number @depth is
 *	the one that is found
 * @jumps: of the frames
 * @jump_count: how many
 * @is_whole: as in struct hwf_stack
 */
struct hwf_stack_choice {
	const struct hwf_stack_frame *frames;
	size_t depth;
	const struct hwf_stack_jump *jumps;
	size_t jump_count;
	bool is_whole;
};

/**
 * hwf_stack_choose() - execution goes on in the innermost frame of one of the choices
 * @stack: the stack
 * @choices: from malloc(3); the stack frees them
 * @count: how many; 1 at least
 * @step: the branch that led there
 */
void hwf_stack_choose(struct hwf_stack *stack, struct hwf_stack_choice *choices, size_t count,
		      const struct hwf_stack_step *step);

/** hwf_stack_go_on() - the last frame of a stack with choices has returned, by @step */
void hwf_stack_go_on(struct hwf_stack *stack, const struct hwf_stack_step *step);

/**
 * hwf_stack_go_below() - the frame that is found returns by @step, of a stack with open choices
 *
 * Return: false if that is in none of the choices, which are dropped then.
 */
bool hwf_stack_go_below(struct hwf_stack *stack, const struct hwf_stack_step *step);

#endif /* HWF_STACK_CHOICES_H */
