// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each process of a recording has mapped, over time: the changes of each process in order. All
 * that is mapped after a change is stored for some of them only, as address spaces that share their
 * mappings; from there the changes up to a later one are replayed. So any time can be asked for, in
 * any order.
 *
 *	process 1:   map   map   map   exec   map ...  map   map
 *	                    |           |               |
 *	process 2:         fork         |               |         map   exec
 *	                    |           |               |
 *	                    stored    nothing is     stored: 256 changes
 *	                              mapped         since the last one
 */
#include <errno.h>
#include <stdlib.h>

#include "base/input_file.h"
#include "base/input_limits.h"
#include "hwflow/image.h"
#include "perfmaps_private.h"

/* So many mappings are replayed at most to know what is mapped after one. */
#define REPLAYED 256

/* ---- lists ---- */

size_t perfmaps_event_after(const struct perfmaps *maps, uint64_t time)
{
	const struct perfdata_info *info = maps->info;
	size_t low = 0, high = info->event_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (info->events[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What an event changes: false if that is nothing, or of no process */
static bool change_of(const struct perfdata_event *event, struct perfmaps_change *change)
{
	*change = (struct perfmaps_change){.pid = event->pid};
	switch (event->kind) {
	case PERFDATA_MMAP:
		change->kind = CHANGE_MAP;
		if (event->pid < 0)
			change->pid = PERFDATA_ANY;
		return true;
	case PERFDATA_FORK:
		/* perf lists what is mapped in a process that was there */
		change->kind = CHANGE_FORK;
		return event->pid >= 0 && event->pid != event->u.parent.pid &&
		       !event->u.parent.listed;
	case PERFDATA_COMM:
		change->kind = CHANGE_EXEC;
		return event->pid >= 0 && event->u.comm.exec;
	default:
		return false;
	}
}

static int list_changes(struct perfmaps *maps)
{
	const struct perfdata_info *info = maps->info;
	struct perfmaps_change change, *changes;
	size_t count = maps->change_count;

	for (size_t i = 0; i < info->event_count; i++)
		count += change_of(&info->events[i], &change);
	changes = reallocarray(maps->changes, count + 1, sizeof(*changes));
	if (!changes)
		return -ENOMEM;
	maps->changes = changes;
	for (size_t i = 0; i < info->event_count; i++) {
		if (!change_of(&info->events[i], &change))
			continue;
		change.event = i;
		changes[maps->change_count++] = change;
	}
	return 0;
}

/* By process; a thread begins before it maps something */
static int compare_changes(const void *a, const void *b)
{
	const struct perfmaps_change *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return y->kind - x->kind;
}

int perfmaps_list_processes(struct perfmaps *maps)
{
	const struct perfmaps_change *changes;
	struct perfmaps_process *process = NULL;
	size_t count = 0;

	if (list_changes(maps))
		return -ENOMEM;
	changes = maps->changes;
	qsort(maps->changes, maps->change_count, sizeof(*changes), compare_changes);
	for (size_t i = 0; i < maps->change_count; i++)
		count += !i || changes[i].pid != changes[i - 1].pid;
	maps->processes = calloc(count + 1, sizeof(*maps->processes));
	if (!maps->processes)
		return -ENOMEM;
	for (size_t i = 0; i < maps->change_count; i++) {
		if (!i || changes[i].pid != changes[i - 1].pid) {
			process = &maps->processes[maps->process_count++];
			process->pid = changes[i].pid;
			process->changes = &maps->changes[i];
		}
		process->change_count++;
	}
	if (count && maps->processes[0].pid == PERFDATA_ANY)
		maps->kernel = &maps->processes[0];
	return 0;
}

struct perfmaps_process *perfmaps_process(const struct perfmaps *maps, int32_t pid)
{
	size_t low = 0, high = maps->process_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (maps->processes[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return pid >= 0 && low < maps->process_count && maps->processes[low].pid == pid
		       ? &maps->processes[low]
		       : NULL;
}

size_t perfmaps_changes_before(const struct perfmaps_process *process, size_t event)
{
	size_t low = 0, high = process->change_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (process->changes[middle].event < event)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- all changes, once ---- */

/* Is there nothing that we could read? */
static bool is_missing(const struct hwf_image_file *file)
{
	size_t size;

	return !hwf_image_file_bytes(file, &size) &&
	       !input_file_exists(hwf_image_file_path(file), hwf_image_file_root(file));
}

/* An address space of its own with the mappings of another one; NULL: nothing is mapped */
static int store(struct perfmaps *maps, struct hwf_image_space **to,
		 const struct hwf_image_space *from)
{
	*to = NULL;
	if (!from)
		return 0;
	if (hwf_image_add_space(maps->image, NULL, NULL, to))
		return -ENOMEM;
	return hwf_image_space_copy(*to, from);
}

static struct hwf_image_place place_of(const struct perfmaps *maps,
				       const struct perfmaps_change *change)
{
	const struct perfdata_mapping *mapping = maps->info->events[change->event].u.mapping;

	return (struct hwf_image_place){.file = change->file,
					.offset = mapping->file_offset,
					.start = mapping->address,
					.length = mapping->length};
}

/* The code at an address, and code that the process wrote to a jitdump file for it */
static int map_in(const struct perfmaps *maps, const struct perfmaps_change *change,
		  struct hwf_image_space *space)
{
	const struct hwf_image_place whole = place_of(maps, change), *places;
	const size_t count = jit_maps_at(maps->jit, change->event, &places);
	int error = hwf_image_map(space, whole.start, whole.length, whole.file, whole.offset);

	for (size_t i = 0; i < count && !error; i++)
		error = hwf_image_map(space, places[i].start, places[i].length, places[i].file,
				      places[i].offset);
	return error;
}

static int find_file(struct perfmaps *maps, struct perfmaps_change *change)
{
	const struct perfdata_event *event = &maps->info->events[change->event];

	change->file = perfmaps_files_get(maps->files, event->u.mapping, event->pid);
	if (!change->file)
		return -ENOMEM;
	/* code that was given besides the events counts where those have no file */
	if (maps->given && is_missing(change->file))
		hwf_image_file_yield(change->file);
	return 0;
}

static int take_map(struct perfmaps *maps, struct perfmaps_process *process,
		    struct perfmaps_change *change)
{
	const struct perfdata_mapping *mapping = maps->info->events[change->event].u.mapping;
	const struct hwf_image_place *places;

	if (!process->now && hwf_image_add_space(maps->image, NULL, NULL, &process->now))
		return -ENOMEM;
	change->fresh &= !perfmaps_is_vdso(mapping->path);
	process->unstored++;
	/* it may bring any number of mappings */
	if (jit_maps_at(maps->jit, change->event, &places))
		process->unstored = REPLAYED;
	return map_in(maps, change, process->now);
}

static void unmap_all(struct perfmaps_process *process)
{
	process->unstored = 0;
	if (process->now)
		hwf_image_space_clear(process->now);
}

static int take_fork(struct perfmaps *maps, struct perfmaps_process *process,
		     struct perfmaps_change *change)
{
	const int32_t pid = maps->info->events[change->event].u.parent.pid;
	const struct perfmaps_process *parent = perfmaps_process(maps, pid);

	change->fresh = false;
	process->unstored = 0;
	if (store(maps, &change->after, parent ? parent->now : NULL))
		return -ENOMEM;
	if (process->now)
		hwf_image_space_clear(process->now);
	else if (change->after && hwf_image_add_space(maps->image, NULL, NULL, &process->now))
		return -ENOMEM;
	return change->after ? hwf_image_space_copy(process->now, change->after) : 0;
}

/* Is the same mapped at the same addresses already? */
static bool is_repeated(const struct perfmaps *maps, const struct perfmaps_process *process,
			const struct perfmaps_change *change)
{
	const struct hwf_image_place wanted = place_of(maps, change);
	const struct hwf_image_place *places;
	struct hwf_image_place found;

	return process->now && !change->fresh && !jit_maps_at(maps->jit, change->event, &places) &&
	       hwf_image_find(process->now, wanted.start, &found) && found.file == wanted.file &&
	       found.offset == wanted.offset && found.start == wanted.start &&
	       found.length == wanted.length;
}

/*
 * Has another process the number of one that had ended? The trace of threads is that of a program
 * and those that it forks, so the fork of another process would be recorded; and hwflow emulate
 * --limit ends a thread that goes on. Where events were lost, it may be the same one.
 */
static bool is_another(const struct perfmaps *maps)
{
	return maps->info->per_cpu && !maps->lossy;
}

/* Take the next change of a process. One that changes nothing is dropped from the list. */
static int take_change(struct perfmaps *maps, struct perfmaps_process *process)
{
	struct perfmaps_change *change = &process->changes[process->kept];
	int error = 0;

	*change = process->changes[process->taken++];
	/* as after the change before; exec has its own already */
	if (change->kind != CHANGE_EXEC)
		change->fresh = process->kept && change[-1].fresh;
	process->kept++;
	switch ((enum change_kind)change->kind) {
	case CHANGE_MAP:
		error = find_file(maps, change);
		if (!error && is_repeated(maps, process, change))
			process->kept--;
		else if (!error)
			error = take_map(maps, process, change);
		break;
	case CHANGE_FORK:
		error = take_fork(maps, process, change);
		break;
	case CHANGE_THREAD:
		change->fresh = false;
		if (is_another(maps))
			unmap_all(process);
		break;
	case CHANGE_EXEC:
		unmap_all(process);
		break;
	case CHANGE_END:
		change->fresh = false;
		break;
	}
	if (error || process->unstored < REPLAYED)
		return error;
	process->unstored = 0;
	return store(maps, &change->after, process->now);
}

/* Take the changes of a process up to an event, which includes it. */
static void take_up_to(struct perfmaps *maps, struct perfmaps_process *process, size_t event)
{
	while (process->taken < process->change_count &&
	       process->changes[process->taken].event <= event)
		if (take_change(maps, process))
			maps->failed = true;
}

void perfmaps_take_changes(struct perfmaps *maps)
{
	const struct perfdata_info *info = maps->info;
	struct perfmaps_change change;

	for (size_t i = 0; i < info->event_count && !maps->taken; i++) {
		struct perfmaps_process *parent = NULL;

		if (!change_of(&info->events[i], &change))
			continue;
		if (change.kind == CHANGE_FORK)
			parent = perfmaps_process(maps, info->events[i].u.parent.pid);
		if (parent)
			take_up_to(maps, parent, i);
		take_up_to(maps, change.pid < 0 ? maps->kernel : perfmaps_process(maps, change.pid),
			   i);
	}
	for (size_t i = 0; i < maps->process_count && !maps->taken; i++) {
		struct perfmaps_process *process = &maps->processes[i];

		/* the end of a process comes behind its last mapping */
		take_up_to(maps, process, SIZE_MAX);
		process->change_count = process->kept;
	}
	maps->taken = true;
}

/* ---- what is mapped from one change to another one ---- */

/* Is nothing left of what was mapped before a change? */
static bool replaces_all(const struct perfmaps *maps, const struct perfmaps_change *change)
{
	return change->kind == CHANGE_FORK || change->kind == CHANGE_EXEC ||
	       (change->kind == CHANGE_THREAD && is_another(maps));
}

/* What is mapped after so many changes, in a space that has nothing */
static int begin_with(const struct perfmaps *maps, const struct perfmaps_process *process,
		      size_t count, struct hwf_image_space *space)
{
	const struct perfmaps_change *changes = process->changes;
	size_t first = count;
	int error = 0;

	while (first && !changes[first - 1].after && !replaces_all(maps, &changes[first - 1]))
		first--;
	if (first && changes[first - 1].after)
		error = hwf_image_space_copy(space, changes[first - 1].after);
	for (size_t i = first; i < count && !error; i++)
		if (changes[i].kind == CHANGE_MAP)
			error = map_in(maps, &changes[i], space);
	return error;
}

/*
 * exec maps the program, the dynamic loader and, last, the vdso. None of them has run before the
 * vdso is mapped. The vdso is often mapped over the loader, whose mapping is first made as long as
 * its file is in memory; a program without a loader may be mapped at one address and then, aligned,
 * at another one.
 */
static int map_over(const struct perfmaps *maps, const struct perfmaps_change *change, bool fresh,
		    struct maps_space *space)
{
	const struct hwf_image_place whole = place_of(maps, change);
	const int error = fresh ? maps_space_map_first(space, &whole, maps->several)
				: maps_space_map(space, &whole, maps->several);

	/* with code that the process made there */
	return error || !change->after ? error : hwf_image_space_copy(space->now, change->after);
}

int perfmaps_restore(struct perfmaps *maps, const struct perfmaps_process *process,
		     struct perfmaps_state *state)
{
	const struct perfmaps_change *changes = process->changes;
	struct maps_space *space = &state->space;
	int error = 0;

	if (state->last - state->first > limit_of(LIMIT_mappings))
		return hwf_image_map(space->top, 0, UINT64_MAX, maps->too_many, 0);
	if (!state->is_new)
		error = begin_with(maps, process, state->first, space->now);
	for (size_t i = state->first; i < state->last && !error; i++) {
		const struct perfmaps_change *change = &changes[i];

		if (change->kind == CHANGE_MAP)
			error = map_over(maps, change, i && change[-1].fresh, space);
		else if (replaces_all(maps, change))
			error = maps_space_replace(space, change->after, maps->several);
	}
	return error;
}
