// SPDX-License-Identifier: GPL-2.0-only
/* Counts in the log of a worker. */
#include "work_counts.h"

#include <stdlib.h>
#include <string.h>

void work_spaces_begin(struct work_spaces *spaces, struct work_log *log)
{
	spaces->log = log;
	spaces->count = 0;
}

void work_spaces_free(struct work_spaces *spaces)
{
	free(spaces->items);
	*spaces = (struct work_spaces){0};
}

static bool append(struct work_spaces *spaces, const void *space, const struct hwf_context *context)
{
	if (spaces->count == spaces->room) {
		const uint32_t room = 2 * spaces->room + 16;
		struct known_space *items =
			reallocarray(spaces->items, room, sizeof(*spaces->items));

		if (!items)
			return false;
		spaces->items = items;
		spaces->room = room;
	}
	spaces->items[spaces->count++] = (struct known_space){space, *context};
	return true;
}

/* ---- the program, in a worker ---- */

/* The number of a space; 0 for none */
static uintptr_t number_of(const struct work_spaces *spaces, const void *space)
{
	uint32_t number = spaces->count;

	while (number && spaces->items[number - 1].space != space)
		number--;
	return number;
}

static const void *find_space(void *ctx, const struct hwf_context *context)
{
	struct work_spaces *spaces = ctx;
	const void *space = spaces->real->space(spaces->real->ctx, context);

	if (!space || number_of(spaces, space))
		return space;
	if (append(spaces, space, context))
		work_log_copy(spaces->log, WORK_SPACE, context, sizeof(*context));
	else
		work_log_fail(spaces->log);
	return space;
}

static size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	const struct work_spaces *spaces = ctx;

	return spaces->real->read(spaces->real->ctx, space, address, bytes, length);
}

static void find_run(void *ctx, const void *space, uint64_t address, enum hwf_isa isa,
		     struct hwf_run *run)
{
	const struct work_spaces *spaces = ctx;

	spaces->real->run(spaces->real->ctx, space, address, isa, run);
}

const struct hwf_code *work_spaces_code(struct work_spaces *spaces, const struct hwf_code *real)
{
	spaces->real = real;
	spaces->code = (struct hwf_code){.ctx = spaces,
					 .space = real->space ? find_space : NULL,
					 .read = read_code,
					 .run = real->run ? find_run : NULL};
	return &spaces->code;
}

void work_spaces_repeat(const struct work_spaces *spaces)
{
	for (uint32_t i = 0; i < spaces->count; i++)
		work_log_copy(spaces->log, WORK_SPACE, &spaces->items[i].context,
			      sizeof(spaces->items[i].context));
}

/* ---- blocks and edges ---- */

/* The log has the number of a space in place of its address. */
static void put_number(const struct work_spaces *spaces, const void **space)
{
	*space = (const void *)number_of(spaces, *space);
}

void work_log_counts(struct work_log *log, const struct work_spaces *spaces, int32_t tid,
		     const struct hwf_profile *profile)
{
	struct work_counted counted = {.tid = tid};
	const struct hwf_profile_block *block;
	struct hwf_profile_edge edge;
	size_t at = 0;

	while ((block = hwf_profile_next_block(profile, &at))) {
		struct hwf_profile_block *to = work_log_put(log, WORK_BLOCK, sizeof(*to));

		if (!to)
			return;
		*to = *block;
		put_number(spaces, &to->space);
	}
	at = 0;
	while (hwf_profile_next_edge(profile, &at, &edge)) {
		if (hwf_profile_edge_follows(&edge))
			continue;
		put_number(spaces, &edge.from_space);
		put_number(spaces, &edge.to_space);
		work_log_copy(log, WORK_EDGE, &edge, sizeof(edge));
	}
	counted.times = hwf_profile_times(profile);
	work_log_copy(log, WORK_COUNTED, &counted, sizeof(counted));
}

bool work_spaces_add(struct work_spaces *spaces, const struct hwf_code *code,
		     const struct hwf_context *context)
{
	return append(spaces, code->space(code->ctx, context), context);
}

static const void *space_of(const struct work_spaces *spaces, const void *number)
{
	const uintptr_t index = (uintptr_t)number;

	return index && index <= spaces->count ? spaces->items[index - 1].space : NULL;
}

void work_counts_take(struct hwf_profile *profile, const struct work_spaces *spaces,
		      const struct work_entry *entry)
{
	struct hwf_profile_block block;
	struct hwf_profile_edge edge;

	if (entry->kind == WORK_BLOCK) {
		memcpy(&block, entry->data, sizeof(block));
		block.space = space_of(spaces, block.space);
		hwf_profile_add_block(profile, &block);
		return;
	}
	memcpy(&edge, entry->data, sizeof(edge));
	edge.from_space = space_of(spaces, edge.from_space);
	edge.to_space = space_of(spaces, edge.to_space);
	hwf_profile_add_edge(profile, &edge);
}
