// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state at time 0: what was there when the recording began, which are most events of a short
 * recording of a large machine. It is kept, and put back where time goes back, so that these events
 * happen once.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "hwflow/image.h"
#include "perfmaps_private.h"

/* struct base_process - a process; @now: what it has mapped, NULL: nothing */
struct base_process {
	int32_t pid;
	bool fresh;
	struct hwf_image_space *now;
};

/**
 * struct perfmaps_base - the state
 * @processes: all processes
 * @process_count: how many
 * @threads: all threads
 * @thread_count: how many
 * @kernel: code of exception levels above EL0
 * @next: see struct perfmaps
 * @change: see struct perfmaps
 * @failed: memory ran out, while it was made
 */
struct perfmaps_base {
	struct base_process *processes;
	size_t process_count;
	struct thread *threads;
	size_t thread_count;
	struct hwf_image_space *kernel;
	size_t next;
	size_t change;
	bool failed;
};

/* struct saving - what the walks over the trees need; @room: of the array that is filled */
struct saving {
	struct perfmaps *maps;
	struct perfmaps_base *base;
	size_t room;
};

/* Room for one more element: arrays double. */
static void *grow(struct saving *saving, void *array, size_t count, size_t size)
{
	if (saving->base->failed || count < saving->room)
		return array;
	saving->room = saving->room ? 2 * saving->room : 64;
	return reallocarray(array, saving->room, size);
}

/* A copy of an address space: it has its mappings, but no parent. */
static struct hwf_image_space *copy_of(struct perfmaps *maps, const struct hwf_image_space *space)
{
	struct hwf_image_space *copy;

	if (hwf_image_add_space(maps->image, NULL, NULL, &copy) ||
	    hwf_image_space_copy(copy, space))
		return NULL;
	return copy;
}

static void save_process(const void *node, VISIT which, void *ctx)
{
	const struct process *process = *(struct process *const *)node;
	struct saving *saving = ctx;
	struct perfmaps_base *base = saving->base;
	struct base_process *processes, *saved;

	if (which != preorder && which != leaf)
		return;
	processes = grow(saving, base->processes, base->process_count, sizeof(*processes));
	base->failed |= !processes;
	if (base->failed)
		return;
	base->processes = processes;
	saved = &processes[base->process_count++];
	*saved = (struct base_process){.pid = process->pid, .fresh = process->fresh};
	if (!process->space.now)
		return;
	saved->now = copy_of(saving->maps, process->space.now);
	base->failed |= !saved->now;
}

static void save_thread(const void *node, VISIT which, void *ctx)
{
	struct saving *saving = ctx;
	struct perfmaps_base *base = saving->base;
	struct thread *threads;

	if (which != preorder && which != leaf)
		return;
	threads = grow(saving, base->threads, base->thread_count, sizeof(*threads));
	base->failed |= !threads;
	if (base->failed)
		return;
	base->threads = threads;
	threads[base->thread_count++] = **(struct thread *const *)node;
}

void perfmaps_base_save(struct perfmaps *maps)
{
	struct perfmaps_base *base = calloc(1, sizeof(*base));
	struct saving saving = {maps, base, 0};

	/* without memory events happen again */
	if (!base)
		return;
	twalk_r(maps->processes, save_process, &saving);
	saving.room = 0;
	twalk_r(maps->threads, save_thread, &saving);
	base->kernel = copy_of(maps, maps->kernel);
	base->failed |= !base->kernel;
	base->next = maps->next;
	base->change = maps->change;
	maps->base_state = base;
	if (base->failed)
		perfmaps_base_free(maps);
}

static void restore_process(struct perfmaps *maps, const struct base_process *saved)
{
	struct process *process = perfmaps_process(maps, saved->pid);
	const struct maps_space from = {.now = saved->now};

	if (!process)
		return;
	process->fresh = saved->fresh;
	if (saved->now &&
	    (!perfmaps_space(maps, process) || maps_space_copy(&process->space, &from, NULL)))
		maps->failed = true;
}

bool perfmaps_base_restore(struct perfmaps *maps, size_t index)
{
	const struct perfmaps_base *base = maps->base_state;

	if (!base || index < base->next ||
	    !perfmaps_charge(maps, base->process_count + base->thread_count))
		return false;
	for (size_t i = 0; i < base->process_count; i++)
		restore_process(maps, &base->processes[i]);
	for (size_t i = 0; i < base->thread_count; i++) {
		const struct thread *saved = &base->threads[i];
		struct thread *thread = perfmaps_thread(maps, saved->tid, saved->pid);

		if (!thread)
			continue;
		thread->comm = saved->comm;
		thread->exit = saved->exit;
	}
	maps->failed |= hwf_image_space_copy(maps->kernel, base->kernel) != 0;
	maps->next = base->next;
	maps->change = base->change;
	return true;
}

void perfmaps_base_free(struct perfmaps *maps)
{
	struct perfmaps_base *base = maps->base_state;

	if (!base)
		return;
	free(base->processes);
	free(base->threads);
	free(base);
	maps->base_state = NULL;
}
