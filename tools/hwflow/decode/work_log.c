// SPDX-License-Identifier: GPL-2.0-only
/* Entries: a head of two words, and the data in words. */
#include "work_log.h"

#include <string.h>

#define HEAD  16u
#define WORDS 15u

/* Room that stays for the end of a shard, whatever it has */
#define RESERVE 64u

static void *put(struct work_log *log, enum work_kind kind, size_t size, size_t room)
{
	uint64_t *const head = (uint64_t *)(void *)(log->bytes + log->size);
	const size_t whole = HEAD + ((size + WORDS) & ~(size_t)WORDS);

	if (log->full || whole > room - log->size) {
		log->full = true;
		return NULL;
	}
	head[0] = size;
	head[1] = kind;
	log->size += whole;
	return head + 2;
}

void *work_log_put(struct work_log *log, enum work_kind kind, size_t size)
{
	if (size > log->room || log->size + RESERVE > log->room) {
		log->full = true;
		return NULL;
	}
	return put(log, kind, size, log->room - RESERVE);
}

void *work_log_open(struct work_log *log, size_t *size)
{
	if (log->full || log->size + HEAD + WORDS + RESERVE > log->room)
		return NULL;
	*size = log->room - log->size - HEAD - WORDS - RESERVE;
	return log->bytes + log->size + HEAD;
}

void work_log_close(struct work_log *log, enum work_kind kind, size_t size)
{
	/* the data are in their place */
	work_log_put(log, kind, size);
}

void work_log_copy(struct work_log *log, enum work_kind kind, const void *data, size_t size)
{
	void *const to = work_log_put(log, kind, size);

	if (to && size)
		memcpy(to, data, size);
}

void work_log_shard(struct work_log *log)
{
	log->shard = log->size;
	log->full = false;
	put(log, WORK_SHARD, 0, log->room);
}

void work_log_restart(struct work_log *log)
{
	log->size = log->shard + HEAD;
	log->full = false;
}

void work_log_fail(struct work_log *log)
{
	log->full = true;
}

void work_log_end_shard(struct work_log *log)
{
	if (log->full) {
		work_log_restart(log);
		put(log, WORK_FAILED, 0, log->room);
	}
	put(log, WORK_DONE, 0, log->room);
}

size_t work_log_next(const uint8_t *bytes, size_t at, struct work_entry *entry)
{
	const uint64_t *const head = (const uint64_t *)(const void *)(bytes + at);

	*entry = (struct work_entry){
		.size = head[0], .kind = (unsigned int)head[1], .data = head + 2};
	return at + HEAD + ((entry->size + WORDS) & ~(size_t)WORDS);
}
