// SPDX-License-Identifier: GPL-2.0-only
/* Processes and threads of a recording, as they are at one time. */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "perfmaps_private.h"

static int compare_i32(int32_t a, int32_t b)
{
	return (a > b) - (a < b);
}

static int compare_processes(const void *a, const void *b)
{
	return compare_i32(((const struct process *)a)->pid, ((const struct process *)b)->pid);
}

static int compare_threads(const void *a, const void *b)
{
	return compare_i32(((const struct thread *)a)->tid, ((const struct thread *)b)->tid);
}

/* The node of a tree that is like @key, a copy of @key where there is none; NULL without memory. */
static void *tree_get(struct perfmaps *maps, void **tree, const void *key, size_t size,
		      int (*compare)(const void *, const void *))
{
	void **found = tfind(key, tree, compare), *node;

	if (found)
		return *found;
	node = malloc(size);
	if (node) {
		memcpy(node, key, size);
		if (tsearch(node, tree, compare))
			return node;
	}
	free(node);
	maps->failed = true;
	return NULL;
}

struct process *perfmaps_find_process(const struct perfmaps *maps, int32_t pid)
{
	const struct process key = {.pid = pid};
	void *const *found = tfind(&key, &maps->processes, compare_processes);

	return found ? *found : NULL;
}

/* One with nothing mapped */
static struct process *process_new(struct perfmaps *maps)
{
	struct process *process = maps->spare;

	if (process) {
		maps->spare = process->next;
		return process;
	}
	return calloc(1, sizeof(*process));
}

struct maps_space *perfmaps_space(struct perfmaps *maps, struct process *process)
{
	if (!process->space.now && maps_space_init(&process->space, maps->image, maps->base)) {
		process->space = (struct maps_space){0};
		return NULL;
	}
	if (maps->several && !process->marked) {
		process->marked = true;
		process->mark = maps->marks;
		maps->marks = process;
	}
	return &process->space;
}

void perfmaps_forget_marks(struct perfmaps *maps)
{
	while (maps->marks) {
		struct process *process = maps->marks;

		maps->marks = process->mark;
		process->marked = false;
		maps->changes += maps_space_forget(&process->space);
	}
}

/* Out of the tree already */
void perfmaps_retire(struct perfmaps *maps, struct process *process)
{
	maps_space_unmap(&process->space, NULL);
	maps_space_forget(&process->space);
	maps->changes++;
	if (maps->running == process)
		maps->running = NULL;
	process->threads = NULL;
	process->fresh = false;
	process->before = NULL;
	process->ended = process->back = 0;
	process->next = maps->spare;
	maps->spare = process;
}

struct process *perfmaps_process(struct perfmaps *maps, int32_t pid)
{
	struct process *process = perfmaps_find_process(maps, pid);

	if (process)
		return process;
	process = process_new(maps);
	if (process) {
		process->pid = pid;
		if (tsearch(process, &maps->processes, compare_processes))
			return process;
		perfmaps_retire(maps, process);
	}
	maps->failed = true;
	return NULL;
}

static void join(struct process *process, struct thread *thread)
{
	thread->next = process->threads;
	thread->link = &process->threads;
	if (thread->next)
		thread->next->link = &thread->next;
	process->threads = thread;
}

/* A thread is not its process' any more, if it has one: forgets the process with the last one. */
static void leave(struct perfmaps *maps, struct thread *thread)
{
	struct process *process = perfmaps_find_process(maps, thread->pid);

	if (!thread->link)
		return;
	*thread->link = thread->next;
	if (thread->next)
		thread->next->link = thread->link;
	thread->link = NULL;
	if (!process || process->threads)
		return;
	tdelete(process, &maps->processes, compare_processes);
	perfmaps_retire(maps, process);
}

/* The thread, which lives, in this process */
struct thread *perfmaps_thread(struct perfmaps *maps, int32_t tid, int32_t pid)
{
	const struct thread key = {.tid = tid, .pid = PERFDATA_ANY};
	struct thread *thread = tree_get(maps, &maps->threads, &key, sizeof(key), compare_threads);
	struct process *process;

	if (!thread)
		return NULL;
	thread->exit = NULL;
	if (thread->pid == pid)
		return thread;
	process = perfmaps_process(maps, pid);
	leave(maps, thread);
	thread->pid = process ? pid : PERFDATA_ANY;
	if (process)
		join(process, thread);
	return thread;
}

struct thread *perfmaps_find_thread(const struct perfmaps *maps, int32_t tid)
{
	const struct thread key = {.tid = tid};
	void *const *found = tfind(&key, &maps->threads, compare_threads);

	return found ? *found : NULL;
}

void perfmaps_forget_thread(struct perfmaps *maps, struct thread *thread)
{
	tdelete(thread, &maps->threads, compare_threads);
	leave(maps, thread);
	free(thread);
}

int perfmaps_renew(struct perfmaps *maps, struct process *process)
{
	struct process *old = process_new(maps);
	struct maps_space space;

	if (!old)
		return -ENOMEM;
	space = process->space;
	process->space = old->space;
	old->space = space;
	old->pid = process->pid;
	old->before = process->before;
	process->before = old;
	process->ended++;
	old->next = maps->ended;
	maps->ended = old;
	return 0;
}

void perfmaps_retire_ended(struct perfmaps *maps)
{
	while (maps->ended) {
		struct process *process = maps->ended;
		struct process *last = perfmaps_find_process(maps, process->pid);

		if (last) {
			last->before = NULL;
			last->ended = last->back = 0;
		}
		maps->ended = process->next;
		perfmaps_retire(maps, process);
	}
}
