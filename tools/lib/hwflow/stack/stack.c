/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Call stacks of a thread. */
#include "hwflow/stack.h"

#include <stdlib.h>
#include <string.h>

#include "hwflow/branch.h"
#include "stack/choices.h"
#include "stack/saves.h"

void hwf_stack_init(struct hwf_stack *stack, struct hwf_stack_saves *switched,
		    struct hwf_stack_saves *forked)
{
	*stack = (struct hwf_stack){.switched = switched, .forked = forked};
}

void hwf_stack_free(struct hwf_stack *stack)
{
	hwf_stack_drop_choices(stack);
	free(stack->frames);
	free(stack->jumps);
	free(stack->before);
	*stack = (struct hwf_stack){0};
}

void hwf_stack_start(struct hwf_stack *stack)
{
	hwf_stack_cut(stack, 0);
	hwf_stack_drop_choices(stack);
	stack->is_whole = true;
	stack->is_stuck = false;
	stack->is_scheduler = false;
	stack->is_fork = false;
	stack->has_interrupted = false;
}

void hwf_stack_fork(struct hwf_stack *stack)
{
	stack->is_fork = true;
}

static bool is_inside(const struct hwf_stack_frame *frame,
		      const struct hwf_stack_function *function)
{
	return frame->function.id == function->id && !function->is_entry;
}

/* Of the handlers below @depth, the index of the innermost; @depth if there is none among the
 * frames that are searched */
static size_t handler_below(const struct hwf_stack *stack, size_t depth)
{
	const size_t last = stack->depth > HWF_STACK_SEARCH ? stack->depth - HWF_STACK_SEARCH : 0;

	for (size_t i = depth; i-- > last;)
		if (stack->frames[i].kind == HWF_STACK_FRAME_EXCEPTION)
			return i;
	return depth;
}

/* A function whose callers are not known is executed. If it switches stacks, theirs is not saved.
 */
static void enter_unknown(struct hwf_stack *stack, const struct hwf_stack_function *target)
{
	if (target->role == HWF_STACK_SWITCH && stack->switched)
		hwf_stack_saves_lose(stack->switched);
}

/* What was executed before is not in the trace; it may have parked stacks. */
static void lose_trace(struct hwf_stack *stack)
{
	hwf_stack_lose(stack);
	if (stack->parked)
		hwf_stack_saves_lose(stack->parked);
}

static void unknown_jump(struct hwf_stack *stack, const struct hwf_stack_function *target)
{
	enter_unknown(stack, target);
	hwf_stack_forget(stack);
	hwf_stack_find(stack, target);
}

/*
 * A signal handler has returned. The kernel goes on where the handler has interrupted the thread,
 * or where the handler has sent it; or with the handler of another signal. A runtime's handler may
 * have it call a function, which then returns to where the thread was interrupted.
 */
static void leave_handler(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	const size_t at = handler_below(stack, stack->depth);
	struct hwf_stack_frame handler;

	if (at == stack->depth) {
		unknown_jump(stack, &step->target);
		return;
	}
	handler = stack->frames[at];
	hwf_stack_cut(stack, at);
	if (step->to == handler.link ||
	    (stack->depth && is_inside(hwf_stack_top(stack), &step->target)))
		hwf_stack_agree(stack, &step->target);
	else if (!stack->depth || !step->target.is_entry)
		unknown_jump(stack, &step->target);
	else
		hwf_stack_push(stack, &(struct hwf_stack_frame){.site = handler.link,
								.link = handler.link,
								.place = handler.place,
								.function = step->target,
								.kind = HWF_STACK_FRAME_EXCEPTION});
}

/*
 * Execution goes on at @step->to after an exception at @at: behind it, or at it once more; in the
 * same function, where the kernel chose so; where an exception before it had come; or else at the
 * beginning of a handler. Vectors of the kernel are in the middle of a function.
 */
