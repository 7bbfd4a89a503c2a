/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of a recording: what each process had mapped, over time. */
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/print.h"
#include "base/progress.h"
#include "hwflow/image.h"
#include "kcore.h"
#include "kcore_changes.h"
#include "perfmaps_private.h"

/* What perf calls the kernel in a mapping */
#define KERNEL_NAME "[kernel.kallsyms]"

/* Is there nothing that we could read? */
static bool is_missing(const struct hwf_image_file *file)
{
	size_t size;

	return !hwf_image_file_bytes(file, &size) &&
	       !input_file_exists(hwf_image_file_path(file), hwf_image_file_root(file));
}

/*
 * exec maps the program, the dynamic loader and, last, the vdso. None of them has run before the
 * vdso is mapped. The vdso is often mapped over the loader, whose mapping is first made as long as
 * its file is in memory; a program without a loader may be mapped at one address and then, aligned,
 * at another one.
 */
static int map_of_process(struct perfmaps *maps, struct process *process,
			  const struct hwf_image_place *place,
			  const struct perfdata_mapping *mapping)
{
	struct maps_space *space = perfmaps_space(maps, process);

	if (!space)
		return -ENOMEM;
	if (!process->fresh)
		return maps_space_map(space, place, maps->several);
	process->fresh = !perfmaps_is_vdso(mapping->path);
	return maps_space_map_first(space, place, maps->several);
}

static void take_mmap(struct perfmaps *maps, const struct perfdata_event *event)
{
	const struct perfdata_mapping *mapping = event->u.mapping;
	const struct hwf_image_place place = {
		.file = perfmaps_files_get(maps->files, mapping, event->pid),
		.offset = mapping->file_offset,
		.start = mapping->address,
		.length = mapping->length,
	};
	struct process *process = NULL;
	int error;

	if (event->pid >= 0) {
		process = perfmaps_process(maps, event->pid);
		perfmaps_thread(maps, event->tid, event->pid);
	}
	maps->failed |= !place.file;
	if (!place.file || (event->pid >= 0 && !process))
		return;
	maps->changes++;
	/* code that was given besides the events counts where those have no file */
	if (maps->given && is_missing(place.file))
		hwf_image_file_yield(place.file);
	error = process ? map_of_process(maps, process, &place, mapping)
			: hwf_image_map(maps->kernel, place.start, place.length, place.file,
					place.offset);
	maps->failed |= error != 0;
}

/* Code that the process wrote to a jitdump file, in memory that the event has mapped */
static void take_jit(struct perfmaps *maps, const struct perfdata_event *event)
{
	const struct hwf_image_place *places;
	const size_t number = (size_t)(event - maps->info->events);
	const size_t count = jit_maps_at(maps->jit, number, &places);
	struct process *process = count ? perfmaps_process(maps, event->pid) : NULL;

	if (process && !perfmaps_space(maps, process)) {
		maps->failed = true;
		return;
	}
	for (size_t i = 0; i < count && process; i++)
		if (maps_space_map(&process->space, &places[i], NULL))
			maps->failed = true;
}

/* A new process begins as a copy of its maker; perf lists what is mapped in one that was there. */
static void take_fork(struct perfmaps *maps, const struct perfdata_event *event)
{
	struct thread *thread = perfmaps_thread(maps, event->tid, event->pid);
	const struct thread *maker =
		perfmaps_thread(maps, event->u.parent.tid, event->u.parent.pid);
	const struct process *parent;
	struct process *child;
	struct maps_space *space;

	if (thread && maker)
		thread->comm = maker->comm;
	if (event->pid == event->u.parent.pid || event->u.parent.listed)
		return;
	parent = perfmaps_process(maps, event->u.parent.pid);
	child = perfmaps_process(maps, event->pid);
	maps->changes++;
	/* neither has anything mapped */
	if (!parent || !child || (!parent->space.now && !child->space.now))
		return;
	space = perfmaps_space(maps, child);
	if (!space || (parent->space.now ? maps_space_copy(space, &parent->space, maps->several)
					 : maps_space_unmap(space, maps->several)))
		maps->failed = true;
}

