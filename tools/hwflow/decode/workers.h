/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Worker processes: each decodes every n-th batch of shards, and leaves what it finds in a log.
 * They are copies of this process, so that a worker has all that was opened and read so far, and
 * nothing of what it does there is seen here.
 *
 * Worker number w has batches w, w + n, w + 2n, ...; a log has one batch, and each worker two logs:
 * it fills one while the other one is read.
 */
#ifndef HWFLOW_DECODE_WORKERS_H
#define HWFLOW_DECODE_WORKERS_H

#include "shards.h"
#include "work_log.h"

/** struct workers - the processes */
struct workers;

/**
 * struct work_questions - what workers ask of the first process before they decode a batch
 * @ask: in a worker: writes questions about the @count shards of a batch to a log
 * @answer: in the first process: writes answers to a log. Batches are answered in order. It returns
 *	false if it cannot answer before more shards were taken; with @is_next, all before the batch
 *	were taken, and it has to answer
 * @answered: in a worker: called before the shards of the batch are decoded; @answers is valid
 *	until they all are
 */
struct work_questions {
	void (*ask)(void *ctx, const struct shard *shards, size_t count, struct work_log *log);
	bool (*answer)(void *ctx, const struct shard *shards, size_t count,
		       const uint8_t *questions, struct work_log *answers, bool is_next);
	void (*answered)(void *ctx, const uint8_t *answers);
};

/**
 * struct work - what workers do
 * @begin: called once in each worker
 * @shard: decodes a shard, to a log that has WORK_SHARD already
 * @questions: what they ask; NULL: nothing
 * @ctx: first argument of all
 */
struct work {
	void (*begin)(void *ctx);
	void (*shard)(void *ctx, const struct shard *shard, struct work_log *log);
	const struct work_questions *questions;
	void *ctx;
};

/**
 * workers_start() - start processes
 * @result: receives them
 * @shards: what they decode; must outlive them
 * @jobs: how many processes, at least 1
 * @work: what they do
 *
 * Return: 0 or -errno. Without it nothing is lost: this process can decode as well.
 */
int workers_start(struct workers **result, const struct shards *shards, unsigned int jobs,
		  const struct work *work);

/**
 * workers_take() - wait for a shard
 * @workers: the processes
 * @index: of the shard; each is taken once, in order
 * @at: receives the offset of its first entry, behind WORK_SHARD
 *
 * Return: the log, for work_log_next(); valid until the next call. NULL if nothing came of the
 * shard.
 */
const uint8_t *workers_take(struct workers *workers, size_t index, size_t *at);

/** workers_stop() - end them, finished or not; NULL is allowed */
void workers_stop(struct workers *workers);

#endif /* HWFLOW_DECODE_WORKERS_H */
