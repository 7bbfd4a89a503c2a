/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of the ground-truth log to what traces them. */
#ifndef HWFLOW_ENCODE_FEED_H
#define HWFLOW_ENCODE_FEED_H

#include "truth/truth.h"

/**
 * typedef encode_feed_fn - takes the next event of a thread
 * @encoder: of the thread
 * @event: as truth_next() gives it
 * @message: receives what is wrong
 *
 * Return: 0 or a negative error, which ends the thread.
 */
typedef int encode_feed_fn(void *encoder, const struct truth_event *event,
			   char message[TRUTH_MESSAGE]);

/**
 * encode_feed() - all events of a thread, with the progress line
 * @truth: the log
 * @thread: number of the thread
 * @take: takes each event
 * @encoder: its first argument
 * @message: receives what is wrong
 *
 * Return: 0; -EINVAL where the log is damaged; what @take returned.
 */
int encode_feed(const struct truth *truth, size_t thread, encode_feed_fn *take, void *encoder,
		char message[TRUTH_MESSAGE]);

#endif /* HWFLOW_ENCODE_FEED_H */