/* Do the programs of a process have an address space each? */
static bool is_split(const struct perfmaps *maps, int32_t pid)
{
	const struct perfmaps_program *program =
		maps->programs ? perfmaps_programs_of(maps->programs, pid) : NULL;

	return maps->split == pid || (program && program->placed);
}

static int unmap_all(struct perfmaps *maps, struct process *process)
{
	return process->space.now ? maps_space_unmap(perfmaps_space(maps, process), maps->several)
				  : 0;
}

static void take_comm(struct perfmaps *maps, const struct perfdata_event *event)
{
	struct thread *thread = perfmaps_thread(maps, event->tid, event->pid);
	struct process *process = event->u.comm.exec ? perfmaps_process(maps, event->pid) : NULL;

	if (thread)
		thread->comm = event->u.comm.name;
	if (process) {
		maps->failed |= is_split(maps, event->pid) ? perfmaps_renew(maps, process) != 0
							   : unmap_all(maps, process) != 0;
		process->fresh = true;
		maps->changes++;
	}
}

/* Its address space stays: there may be trace from before that is still to be decoded. */
static void take_exit(const struct perfmaps *maps, const struct perfdata_event *event)
{
	struct thread *thread = perfmaps_find_thread(maps, event->tid);

	if (thread)
		thread->exit = event;
}

static void take_event(struct perfmaps *maps, const struct perfdata_event *event)
{
	switch (event->kind) {
	case PERFDATA_MMAP:
		take_mmap(maps, event);
		take_jit(maps, event);
		break;
	case PERFDATA_FORK:
		take_fork(maps, event);
		break;
	case PERFDATA_COMM:
		take_comm(maps, event);
		break;
	case PERFDATA_EXIT:
		take_exit(maps, event);
		break;
	case PERFDATA_ITRACE_START:
		perfmaps_thread(maps, event->tid, event->pid);
		break;
	default:
		break;
	}
}

static void retire_node(const void *node, VISIT which, void *ctx)
{
	if (which == preorder || which == leaf)
		perfmaps_retire(ctx, *(struct process *const *)node);
}

static void keep_node(void *node)
{
	(void)node;
}

/* Back to the beginning of the recording */
static void rewind_all(struct perfmaps *maps)
{
	hwf_image_space_clear(maps->kernel);
	perfmaps_retire_ended(maps);
	twalk_r(maps->processes, retire_node, maps);
	tdestroy(maps->processes, keep_node);
	tdestroy(maps->threads, free);
	maps->processes = NULL;
	maps->threads = NULL;
	maps->next = 0;
	maps->change = 0;
	maps->gone = 0;
	maps->changes++;
}

/* Everything before an event happens, from now on. */
static void go_forward(struct perfmaps *maps, size_t index)
{
	const struct perfdata_event *events = maps->info->events;

	for (; maps->change < maps->changing_count && maps->changing[maps->change] < index;
	     maps->change++) {
		const size_t at = maps->changing[maps->change];

		if (at < maps->reached && !perfmaps_charge(maps, 1))
			return;
		maps->next = at + 1;
		take_event(maps, &events[at]);
	}
	maps->next = index;
	if (maps->reached < index)
		maps->reached = index;
}

/* Everything before an event happens, if it has not. */
static void catch_up(struct perfmaps *maps, size_t index)
{
	const size_t base = perfmaps_event_after(maps, 0);

	if (!maps->reached && base && base <= index) {
		go_forward(maps, base);
		perfmaps_base_save(maps);
	} else if (!maps->next) {
		perfmaps_base_restore(maps, index);
	}
	if (index > maps->next)
		go_forward(maps, index);
}

