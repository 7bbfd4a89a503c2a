/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What a stack may be, where that is not known. */
#include "stack/choices.h"

/* The stack is the only choice that is left. */
static void settle(struct hwf_stack *stack)
{
	const struct hwf_stack_choice choice = stack->choices[0];

	if (hwf_stack_set(stack, choice.frames, choice.depth, choice.is_whole))
		for (size_t i = 0; i < choice.jump_count; i++)
			if (choice.jumps[i].frame < choice.depth)
				hwf_stack_add_jump(stack, &choice.jumps[i]);
	hwf_stack_drop_choices(stack);
}

/* How many frames all choices have in common */
static size_t common_frames(const struct hwf_stack *stack)
{
	const struct hwf_stack_choice *first = &stack->choices[0];
	size_t count = first->depth;

	for (size_t i = 1; i < stack->choice_count; i++) {
		const struct hwf_stack_choice *choice = &stack->choices[i];
		const size_t common = hwf_stack_common(first->frames, first->depth, choice->frames,
						       choice->depth);

		if (common < count)
			count = common;
	}
	return count;
}

/* Has a choice a jump to @to, of the frame with @below frames between it and the innermost? */
static bool has_jump(const struct hwf_stack_choice *choice, uint64_t to, size_t below)
{
	for (size_t i = choice->jump_count; i--;)
		if (choice->jumps[i].to == to &&
		    choice->jumps[i].frame + below + 1 == choice->depth)
			return true;
	return false;
}

/* The jumps that all choices have, to the @count frames that they have in common */
static void take_jumps(struct hwf_stack *stack, size_t count)
{
	const struct hwf_stack_choice *first = &stack->choices[0];

	for (size_t i = 0; i < first->jump_count; i++) {
		struct hwf_stack_jump jump = first->jumps[i];
		size_t have = 0;

		if (jump.frame >= first->depth || jump.frame < first->depth - count)
			continue;
		while (have < stack->choice_count &&
		       has_jump(&stack->choices[have], jump.to, first->depth - 1 - jump.frame))
			have++;
		jump.frame -= first->depth - count;
		if (have == stack->choice_count)
			hwf_stack_add_jump(stack, &jump);
	}
}

/* The stack is what the choices have in common. */
static void take_common(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	const struct hwf_stack_choice *first = &stack->choices[0];
	size_t count;

	if (stack->choice_count == 1) {
		settle(stack);
		hwf_stack_agree(stack, &step->target);
		return;
	}
	count = common_frames(stack);
	stack->is_open = false;
	if (!hwf_stack_set(stack, first->frames + (first->depth - count), count, false))
		return;
	take_jumps(stack, count);
	for (size_t i = 0; i < stack->choice_count; i++)
		stack->choices[i].depth -= count;
	if (count)
		hwf_stack_agree(stack, &step->target);
	else
		hwf_stack_go_on(stack, step);
}

void hwf_stack_choose(struct hwf_stack *stack, struct hwf_stack_choice *choices, size_t count,
		      const struct hwf_stack_step *step)
{
	hwf_stack_drop_choices(stack);
	stack->choices = choices;
	stack->choice_count = count;
	take_common(stack, step);
}

/* Drop the choices: one of them has callers that are not known, or none is left. */
static void run_out(struct hwf_stack *stack, bool is_unknown)
{
	stack->is_stuck = !is_unknown;
	hwf_stack_drop_choices(stack);
}

void hwf_stack_go_on(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	bool is_unknown = false;
	size_t count = 0;

	for (size_t i = 0; i < stack->choice_count; i++) {
		struct hwf_stack_choice choice = stack->choices[i];

		is_unknown |= !choice.depth && !choice.is_whole;
		if (!choice.depth || choice.frames[choice.depth - 1].function.id != step->target.id)
			continue;
		choice.depth--;
		stack->choices[count++] = choice;
	}
	stack->choice_count = count;
	stack->is_open = true;
	if (!count || is_unknown)
		run_out(stack, is_unknown);
	hwf_stack_agree(stack, &step->target);
}

bool hwf_stack_go_below(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	bool is_unknown = false;
	size_t count = 0;

	for (size_t i = 0; i < stack->choice_count; i++) {
		const struct hwf_stack_choice choice = stack->choices[i];
		const struct hwf_stack_frame *frame = &choice.frames[choice.depth];

		if (frame->kind == HWF_STACK_FRAME_FOUND)
			is_unknown = true;
		else if (frame->link == step->to && choice.depth)
			stack->choices[count++] = choice;
		else if (frame->link == step->to)
			is_unknown |= !choice.is_whole;
	}
	stack->choice_count = count;
	if (!count || is_unknown) {
		run_out(stack, is_unknown);
		return false;
	}
	take_common(stack, step);
	return true;
}
