/* SPDX-License-Identifier: GPL-2.0-only */
/* The call stacks of all threads. */
#include "calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calls_later.h"
#include "calls_step.h"
#include "calls_threads.h"

/* How often find_parked() follows all threads in each of its two phases, at most */
#define ROUNDS 16u

/**
 * struct calls - see calls.h
 * @functions: what branches go to
 * @sink: who takes the stacks
 * @births: beginnings of threads
 * @threads: the threads
 * @later: keeps steps until all is decoded, as threads go from one source to another, or stacks
 *	from one thread to another; NULL: each thread is in one source, or there is one source alone
 * @resumes: stacks that were parked went on
 * @has_gaps: trace is missing
 * @last: the thread of @place; NULL: none
 * @place: of the last branch or range
 * @landing: of the step that a stack takes
 * @executed: the function that is executed, if @sum has one
 * @sum: of that function
 * @failed: memory ran out
 */
struct calls {
	struct functions *functions;
	struct calls_sink sink;
	struct births *births;
	struct stack_threads *threads;
	struct calls_later *later;
	struct stack_thread *last;
	struct calls_place place;
	uint64_t landing;
	struct hwf_stack_function executed;
	struct hwf_branches_sum sum;
	bool resumes;
	bool has_gaps;
	bool failed;
};

/* Are threads traced by several sources? */
static bool threads_move(const struct input *input)
{
	size_t by_cpu = 0;

	for (size_t i = 0; i < input->source_count; i++)
		by_cpu += input->sources[i].tid < 0;
	return by_cpu > 1;
}

struct calls *calls_new(const struct input *input, struct symbols *symbols,
			const struct calls_sink *sink)
{
	struct calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return NULL;
	calls->sink = *sink;
	calls->functions = functions_new(symbols);
	calls->births = births_new(input);
	calls->threads = calls->births ? stack_threads_new(calls->births) : NULL;
	if (threads_move(input))
		calls->later = calls_later_new(sink->clock != NULL);
	if (!calls->functions || !calls->threads || (threads_move(input) && !calls->later)) {
		calls_free(calls);
		return NULL;
	}
	return calls;
}

void calls_free(struct calls *calls)
{
	if (!calls)
		return;
	calls_later_free(calls->later);
	stack_threads_free(calls->threads);
	births_free(calls->births);
	functions_free(calls->functions);
	free(calls);
}

struct functions *calls_functions(const struct calls *calls)
{
	return calls->functions;
}

/* struct turn - when a source is decoded */
struct turn {
	const struct perfdata_event *birth;
	size_t source;
};

/* Records are in the order of time. */
static int compare_turns(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;
	const uintptr_t p = (uintptr_t)x->birth, q = (uintptr_t)y->birth;

	if (p != q)
		return p < q ? -1 : 1;
	return (x->source > y->source) - (x->source < y->source);
}

size_t *calls_order(const struct input *input)
{
	struct turn *turns = calloc(input->source_count + 1, sizeof(*turns));
	size_t *order = calloc(input->source_count + 1, sizeof(*order));
	struct births *births = births_new(input);

	if (turns && order && births) {
		for (size_t i = 0; i < input->source_count; i++)
			turns[i] = (struct turn){births_find(births, input->sources[i].tid), i};
		qsort(turns, input->source_count, sizeof(*turns), compare_turns);
		for (size_t i = 0; i < input->source_count; i++)
			order[i] = turns[i].source;
	} else {
		free(order);
		order = NULL;
	}
	births_free(births);
	free(turns);
	return order;
}

/* As hwf_stack.lands */
static unsigned int lands(void *ctx, const struct hwf_stack_frame *callee,
			  const struct hwf_stack_step *step)
{
	const struct calls *calls = ctx;

	(void)step;
	return functions_lands(calls->functions, callee->place, calls->landing);
}

static void pause_thread(void *ctx, struct stack_thread *thread)
{
	const struct calls *calls = ctx;

	if (calls->sink.paused)
		calls->sink.paused(calls->sink.ctx, &thread->thread);
}

static void read_clock(void *ctx, struct stack_thread *thread, uint64_t clock)
{
	const struct calls *calls = ctx;

	calls->sink.clock(calls->sink.ctx, &thread->thread, clock);
}

