/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shards of a trace that workers compare with the log. A worker decodes its shards and says how
 * many instructions and exceptions each has. The first process passes over as many in the log,
 * which costs little, and so knows where in the log each shard begins. It sends the events of the
 * log from there to there; the worker compares them by verify_take(), with a struct verify_thread
 * of its own, and sends back what was equal:
 *
 *	worker:         decode ... question            compare ... result
 *	first process:                      answer                        add up
 *
 * A shard is compared by a worker if it has nothing but instructions and exceptions, and if all of
 * it is equal. In all other cases the worker hands on its events, and the first process compares
 * them, so that what is printed does not depend on the number of processes.
 */
#ifndef HWFLOW_VERIFY_AHEAD_H
#define HWFLOW_VERIFY_AHEAD_H

#include "decode/decode_ahead.h"
#include "verify_compare.h"

/** struct verify_ahead - where in the log the shards begin */
struct verify_ahead;

/**
 * verify_ahead_new() - begin
 * @thread: has compared nothing yet; all events that are not compared ahead have to go to it
 * @input: that is decoded
 *
 * Return: NULL where nothing can be compared ahead: the log is of a CPU, the trace is of RISC-V,
 * there is a plan already, or memory ran out.
 */
struct verify_ahead *verify_ahead_new(struct verify_thread *thread, struct input *input);

/** verify_ahead_check() - for decode_ahead(); NULL if @ahead is */
const struct decode_check *verify_ahead_check(const struct verify_ahead *ahead);

/** verify_ahead_free() - after decode_ahead_end(); NULL is allowed */
void verify_ahead_free(struct verify_ahead *ahead);

#endif /* HWFLOW_VERIFY_AHEAD_H */
