/* SPDX-License-Identifier: GPL-2.0-only */
/* The ground-truth log of a RISC-V program through a trace encoder. */
#ifndef HWFLOW_ENCODE_RISCV_LOG_H
#define HWFLOW_ENCODE_RISCV_LOG_H

#include "encode_riscv.h"

/**
 * struct encode_riscv_log - how a log is traced
 * @riscv: dialect, parameters and framing. Where there is a context it is the thread's number; a
 *	time is that of the run, in nanoseconds
 * @choice: what is traced; the program's own privilege, whatever is asked for
 * @direct: traps lead straight to the program's next instruction, as if no kernel was in between.
 *	Else to a kernel that is filtered by its privilege: trace ends and begins again
 */
struct encode_riscv_log {
	struct riscv_options riscv;
	struct encode_riscv_choice choice;
	bool direct;
};

/**
 * encode_riscv_log_check() - can there be such an encoder?
 * @log: the options
 *
 * Return: NULL, or what is wrong with them.
 */
const char *encode_riscv_log_check(const struct encode_riscv_log *log);

/** struct encoder_riscv - traces one thread, event by event */
struct encoder_riscv;

/** encoder_riscv_new() - as encoder_new() */
int encoder_riscv_new(struct encoder_riscv **result, int32_t tid,
		      const struct encode_riscv_log *log, const struct encode_sink *sink,
		      struct encode_totals *totals, char message[TRUTH_MESSAGE]);

/** encoder_riscv_event() - as encoder_event() */
int encoder_riscv_event(struct encoder_riscv *encoder, const struct truth_event *event,
			char message[TRUTH_MESSAGE]);

/** encoder_riscv_end() - as encoder_end() */
int encoder_riscv_end(struct encoder_riscv *encoder, char message[TRUTH_MESSAGE]);

/** encoder_riscv_free() - free everything; NULL is allowed */
void encoder_riscv_free(struct encoder_riscv *encoder);

/**
 * encode_riscv_thread() - trace one thread, as encode_thread() does
 * @truth: the log
 * @thread: number of the thread
 * @log: how
 * @sink: takes the trace
 * @totals: added to
 * @message: receives what is wrong
 *
 * Return: 0; -EINVAL where the log is damaged or has other than RISC-V code; -ENOMEM; -EIO where
 * @sink takes no more.
 */
int encode_riscv_thread(const struct truth *truth, size_t thread,
			const struct encode_riscv_log *log, const struct encode_sink *sink,
			struct encode_totals *totals, char message[TRUTH_MESSAGE]);

#endif /* HWFLOW_ENCODE_RISCV_LOG_H */