struct hwf_branches_sum *calls_sum(struct calls *calls)
{
	return &calls->sum;
}

static void end_sum(struct calls *calls)
{
	calls->sum.end = calls->sum.start;
}

static bool is_in(const struct hwf_stack_function *function, uint64_t address)
{
	return address - function->start < function->end - function->start;
}

/* Execution is in a function. */
static void set_sum(struct calls *calls, const struct hwf_stack_function *function,
		    bool has_indirect)
{
	calls->executed = *function;
	calls->sum.start = function->start;
	calls->sum.end = function->end;
	calls->sum.has_indirect = has_indirect;
}

/* Execution is in the innermost frame of a stack. */
static void sum_frame(struct calls *calls, const struct hwf_stack *stack)
{
	const struct hwf_stack_frame *top;

	end_sum(calls);
	if (!stack->depth)
		return;
	top = &stack->frames[stack->depth - 1];
	set_sum(calls, &top->function, !is_in(&top->function, top->link));
}

/* Another thread is executed, or another piece of trace begins. */
static void go_to(struct calls *calls, const struct calls_place *place)
{
	if (calls->last && !calls->later)
		pause_thread(calls, calls->last);
	end_sum(calls);
	calls->place = *place;
	functions_at(calls->functions, place->pid, place->piece->since, place->piece->time);
	calls->last = stack_threads_get(calls->threads, place);
	if (!calls->last) {
		calls->failed = true;
		return;
	}
	calls->last->thread.stack.lands = lands;
	calls->last->thread.stack.ctx = calls;
}

/* The thread of a place; NULL without memory */
static struct stack_thread *thread_at(struct calls *calls, const struct calls_place *place)
{
	const bool is_read =
		calls->sink.clock && !calls->later && calls->place.clock != place->clock;

	if (!calls->last || calls->place.source != place->source ||
	    calls->place.piece != place->piece || calls->place.tid != place->tid ||
	    calls->place.pid != place->pid)
		go_to(calls, place);
	calls->place.time = place->time;
	calls->place.clock = place->clock;
	if (is_read && calls->last)
		read_clock(calls, calls->last, place->clock);
	return calls->last;
}

bool calls_starts_program(const struct hwf_branch *branch)
{
	const struct hwf_image_elf *elf;
	struct hwf_image_place place;

	if ((branch->kind != HWF_BRANCH_START && branch->kind != HWF_BRANCH_EXCEPTION) ||
	    !branch->has_to || !hwf_image_find(branch->to_space, branch->to, &place))
		return false;
	elf = hwf_image_file_elf(place.file);
	for (size_t i = 0; elf && i < elf->segment_count; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];
		const uint64_t entry = hwf_image_elf_address(elf->machine, elf->entry);

		if (place.offset - segment->offset < segment->size)
			return segment->address + (place.offset - segment->offset) == entry;
	}
	return false;
}

/* Only jumps within a function change no stack. */
static bool is_jump(const struct hwf_branch *branch)
{
	return branch->kind == HWF_BRANCH_JUMP || branch->kind == HWF_BRANCH_CONDITIONAL ||
	       branch->kind == HWF_BRANCH_INDIRECT;
}

/* What is known of a branch from its code; false without memory */
static bool make_step(struct calls *calls, const struct hwf_branch *branch,
		      struct calls_step *result)
{
	struct functions *functions = calls->functions;
	struct hwf_stack_step *step = &result->step;

	step->from = branch->from;
	step->to = branch->to;
	step->next = branch->next;
	step->place = 0;
	step->kind = branch->kind;
	step->has_from = branch->has_from;
	step->has_to = branch->has_to;
	result->exception = branch->kind == HWF_BRANCH_EXCEPTION && !branch->is_trap
				    ? branch->exception + 1u
				    : 0;
	result->landing = 0;
	if (!step->has_from)
		step->source = (struct hwf_stack_function){0};
	else if (hwf_branches_sum_has(&calls->sum, branch->from))
		step->source = calls->executed;
	else if (!functions_find(functions, branch->from_space, branch->from, &step->source))
		return false;
	if (!step->has_to)
		step->target = (struct hwf_stack_function){0};
	else if (!functions_find(functions, branch->to_space, branch->to, &step->target))
		return false;
	if (step->kind == HWF_BRANCH_CALL || step->kind == HWF_BRANCH_INDIRECT_CALL ||
	    step->kind == HWF_BRANCH_EXCEPTION) {
		step->place = functions_site(functions, branch->from_space, branch->from);
		if (!step->place)
			return false;
	}
	if (step->source.role == HWF_STACK_UNWIND && step->has_to) {
		result->landing = functions_site(functions, branch->to_space, branch->to);
		if (!result->landing)
			return false;
	}
	result->starts = calls_starts_program(branch);
	return true;
}

