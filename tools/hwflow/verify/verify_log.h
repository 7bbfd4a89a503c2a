/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in the log of a thread or CPU 'verify' is, and the place where a stretch of trace fits. */
#ifndef HWFLOW_VERIFY_LOG_H
#define HWFLOW_VERIFY_LOG_H

#include "truth/truth.h"
#include "verify_window.h"

/**
 * struct verify_log - a place in the log of one thread or CPU; may be copied
 * @reader: what follows
 * @part: what of it counts, for a CPU
 * @is_cpu: it is the log of a CPU
 * @tid: thread that executed @run; -1: not known
 * @run: rest of the current run
 * @event: with @have_event: an exception
 * @have_event: the next thing is @event
 * @passed: instructions and exceptions before it, as verify_log_step() counts them
 * @error: what truth_next() failed with; @reader has the message
 */
struct verify_log {
	struct truth_reader reader;
	struct window_part part;
	bool is_cpu;
	int32_t tid;
	struct truth_run run;
	struct truth_event event;
	bool have_event;
	uint64_t passed;
	int error;
};

/** enum verify_how - where a stretch begins, as to what is before it */
enum verify_how {
	VERIFY_GOES_ON,    /* behind that, but for instructions that are not known */
	VERIFY_AT_EDGE,    /* behind that, but for what no P0 element could tell of */
	VERIFY_BEHIND_GAP, /* anywhere behind that */
};

/** VERIFY_NOWHERE - no instruction is at this address */
#define VERIFY_NOWHERE UINT64_MAX

/**
 * struct verify_stretch - what was executed without a gap, as a checksum
 * @sum: of each instruction's address and each exception's type and return address, in order
 * @steps: how many these are
 * @first: address of the first, if that is an instruction; else VERIFY_NOWHERE
 * @next: the instruction behind it is at this address; VERIFY_NOWHERE: anywhere
 * @unknown: instructions before it that are counted, and no more is known of
 * @how: enum verify_how
 */
struct verify_stretch {
	uint64_t sum;
	uint64_t steps;
	uint64_t first;
	uint64_t next;
	uint64_t unknown;
	uint8_t how;
};

/**
 * verify_log_start() - the beginning of a log
 * @log: receives it
 * @truth: the log
 * @index: of the thread in it; with @window, of the CPU
 * @window: the time that counts, for a CPU; NULL: a thread
 *
 * Return: 0 or -EINVAL where the log is damaged: @log->reader has the message.
 */
int verify_log_start(struct verify_log *log, const struct truth *truth, size_t index,
		     const struct window *window);

/**
 * verify_log_advance() - the next event of the log that is execution
 * @log: where; afterwards a run is in @log->run, or an exception in @log->event
 *
 * Return: false at the end, and where the log is damaged: @log->error says which.
 */
bool verify_log_advance(struct verify_log *log);

/** verify_log_step() - past one step, which is there; what verify_stretch_add() wants of it */
uint64_t verify_log_step(struct verify_log *log);

/** verify_stretch_add() - add a step of the log */
void verify_stretch_add(struct verify_stretch *stretch, uint64_t step);

/** verify_stretch_run() - add instructions of four bytes, @count of them from @pc on */
void verify_stretch_run(struct verify_stretch *stretch, uint64_t pc, uint32_t count);

/** verify_stretch_exception() - add an exception */
void verify_stretch_exception(struct verify_stretch *stretch, unsigned int type, uint64_t ret);

/**
 * verify_log_find() - go to the first place where a stretch fits
 * @log: goes on to the place; stays where it is if there is none
 * @stretch: of the trace
 * @until: as @log->passed counts: it has to end there, or before
 * @instructions: what was passed over is added
 *
 * The log is gone through once, however often what the stretch begins with is executed. A
 * checksum may be equal by chance: compare.
 *
 * Return: whether there is such a place.
 */
bool verify_log_find(struct verify_log *log, const struct verify_stretch *stretch, uint64_t until,
		     uint64_t *instructions);

#endif /* HWFLOW_VERIFY_LOG_H */
