/* SPDX-License-Identifier: GPL-2.0-only */
/* --trigger: the event at which a snapshot is taken. */
#ifndef HWFLOW_RECORD_TRIGGER_H
#define HWFLOW_RECORD_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "record/record.h"

/* most events that a trigger needs: latency() has two */
#define RECORD_TRIGGER_EVENTS 2

/**
 * enum record_trigger_kind - what a trigger waits for
 * @TRIGGER_NONE: there is no trigger
 * @TRIGGER_CODE: an instruction is executed
 * @TRIGGER_TRACEPOINT: a tracepoint of the kernel is hit
 * @TRIGGER_LATENCY: the time between two instructions is longer than a limit
 * @TRIGGER_EXIT: a recorded thread ends. The kernel writes a record of that; it removes the events
 *	of a thread before it comes to the tracepoint sched_process_exit
 */
enum record_trigger_kind {
	TRIGGER_NONE,
	TRIGGER_CODE,
	TRIGGER_TRACEPOINT,
	TRIGGER_LATENCY,
	TRIGGER_EXIT,
};

/**
 * struct record_trigger_point - an instruction
 * @point: the name of a function, or a number, as in an address filter
 * @distance: bytes from @point
 * @file: the file that has it; empty for the program that is recorded
 * @is_address: @value is an address of the process, and there is no file
 * @value: the address; or the offset into @file, once record_trigger_find() has found it
 */
struct record_trigger_point {
	char point[256];
	uint64_t distance;
	char file[4096];
	bool is_address;
	uint64_t value;
};

/**
 * struct record_trigger - a trigger
 * @text: as the user wrote it
 * @kind: what it waits for
 * @points: the instruction; with TRIGGER_LATENCY the beginning and the end
 * @point_count: number of @points
 * @limit: with TRIGGER_LATENCY, nanoseconds
 * @tail: nanoseconds for which trace is recorded after the trigger was hit
 * @tracepoint: SYSTEM:NAME
 * @filter: filter of the tracepoint; may be empty
 * @probes: number of probes that this process has defined in tracefs, for the first of @points
 */
struct record_trigger {
	const char *text;
	enum record_trigger_kind kind;
	struct record_trigger_point points[RECORD_TRIGGER_EVENTS];
	size_t point_count;
	uint64_t limit;
	uint64_t tail;
	char tracepoint[256];
	char filter[256];
	size_t probes;
};

/**
 * record_trigger_parse() - read the argument of --trigger
 * @trigger: receives it; @text must stay
 * @text: POINT, SYSTEM:NAME[:FILTER], syscall:NAME, signal:NAME, exit, or
 *	latency(POINT,POINT)>TIME; POINT is SYMBOL[+OFFSET][@FILE] or ADDRESS[@FILE]
 * @message: receives the reason of an error, with the remedy
 * @size: bytes of @message
 *
 * Return: 0 or -EINVAL.
 */
int record_trigger_parse(struct record_trigger *trigger, const char *text, char *message,
			 size_t size);

/**
 * record_trigger_parse_tail() - read the argument of --trigger-tail
 * @trigger: receives it
 * @text: a number with ns, us, ms or s
 * @message: receives the reason of an error, with the remedy
 * @size: bytes of @message
 *
 * Return: 0 or -EINVAL.
 */
int record_trigger_parse_tail(struct record_trigger *trigger, const char *text, char *message,
			      size_t size);

/** TRIGGER_NO_CPU - the record of a hit does not have the CPU */
#define TRIGGER_NO_CPU (-1)

/**
 * struct trigger_hit - where a trigger was hit
 * @time: nanoseconds of the perf clock
 * @tid: the thread
 * @cpu: the CPU, or TRIGGER_NO_CPU
 * @duration: with TRIGGER_LATENCY, nanoseconds
 */
struct trigger_hit {
	uint64_t time;
	uint32_t tid;
	int32_t cpu;
	uint64_t duration;
};

/**
 * record_trigger_report() - print where a trigger was hit, with the time as hwflow script prints it
 * @file: to print to
 * @trigger: the trigger
 * @hit: where it was hit
 */
void record_trigger_report(FILE *file, const struct record_trigger *trigger,
			   const struct trigger_hit *hit);

/**
 * record_trigger_find() - find the functions of a trigger in their files
 * @trigger: the trigger; its points receive file and offset
 * @options: the command line
 * @pid: the process whose program is meant if a point names no file; 0 for options->command
 * @message: receives the reason of an error, with the remedy
 * @size: bytes of @message
 *
 * Return: 0 or a negative errno.
 */
int record_trigger_find(struct record_trigger *trigger, const struct record_options *options,
			pid_t pid, char *message, size_t size);

/**
 * record_trigger_address() - the address of an instruction in a process
 * @point: the instruction, found by record_trigger_find()
 * @pid: the process
 * @address: receives the address
 * @message: receives the reason of an error, with the remedy
 * @size: bytes of @message
 *
 * Return: 0 or a negative errno: -ENOENT if the process has not mapped the file.
 */
int record_trigger_address(const struct record_trigger_point *point, pid_t pid, uint64_t *address,
			   char *message, size_t size);

#endif /* HWFLOW_RECORD_TRIGGER_H */
