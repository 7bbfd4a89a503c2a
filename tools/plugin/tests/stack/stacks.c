// SPDX-License-Identifier: GPL-2.0-only
/*
 * Live calls by the value of the stack pointer; README has the rules.
 *
 * The stack pointer at a call is the one at the callee's entry, and its frame is below. So from the
 * outermost call to the innermost the stack pointers do not rise:
 *
 *	call   main  f     f     g
 *	sp     900   8c0   860   860     g was called by code that has no frame
 *
 * Without memory for the list the plugin aborts: the output would be wrong from there on.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "stack.h"

static void stack_push(struct stack *stack, const struct call *call)
{
	if (stack->count == stack->room) {
		stack->room = stack->room ? 2 * stack->room : 64;
		stack->calls = realloc(stack->calls, stack->room * sizeof(*stack->calls));
		if (!stack->calls)
			abort();
	}
	stack->calls[stack->count++] = *call;
}

static const struct call *innermost(const struct stack *stack)
{
	return stack->count ? &stack->calls[stack->count - 1] : NULL;
}

/* Stack pointers relative to the high end are negative or 0. */
static bool is_below(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0;
}

/* Remove the calls whose frames are gone: all below @sp, and with @equal all at @sp, too. */
static void stack_unwind(struct stack *stack, uint64_t sp, bool equal)
{
	const struct call *call;

	sp -= stack->base;
	while ((call = innermost(stack)) && (is_below(call->sp, sp) || (equal && call->sp == sp)))
		stack->count--;
}

/* If the branch to @target is the return of a call, remove this call and those that it has made. */
static bool stack_return(struct stack *stack, uint64_t target, uint64_t sp)
{
	sp -= stack->base;
	for (size_t i = stack->count; i > 0 && !is_below(sp, stack->calls[i - 1].sp); i--) {
		if (stack->calls[i - 1].sp == sp && stack->calls[i - 1].link == target) {
			stack->count = i - 1;
			return true;
		}
	}
	return false;
}

/* A function that calls again at the same stack pointer has come back from its last call there. */
static void stack_call_again(struct stack *stack, const struct call *call)
{
	if (!call->caller)
		return;
	for (size_t i = stack->count; i > 0 && stack->calls[i - 1].sp == call->sp; i--) {
		if (stack->calls[i - 1].caller == call->caller) {
			stack->count = i - 1;
			return;
		}
	}
}

static bool in_region(const struct region *region, uint64_t sp)
{
	return sp > region->low && sp <= region->high;
}

/* Goroutines go from thread to thread. A stack is used by one thread at a time, the list by all. */
static struct stack *goroutines;
static pthread_mutex_t goroutines_lock = PTHREAD_MUTEX_INITIALIZER;

/* A mapping may have changed its size, and a goroutine's stack its place. */
static bool is_stack_of(const struct stack *stack, const struct region *region)
{
	const struct region *known = &stack->region;

	if (known->kind != region->kind)
		return false;
	switch (region->kind) {
	case REGION_MAPPING:
		return known->low < region->high && region->low < known->high;
	case REGION_GOROUTINE:
		return known->g == region->g;
	default:
		return known->low == region->low && known->high == region->high;
	}
}

static struct stack *find_in_list(struct stack **list, const struct region *region)
{
	struct stack *stack = *list;

	while (stack && !is_stack_of(stack, region))
		stack = stack->next;
	if (!stack) {
		stack = calloc(1, sizeof(*stack));
		if (!stack)
			abort();
		stack->next = *list;
		*list = stack;
	}
	stack->is_moved = stack->count && region->kind == REGION_GOROUTINE &&
			  (stack->is_moved || stack->region.low != region->low ||
			   stack->region.high != region->high);
	stack->region = *region;
	stack->base = region->kind == REGION_GOROUTINE ? region->high : 0;
	return stack;
}

static struct stack *stack_find(struct thread *thread, const struct region *region)
{
	struct stack *stack;

	if (region->kind != REGION_GOROUTINE)
		return find_in_list(&thread->stacks, region);
	pthread_mutex_lock(&goroutines_lock);
	stack = find_in_list(&goroutines, region);
	pthread_mutex_unlock(&goroutines_lock);
	return stack;
}

void stacks_fork_child(void)
{
	pthread_mutex_init(&goroutines_lock, NULL);
}

/* Is the goroutine of the thread on its stack? The runtime changes the goroutine and the stack one
 * after the other. */
static bool on_goroutine(const struct thread *thread, uint64_t sp)
{
	return thread->goroutine.kind == REGION_GOROUTINE && in_region(&thread->goroutine, sp) &&
	       !region_is_known(sp);
}

/*
 * Is a stack pointer in the region of the stack that was current still on that stack? Regions that
 * have not changed since overlap only a mapping.
 */
static bool is_current(const struct stack *before, uint64_t sp, bool unchanged)
{
	switch (before->region.kind) {
	case REGION_GOROUTINE:
		return !region_is_known(sp);
	case REGION_MAPPING:
		return unchanged && !region_is_known(sp);
	default:
		return unchanged;
	}
}

/* The stack that @sp is in becomes the current one; returns true if another stack was current. */
static bool stack_switch(struct thread *thread, uint64_t sp)
{
	struct stack *before = thread->current;
	const unsigned int generation = __atomic_load_n(&regions_generation, __ATOMIC_ACQUIRE);
	struct region region;

	if (on_goroutine(thread, sp)) {
		thread->current = stack_find(thread, &thread->goroutine);
		return thread->current != before;
	}
	if (before && in_region(&before->region, sp) &&
	    is_current(before, sp, generation == thread->generation))
		return false;
	region_find(sp, &region);
	thread->generation = generation;
	thread->current = stack_find(thread, &region);
	return thread->current != before;
}

/* A signal begins at the top of its stack, whatever was left there. */
static void signal_begin(struct stack *stack, struct stack *interrupted)
{
	if (stack->region.kind != REGION_SIGNAL)
		return;
	stack->count = 0;
	stack->below =
		interrupted && interrupted->region.kind != REGION_SIGNAL ? interrupted : NULL;
}

void stacks_call(struct thread *thread, const struct call *call)
{
	struct stack *before = thread->current, *stack;
	struct call added = *call;

	if (stack_switch(thread, call->sp))
		signal_begin(thread->current, before);
	stack = thread->current;
	added.sp -= stack->base;
	stack_unwind(stack, call->sp, false);
	stack_call_again(stack, &added);
	stack_push(stack, &added);
	thread->calls++;
}

/* Is the branch one into the middle of another function? */
static bool is_jump_between(const struct branch *branch)
{
	const struct function *target = function_find(branch->target);

	return target && target->start != branch->target && target->id != branch->function;
}

void stacks_branch(struct thread *thread, const struct branch *branch)
{
	struct stack *before = thread->current;
	const bool switched = stack_switch(thread, branch->sp);
	struct stack *stack = thread->current;
	const struct call *call;
	uint64_t sp;

	if (stack_return(stack, branch->target, branch->sp))
		return;
	if (switched) {
		signal_begin(stack, before);
		stack_unwind(stack, branch->sp, true);
		return;
	}
	call = innermost(stack);
	sp = branch->sp - stack->base;
	if (call && (is_below(call->sp, sp) || (sp == call->sp && is_jump_between(branch))))
		stack_unwind(stack, branch->sp, true);
}

void stacks_resume(struct thread *thread, uint64_t sp)
{
	stack_switch(thread, sp);
	stack_unwind(thread->current, sp, false);
}
