/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Stacks that are not executed, and may go on. */
#ifndef HWF_STACK_SAVES_H
#define HWF_STACK_SAVES_H

#include "stack/frames.h"

/** HWF_STACK_SAVES - stacks that are kept at most; a power of two */
#define HWF_STACK_SAVES 4096

/** HWF_STACK_WORK - frames that are copied and compared at most, for all stacks that go on */
#define HWF_STACK_WORK 0x80000000u

/** HWF_STACK_SAVED_FRAMES - frames of all these stacks at most */
#define HWF_STACK_SAVED_FRAMES 0x40000u

/**
 * struct hwf_stack_saved - such a stack
 * @to: where it goes on
 * @hash: of the frames
 * @frames: the outermost first
 * @depth: how many
 * @jumps: of these frames
 * @jump_count: how many
 * @is_whole: as in struct hwf_stack
 */
struct hwf_stack_saved {
	uint64_t to;
	uint64_t hash;
	struct hwf_stack_frame *frames;
	size_t depth;
	struct hwf_stack_jump *jumps;
	size_t jump_count;
	bool is_whole;
};

/**
 * struct hwf_stack_saves - all of them
 * @saved: different stacks. None is removed when it goes on: nothing says which one did if several
 *	go on at the same place
 * @count: how many
 * @room: for how many there is room
 * @frame_count: frames and jumps of all
 * @work: frames that were copied and compared
 * @is_incomplete: there may be others: trace was lost, or there were too many
 * @is_searching: see hwf_stack_saves_search()
 */
struct hwf_stack_saves {
	struct hwf_stack_saved *saved;
	size_t count;
	size_t room;
	size_t frame_count;
	uint64_t work;
	bool is_incomplete;
	bool is_searching;
};

/** hwf_stack_save() - the frames of a stack may go on at @to */
void hwf_stack_save(struct hwf_stack *stack, struct hwf_stack_saves *saves, uint64_t to);

/**
 * hwf_stack_restore() - go on at @step->to with a stack that was saved for it
 *
 * Return: false if none is known: @stack->is_stuck says that one may be found yet.
 */
bool hwf_stack_restore(struct hwf_stack *stack, struct hwf_stack_saves *saves,
		       const struct hwf_stack_step *step);

#endif /* HWF_STACK_SAVES_H */