static void resume(struct hwf_stack *stack, const struct hwf_stack_step *at,
		   const struct hwf_stack_step *step)
{
	const bool enters_kernel = step->to >> 63 && !(at->next >> 63);
	size_t handler = stack->depth, above = 0;

	if (!enters_kernel && at->source.role == HWF_STACK_SIGRETURN) {
		leave_handler(stack, step);
		return;
	}
	if (step->to == at->next || step->to == at->from ||
	    is_inside(hwf_stack_top(stack), &step->target)) {
		hwf_stack_agree(stack, &step->target);
		return;
	}
	while (handler != above) {
		above = handler;
		handler = handler_below(stack, above);
		if (handler == above || !handler)
			break;
		if (stack->frames[handler].link != step->to &&
		    !is_inside(&stack->frames[handler - 1], &step->target))
			continue;
		hwf_stack_cut(stack, handler);
		hwf_stack_agree(stack, &step->target);
		return;
	}
	/* there are too many frames to look at, or the thread goes on elsewhere */
	if (stack->depth > HWF_STACK_SEARCH || (!step->target.is_entry && !(step->to >> 63))) {
		unknown_jump(stack, &step->target);
		return;
	}
	hwf_stack_push(stack, &(struct hwf_stack_frame){.site = at->from,
							.link = at->next,
							.place = at->place,
							.function = step->target,
							.kind = HWF_STACK_FRAME_EXCEPTION});
}

static void begin(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	if (stack->has_interrupted) {
		stack->has_interrupted = false;
		resume(stack, &stack->interrupted, step);
		return;
	}
	if (stack->is_fork && hwf_stack_restore(stack, stack->forked, step)) {
		stack->is_fork = false;
		return;
	}
	if (stack->is_fork && step->target.role == HWF_STACK_CLONE)
		hwf_stack_start(stack);
	else if (stack->depth || !stack->is_whole)
		lose_trace(stack);
	hwf_stack_agree(stack, &step->target);
}

static void take_exception(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	if (!step->has_from) {
		lose_trace(stack);
		hwf_stack_find(stack, &step->target);
		return;
	}
	resume(stack, step, step);
}

/* A handler goes back to what it has interrupted, or the kernel goes to a handler of the program.
 */
static void return_from_exception(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	const size_t newest = handler_below(stack, stack->depth);
	struct hwf_stack_step at = {.has_from = true};

	for (size_t i = newest, above = stack->depth; i != above;
	     above = i, i = handler_below(stack, above)) {
		/* the instruction that was interrupted may be executed once more */
		if (stack->frames[i].link != step->to &&
		    (i != newest || stack->frames[i].site != step->to))
			continue;
		hwf_stack_cut(stack, i);
		hwf_stack_agree(stack, &step->target);
		return;
	}
	if (newest == stack->depth || !newest) {
		unknown_jump(stack, &step->target);
		return;
	}
	at.from = stack->frames[newest].site;
	at.next = stack->frames[newest].link;
	at.place = stack->frames[newest].place;
	at.source = stack->frames[newest - 1].function;
	hwf_stack_cut(stack, newest);
	resume(stack, &at, step);
}

/*
 * Execution goes on in one of several frames: those that have called setjmp(3) from this place, or
 * those of the function. The frames of now are kept for that.
 */
static bool choose_frame(struct hwf_stack *stack, const struct hwf_stack_step *step, bool is_jump,
			 size_t count)
{
	const size_t jump_bytes = stack->jump_count * sizeof(*stack->jumps);
	const size_t bytes = stack->depth * sizeof(*stack->frames);
	struct hwf_stack_choice *choices = malloc(count * sizeof(*choices));
	struct hwf_stack_frame *before = malloc(bytes + jump_bytes);
	struct hwf_stack_jump *jumps;

	if (!choices || !before) {
		free(choices);
		free(before);
		return false;
	}
	jumps = (void *)(before + stack->depth);
	memcpy(before, stack->frames, bytes);
	if (jump_bytes)
		memcpy(jumps, stack->jumps, jump_bytes);
	count = 0;
	for (size_t i = 0, end = 0; i < stack->depth; i++) {
		bool fits = !is_jump && before[i].function.id == step->target.id;

		for (; end < stack->jump_count && jumps[end].frame == i; end++)
			fits |= is_jump && jumps[end].to == step->to;
		if (fits)
			choices[count++] = (struct hwf_stack_choice){before, i + 1, jumps, end,
								     stack->is_whole};
	}
	hwf_stack_choose(stack, choices, count, step);
	free(stack->before);
	stack->before = before;
	return true;
}

