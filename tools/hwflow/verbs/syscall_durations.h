/* SPDX-License-Identifier: GPL-2.0-only */
/* Durations of system calls, from samples of the tracepoints raw_syscalls: calls --syscalls. */
#ifndef HWFLOW_VERBS_SYSCALL_DURATIONS_H
#define HWFLOW_VERBS_SYSCALL_DURATIONS_H

#include "call_tables.h"

/**
 * syscall_durations_print() - print a row for each system call on standard output
 * @tables: how rows are sorted
 * @limit: rows at most; 0: all
 * @input: the recording
 * @options: which samples are selected
 *
 * A call lasts from the sample of its beginning to the next sample of the same thread, if that is
 * of its end.
 *
 * Return: an enum exit_status; EXIT_USAGE after a message if there are no such samples.
 */
int syscall_durations_print(const struct call_tables *tables, size_t limit,
			    const struct input *input, const struct input_options *options);

#endif /* HWFLOW_VERBS_SYSCALL_DURATIONS_H */
