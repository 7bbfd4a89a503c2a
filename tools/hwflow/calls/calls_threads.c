/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads by number, and what they share. */
#include "calls_threads.h"

#include <search.h>
#include <stdlib.h>

#include "perfdata/perfdata_read.h"

/* struct births - @events: by thread, those of a thread in order */
struct births {
	size_t count;
	const struct perfdata_event *events[];
};

/**
 * struct stack_threads - see calls_threads.h
 * @births: beginnings of threads
 * @threads: of tsearch(3): struct stack_thread
 * @processes: of tsearch(3): struct stack_process
 */
struct stack_threads {
	const struct births *births;
	void *threads;
	void *processes;
};

/* Records are in the order of time. */
static int compare_births(const void *a, const void *b)
{
	const struct perfdata_event *const *x = a, *const *y = b;

	if ((*x)->tid != (*y)->tid)
		return (*x)->tid < (*y)->tid ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

struct births *births_new(const struct input *input)
{
	const struct perfdata_info *info = input_recording(input);
	const size_t count = info ? info->event_count : 0;
	struct births *births = malloc(sizeof(*births) + count * sizeof(*births->events));

	if (!births)
		return NULL;
	births->count = 0;
	for (size_t i = 0; i < count; i++)
		if (info->events[i].kind == PERFDATA_FORK)
			births->events[births->count++] = &info->events[i];
	qsort(births->events, births->count, sizeof(*births->events), compare_births);
	return births;
}

void births_free(struct births *births)
{
	free(births);
}

const struct perfdata_event *births_find(const struct births *births, int32_t tid)
{
	size_t low = 0, high = births->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (births->events[middle]->tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < births->count && births->events[low]->tid == tid ? births->events[low] : NULL;
}

struct stack_threads *stack_threads_new(const struct births *births)
{
	struct stack_threads *threads = calloc(1, sizeof(*threads));

	if (threads)
		threads->births = births;
	return threads;
}

static void free_thread(void *node)
{
	struct stack_thread *thread = node;

	hwf_stack_free(&thread->thread.stack);
	hwf_stack_saves_free(thread->switched);
	free(thread);
}

static void free_process(void *node)
{
	struct stack_process *process = node;

	hwf_stack_saves_free(process->forked);
	hwf_stack_saves_free(process->parked);
	free(process);
}

void stack_threads_free(struct stack_threads *threads)
{
	if (!threads)
		return;
	tdestroy(threads->threads, free_thread);
	tdestroy(threads->processes, free_process);
	free(threads);
}

static int compare_threads(const void *a, const void *b)
{
	const struct stack_thread *x = a, *y = b;
	const uintptr_t p = (uintptr_t)x->thread.source, q = (uintptr_t)y->thread.source;

	if (x->thread.tid != y->thread.tid)
		return x->thread.tid < y->thread.tid ? -1 : 1;
	return (p > q) - (p < q);
}

static int compare_processes(const void *a, const void *b)
{
	const struct stack_process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* NULL without memory */
static struct stack_process *process_of(struct stack_threads *threads, int32_t pid)
{
	const struct stack_process key = {.pid = pid};
	struct stack_process **node = tfind(&key, &threads->processes, compare_processes), *process;

	if (node)
		return *node;
	process = malloc(sizeof(*process));
	if (!process)
		return NULL;
	*process = (struct stack_process){
		.pid = pid, .forked = hwf_stack_saves_new(), .parked = hwf_stack_saves_new()};
	if (!process->forked || !process->parked ||
	    !tsearch(process, &threads->processes, compare_processes)) {
		free_process(process);
		return NULL;
	}
	return process;
}

/* The process that a thread's process and those before it were forked from */
static int32_t root_of(const struct stack_threads *threads, const struct stack_thread *thread)
{
	const struct perfdata_event *birth = births_find(threads->births, thread->thread.tid);
	int32_t pid = thread->thread.pid;

	/* no recording has a hundred in earnest */
	for (int i = 0; birth && i < 100; i++) {
		pid = birth->u.parent.pid;
		birth = births_find(threads->births, birth->u.parent.tid);
	}
	return pid;
}

static struct stack_thread *add_thread(struct stack_threads *threads,
				       const struct stack_thread *key)
{
	struct stack_process *process = process_of(threads, root_of(threads, key));
	struct stack_thread *thread = process ? malloc(sizeof(*thread)) : NULL;

	if (!thread)
		return NULL;
	*thread = *key;
	thread->birth = births_find(threads->births, key->thread.tid);
	thread->switched = hwf_stack_saves_new();
	thread->process = process;
	hwf_stack_init(&thread->thread.stack, thread->switched, process->forked);
	if (thread->birth)
		hwf_stack_fork(&thread->thread.stack);
	if (!thread->switched || !tsearch(thread, &threads->threads, compare_threads)) {
		free_thread(thread);
		return NULL;
	}
	return thread;
}

struct stack_thread *stack_threads_get(struct stack_threads *threads,
				       const struct calls_place *place)
{
	const struct stack_thread key = {
		.thread = {.tid = place->tid,
			   .pid = place->pid,
			   .source = place->tid <= 0 ? place->source : NULL}};
	struct stack_thread **node = tfind(&key, &threads->threads, compare_threads);

	return node ? *node : add_thread(threads, &key);
}

/* struct visit - for twalk_r(3) */
struct visit {
	void (*take)(void *ctx, struct stack_thread *thread);
	void *ctx;
};

static void visit_node(const void *node, VISIT order, void *ctx)
{
	const struct visit *visit = ctx;

	if (order == postorder || order == leaf)
		visit->take(visit->ctx, *(struct stack_thread *const *)node);
}

void stack_threads_each(const struct stack_threads *threads,
			void (*take)(void *ctx, struct stack_thread *thread), void *ctx)
{
	twalk_r(threads->threads, visit_node, &(struct visit){take, ctx});
}

static void begin_again(void *ctx, struct stack_thread *thread)
{
	struct hwf_stack *stack = &thread->thread.stack;
	const struct hwf_stack before = *stack;

	(void)ctx;
	if (!thread->is_deferred)
		return;
	hwf_stack_free(stack);
	hwf_stack_init(stack, before.switched, before.forked);
	if (thread->birth)
		hwf_stack_fork(stack);
	stack->lands = before.lands;
	stack->ctx = before.ctx;
	stack->parked = thread->process->parked;
}

void stack_threads_again(struct stack_threads *threads)
{
	stack_threads_each(threads, begin_again, NULL);
}

/* struct process_visit - for twalk_r(3) */
struct process_visit {
	void (*take)(void *ctx, struct stack_process *process);
	void *ctx;
};

static void visit_process(const void *node, VISIT order, void *ctx)
{
	const struct process_visit *visit = ctx;

	if (order == postorder || order == leaf)
		visit->take(visit->ctx, *(struct stack_process *const *)node);
}

void stack_threads_each_process(const struct stack_threads *threads,
				void (*take)(void *ctx, struct stack_process *process), void *ctx)
{
	twalk_r(threads->processes, visit_process, &(struct process_visit){take, ctx});
}

void stack_threads_lose_unseen(struct stack_threads *threads)
{
	for (size_t i = 0; i < threads->births->count; i++) {
		const struct perfdata_event *birth = threads->births->events[i];
		const struct stack_thread key = {
			.thread = {.tid = birth->tid, .pid = birth->u.parent.pid}};
		struct stack_process *process = process_of(threads, root_of(threads, &key));

		if (process && process->resumes && !tfind(&key, &threads->threads, compare_threads))
			hwf_stack_saves_lose(process->parked);
	}
}