static void jump_long(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	size_t count = 0, frame = 0;

	for (size_t i = 0; i < stack->jump_count; i++) {
		if (stack->jumps[i].to != step->to)
			continue;
		frame = stack->jumps[i].frame;
		count++;
	}
	/* frames that are not known may have called it, too */
	if (!stack->is_whole) {
		unknown_jump(stack, &step->target);
	} else if (count == 1) {
		hwf_stack_cut(stack, frame + 1);
		hwf_stack_agree(stack, &step->target);
	} else if (!count || count > HWF_STACK_CHOICES || stack->depth > HWF_STACK_KEPT ||
		   !choose_frame(stack, step, true, count)) {
		unknown_jump(stack, &step->target);
	} else if (stack->depth) {
		/* whichever frame it is, it may be jumped to once more */
		hwf_stack_add_jump(
			stack, &(struct hwf_stack_jump){.to = step->to, .frame = stack->depth - 1});
	}
}

static unsigned int lands_in(const struct hwf_stack *stack, size_t frame,
			     const struct hwf_stack_step *step)
{
	if (stack->frames[frame].function.id != step->target.id)
		return HWF_LANDING_NO;
	/* tables are of calls, and say nothing of an instruction that was interrupted */
	if (!stack->lands || stack->frames[frame + 1].kind != HWF_STACK_FRAME_CALL)
		return HWF_LANDING_UNKNOWN;
	return stack->lands(stack->ctx, &stack->frames[frame + 1], step);
}

/*
 * An exception of the language lands in the innermost caller whose call has this landing pad. Where
 * that is not known, it is in the only one that executes the function. False if it is in none.
 */
static bool unwind(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	const size_t top = stack->depth - 1;
	bool is_certain = stack->is_whole;
	size_t found = 0;

	for (size_t i = top; i--;) {
		const unsigned int landing =
			top - i < HWF_STACK_SEARCH ? lands_in(stack, i, step) : HWF_LANDING_UNKNOWN;

		if (landing == HWF_LANDING_NO)
			continue;
		/* the first one was not certain, and there is another, or too many to look at */
		if (found || top - i == HWF_STACK_SEARCH) {
			unknown_jump(stack, &step->target);
			return true;
		}
		found = i + 1;
		if (landing == HWF_LANDING_YES) {
			is_certain = true;
			break;
		}
	}
	if (!found)
		return false;
	/* a frame that is not known may have it as well */
	if (!is_certain) {
		unknown_jump(stack, &step->target);
		return true;
	}
	hwf_stack_cut(stack, found);
	hwf_stack_agree(stack, &step->target);
	return true;
}

/* The functions of a role are left; the frame below them goes on later, behind its call. False if
 * that is not known. */
static bool save_caller(struct hwf_stack *stack, unsigned int role, struct hwf_stack_saves *saves)
{
	size_t depth = stack->depth;
	uint64_t link = 0;

	while (depth && stack->frames[depth - 1].kind == HWF_STACK_FRAME_CALL &&
	       (depth == stack->depth || stack->frames[depth - 1].function.role == role))
		link = stack->frames[--depth].link;
	hwf_stack_cut(stack, depth);
	stack->has_ended = false;
	if (!depth || !link)
		return false;
	hwf_stack_save(stack, saves, link);
	return true;
}

static void switch_stack(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	save_caller(stack, HWF_STACK_SWITCH, stack->switched);
	if (step->target.is_entry || step->target.role == HWF_STACK_SWITCH) {
		hwf_stack_find(stack, &step->target);
		hwf_stack_drop_choices(stack);
		/* else the function that has switched returns on the other stack */
		stack->is_whole = step->target.is_entry;
	} else if (!hwf_stack_restore(stack, stack->switched, step)) {
		unknown_jump(stack, &step->target);
	}
}

/* The caller of the innermost function goes on later, in any thread. */
static void park_caller(struct hwf_stack *stack)
{
	struct hwf_stack_saves *parked = stack->parked;

	if (!save_caller(stack, HWF_STACK_PARK, parked) && parked &&
	    !(parked->is_searching && stack->is_stuck))
		hwf_stack_saves_lose(parked);
}

/* A scheduler is executed on its own stack, whose callers are not known. */
static void park(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	park_caller(stack);
	hwf_stack_find(stack, &step->target);
	hwf_stack_drop_choices(stack);
	stack->is_whole = false;
	stack->is_scheduler = true;
}