void perfmaps_go_to(struct perfmaps *maps, uint64_t time)
{
	const size_t index = perfmaps_event_after(maps, time);

	if (time < maps->now)
		rewind_all(maps);
	maps->now = time;
	catch_up(maps, index);
}

void perfmaps_go_to_event(struct perfmaps *maps, size_t index)
{
	const struct perfdata_event *events = maps->info->events;

	if (index < maps->next)
		rewind_all(maps);
	catch_up(maps, index);
	maps->now = index ? events[index - 1].time : 0;
	maps->settled = true;
}

/* Forgets threads that ended before a time, and with its last thread a process. */
static void forget_before(struct perfmaps *maps, uint64_t time)
{
	const struct perfdata_event *events = maps->info->events;

	if (maps->lossy)
		return;
	for (; maps->gone < maps->change && events[maps->changing[maps->gone]].time < time;
	     maps->gone++) {
		const struct perfdata_event *event = &events[maps->changing[maps->gone]];
		struct thread *thread = event->kind == PERFDATA_EXIT
						? perfmaps_find_thread(maps, event->tid)
						: NULL;

		/* there may be another one of its number since */
		if (!thread || thread->exit != event)
			continue;
		perfmaps_forget_thread(maps, thread);
	}
}

int32_t perfmaps_tid(const struct perfmaps *maps, const struct hwf_context *context)
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
	const bool kernel = el == 2 || (el == 1 && !maps->info->context_in_vmid);

	return kernel ? maps->kernel : maps->base;
}

/* The kernel puts the thread's number into the context, not the process'. */
static const void *space_of(void *ctx, const struct hwf_context *context)
{
	struct perfmaps *maps = ctx;
	const int32_t tid = perfmaps_tid(maps, context);
	const struct thread *thread = tid < 0 ? NULL : perfmaps_find_thread(maps, tid);
	struct process *process = perfmaps_find_process(maps, thread    ? thread->pid
							      : tid < 0 ? maps->pid
									: tid);

	for (size_t back = process ? process->back : 0; back; back--)
		process = process->before;
	maps->running = context->el ? NULL : process;
	if (context->el)
		return kernel_of(maps, context->el);
	return process && process->space.top ? process->space.top : maps->base;
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
	    maps_space_run(&maps->running->space, address)) {
		maps->settled = true;
		maps->changes++;
	}
	maps->view->run(maps->view->ctx, space, address, isa, run);
}

