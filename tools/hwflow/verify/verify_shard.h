/* SPDX-License-Identifier: GPL-2.0-only */
/* In a worker: what shards of a trace have, until their place in the log is known. */
#ifndef HWFLOW_VERIFY_SHARD_H
#define HWFLOW_VERIFY_SHARD_H

#include "decode/shards.h"
#include "decode/work_log.h"
#include "verify_compare.h"

/**
 * struct verify_question - what a shard has, so that its place in the log can be passed over
 * @instructions: how many
 * @exceptions: exceptions and traps after the last instruction
 * @first: address of the first instruction; if an exception comes first, its return address
 * @exception: type of that exception
 * @begins_with_exception: an exception or trap comes first
 * @has_trace_on: trace begins again after the last instruction and exception
 * @has_context: @context is the last context
 * @is_plain: it has nothing that a worker cannot compare
 * @context: see @has_context
 */
struct verify_question {
	uint64_t instructions;
	uint64_t exceptions;
	uint64_t first;
	uint16_t exception;
	bool begins_with_exception;
	bool has_trace_on;
	bool has_context;
	bool is_plain;
	struct hwf_flow_event context;
};

/*
 * The answer is the state of the comparison before the shard, if all shards before it are equal: a
 * struct verify_thread without program code; without data where it is not known. What was found is
 * the state after the shard, with the counts of the shard alone.
 */

/** struct verify_shards - the shards of a batch */
struct verify_shards;

/**
 * verify_shards_new() - begin
 * @input: that is decoded
 * @thread: how they are compared; its state is not used
 *
 * Return: NULL without memory.
 */
struct verify_shards *verify_shards_new(struct input *input, const struct verify_thread *thread);

/** verify_shards_ask() - decode the shards of a batch; a WORK_QUESTION for each goes to @log */
void verify_shards_ask(struct verify_shards *shards, const struct shard *batch, size_t count,
		       struct work_log *log);

/** verify_shards_answered() - there are the answers */
void verify_shards_answered(struct verify_shards *shards, const uint8_t *answers);

/** verify_shards_check() - compare the next shard, in order; false if it has no result */
bool verify_shards_check(struct verify_shards *shards, const struct shard *shard,
			 struct work_log *log);

/** verify_shards_free() - free everything; NULL is allowed */
void verify_shards_free(struct verify_shards *shards);

#endif /* HWFLOW_VERIFY_SHARD_H */
