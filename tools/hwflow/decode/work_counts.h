/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts in the log of a worker. An address space that a worker finds is known to this process
 * alone: the log has a context that has this space, once in a shard, and has numbers from there on.
 *
 *	worker          context -> space -> number   WORK_SPACE, blocks and edges with numbers
 *	first process   number -> context -> space   the profile, with its own spaces
 */
#ifndef HWFLOW_DECODE_WORK_COUNTS_H
#define HWFLOW_DECODE_WORK_COUNTS_H

#include "hwflow/profile.h"
#include "work_log.h"

/* struct known_space - an address space, and a context that has it */
struct known_space {
	const void *space;
	struct hwf_context context;
};

/**
 * struct work_spaces - the address spaces of a shard; their numbers begin with 1
 * @log: in a worker: takes WORK_SPACE
 * @real: the program of the piece
 * @code: in a worker: the same program, but that spaces are written to the log
 * @items: the spaces
 * @count: how many
 * @room: items there is room for
 */
struct work_spaces {
	struct work_log *log;
	const struct hwf_code *real;
	struct hwf_code code;
	struct known_space *items;
	uint32_t count;
	uint32_t room;
};

/** work_spaces_begin() - begin a shard, in a worker; no space is known */
void work_spaces_begin(struct work_spaces *spaces, struct work_log *log);

/** work_spaces_code() - the program that a worker decodes with, in place of @real */
const struct hwf_code *work_spaces_code(struct work_spaces *spaces, const struct hwf_code *real);

/** work_spaces_repeat() - write the spaces again, after work_log_restart() */
void work_spaces_repeat(const struct work_spaces *spaces);

/**
 * work_spaces_add() - take the data of WORK_SPACE, in the first process
 * @spaces: the spaces of the shard
 * @code: the program of the piece
 * @context: the data
 *
 * Return: false without memory.
 */
bool work_spaces_add(struct work_spaces *spaces, const struct hwf_code *code,
		     const struct hwf_context *context);

/** work_spaces_free() - free the memory of @spaces */
void work_spaces_free(struct work_spaces *spaces);

/**
 * struct work_counted - the data of WORK_COUNTED
 * @tid: the thread that is counted
 * @times: of its trace
 */
struct work_counted {
	int64_t tid;
	struct hwf_profile_times times;
};

/** work_log_counts() - append a profile, and WORK_COUNTED with the thread that it is of */
void work_log_counts(struct work_log *log, const struct work_spaces *spaces, int32_t tid,
		     const struct hwf_profile *profile);

/** work_counts_take() - add the data of WORK_BLOCK or WORK_EDGE to a profile */
void work_counts_take(struct hwf_profile *profile, const struct work_spaces *spaces,
		      const struct work_entry *entry);

#endif /* HWFLOW_DECODE_WORK_COUNTS_H */