/* A panic has ended: one of the functions that it came through goes on. */
static void recover(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	size_t count = 0, frame = 0;

	for (size_t i = 0; i < stack->depth; i++) {
		if (stack->frames[i].function.id != step->target.id)
			continue;
		frame = i;
		count++;
	}
	if (stack->is_whole && count == 1) {
		hwf_stack_cut(stack, frame + 1);
		hwf_stack_agree(stack, &step->target);
	} else if (!stack->is_whole || !count || count > HWF_STACK_CHOICES ||
		   stack->depth > HWF_STACK_KEPT || !choose_frame(stack, step, false, count)) {
		unknown_jump(stack, &step->target);
	}
}

/* The frame of the innermost function whose stack grows; @depth if there is none */
static size_t growing_frame(const struct hwf_stack *stack)
{
	const size_t last = stack->depth > HWF_STACK_SEARCH ? stack->depth - HWF_STACK_SEARCH : 0;

	for (size_t i = stack->depth; i-- > last;)
		if (stack->frames[i].function.role == HWF_STACK_GROW)
			return i;
	return stack->depth;
}

/* A goroutine whose stack has grown was not parked if the function that has made it larger resumes
 * it itself: runtime.morestack, runtime.newstack, runtime.gogo. Else it is parked here. */
static bool goes_on_itself(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	const size_t grow = growing_frame(stack), between = 2;

	if (grow == stack->depth) {
		/* a thread begins with the scheduler; else who was parked is not known any more */
		if (!stack->is_whole && stack->parked)
			hwf_stack_saves_lose(stack->parked);
		return false;
	}
	if (grow + between + 1 == stack->depth && stack->frames[grow].link == step->to) {
		hwf_stack_cut(stack, grow);
		hwf_stack_agree(stack, &step->target);
		return true;
	}
	hwf_stack_cut(stack, grow + 1);
	park_caller(stack);
	return false;
}

/* runtime.recovery has called runtime.gogo. */
static bool recovers(const struct hwf_stack *stack)
{
	return stack->depth > 1 &&
	       stack->frames[stack->depth - 2].function.role == HWF_STACK_RECOVER;
}

/* The scheduler does not go on: what it executes next begins at its own first function. */
static void resume_parked(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	if (recovers(stack)) {
		recover(stack, step);
		return;
	}
	if (!stack->is_scheduler && goes_on_itself(stack, step))
		return;
	stack->is_scheduler = false;
	stack->is_stuck = false;
	hwf_stack_cut(stack, 0);
	stack->has_ended = false;
	if (step->target.is_entry) {
		hwf_stack_find(stack, &step->target);
		hwf_stack_drop_choices(stack);
		stack->is_whole = true;
	} else if (!hwf_stack_restore(stack, stack->parked, step)) {
		unknown_jump(stack, &step->target);
	}
}

static bool leaps(unsigned int role)
{
	return role == HWF_STACK_LONGJMP || role == HWF_STACK_UNWIND || role == HWF_STACK_SWITCH ||
	       role == HWF_STACK_LEAVE || role == HWF_STACK_PARK || role == HWF_STACK_RESUME;
}

/* How a branch may leap: a function without a name may do that for its caller. */
static unsigned int leap_role(const struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	const size_t depth = stack->depth;
	unsigned int role = step->source.role;

	if (role == HWF_STACK_PLAIN && depth > 1 && leaps(stack->frames[depth - 2].function.role))
		role = stack->frames[depth - 2].function.role;
	return role;
}

/* A branch that goes neither where its function was called from, nor to a function. */
static void leap(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	switch (leap_role(stack, step)) {
	case HWF_STACK_LONGJMP:
		jump_long(stack, step);
		break;
	case HWF_STACK_UNWIND:
		if (!unwind(stack, step))
			unknown_jump(stack, &step->target);
		break;
	case HWF_STACK_SWITCH:
		switch_stack(stack, step);
		break;
	case HWF_STACK_LEAVE:
		unknown_jump(stack, &step->target);
		break;
	case HWF_STACK_PARK:
		park(stack, step);
		break;
	case HWF_STACK_RESUME:
		resume_parked(stack, step);
		break;
	default:
		if (step->target.is_entry || step->source.role == HWF_STACK_STUB)
			hwf_stack_agree(stack, &step->target);
		else
			unknown_jump(stack, &step->target);
		break;
	}
}

static bool is_return(const struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	const struct hwf_stack_frame *top = hwf_stack_top(stack);

	return top->kind != HWF_STACK_FRAME_FOUND && top->link == step->to;
}

