/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shards of a trace that workers compare with the log. A worker decodes its shards and reports how
 * many instructions each has. The first process passes over as many in the log, which costs little,
 * and so knows where in the log each shard begins, if all shards before it are equal. It sends the
 * worker the state of the comparison there. The worker compares the shard by verify_take(), reads
 * the log itself, and sends the state of the comparison after the shard:
 *
 *	worker:         decode ... question            compare ... result
 *	first process:                      answer                        go on
 *
 * A result is used if the shard is equal and if the comparison before it ended in the state that
 * the worker began with. In all other cases the first process decodes and compares the shard, so
 * that the output does not depend on the number of processes. These are shards with gaps,
 * transactions or Q elements, and shards after instructions that the log has and the trace does not
 * tell of: the first process passes over too few instructions then. The next answers begin where
 * its own comparison is.
 */
#ifndef HWFLOW_VERIFY_AHEAD_H
#define HWFLOW_VERIFY_AHEAD_H

#include "source/input.h"
#include "verify_compare.h"

/** struct verify_ahead - where in the log the shards begin */
struct verify_ahead;

/**
 * verify_ahead_new() - start workers
 * @thread: has compared nothing yet; must outlive them
 * @input: has @source
 * @source: all of its pieces will be compared by verify_piece(), in order
 *
 * Return: NULL where one process compares all: it is asked for, the trace is short, or memory ran
 * out.
 */
struct verify_ahead *verify_ahead_new(struct verify_thread *thread, struct input *input,
				      const struct input_source *source);

/**
 * verify_piece() - compare a piece with the log
 * @ahead: workers; NULL: there are none
 * @thread: compares
 * @input: has @source
 * @source: the source
 * @piece: one of its pieces
 *
 * Return: 0, or EXIT_UNREADABLE when memory ran out.
 */
int verify_piece(struct verify_ahead *ahead, struct verify_thread *thread, struct input *input,
		 const struct input_source *source, const struct input_piece *piece);

/** verify_ahead_ranges() - number of ranges that the first process has decoded itself */
size_t verify_ahead_ranges(const struct verify_ahead *ahead);

/** verify_ahead_free() - end the workers; NULL is allowed */
void verify_ahead_free(struct verify_ahead *ahead);

#endif /* HWFLOW_VERIFY_AHEAD_H */
