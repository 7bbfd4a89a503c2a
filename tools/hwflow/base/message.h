/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages that are found while a trace is decoded, and are true of all of it. */
#ifndef HWFLOW_MESSAGE_H
#define HWFLOW_MESSAGE_H

/**
 * message_once() - write a line to standard error, unless the same line was written before
 * @format: as for printf(), without the newline
 */
__attribute__((format(printf, 1, 2))) void message_once(const char *format, ...);

/** message_forget() - write lines again that were written before */
void message_forget(void);

/**
 * message_forward() - hand lines to a function from here on, and write none
 * @take: takes each line
 * @ctx: its first argument
 */
void message_forward(void (*take)(void *ctx, const char *line), void *ctx);

#endif /* HWFLOW_MESSAGE_H */
