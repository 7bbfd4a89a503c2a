/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of a trigger's events: when does the trigger fire? */
#ifndef HWFLOW_RECORD_TRIGGER_WATCH_H
#define HWFLOW_RECORD_TRIGGER_WATCH_H

#include <stddef.h>
#include <stdint.h>

/* longest sample of a trigger's events: header, identifier, address, thread, time and CPU */
#define TRIGGER_SAMPLE_MAX 48

/**
 * enum trigger_sample_kind - what has occurred
 * @TRIGGER_SAMPLE_BEGIN: the first instruction of latency() is executed; or a trigger of another
 *	kind is hit
 * @TRIGGER_SAMPLE_END: the second instruction of latency() is executed
 * @TRIGGER_SAMPLE_EXIT: the thread has ended
 */
enum trigger_sample_kind {
	TRIGGER_SAMPLE_BEGIN,
	TRIGGER_SAMPLE_END,
	TRIGGER_SAMPLE_EXIT,
};

/**
 * struct trigger_sample - an event of a trigger
 * @time: when, in nanoseconds
 * @tid: the thread
 * @kind: what has occurred
 * @order: set by trigger_watch_add(): its place among those of the same time
 * @size: bytes of @record
 * @record: the record as the kernel has written it
 */
struct trigger_sample {
	uint64_t order;
	uint64_t time;
	uint32_t tid;
	enum trigger_sample_kind kind;
	uint16_t size;
	uint8_t record[TRIGGER_SAMPLE_MAX];
};

/**
 * struct trigger_thread - a thread between the two instructions of latency()
 * @tid: the thread
 * @depth: how many executions of the first instruction have no end yet
 * @begins: these, the latest last
 */
struct trigger_thread {
	uint32_t tid;
	unsigned int depth;
	struct trigger_sample begins[32];
};

/**
 * struct trigger_watch - the state of latency()
 * @limit: nanoseconds
 * @samples: samples that are not evaluated yet
 * @count: number of @samples
 * @room: number of @samples allocated
 * @threads: threads, in the order of their numbers
 * @thread_count: number of @threads
 * @thread_room: number of @threads allocated
 * @added: number of samples so far
 * @latest: latest time of a sample
 * @previous: the value of @latest when all rings had been read once before
 * @horizon: all samples up to this time have been read
 */
struct trigger_watch {
	uint64_t limit;
	struct trigger_sample *samples;
	size_t count;
	size_t room;
	struct trigger_thread *threads;
	size_t thread_count;
	size_t thread_room;
	uint64_t added;
	uint64_t latest;
	uint64_t previous;
	uint64_t horizon;
};

/**
 * trigger_watch_add() - add a sample that was read from a ring
 * @watch: the state
 * @sample: the sample; it is copied
 *
 * Return: 0 or -ENOMEM.
 */
int trigger_watch_add(struct trigger_watch *watch, const struct trigger_sample *sample);

/**
 * trigger_watch_read() - all rings have been read once
 * @watch: the state
 *
 * A thread that moves from one CPU to another has samples in two rings, and the second one may be
 * read first. A sample is evaluated once all rings have been read after it.
 */
void trigger_watch_read(struct trigger_watch *watch);

/**
 * trigger_watch_next() - evaluate samples in the order of time, until the trigger fires
 * @watch: the state
 * @begun: receives the sample of the first instruction when the trigger fires
 * @hit: receives that of the second one
 *
 * Each second instruction ends the latest first instruction of its thread that has no end.
 *
 * Return: 1 if the trigger fires, 0 if all samples are evaluated or have to wait, -ENOMEM.
 */
int trigger_watch_next(struct trigger_watch *watch, struct trigger_sample *begun,
		       struct trigger_sample *hit);

/**
 * trigger_watch_rest() - how long samples need not be read without delaying the trigger
 * @watch: the state
 *
 * The trigger cannot fire before a request exceeds the limit. A request that takes eight times the
 * limit may have left the first instruction by another path, and delays nothing.
 *
 * Return: nanoseconds: an eighth of the limit, 10 ms, or the time until a request exceeds the
 * limit, whichever is the shortest.
 */
uint64_t trigger_watch_rest(const struct trigger_watch *watch);

/**
 * trigger_watch_forget() - forget all first instructions, because samples were lost
 * @watch: the state
 */
void trigger_watch_forget(struct trigger_watch *watch);

/**
 * trigger_watch_free() - free what trigger_watch_add() allocated
 * @watch: the state
 */
void trigger_watch_free(struct trigger_watch *watch);

#endif /* HWFLOW_RECORD_TRIGGER_WATCH_H */
