/* SPDX-License-Identifier: GPL-2.0-only */
/* In a worker: events, ranges and counts of a shard, written to a log. */
#ifndef HWFLOW_DECODE_RECORD_EVENTS_H
#define HWFLOW_DECODE_RECORD_EVENTS_H

#include "shards.h"
#include "work_log.h"

/** struct event_recorder - what was written so far */
struct event_recorder;

/** event_recorder_new() - for shards of an input that are decoded with options as @how; NULL
 * without memory */
struct event_recorder *event_recorder_new(struct input *input, const struct input_decode *how);

/** event_recorder_shard() - decode a shard to a log */
void event_recorder_shard(struct event_recorder *recorder, const struct shard *shard,
			  struct work_log *log);

/** event_recorder_free() - free it; NULL is allowed */
void event_recorder_free(struct event_recorder *recorder);

#endif /* HWFLOW_DECODE_RECORD_EVENTS_H */
