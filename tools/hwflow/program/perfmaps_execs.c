// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that exec begins: when exec had ended the program before, when it had mapped the new
 * one, and where the first instruction of that is.
 */
#include <errno.h>
#include <stdlib.h>

#include "hwflow/image.h"
#include "perfmaps_private.h"

/* exec maps the program, the dynamic loader that the program names, and last the vdso. */
static void find_ready(const struct perfmaps *maps, const struct perfmaps_change *change,
		       const struct perfmaps_change *end, struct perfmaps_exec *exec)
{
	const struct perfdata_event *events = maps->info->events;

	for (; change < end && change->kind != CHANGE_EXEC; change++) {
		if (change->kind != CHANGE_MAP ||
		    !perfmaps_is_vdso(events[change->event].u.mapping->path))
			continue;
		exec->ready = events[change->event].time;
		exec->is_ready = !maps->lossy;
		return;
	}
}

static int compare_events(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

int perfmaps_list_execs(struct perfmaps *maps)
{
	const struct perfmaps_change *changes = maps->changes;
	size_t count = 0;

	for (size_t i = 0; i < maps->change_count; i++)
		count += changes[i].kind == CHANGE_EXEC;
	maps->execs = calloc(count + 1, sizeof(*maps->execs));
	maps->exec_events = calloc(count + 1, sizeof(*maps->exec_events));
	if (!maps->execs || !maps->exec_events)
		return -ENOMEM;
	for (size_t i = 0; i < maps->process_count; i++) {
		const struct perfmaps_process *process = &maps->processes[i];
		const struct perfmaps_change *end = process->changes + process->change_count;

		for (const struct perfmaps_change *change = process->changes; change < end;
		     change++) {
			struct perfmaps_exec *exec = &maps->execs[maps->exec_count];

			if (change->kind != CHANGE_EXEC)
				continue;
			exec->pid = process->pid;
			exec->event = change->event;
			exec->called = maps->info->events[change->event].time;
			find_ready(maps, change + 1, end, exec);
			maps->changes[change - maps->changes].fresh = exec->is_ready;
			maps->exec_events[maps->exec_count++] = change->event;
		}
	}
	qsort(maps->exec_events, count, sizeof(*maps->exec_events), compare_events);
	return 0;
}

/* How many of @execs are of lower processes, or of this one before an event */
static size_t execs_before(const struct perfmaps *maps, int32_t pid, size_t event)
{
	size_t low = 0, high = maps->exec_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct perfmaps_exec *exec = &maps->execs[middle];

		if (exec->pid < pid || (exec->pid == pid && exec->event < event))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t perfmaps_execs(const struct perfmaps *maps, const struct perfmaps_time *time, int32_t pid,
		      struct perfmaps_exec **execs)
{
	const size_t first = execs_before(maps, pid, perfmaps_event_after(maps, time->begin));
	const size_t end = execs_before(maps, pid, perfmaps_event_after(maps, time->end));

	*execs = maps->execs + first;
	return end > first ? end - first : 0;
}

bool perfmaps_has_execs(const struct perfmaps *maps, const struct perfmaps_time *time)
{
	const size_t begin = perfmaps_event_after(maps, time->begin);
	size_t low = 0, high = maps->exec_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (maps->exec_events[middle] < begin)
			low = middle + 1;
		else
			high = middle;
	}
	return low < maps->exec_count &&
	       maps->exec_events[low] < perfmaps_event_after(maps, time->end);
}

void perfmaps_begin_of_tracing(const struct perfmaps *maps, struct perfmaps_time *time, int32_t tid)
{
	const size_t traced = perfmaps_traced(maps, tid, perfmaps_event_after(maps, time->end));

	if (traced > perfmaps_event_after(maps, time->begin))
		time->begin = maps->info->events[traced - 1].time;
}

/* The address where a mapping has the first instruction of its file; false if it has it not. */
static bool entry_in(const struct perfmaps *maps, const struct perfmaps_change *change,
		     uint64_t *entry)
{
	const struct perfdata_mapping *mapping = maps->info->events[change->event].u.mapping;
	const struct hwf_image_elf *elf;

	if (!change->file || hwf_image_file_open(change->file))
		return false;
	elf = hwf_image_file_elf(change->file);
	for (size_t i = 0; elf && i < elf->segment_count; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];
		const uint64_t into = elf->entry - segment->address;
		const uint64_t offset = segment->offset + into;

		if (elf->entry < segment->address || into >= segment->size ||
		    offset < mapping->file_offset ||
		    offset - mapping->file_offset >= mapping->length)
			continue;
		*entry = mapping->address + (offset - mapping->file_offset);
		return true;
	}
	return false;
}

/* Of the mappings before the vdso, the last one has the instruction that is executed first. */
static void find_entry(struct perfmaps *maps, struct perfmaps_exec *exec)
{
	const struct perfmaps_process *process = perfmaps_process(maps, exec->pid);
	const struct perfmaps_change *end = process->changes + process->change_count;
	const struct perfmaps_change *change =
		process->changes + perfmaps_changes_before(process, exec->event + 1);
	bool known = false;

	exec->sought = true;
	for (; change < end && exec->is_ready; change++) {
		if (change->kind != CHANGE_MAP)
			continue;
		if (perfmaps_is_vdso(maps->info->events[change->event].u.mapping->path)) {
			exec->known = known;
			return;
		}
		known = entry_in(maps, change, &exec->entry);
	}
}

bool perfmaps_entry(struct perfmaps *maps, struct perfmaps_exec *exec)
{
	perfmaps_take_changes(maps);
	if (!exec->sought)
		find_entry(maps, exec);
	return exec->known;
}
