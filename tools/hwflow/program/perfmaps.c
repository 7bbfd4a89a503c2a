/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of a recording: what each process had mapped, over time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input_limits.h"
#include "base/print.h"
#include "base/progress.h"
#include "hwflow/image.h"
#include "kcore.h"
#include "kcore_changes.h"
#include "perfmaps_private.h"

/* What perf calls the kernel in a mapping */
#define KERNEL_NAME "[kernel.kallsyms]"

/* ---- states of processes ---- */

/* One with nothing mapped; NULL without memory */
static struct perfmaps_state *new_state(struct perfmaps *maps, const struct hwf_image_space *parent)
{
	struct perfmaps_state *state = calloc(1, sizeof(*state));

	if (state && !maps_space_init(&state->space, maps->image, parent))
		return state;
	free(state);
	maps->failed = true;
	return NULL;
}

static struct perfmaps_state *take_state(struct perfmaps *maps)
{
	struct perfmaps_state *state = maps->free_states;

	if (!state)
		return new_state(maps, maps->base);
	maps->free_states = state->next;
	maps_space_clear(&state->space);
	state->settled = false;
	return state;
}

static void drop_state(struct perfmaps *maps, struct perfmaps_process *process)
{
	struct perfmaps_state *state = process->state;

	process->state = NULL;
	if (!state)
		return;
	state->next = maps->old_states;
	maps->old_states = state;
}

/* Old states can be used again, as decoders forget them. */
static void forget_old_states(struct perfmaps *maps)
{
	if (maps->old_states)
		maps->forgets++;
	while (maps->old_states) {
		struct perfmaps_state *state = maps->old_states;

		maps->old_states = state->next;
		state->next = maps->free_states;
		maps->free_states = state;
	}
}

/* Had a process ended before the trace, with the last of so many changes? */
static bool had_ended(const struct perfmaps *maps, const struct perfmaps_process *process,
		      size_t count)
{
	const struct perfmaps_change *last = count ? &process->changes[count - 1] : NULL;

	return last && last->kind == CHANGE_END && !maps->lossy &&
	       maps->info->events[last->event].time < maps->time.begin;
}

/* The stretch of changes that the trace may be from */
static void choose_changes(const struct perfmaps *maps, const struct perfmaps_process *process,
			   struct perfmaps_state *chosen)
{
	if (process->chosen == maps->calls) {
		chosen->first = process->first;
		chosen->last = process->last;
	} else {
		chosen->last = perfmaps_changes_before(process, maps->last);
		chosen->first = maps->is_stretch && maps->first < maps->last
					? perfmaps_changes_before(process, maps->first)
					: chosen->last;
	}
	chosen->is_new = had_ended(maps, process, chosen->first);
}

/* What a process has mapped; NULL without memory */
static struct perfmaps_state *state_of(struct perfmaps *maps, struct perfmaps_process *process)
{
	struct perfmaps_state *state = process->state, chosen;

	if (process->checked == maps->calls)
		return state;
	process->checked = maps->calls;
	choose_changes(maps, process, &chosen);
	if (state && !state->settled && state->first == chosen.first &&
	    state->last == chosen.last && state->is_new == chosen.is_new)
		return state;
	drop_state(maps, process);
	state = process->state = take_state(maps);
	if (!state)
		return NULL;
	state->first = chosen.first;
	state->last = chosen.last;
	state->is_new = chosen.is_new;
	maps->failed |= perfmaps_restore(maps, process, state) != 0;
	return state;
}

/*
 * What is mapped in the kernel at the end of the trace. That changes rarely, so its space stays,
 * and decoders are told to forget it.
 */
static void show_kernel(struct perfmaps *maps)
{
	struct perfmaps_process *kernel = maps->kernel;
	const size_t count = kernel ? perfmaps_changes_before(kernel, maps->last) : 0;

	if (!kernel || (kernel->state && kernel->state->last == count))
		return;
	if (kernel->state)
		maps_space_clear(&kernel->state->space);
	else
		kernel->state = new_state(maps, maps->copied);
	maps->forgets++;
	if (!kernel->state)
		return;
	kernel->state->first = kernel->state->last = count;
	maps->failed |= perfmaps_restore(maps, kernel, kernel->state) != 0;
}

/* ---- struct hwf_code ---- */

