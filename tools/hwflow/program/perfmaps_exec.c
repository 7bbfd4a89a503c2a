// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that follow each other in one process: when exec began them, where their first
 * instruction is, and an address space for each.
 */
#include "hwflow/image.h"
#include "perfmaps_private.h"

/* The address where a mapping has the first instruction of its file; false if it has it not. */
static bool entry_in(struct perfmaps *maps, const struct perfdata_event *event, uint64_t *entry)
{
	const struct perfdata_mapping *mapping = event->u.mapping;
	struct hwf_image_file *file = perfmaps_files_get(maps->files, mapping, event->pid);
	const struct hwf_image_elf *elf;

	if (!file || hwf_image_file_open(file))
		return false;
	elf = hwf_image_file_elf(file);
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

/*
 * exec maps the program, then the dynamic loader that the program names, and then the vdso. The
 * last one before the vdso is what runs first.
 */
static void find_entry(struct perfmaps *maps, struct perfmaps_owned *exec)
{
	const struct perfdata_info *info = maps->info;
	size_t count = 0;
	const size_t *numbers = maps->lossy
					? NULL
					: perfmaps_events_of(maps, info->events[exec->event].pid,
							     exec->event, &count);
	bool known = false;

	for (size_t i = 0; i < count; i++) {
		const struct perfdata_event *event = &info->events[numbers[i]];

		if (event->kind == PERFDATA_COMM && event->u.comm.exec)
			return;
		if (event->kind != PERFDATA_MMAP)
			continue;
		if (perfmaps_is_vdso(event->u.mapping->path)) {
			exec->known = known;
			return;
		}
		known = entry_in(maps, event, &exec->entry);
	}
}

/* Each is found once, however many pieces of trace it may be in. */
static struct perfmaps_exec exec_of(struct perfmaps *maps, struct perfmaps_owned *exec)
{
	if (!exec->sought)
		find_entry(maps, exec);
	exec->sought = true;
	return (struct perfmaps_exec){
		.event = exec->event, .entry = exec->entry, .known = exec->known};
}

/* Pieces of trace may be many, and each may begin with the recording: no list is gone through. */
size_t perfmaps_execs(struct perfmaps *maps, struct perfmaps_time *time, int32_t pid, int32_t tid,
		      struct perfmaps_exec *execs, size_t room)
{
	const size_t end = perfmaps_event_after(maps, time->end);
	size_t begin = perfmaps_event_after(maps, time->begin);
	const size_t start = perfmaps_owned_before(maps, false, tid, end);
	size_t first, count;

	if (start) {
		const struct perfmaps_owned *last = &maps->owned[start - 1];

		if (!last->exec && last->id == tid && last->event >= begin) {
			time->begin = maps->info->events[last->event].time;
			begin = last->event;
		}
	}
	if (begin >= end)
		return 0;
	first = perfmaps_owned_before(maps, true, pid, begin);
	count = perfmaps_owned_before(maps, true, pid, end) - first;
	for (size_t i = 0; i < count && i < room; i++)
		execs[i] = exec_of(maps, &maps->owned[first + i]);
	return count;
}

const struct hwf_code *perfmaps_split(struct perfmaps *maps, size_t event, int32_t pid, bool wfx)
{
	const uint64_t time = event ? maps->info->events[event - 1].time : 0;
	const struct perfmaps_time stretch = {.end = time};
	const struct hwf_code *code = perfmaps_code(maps, &stretch, pid, wfx);

	perfmaps_go_to_event(maps, event);
	maps->split = pid;
	return code;
}

void perfmaps_go_on(struct perfmaps *maps, size_t event)
{
	perfmaps_go_to_event(maps, event);
}
