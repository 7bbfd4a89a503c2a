/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that a process mapped for code made at run time. */
#ifndef HWFLOW_JIT_MEMORY_H
#define HWFLOW_JIT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfdata/perfdata_read.h"

/**
 * struct jit_memory - events that map memory, for look-ups by ascending addresses
 * @info: the recording
 * @events: numbers of the events of all processes, by process and address; NULL until the first use
 * @count: how many
 * @next: the first of @events that is not in @heap yet
 * @end: behind the last one of the process
 * @heap: numbers of events that begin at the last address or before it, the last event first
 * @heap_count: how many
 */
struct jit_memory {
	const struct perfdata_info *info;
	size_t *events;
	size_t count;
	size_t next;
	size_t end;
	size_t *heap;
	size_t heap_count;
};

/** jit_memory_begin() - begin look-ups in a process; 0 or -ENOMEM */
int jit_memory_begin(struct jit_memory *memory, int32_t pid);

/**
 * jit_memory_find() - the last event of the process that maps an address
 * @memory: the process' events
 * @address: not below that of the call before
 * @event: receives the number of the event
 *
 * A call takes O(log n) time on average. Return: false if there is no such event.
 */
bool jit_memory_find(struct jit_memory *memory, uint64_t address, size_t *event);

/** jit_memory_free() - free all but @memory itself */
void jit_memory_free(struct jit_memory *memory);

#endif /* HWFLOW_JIT_MEMORY_H */
