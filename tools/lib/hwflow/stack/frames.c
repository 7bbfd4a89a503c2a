/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The frames of a stack. */
#include "stack/frames.h"

#include <stdlib.h>
#include <string.h>

#include "stack/saves.h"

void hwf_stack_drop_choices(struct hwf_stack *stack)
{
	free(stack->choices);
	stack->choices = NULL;
	stack->choice_count = 0;
	stack->is_open = false;
}

void hwf_stack_cut(struct hwf_stack *stack, size_t depth)
{
	stack->depth = depth;
	if (stack->kept > depth)
		stack->kept = depth;
	while (stack->jump_count && stack->jumps[stack->jump_count - 1].frame >= depth)
		stack->jump_count--;
}

void hwf_stack_forget(struct hwf_stack *stack)
{
	hwf_stack_cut(stack, 0);
	stack->has_ended = false;
	hwf_stack_drop_choices(stack);
	stack->is_whole = false;
	stack->is_scheduler = false;
	stack->is_fork = false;
	stack->has_interrupted = false;
}

void hwf_stack_lose(struct hwf_stack *stack)
{
	hwf_stack_forget(stack);
	if (stack->switched)
		stack->switched->is_incomplete = true;
	if (stack->forked)
		stack->forked->is_incomplete = true;
}

static void fail(struct hwf_stack *stack)
{
	stack->failed = true;
	hwf_stack_lose(stack);
}

/* Room for @depth frames; false without memory */
static bool reserve(struct hwf_stack *stack, size_t depth)
{
	struct hwf_stack_frame *frames;
	size_t room = stack->room ? stack->room : 64;

	while (room < depth)
		room *= 2;
	if (room == stack->room)
		return true;
	frames = realloc(stack->frames, room * sizeof(*frames));
	if (!frames)
		return false;
	stack->frames = frames;
	stack->room = room;
	return true;
}

/* Forgets the outermost half of the frames. */
static void drop_outermost(struct hwf_stack *stack)
{
	const size_t half = stack->depth / 2;
	size_t count = 0;

	memmove(stack->frames, stack->frames + half,
		(stack->depth - half) * sizeof(*stack->frames));
	for (size_t i = 0; i < stack->jump_count; i++) {
		if (stack->jumps[i].frame < half)
			continue;
		stack->jumps[count] = stack->jumps[i];
		stack->jumps[count++].frame -= half;
	}
	stack->jump_count = count;
	stack->depth -= half;
	stack->kept = 0;
	stack->has_ended = false;
	stack->is_whole = false;
	hwf_stack_drop_choices(stack);
}

void hwf_stack_add_jump(struct hwf_stack *stack, const struct hwf_stack_jump *jump)
{
	struct hwf_stack_jump *jumps = stack->jumps;

	for (size_t i = stack->jump_count; i-- && jumps[i].frame == jump->frame;)
		if (jumps[i].to == jump->to)
			return;
	if (stack->jump_count == stack->jump_room) {
		const size_t room = stack->jump_room ? 2 * stack->jump_room : 16;

		jumps = realloc(jumps, room * sizeof(*jumps));
		if (!jumps) {
			fail(stack);
			return;
		}
		stack->jumps = jumps;
		stack->jump_room = room;
	}
	jumps[stack->jump_count++] = *jump;
}

/* The innermost frame executes a function that returns more than once: its caller may be jumped to.
 */
static void note_setjmp(struct hwf_stack *stack)
{
	const struct hwf_stack_frame *top = hwf_stack_top(stack);

	if (top->kind == HWF_STACK_FRAME_CALL && stack->depth > 1)
		hwf_stack_add_jump(stack, &(struct hwf_stack_jump){.to = top->link,
								   .frame = stack->depth - 2});
}

void hwf_stack_push(struct hwf_stack *stack, const struct hwf_stack_frame *frame)
{
	if (stack->depth == HWF_STACK_DEPTH)
		drop_outermost(stack);
	if (!reserve(stack, stack->depth + 1)) {
		fail(stack);
		return;
	}
	stack->frames[stack->depth++] = *frame;
	stack->is_entered = frame->kind != HWF_STACK_FRAME_FOUND;
	if (frame->function.role == HWF_STACK_SETJMP)
		note_setjmp(stack);
}

bool hwf_stack_set(struct hwf_stack *stack, const struct hwf_stack_frame *frames, size_t depth,
		   bool is_whole)
{
	hwf_stack_cut(stack, 0);
	stack->has_ended = false;
	if (!reserve(stack, depth)) {
		fail(stack);
		return false;
	}
	memcpy(stack->frames, frames, depth * sizeof(*frames));
	stack->depth = depth;
	stack->is_whole = is_whole;
	return true;
}

void hwf_stack_find(struct hwf_stack *stack, const struct hwf_stack_function *function)
{
	hwf_stack_cut(stack, 0);
	hwf_stack_push(stack, &(struct hwf_stack_frame){.function = *function,
							.kind = HWF_STACK_FRAME_FOUND});
}

/* Execution is in another function, without a call. */
static void change(struct hwf_stack *stack, const struct hwf_stack_function *function)
{
	struct hwf_stack_frame *top = hwf_stack_top(stack);
	const bool is_new = top->function.id != function->id;

	top->function = *function;
	if (!is_new)
		return;
	hwf_stack_cut(stack, stack->depth - 1);
	stack->depth++;
	stack->is_entered = function->is_entry;
	if (function->role == HWF_STACK_SETJMP)
		note_setjmp(stack);
}

void hwf_stack_agree(struct hwf_stack *stack, const struct hwf_stack_function *function)
{
	if (stack->depth)
		change(stack, function);
	else
		hwf_stack_push(stack, &(struct hwf_stack_frame){.function = *function,
								.kind = HWF_STACK_FRAME_FOUND});
}

static bool are_same(const struct hwf_stack_frame *a, const struct hwf_stack_frame *b)
{
	return a->site == b->site && a->link == b->link && a->kind == b->kind &&
	       a->function.id == b->function.id;
}

size_t hwf_stack_common(const struct hwf_stack_frame *a, size_t a_depth,
			const struct hwf_stack_frame *b, size_t b_depth)
{
	const size_t most = a_depth < b_depth ? a_depth : b_depth;
	size_t count = 0;

	while (count < most && are_same(&a[a_depth - 1 - count], &b[b_depth - 1 - count]))
		count++;
	return count;
}