static void step_stack(struct calls *calls, struct hwf_stack *stack, const struct calls_step *step)
{
	calls->landing = step->landing;
	if (step->starts) {
		struct hwf_stack_step start = step->step;

		start.kind = HWF_BRANCH_START;
		start.has_from = false;
		hwf_stack_start(stack);
		hwf_stack_step(stack, &start);
	} else {
		hwf_stack_step(stack, &step->step);
	}
	calls->failed |= stack->failed;
}

static void take_step(void *ctx, struct stack_thread *thread, const struct calls_step *step)
{
	struct calls *calls = ctx;

	if (step->step.kind == HWF_BRANCH_EXCEPTION)
		thread->thread.exception = step->exception;
	step_stack(calls, &thread->thread.stack, step);
	calls->sink.changed(calls->sink.ctx, &thread->thread);
}

static void take_instructions(void *ctx, struct stack_thread *thread, uint64_t instructions)
{
	const struct calls *calls = ctx;

	calls->sink.executed(calls->sink.ctx, &thread->thread, instructions);
}

static void take_item(void *ctx, struct stack_thread *thread, uint64_t item)
{
	const struct calls *calls = ctx;

	calls->sink.item(calls->sink.ctx, &thread->thread, item);
}

static void lose(void *ctx, struct stack_thread *thread)
{
	const struct calls *calls = ctx;

	hwf_stack_lose(&thread->thread.stack);
	calls->sink.changed(calls->sink.ctx, &thread->thread);
}

/* A program of Go without C begins here. Its goroutines go on in any thread. */
static bool starts_go(const struct calls *calls, const struct calls_step *step)
{
	static const char name[] = "_rt0_";

	return step->starts &&
	       !strncmp(functions_get(calls->functions, step->step.target.id)->function->name, name,
			sizeof(name) - 1);
}

void calls_branch(struct calls *calls, const struct calls_place *place,
		  const struct hwf_branch *branch)
{
	const struct hwf_stack *stack;
	struct stack_thread *thread;
	struct calls_step step;

	/* a clock that was read since then says when the thread goes on */
	if (branch->kind == HWF_BRANCH_START && calls->last && !calls->later)
		pause_thread(calls, calls->last);
	thread = thread_at(calls, place);
	if (!thread || !branch->taken)
		return;
	stack = &thread->thread.stack;
	if (!calls->later && stack->depth && is_jump(branch) && branch->has_to &&
	    (branch->kind != HWF_BRANCH_INDIRECT ||
	     branch->to != stack->frames[stack->depth - 1].link) &&
	    is_in(&stack->frames[stack->depth - 1].function, branch->from) &&
	    is_in(&stack->frames[stack->depth - 1].function, branch->to)) {
		sum_frame(calls, stack);
		return;
	}
	if (!make_step(calls, branch, &step)) {
		calls->failed = true;
		return;
	}
	/* a thread in the trace of a CPU may have taken steps already */
	if (!calls->later && place->source->tid >= 0 && starts_go(calls, &step)) {
		calls->later = calls_later_new(calls->sink.clock != NULL);
		calls->failed |= !calls->later;
	}
	if (!calls->later) {
		/* what it parks, other threads may go on with */
		if (step.step.source.role == HWF_STACK_PARK ||
		    step.step.source.role == HWF_STACK_RESUME)
			hwf_stack_saves_lose(thread->process->parked);
		take_step(calls, thread, &step);
		sum_frame(calls, stack);
		return;
	}
	thread->is_deferred = true;
	thread->process->resumes |= step.step.source.role == HWF_STACK_RESUME;
	calls->resumes |= thread->process->resumes;
	set_sum(calls, &step.step.target, false);
	if (!is_jump(branch) || branch->kind == HWF_BRANCH_INDIRECT || !step.step.has_to ||
	    !is_in(&step.step.source, branch->to))
		calls_later_step(calls->later, thread, place, &step);
}

