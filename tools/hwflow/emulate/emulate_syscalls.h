/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls of a run, as the kernel's tracepoints raw_syscalls:sys_enter and sys_exit. */
#ifndef HWFLOW_EMULATE_SYSCALLS_H
#define HWFLOW_EMULATE_SYSCALLS_H

#include "emulate.h"
#include "perfdata/perfdata_write.h"

/**
 * emulate_syscalls_describe() - add both tracepoints to a recording
 * @recording: receives them; their description is valid until emulate_syscalls_free()
 *
 * Return: 0 or -ENOMEM.
 */
int emulate_syscalls_describe(struct perfdata_recording *recording);

/** emulate_syscalls_free() - free the description */
void emulate_syscalls_free(struct perfdata_recording *recording);

/** emulate_syscalls_write() - write a RUN_SYSCALL or RUN_SYSCALL_DONE; 0 or a negative errno */
int emulate_syscalls_write(struct perfdata_writer *writer, const struct run_event *event);

#endif /* HWFLOW_EMULATE_SYSCALLS_H */
