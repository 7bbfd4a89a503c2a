/* SPDX-License-Identifier: GPL-2.0-only */
/* In a worker: what shards of a trace have, until their place in the log is known. */
#ifndef HWFLOW_VERIFY_SHARD_H
#define HWFLOW_VERIFY_SHARD_H

#include "decode/shards.h"
#include "decode/work_log.h"
#include "verify_compare.h"

/**
 * struct verify_question - where in the log does a shard begin?
 * @steps: instructions and exceptions that it has
 * @first: the first of these: address of the instruction, or return address of the exception
 * @exception: type of that exception
 * @is_exception: the first is an exception
 * @is_plain: it has nothing that a worker cannot compare
 */
struct verify_question {
	uint64_t steps;
	uint64_t first;
	uint16_t exception;
	bool is_exception;
	bool is_plain;
};

/**
 * struct verify_answer - the place; the events of the log are behind it
 * @log: the place; without @is_known it is empty
 * @size: bytes of the events
 * @is_known: it is known
 */
struct verify_answer {
	struct verify_log log;
	uint64_t size;
	bool is_known;
};

/**
 * struct verify_found - what was equal in a shard
 * @instructions: how many
 * @exceptions: how many
 * @context: the last context of the shard, if @has_context
 * @last: runs of the log that were compared last, oldest first
 * @last_count: how many of these there are
 * @has_context: the shard has a context
 */
struct verify_found {
	uint64_t instructions;
	uint64_t exceptions;
	struct hwf_flow_context context;
	struct truth_run last[VERIFY_SHOWN];
	unsigned int last_count;
	bool has_context;
};

/** struct verify_shards - the shards of a batch */
struct verify_shards;

/**
 * verify_shards_new() - begin
 * @input: that is decoded
 * @thread: how they are compared
 *
 * Return: NULL without memory.
 */
struct verify_shards *verify_shards_new(struct input *input, const struct verify_thread *thread);

/** verify_shards_ask() - decode the shards of a batch; a WORK_QUESTION for each goes to @log */
void verify_shards_ask(struct verify_shards *shards, const struct shard *batch, size_t count,
		       struct work_log *log);

/** verify_shards_answered() - there are the answers */
void verify_shards_answered(struct verify_shards *shards, const uint8_t *answers);

/** verify_shards_check() - compare the next shard; as decode_check.check */
bool verify_shards_check(struct verify_shards *shards, const struct shard *shard,
			 struct work_log *log);

/** verify_shards_free() - free everything; NULL is allowed */
void verify_shards_free(struct verify_shards *shards);

#endif /* HWFLOW_VERIFY_SHARD_H */
