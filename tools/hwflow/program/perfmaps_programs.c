// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that exec begins while a CPU is traced: which processes have them, when exec had ended
 * the program before and had not begun the next one yet, and which one of a process is executed.
 */
#include <errno.h>
#include <stdlib.h>

#include "perfmaps_private.h"

/**
 * struct listing - state while the programs of a stretch are listed
 * @maps: the address spaces, as at the beginning of the stretch
 * @list: the programs found so far
 * @owners: the threads found so far
 * @count: elements of @owners
 * @room: elements that @owners has memory for
 * @failed: memory is exhausted
 */
struct listing {
	struct perfmaps *maps;
	const struct perfmaps_programs *list;
	struct perfmaps_owner *owners;
	size_t count, room;
	bool failed;
};

static int compare_programs(const void *a, const void *b)
{
	const struct perfmaps_program *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

static int compare_owners(const void *a, const void *b)
{
	const struct perfmaps_owner *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

void perfmaps_programs_drop(const struct perfmaps_programs *list, int32_t pid)
{
	const struct perfmaps_program *end = list->items + list->count;
	struct perfmaps_program *program = perfmaps_programs_of(list, pid);

	for (; program && program < end && program->pid == pid; program++)
		program->placed = false;
}

int32_t perfmaps_programs_owner(const struct perfmaps_programs *list, int32_t tid)
{
	const struct perfmaps_owner key = {.tid = tid}, *owner = NULL;

	if (list->owner_count)
		owner = bsearch(&key, list->owners, list->owner_count, sizeof(*owner),
				compare_owners);
	return owner ? owner->pid : PERFDATA_ANY;
}

static void add_owner(struct listing *listing, int32_t tid, int32_t pid)
{
	struct perfmaps_owner *owners = listing->owners;

	if (!perfmaps_programs_of(listing->list, pid) || listing->failed)
		return;
	if (listing->count == listing->room) {
		listing->room = listing->room ? 2 * listing->room : 64;
		owners = reallocarray(owners, listing->room, sizeof(*owners));
		if (!owners) {
			listing->failed = true;
			return;
		}
		listing->owners = owners;
	}
	owners[listing->count++] = (struct perfmaps_owner){tid, pid};
}

/* The threads that a process of the list has at the beginning of the stretch */
static void add_threads(struct listing *listing, int32_t pid)
{
	const struct process *process = perfmaps_find_process(listing->maps, pid);

	add_owner(listing, pid, pid);
	for (const struct thread *thread = process ? process->threads : NULL;
	     thread && perfmaps_charge(listing->maps, 1); thread = thread->next)
		add_owner(listing, thread->tid, pid);
}

/* The threads that belong to the processes of the list at some time in the stretch */
static void list_owners(struct listing *listing, uint64_t end)
{
	struct perfmaps *maps = listing->maps;
	const struct perfdata_info *info = maps->info;
	const struct perfmaps_programs *list = listing->list;
	struct perfmaps_owner *owners;
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (!i || list->items[i].pid != list->items[i - 1].pid)
			add_threads(listing, list->items[i].pid);
	for (size_t i = maps->change; i < maps->changing_count; i++) {
		const struct perfdata_event *event = &info->events[maps->changing[i]];

		if (event->time > end || !perfmaps_charge(listing->maps, 1))
			break;
		if (event->kind == PERFDATA_FORK)
			add_owner(listing, event->tid, event->pid);
	}
	if (listing->failed || !listing->count)
		return;
	owners = listing->owners;
	qsort(owners, listing->count, sizeof(*owners), compare_owners);
	for (size_t i = 1; i < listing->count; i++) {
		if (owners[i].tid != owners[kept].tid) {
			owners[++kept] = owners[i];
		} else if (owners[i].pid != owners[kept].pid) {
			perfmaps_programs_drop(list, owners[i].pid);
			perfmaps_programs_drop(list, owners[kept].pid);
		}
	}
	listing->count = kept + 1;
}

/* exec maps the program, the dynamic loader, and last the vdso: false if the recording lacks that.
 */
static bool find_ready(struct perfmaps *maps, struct perfmaps_program *program)
{
	size_t count;
	const size_t *numbers = perfmaps_events_of(maps, program->pid, program->event, &count);

	for (size_t i = 0; i < count && perfmaps_charge(maps, 1); i++) {
		const struct perfdata_event *event = &maps->info->events[numbers[i]];

		if (event->kind == PERFDATA_COMM && event->u.comm.exec)
			return false;
		if (event->kind == PERFDATA_MMAP && perfmaps_is_vdso(event->u.mapping->path)) {
			program->ready = event->time;
			return true;
		}
	}
	return false;
}

int perfmaps_list_programs(struct perfmaps *maps, const struct perfmaps_time *time,
			   struct perfmaps_programs *list)
{
	const struct perfdata_event *events = maps->info->events;
	const size_t end = perfmaps_listed_up_to(maps, time->end);
	struct listing listing = {.maps = maps, .list = list};

	perfmaps_programs_free(list);
	for (size_t i = perfmaps_listed_up_to(maps, time->begin); i < end && !maps->lossy; i++) {
		const struct perfdata_event *event = &events[maps->execs[i]];
		struct perfmaps_program *items;

		if (!perfmaps_charge(maps, 1))
			break;
		if (event->kind != PERFDATA_COMM)
			continue;
		items = reallocarray(list->items, list->count + 1, sizeof(*items));
		if (!items)
			return -ENOMEM;
		list->items = items;
		items[list->count++] = (struct perfmaps_program){.event = maps->execs[i],
								 .pid = event->pid,
								 .called = event->time,
								 .placed = true};
	}
	if (!list->count)
		return 0;
	perfmaps_go_to(maps, time->begin);
	/* the state is not that of the last stretch any more */
	maps->settled = true;
	qsort(list->items, list->count, sizeof(*list->items), compare_programs);
	list_owners(&listing, time->end);
	list->owners = listing.owners;
	list->owner_count = listing.count;
	for (size_t i = 0; i < list->count; i++)
		if (!find_ready(maps, &list->items[i]))
			perfmaps_programs_drop(list, list->items[i].pid);
	return listing.failed ? -ENOMEM : 0;
}

void perfmaps_run_program(struct perfmaps *maps, int32_t pid, size_t number)
{
	struct process *process = perfmaps_find_process(maps, pid);

	if (process && number <= process->ended)
		process->back = process->ended - number;
}

void perfmaps_programs_free(struct perfmaps_programs *list)
{
	free(list->items);
	free(list->owners);
	*list = (struct perfmaps_programs){0};
}
