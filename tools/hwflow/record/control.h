/* SPDX-License-Identifier: GPL-2.0-only */
/* --control: start, stop and snapshots on request of another program. */
#ifndef HWFLOW_RECORD_CONTROL_H
#define HWFLOW_RECORD_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

struct recorder;

/**
 * struct record_control - the pipes of --control
 * @fd: requests are read from it; -1 without --control
 * @ack: "ack" is written to it after each request; -1 for none
 * @line: a request that is not complete yet
 * @length: bytes of @line
 */
struct record_control {
	int fd;
	int ack;
	char line[64];
	size_t length;
};

/**
 * record_control_open() - open the pipes
 * @control: receives them
 * @argument: fifo:REQUESTS[,ACK] or fd:REQUESTS[,ACK], as perf has it; NULL for none
 *
 * Return: 0, or an exit status after an error, which is reported.
 */
int record_control_open(struct record_control *control, const char *argument);

/**
 * record_control_read() - carry out the requests that have come
 * @control: the pipes
 * @recorder: the recording that "enable" and "disable" are for
 * @snapshot: set by "snapshot"
 * @end: set by "stop"
 */
void record_control_read(struct record_control *control, struct recorder *recorder, bool *snapshot,
			 bool *end);

/**
 * record_control_close() - close the pipes
 * @control: the pipes
 */
void record_control_close(struct record_control *control);

#endif /* HWFLOW_RECORD_CONTROL_H */