int perfmaps_new(struct perfmaps **result, const struct perfdata_info *info, const char *symfs)
{
	struct perfmaps *maps = calloc(1, sizeof(*maps));

	if (!maps)
		return -ENOMEM;
	maps->info = info;
	maps->code = (struct hwf_code){maps, space_of, read_code, run_code};
	for (size_t i = 0; i < info->event_count; i++)
		maps->lossy |= info->events[i].kind == PERFDATA_LOST;
	if (!perfmaps_list_changing(maps) && !perfmaps_list_execs(maps) &&
	    !perfmaps_files_new(&maps->files, info, symfs))
		maps->image = perfmaps_files_image(maps->files);
	if (!maps->image ||
	    hwf_image_add_missing(maps->image, "[several programs]",
				  "several programs were mapped here during this trace, and its "
				  "timestamps do not identify the one that was executed (record "
				  "with more timestamps, such as -e cs_etm/timestamp=9/, or less "
				  "at a time)",
				  &maps->doubtful) ||
	    jit_maps_new(&maps->jit, info, symfs, maps->image) ||
	    hwf_image_add_space(maps->image, NULL, NULL, &maps->base) ||
	    hwf_image_add_space(maps->image, NULL, maps->base, &maps->copied) ||
	    hwf_image_add_space(maps->image, NULL, maps->copied, &maps->kernel) ||
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

/* Is a stretch the last one, and more behind it, which says the same of what was before? */
static bool goes_on(const struct perfmaps *maps, const struct perfmaps_time *time,
		    const struct perfmaps_programs *programs)
{
	return maps->marked && !maps->settled && !maps->placed && !(programs && programs->count) &&
	       time->begin == maps->stretch.begin && time->end >= maps->stretch.end;
}

/*
 * Makes everything as it was in a stretch of time. The trace of a CPU is from all of it: programs
 * begin and end. That of a thread is of one program, as it was at the end, but where exec came in
 * between and it is not known which part is of which program.
 */
static void go_through(struct perfmaps *maps, const struct perfmaps_time *time, bool several,
		       const struct perfmaps_programs *programs)
{
	if (several && !maps->settled && time->begin == maps->stretch.begin &&
	    time->end == maps->stretch.end)
		return;
	perfmaps_retire_ended(maps);
	if (!several) {
		perfmaps_forget_marks(maps);
		maps->marked = false;
		perfmaps_go_to(maps, time->end);
	} else {
		if (!goes_on(maps, time, programs)) {
			perfmaps_go_to(maps, time->begin);
			perfmaps_forget_marks(maps);
		}
		maps->settled = false;
		maps->several = maps->doubtful;
		maps->programs = programs;
		maps->placed = programs && programs->count;
		maps->marked = true;
		perfmaps_go_to(maps, time->end);
		maps->several = NULL;
		maps->programs = NULL;
	}
	maps->stretch = *time;
}

static const struct hwf_code *code_of(struct perfmaps *maps, const struct perfmaps_time *time,
				      int32_t pid, bool wfx, bool several,
				      const struct perfmaps_programs *programs)
{
	maps->split = PERFDATA_ANY;
	go_through(maps, time, several, programs);
	forget_before(maps, time->begin);
	if (maps->failed) {
		progress_hide();
		print(stderr, "hwflow: %s: out of memory: code is missing\n", maps->info->path);
		maps->failed = false;
	}
	maps->pid = pid;
	maps->view = hwf_image_view_code(maps->views[wfx]);
	return &maps->code;
}

const struct hwf_code *perfmaps_code(struct perfmaps *maps, const struct perfmaps_time *time,
				     int32_t pid, bool wfx)
{
	return code_of(maps, time, pid, wfx, maps->info->per_cpu, NULL);
}

const struct hwf_code *perfmaps_code_of_several(struct perfmaps *maps,
						const struct perfmaps_time *time, int32_t pid,
						bool wfx)
{
	return code_of(maps, time, pid, wfx, true, NULL);
}

const struct hwf_code *perfmaps_code_of_programs(struct perfmaps *maps,
						 const struct perfmaps_time *time, int32_t pid,
						 bool wfx, const struct perfmaps_programs *list)
{
	return code_of(maps, time, pid, wfx, true, list);
}

bool perfmaps_exhausted(const struct perfmaps *maps)
{
	return maps->exhausted;
}

uint64_t perfmaps_changes(const struct perfmaps *maps)
{
	return maps->changes;
}

const char *perfmaps_comm(const struct perfmaps *maps, int32_t tid)
{
	const struct thread *thread = perfmaps_find_thread(maps, tid);

	return thread && thread->comm ? thread->comm : "";
}

void perfmaps_free(struct perfmaps *maps)
{
	if (!maps)
		return;
	perfmaps_retire_ended(maps);
	while (maps->spare) {
		struct process *process = maps->spare;

		maps->spare = process->next;
		free(process);
	}
	free(maps->execs);
	free(maps->owned);
	perfmaps_base_free(maps);
	free(maps->changing);
	free(maps->by_pid);
	tdestroy(maps->processes, free);
	tdestroy(maps->threads, free);
	hwf_image_view_free(maps->views[0]);
	hwf_image_view_free(maps->views[1]);
	perfmaps_files_free(maps->files);
	jit_maps_free(maps->jit);
	kcore_free(maps->kcore);
	free(maps);
}
