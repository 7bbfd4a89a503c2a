// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last mapping of an address, for ascending addresses: mappings go into a heap by event number
 * when their first address is reached, and leave it at its top when they have ended.
 */
#include "jit_memory.h"

#include <errno.h>
#include <stdlib.h>

static int compare_events(const void *a, const void *b, void *ctx)
{
	const struct perfdata_event *events = ((const struct jit_memory *)ctx)->info->events;
	const size_t i = *(const size_t *)a, j = *(const size_t *)b;
	const struct perfdata_event *x = &events[i], *y = &events[j];

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->u.mapping->address != y->u.mapping->address)
		return x->u.mapping->address < y->u.mapping->address ? -1 : 1;
	return (i > j) - (i < j);
}

/* Lists the events of all processes, once. */
static int list(struct jit_memory *memory)
{
	const struct perfdata_info *info = memory->info;

	if (memory->events)
		return 0;
	memory->events = calloc(info->event_count + 1, sizeof(*memory->events));
	memory->heap = calloc(info->event_count + 1, sizeof(*memory->heap));
	if (!memory->events || !memory->heap)
		return -ENOMEM;
	for (size_t i = 0; i < info->event_count; i++)
		if (info->events[i].kind == PERFDATA_MMAP)
			memory->events[memory->count++] = i;
	qsort_r(memory->events, memory->count, sizeof(*memory->events), compare_events, memory);
	return 0;
}

static const struct perfdata_event *event_at(const struct jit_memory *memory, size_t index)
{
	return &memory->info->events[memory->events[index]];
}

int jit_memory_begin(struct jit_memory *memory, int32_t pid)
{
	const int error = list(memory);
	size_t low = 0, high = memory->count;

	if (error)
		return error;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (event_at(memory, middle)->pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	memory->next = low;
	while (low < memory->count && event_at(memory, low)->pid == pid)
		low++;
	memory->end = low;
	memory->heap_count = 0;
	return 0;
}

static void push(struct jit_memory *memory, size_t event)
{
	size_t at = memory->heap_count++;

	for (; at && memory->heap[(at - 1) / 2] < event; at = (at - 1) / 2)
		memory->heap[at] = memory->heap[(at - 1) / 2];
	memory->heap[at] = event;
}

static void pop(struct jit_memory *memory)
{
	const size_t last = memory->heap[--memory->heap_count];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < memory->heap_count && memory->heap[child + 1] > memory->heap[child])
			child++;
		if (child >= memory->heap_count || memory->heap[child] <= last)
			break;
		memory->heap[at] = memory->heap[child];
		at = child;
	}
	memory->heap[at] = last;
}

bool jit_memory_find(struct jit_memory *memory, uint64_t address, size_t *event)
{
	for (; memory->next < memory->end &&
	       event_at(memory, memory->next)->u.mapping->address <= address;
	     memory->next++)
		push(memory, memory->events[memory->next]);
	for (; memory->heap_count; pop(memory)) {
		const struct perfdata_mapping *mapping =
			memory->info->events[memory->heap[0]].u.mapping;

		*event = memory->heap[0];
		if (address - mapping->address < mapping->length)
			return true;
	}
	return false;
}

void jit_memory_free(struct jit_memory *memory)
{
	free(memory->events);
	free(memory->heap);
}