/* The thread that a context names; PERFDATA_ANY where the trace was not made to say */
static int32_t tid_of(const struct perfmaps *maps, const struct hwf_context *context)
{
	if (maps->info->context_in_vmid)
		return context->has_vmid ? (int32_t)context->vmid : PERFDATA_ANY;
	if (maps->info->context_in_cid)
		return context->has_cid ? (int32_t)context->cid : PERFDATA_ANY;
	return PERFDATA_ANY;
}

/*
 * Code above EL0. Linux runs the kernel in the upper half of the addresses, at EL1 or, with VHE, at
 * EL2. Where it keeps its context identifier at EL2 it is a host with VHE, and what runs at EL1
 * is a guest, whose code we do not have. EL2 without VHE has no upper half: what runs there is
 * not in this space.
 */
static const struct hwf_image_space *kernel_of(const struct perfmaps *maps, uint8_t el)
{
	if (el != 2 && (el != 1 || maps->info->context_in_vmid))
		return maps->base;
	return maps->kernel && maps->kernel->state ? maps->kernel->state->space.top : maps->copied;
}

/* The kernel puts the thread's number into the context, not the process'. */
static const void *space_of(void *ctx, const struct hwf_context *context)
{
	struct perfmaps *maps = ctx;
	const int32_t tid = tid_of(maps, context);
	struct perfmaps_process *process;

	maps->running = NULL;
	if (context->el)
		return kernel_of(maps, context->el);
	/* its number may be that of threads of several processes */
	if (tid >= 0 && maps->is_stretch &&
	    perfmaps_owner(maps, &maps->time, tid) == PERFMAPS_SEVERAL)
		return maps->unknown;
	process = perfmaps_process(maps, tid < 0 ? maps->pid : perfmaps_process_of(maps, tid));
	maps->running = process ? state_of(maps, process) : NULL;
	maps->is_ordered |= maps->running && maps_space_is_ordered(&maps->running->space);
	return maps->running ? maps->running->space.top : maps->base;
}

static size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	const struct perfmaps *maps = ctx;

	return maps->view->read(maps->view->ctx, space, address, bytes, length);
}

static void run_code(void *ctx, const void *space, uint64_t address, enum hwf_isa isa,
		     struct hwf_run *run)
{
	struct perfmaps *maps = ctx;

	if (maps->running && maps->running->space.top == space &&
	    maps_space_run(&maps->running->space, address))
		maps->running->settled = true;
	maps->view->run(maps->view->ctx, space, address, isa, run);
}

/* ---- the interface ---- */

int perfmaps_new(struct perfmaps **result, const struct perfdata_info *info, const char *symfs)
{
	struct perfmaps *maps = calloc(1, sizeof(*maps));
	char too_many[256];

	if (!maps)
		return -ENOMEM;
	snprintf(
		too_many, sizeof(too_many),
		"the process mapped code more often in the time of this trace than is followed; %s",
		limit_text(LIMIT_mappings));
	maps->info = info;
	maps->code = (struct hwf_code){maps, space_of, read_code, run_code};
	for (size_t i = 0; i < info->event_count; i++)
		maps->lossy |= info->events[i].kind == PERFDATA_LOST;
	if (!perfmaps_list_threads(maps) && !perfmaps_list_processes(maps) &&
	    !perfmaps_list_execs(maps) && !perfmaps_files_new(&maps->files, info, symfs))
		maps->image = perfmaps_files_image(maps->files);
	if (!maps->image ||
	    hwf_image_add_missing(maps->image, "[several programs]",
				  "several programs were mapped here during this trace, and its "
				  "timestamps do not identify the one that was executed (record "
				  "with more timestamps, such as -e cs_etm/timestamp=9/, or less "
				  "at a time)",
				  &maps->several) ||
	    hwf_image_add_missing(maps->image, "[too many mappings]", too_many, &maps->too_many) ||
	    hwf_image_add_space(maps->image, NULL, NULL, &maps->unknown) ||
	    hwf_image_map(maps->unknown, 0, UINT64_MAX, maps->several, 0) ||
	    jit_maps_new(&maps->jit, info, symfs, maps->image) ||
	    hwf_image_add_space(maps->image, NULL, NULL, &maps->base) ||
	    hwf_image_add_space(maps->image, NULL, maps->base, &maps->copied) ||
	    hwf_image_view_new(&maps->views[0], maps->image, false) ||
	    hwf_image_view_new(&maps->views[1], maps->image, true)) {
		perfmaps_free(maps);
		return -ENOMEM;
	}
	hwf_image_space_back(maps->base);
	hwf_image_space_back(maps->copied);
	*result = maps;
	return 0;
}

