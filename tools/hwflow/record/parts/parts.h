/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording in parts, each a perf.data file in memory, and the process that counts what they have
 * while recording goes on. There are a few parts, which are used again.
 */
#ifndef HWFLOW_RECORD_PARTS_H
#define HWFLOW_RECORD_PARTS_H

#include "record/record.h"

/** RECORD_PARTS - one part is written, and the others wait or are counted */
#define RECORD_PARTS 4

/** RECORD_PART_PATH - room for the path of a part */
#define RECORD_PART_PATH 32

/** struct record_parts - the parts and the process */
struct record_parts;

/**
 * record_parts_start() - start the process that counts
 * @result: receives the parts, none of which is in use
 * @counter: what the process does
 *
 * The process ignores SIGINT, SIGHUP and SIGTERM, which are for the recorder: it ends when all that
 * it was given is counted.
 *
 * Return: 0 or a negative errno.
 */
int record_parts_start(struct record_parts **result, const struct record_counter *counter);

/**
 * record_parts_take() - a part to write
 * @parts: the parts
 *
 * Return: its number; -EAGAIN: none is free yet; -EPIPE: the process has ended.
 */
int record_parts_take(struct record_parts *parts);

/** record_parts_path() - the file of part @number */
void record_parts_path(const struct record_parts *parts, int number, char path[RECORD_PART_PATH]);

/**
 * record_parts_give() - have a part counted
 * @parts: the parts
 * @number: the part, which is written; it is free again when it is counted
 *
 * Return: 0; -EPIPE: the process has ended.
 */
int record_parts_give(struct record_parts *parts, int number);

/** record_parts_put_back() - a part that was taken has nothing to be counted: it is free again */
void record_parts_put_back(struct record_parts *parts, int number);

/**
 * record_parts_end() - wait until all is counted
 * @parts: the parts
 * @dropped: what was not recorded because no part was free
 *
 * Return: the exit status of the process: EXIT_GOOD or EXIT_GAPS if all is counted; EXIT_UNREADABLE
 * if it was killed.
 */
int record_parts_end(struct record_parts *parts, const struct record_dropped *dropped);

/** record_parts_signal() - the signal that has killed the process, which has ended; 0: none */
int record_parts_signal(struct record_parts *parts);

/**
 * record_parts_copy() - write the result
 * @parts: after record_parts_end()
 * @out: receives it
 *
 * Return: 0 or a negative errno.
 */
int record_parts_copy(const struct record_parts *parts, FILE *out);

/** record_parts_free() - free the parts, and end the process if it goes on; NULL is allowed */
void record_parts_free(struct record_parts *parts);

#endif /* HWFLOW_RECORD_PARTS_H */
