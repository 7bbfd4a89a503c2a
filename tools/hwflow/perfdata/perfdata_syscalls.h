/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of the tracepoints raw_syscalls:sys_enter and raw_syscalls:sys_exit. */
#ifndef HWFLOW_PERFDATA_SYSCALLS_H
#define HWFLOW_PERFDATA_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "perfdata_read.h"
#include "perfdata_samples.h"

/**
 * struct perfdata_syscall - what such a sample is of
 * @number: of the system call
 * @name: its name in 64-bit programs; NULL: the machine is another one, or the number is not known
 * @enters: the call is made; else it has returned
 */
struct perfdata_syscall {
	int64_t number;
	const char *name;
	bool enters;
};

/**
 * perfdata_sample_syscall() - the system call of a sample
 * @info: the recording
 * @sample: one of its samples
 * @call: receives it
 *
 * Return: false if the sample is of another event.
 */
bool perfdata_sample_syscall(const struct perfdata_info *info, const struct perfdata_sample *sample,
			     struct perfdata_syscall *call);

#endif /* HWFLOW_PERFDATA_SYSCALLS_H */