struct hwf_image *perfmaps_image(struct perfmaps *maps)
{
	return maps->image;
}

int perfmaps_map(struct perfmaps *maps, uint64_t start, uint64_t length,
		 struct hwf_image_file *file, uint64_t offset)
{
	maps->given = true;
	return hwf_image_map(maps->base, start, length, file, offset);
}

/* The recording has the address of one symbol, whose name follows that of the kernel. */
static bool is_of_recording(const struct perfmaps *maps, const struct kcore *kcore)
{
	const struct perfdata_info *info = maps->info;

	for (size_t i = 0; i < info->event_count; i++) {
		const struct perfdata_event *event = &info->events[i];
		const struct perfdata_mapping *mapping = event->u.mapping;

		if (event->kind == PERFDATA_MMAP && event->pid < 0 &&
		    !strncmp(mapping->path, KERNEL_NAME, strlen(KERNEL_NAME)))
			return kcore_is_at(kcore, mapping->path + strlen(KERNEL_NAME),
					   mapping->file_offset);
	}
	return true;
}

int perfmaps_kcore(struct perfmaps *maps, const char *directory, const char *changes)
{
	int error = kcore_open(&maps->kcore, maps->image, directory);

	if (error)
		return error;
	if (!is_of_recording(maps, maps->kcore)) {
		print(stderr,
		      "hwflow: %s: the kernel that was recorded was at other addresses: give it "
		      "back the kcore_dir it was recorded with\n",
		      directory);
		return -EINVAL;
	}
	maps->given = true;
	perfmaps_files_kcore(maps->files, maps->kcore);
	error = hwf_image_map_elf(maps->copied, kcore_file(maps->kcore), 0);
	return error ? error : kcore_changes_map(maps->image, maps->copied, changes);
}

static const struct hwf_code *code_of(struct perfmaps *maps, const struct perfmaps_time *time,
				      int32_t pid, bool wfx, bool is_stretch)
{
	perfmaps_take_changes(maps);
	if (maps->failed) {
		progress_hide();
		print(stderr, "hwflow: %s: out of memory: code is missing\n", maps->info->path);
		maps->failed = false;
	}
	forget_old_states(maps);
	maps->calls++;
	maps->time = *time;
	maps->first = perfmaps_event_after(maps, time->begin);
	maps->last = perfmaps_event_after(maps, time->end);
	maps->is_stretch = is_stretch;
	maps->is_ordered = false;
	maps->pid = pid;
	show_kernel(maps);
	maps->view = hwf_image_view_code(maps->views[wfx]);
	return &maps->code;
}

const struct hwf_code *perfmaps_code(struct perfmaps *maps, const struct perfmaps_time *time,
				     int32_t pid, bool wfx)
{
	return code_of(maps, time, pid, wfx, maps->info->per_cpu);
}

const struct hwf_code *perfmaps_code_of_several(struct perfmaps *maps,
						const struct perfmaps_time *time, int32_t pid,
						bool wfx)
{
	return code_of(maps, time, pid, wfx, true);
}

void perfmaps_run(struct perfmaps *maps, int32_t pid, size_t first, size_t last)
{
	struct perfmaps_process *process = perfmaps_process(maps, pid);

	if (!process)
		return;
	process->first = perfmaps_changes_before(process, first);
	process->last = perfmaps_changes_before(process, last);
	process->chosen = maps->calls;
	process->checked = 0;
}

bool perfmaps_is_ordered(const struct perfmaps *maps)
{
	return maps->is_ordered;
}

uint64_t perfmaps_changes(const struct perfmaps *maps)
{
	return maps->forgets;
}

static void free_states(struct perfmaps_state *state)
{
	while (state) {
		struct perfmaps_state *next = state->next;

		free(state);
		state = next;
	}
}

void perfmaps_free(struct perfmaps *maps)
{
	if (!maps)
		return;
	for (size_t i = 0; i < maps->process_count; i++)
		free(maps->processes[i].state);
	free_states(maps->free_states);
	free_states(maps->old_states);
	free(maps->processes);
	free(maps->changes);
	free(maps->execs);
	free(maps->exec_events);
	perfmaps_threads_free(maps);
	hwf_image_view_free(maps->views[0]);
	hwf_image_view_free(maps->views[1]);
	perfmaps_files_free(maps->files);
	jit_maps_free(maps->jit);
	kcore_free(maps->kcore);
	free(maps);
}
