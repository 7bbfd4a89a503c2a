/* SPDX-License-Identifier: GPL-2.0-only */
/* Which events and files the kernel permits this process. */
#ifndef HWFLOW_RECORD_PRIVILEGE_H
#define HWFLOW_RECORD_PRIVILEGE_H

#include <stdbool.h>

/** record_perfmon() - whether this process has CAP_PERFMON, or CAP_SYS_ADMIN, which includes it */
bool record_perfmon(void);

/**
 * record_paranoid() - the setting kernel.perf_event_paranoid
 *
 * Return: the setting; 2, the kernel's default, if the setting cannot be read.
 */
long record_paranoid(void);

/** record_may_trace_kernel() - whether the kernel permits events of its own code */
bool record_may_trace_kernel(void);

#endif /* HWFLOW_RECORD_PRIVILEGE_H */
