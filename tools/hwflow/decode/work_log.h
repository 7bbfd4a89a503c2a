/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a worker process has found in its part of a trace, as entries one behind the other, in
 * memory that it shares with the process that started it. The two have the same addresses for all
 * that existed before they were two: an entry may have pointers to that.
 */
#ifndef HWFLOW_DECODE_WORK_LOG_H
#define HWFLOW_DECODE_WORK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum work_kind - what an entry is */
enum work_kind {
	WORK_SHARD,    /* here begins what a shard has */
	WORK_DONE,     /* and here it ends */
	WORK_FAILED,   /* nothing came of it */
	WORK_BEGIN,    /* state of the decoder where the shard begins */
	WORK_END,      /* and where it ends */
	WORK_TEXT,     /* for standard output */
	WORK_MESSAGE,  /* for standard error: a line, ended by 0 */
	WORK_PLACE,    /* source, piece and time of the text behind it: as text_ahead.c has it */
	WORK_GAP,      /* struct gap, and the name of its file */
	WORK_RESUME,   /* offset: execution is known again */
	WORK_SPACE,    /* struct hwf_context that has an address space; the first is number 1 */
	WORK_BLOCK,    /* struct hwf_profile_block, with the number of its address space */
	WORK_EDGE,     /* struct hwf_profile_edge, likewise */
	WORK_COUNTED,  /* struct work_counted: of the blocks and edges before it */
	WORK_QUESTION, /* of a shard, and its answer: as work_questions has them */
	WORK_ANSWER,
	WORK_CHECKED, /* what a check found, in place of events */
};

/**
 * struct work_log - entries
 * @bytes: memory for them
 * @room: bytes there
 * @size: bytes used
 * @shard: offset of the last WORK_SHARD
 * @full: an entry did not fit: this shard has failed
 */
struct work_log {
	uint8_t *bytes;
	size_t room;
	size_t size;
	size_t shard;
	bool full;
};

/**
 * struct work_entry - an entry
 * @size: bytes of @data
 * @kind: enum work_kind
 * @data: aligned for any type
 */
struct work_entry {
	size_t size;
	unsigned int kind;
	const void *data;
};

/** work_log_shard() - begin a shard, behind those before it */
void work_log_shard(struct work_log *log);

/** work_log_end_shard() - end it with WORK_DONE; WORK_FAILED comes first if an entry did not fit */
void work_log_end_shard(struct work_log *log);

/** work_log_fail() - nothing comes of this shard */
void work_log_fail(struct work_log *log);

/** work_log_restart() - drop what this shard has so far */
void work_log_restart(struct work_log *log);

/**
 * work_log_put() - append an entry
 * @log: the log
 * @kind: enum work_kind
 * @size: bytes of the entry
 *
 * Return: where to write them, aligned for any type; NULL if there is no room.
 */
void *work_log_put(struct work_log *log, enum work_kind kind, size_t size);

/** work_log_copy() - append an entry that is a copy of @data */
void work_log_copy(struct work_log *log, enum work_kind kind, const void *data, size_t size);

/**
 * work_log_open() - memory for the data of the next entry, of which the size is not known yet
 * @log: the log
 * @size: receives how much there is
 *
 * Return: the memory; it is valid until an entry is appended. NULL if there is none.
 */
void *work_log_open(struct work_log *log, size_t *size);

/** work_log_close() - append the entry whose data, @size bytes, are where work_log_open() said */
void work_log_close(struct work_log *log, enum work_kind kind, size_t size);

/** work_log_next() - the entry at an offset; returns the offset behind it */
size_t work_log_next(const uint8_t *bytes, size_t at, struct work_entry *entry);

#endif /* HWFLOW_DECODE_WORK_LOG_H */