static void go_back(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	const struct hwf_stack_frame *top = hwf_stack_top(stack);

	/* a landing pad may be behind a call that does not return */
	if (step->source.role == HWF_STACK_UNWIND && unwind(stack, step))
		return;
	/* another stack may go on where this one would */
	if (step->source.role == HWF_STACK_SWITCH || step->source.role == HWF_STACK_LEAVE ||
	    step->source.role == HWF_STACK_RESUME) {
		leap(stack, step);
	} else if (is_return(stack, step)) {
		hwf_stack_cut(stack, stack->depth - 1);
		if (!stack->depth && stack->choice_count)
			hwf_stack_go_on(stack, step);
		else
			hwf_stack_agree(stack, &step->target);
	} else if (stack->depth == 1 && stack->is_open && hwf_stack_go_below(stack, step)) {
		return;
	} else if (top->kind != HWF_STACK_FRAME_CALL && !leaps(step->source.role)) {
		/* a handler goes to the code that ends it; and who has called a function that
		 * was found is known now */
		enter_unknown(stack, &step->target);
		hwf_stack_agree(stack, &step->target);
	} else {
		leap(stack, step);
	}
}

static void jump(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	const bool is_indirect = step->kind == HWF_BRANCH_INDIRECT;

	if (is_inside(hwf_stack_top(stack), &step->target)) {
		/* a jump table, or the return of a function that has called itself */
		if (is_indirect && is_return(stack, step))
			unknown_jump(stack, &step->target);
		else
			hwf_stack_agree(stack, &step->target);
	} else if (!is_indirect) {
		hwf_stack_agree(stack, &step->target);
	} else if (is_return(stack, step)) {
		go_back(stack, step);
	} else if (step->target.is_entry && !leaps(step->source.role) &&
		   leap_role(stack, step) != HWF_STACK_SWITCH) {
		hwf_stack_agree(stack, &step->target);
	} else {
		leap(stack, step);
	}
}

/* Where execution goes on is not known yet, or never. */
static void leave(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	if (step->kind != HWF_BRANCH_EXCEPTION || !step->has_from) {
		hwf_stack_lose(stack);
		return;
	}
	stack->interrupted = *step;
	stack->has_interrupted = true;
}

static void call(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	/* that only reads the program counter */
	if (step->to == step->next)
		return;
	if (step->source.role == HWF_STACK_PARK && step->target.role != HWF_STACK_LEAF &&
	    step->target.role != HWF_STACK_RECOVER) {
		park(stack, step);
		return;
	}
	hwf_stack_push(stack, &(struct hwf_stack_frame){.site = step->from,
							.link = step->next,
							.place = step->place,
							.function = step->target,
							.kind = HWF_STACK_FRAME_CALL});
}

void hwf_stack_step(struct hwf_stack *stack, const struct hwf_stack_step *step)
{
	stack->kept = stack->depth;
	stack->is_entered = false;
	stack->has_ended = true;
	/* the thread was there before, or its beginning is not in the trace */
	if (step->kind != HWF_BRANCH_START && !stack->depth && !stack->is_whole && !stack->is_fork)
		lose_trace(stack);
	if (step->has_from)
		hwf_stack_agree(stack, &step->source);
	if (stack->failed)
		return;
	if (step->kind == HWF_BRANCH_EXCEPTION && step->source.role == HWF_STACK_FORK &&
	    stack->depth)
		hwf_stack_save(stack, stack->forked, step->next);
	if (!step->has_to) {
		leave(stack, step);
		return;
	}
	if (step->kind != HWF_BRANCH_START && !step->has_from && !stack->depth) {
		unknown_jump(stack, &step->target);
		return;
	}
	switch (step->kind) {
	case HWF_BRANCH_START:
		begin(stack, step);
		break;
	case HWF_BRANCH_CALL:
	case HWF_BRANCH_INDIRECT_CALL:
		call(stack, step);
		break;
	case HWF_BRANCH_RETURN:
		go_back(stack, step);
		break;
	case HWF_BRANCH_EXCEPTION:
		take_exception(stack, step);
		break;
	case HWF_BRANCH_EXCEPTION_RETURN:
		return_from_exception(stack, step);
		break;
	default:
		jump(stack, step);
		break;
	}
}
