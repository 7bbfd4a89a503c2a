/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow verify: one thread or CPU, its trace against its log. */
#ifndef HWFLOW_VERIFY_COMPARE_H
#define HWFLOW_VERIFY_COMPARE_H

#include "hwflow/flow.h"
#include "source/input.h"
#include "verify_log.h"
#include "verify_show.h"

struct verify_plan;

/** VERIFY_SHOWN - instructions before a difference that are shown */
#define VERIFY_SHOWN 5

/**
 * struct verify_counts - what was found
 * @instructions: equal
 * @exceptions: equal
 * @unknown: instructions executed on a path the trace does not give
 * @missing: instructions lost, or filtered out
 * @anywhere: instructions equal, but not there alone
 * @untold: traps that the trace does not tell of
 * @unseen: instructions after the last P0 element of a piece: no trace can show them
 */
struct verify_counts {
	uint64_t instructions;
	uint64_t exceptions;
	uint64_t unknown;
	uint64_t missing;
	uint64_t anywhere;
	uint64_t untold;
	uint64_t unseen;
};

/** verify_counts_add() - add @more to @counts */
void verify_counts_add(struct verify_counts *counts, const struct verify_counts *more);

/* struct verify_thread - one thread or CPU: where in the log we are, and what was found */
struct verify_thread {
	bool filtered; /* some instructions were left out on purpose */
	bool wfx;
	unsigned int code_gaps; /* allowed gaps: a bit for each HWF_GAP_* */
	struct verify_log log;
	bool may_skip; /* the trace has a gap here, or an edge */
	bool nothing;  /* was decoded of this piece */
	bool edge;     /* only what no P0 element could tell may be missing */
	bool lost;     /* trace, in this piece */
	bool missed;   /* trace, before the next piece that has any */
	bool wrong;
	bool quiet;                     /* a try: say nothing of what is different */
	bool mute;                      /* nor of what is wrong with the log */
	bool skipped;                   /* a gap was seen, and no plan is there yet */
	bool is_user;                   /* it executes code of a program */
	const struct verify_plan *plan; /* where to go on behind gaps; NULL: none was made */
	size_t gap;                     /* the next of its places */
	bool uncertain;                 /* there is more than one place for what comes now */
	bool has_traps;                 /* see struct protocol */
	uint8_t dialect;                /* likewise */
	bool between;                   /* trace ended, and begins again here */
	bool trapped;                   /* the last event of the log was an exception */
	int32_t number;                 /* of the thread or CPU */
	uint64_t *total;                /* instructions of all threads */
	struct verify_counts counts;
	struct truth_run last[VERIFY_SHOWN]; /* equal, or passed over: a ring */
	unsigned int last_next;              /* the oldest of them */
	int32_t tid; /* of a CPU: the thread that executes, by the trace; or INPUT_ANY */
	const struct input_source *source;
	const struct hwf_code *code; /* of the piece */
	const void *space;
	size_t piece;
};

/** verify_take() - compare the next event, @ctx the struct verify_thread; as hwf_flow_fn */
void verify_take(void *ctx, const struct hwf_flow_event *event);

/** verify_finish() - the end of the trace must be that of the log, but for what was lost there */
void verify_finish(struct verify_thread *thread);

/** verify_print_result() - what was equal; nothing where something was different */
void verify_print_result(const struct verify_thread *thread);

/**
 * verify_differ() - it is different, and nothing more is compared
 * @thread: compared so far
 * @offset: of the event in the trace
 *
 * Unless it is a try, shows what was equal before it and what comes next in the log; what was
 * decoded is for the caller to show, by verify_say_decoded().
 */
void verify_differ(struct verify_thread *thread, uint64_t offset);

/** verify_differ_thread() - the instructions are equal, but the trace names another thread */
void verify_differ_thread(struct verify_thread *thread, uint64_t offset);

/** verify_say_decoded() - what was decoded in place of what the log has; as printf() */
void verify_say_decoded(const struct verify_thread *thread, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** verify_advance() - verify_log_advance(), and says what is wrong with the log, once */
bool verify_advance(struct verify_thread *thread);

/**
 * verify_begin_piece() - all that is known of a piece before its first event
 * @thread: at the end of the piece before
 * @source: the source
 * @piece: the piece
 */
void verify_begin_piece(struct verify_thread *thread, const struct input_source *source,
			const struct input_piece *piece);

/** verify_end_piece() - the piece has no more events */
void verify_end_piece(struct verify_thread *thread, const struct input_piece *piece);

/** verify_keep() - remember a run, at least one instruction of the log, as the last */
void verify_keep(struct verify_thread *thread, const struct truth_run *run);

/** verify_last() - the last instructions, oldest first; where there are fewer, the first are 0 */
void verify_last(const struct verify_thread *thread, struct verify_insn last[VERIFY_SHOWN]);

/** verify_consume() - past @count instructions of the current run, which has them */
void verify_consume(struct verify_thread *thread, uint32_t count);

/** verify_is_expected() - is the exception that the log has next this one? */
bool verify_is_expected(const struct verify_thread *thread,
			const struct hwf_flow_exception *exception);

/** verify_pass_rounds() - past rounds of a loop that the trace does not count */
void verify_pass_rounds(struct verify_thread *thread);

/**
 * verify_pass_trap() - past one exception or trap that the trace does not tell of
 *
 * There may be one where trace ended and begins again. A RISC-V encoder that leaves the kernel out
 * does not tell of the trap to it. Any trace unit may leave out an exception that is taken before
 * it has traced an instruction: one that follows another in the log.
 *
 * Return: whether there was one
 */
bool verify_pass_trap(struct verify_thread *thread);

/** verify_pass_traps() - verify_pass_trap() for all there are */
void verify_pass_traps(struct verify_thread *thread);

/**
 * verify_skip_to_first() - past what is missing, to the first place that fits
 * @thread: where the log is ahead of the trace
 * @pc: address that the trace goes on at
 * @exception: that the trace goes on with, before which no instruction was traced; or NULL
 */
void verify_skip_to_first(struct verify_thread *thread, uint64_t pc,
			  const struct hwf_flow_exception *exception);

/** verify_skip_to() - verify_skip_to_first(), or where the plan says */
void verify_skip_to(struct verify_thread *thread, uint64_t pc,
		    const struct hwf_flow_exception *exception);

#endif /* HWFLOW_VERIFY_COMPARE_H */