void calls_range(struct calls *calls, const struct calls_place *place, uint64_t instructions)
{
	struct stack_thread *thread = thread_at(calls, place);

	if (thread && calls->later)
		calls_later_range(calls->later, thread, place, instructions);
	else if (thread)
		take_instructions(calls, thread, instructions);
}

void calls_item(struct calls *calls, const struct calls_place *place, uint64_t item)
{
	struct stack_thread *thread = thread_at(calls, place);

	if (thread && calls->later)
		calls_later_item(calls->later, thread, place, item);
	else if (thread)
		take_item(calls, thread, item);
}

/* On a CPU whose trace is missing, any thread may have been executed. */
void calls_gap(struct calls *calls, const struct calls_place *place)
{
	struct stack_thread *thread = thread_at(calls, place);

	calls->has_gaps = true;
	end_sum(calls);
	if (thread && calls->later)
		calls_later_gap(calls->later, place);
	else if (thread)
		lose(calls, thread);
	if (place->source->tid < 0 && !calls->later)
		stack_threads_each(calls->threads, lose, calls);
}

static void follow_step(void *ctx, struct stack_thread *thread, const struct calls_step *step)
{
	step_stack(ctx, &thread->thread.stack, step);
}

static void follow_nothing(void *ctx, struct stack_thread *thread, uint64_t value)
{
	(void)ctx;
	(void)thread;
	(void)value;
}

static void follow_loss(void *ctx, struct stack_thread *thread)
{
	(void)ctx;
	hwf_stack_lose(&thread->thread.stack);
}

static void follow_pause(void *ctx, struct stack_thread *thread)
{
	(void)ctx;
	(void)thread;
}

static void count_parked(void *ctx, struct stack_process *process)
{
	size_t *count = ctx;

	*count += hwf_stack_saves_count(process->parked);
}

static void search_parked(void *ctx, struct stack_process *process)
{
	const bool *searching = ctx;

	hwf_stack_saves_search(process->parked, *searching);
}

static void lose_parked(void *ctx, struct stack_process *process)
{
	(void)ctx;
	hwf_stack_saves_lose(process->parked);
}

/*
 * Follow all threads until a round parks no new stack. @known receives whether there was such a
 * round: else stacks may be parked that are not known.
 */
static int follow_until_known(struct calls *calls, bool searching, bool *known)
{
	const struct calls_later_sink sink = {.step = follow_step,
					      .range = follow_nothing,
					      .item = follow_nothing,
					      .lose = follow_loss,
					      .clock = follow_nothing,
					      .pause = follow_pause,
					      .ctx = calls};
	size_t before, count = 0;
	unsigned int rounds = 0;
	int error;

	stack_threads_each_process(calls->threads, search_parked, &searching);
	stack_threads_each_process(calls->threads, count_parked, &count);
	do {
		before = count;
		count = 0;
		stack_threads_again(calls->threads);
		error = calls_later_run(calls->later, &sink);
		stack_threads_each_process(calls->threads, count_parked, &count);
		*known = count == before;
	} while (!error && !*known && ++rounds < ROUNDS);
	return error;
}

/* Finds the stacks that goroutines may go on with. See hwf_stack.parked. */
static int find_parked(struct calls *calls)
{
	bool known = false;
	int error;

	if (calls->has_gaps)
		stack_threads_each_process(calls->threads, lose_parked, NULL);
	stack_threads_lose_unseen(calls->threads);
	error = follow_until_known(calls, true, &known);
	if (!error)
		error = follow_until_known(calls, false, &known);
	if (!known)
		stack_threads_each_process(calls->threads, lose_parked, NULL);
	stack_threads_again(calls->threads);
	return error;
}

int calls_end(struct calls *calls)
{
	const struct calls_later_sink sink = {.step = take_step,
					      .range = take_instructions,
					      .item = take_item,
					      .lose = lose,
					      .clock = read_clock,
					      .pause = pause_thread,
					      .ctx = calls};
	int error = 0;

	if (calls->later && !calls->failed) {
		calls_later_end(calls->later);
		if (calls->resumes)
			error = find_parked(calls);
		if (!error)
			error = calls_later_run(calls->later, &sink);
	}
	return calls->failed ? -ENOMEM : error;
}
