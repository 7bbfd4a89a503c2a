/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes of a run: none outlives another, and none leaves files behind. */
#ifndef HWFLOW_EMULATE_GUARD_H
#define HWFLOW_EMULATE_GUARD_H

#include "emulate.h"

/** guard_work_fn - all that a run does; returns an exit status */
typedef int guard_work_fn(struct run *run, const struct emulate_options *options);

/**
 * guard_run() - do the work of a run in a process of its own, and wait for it
 * @run: with its directory made
 * @options: of the run
 * @work: the work
 *
 * The first SIGINT or SIGQUIT is for the program; a second one, one after the program has ended,
 * SIGTERM and SIGHUP end the run: all its processes are killed, its directory is removed. If this
 * process is killed, the other one does the same. A recording whose files are being put in place is
 * completed in any case.
 *
 * Return: an exit status, and in @run the status of the program. Where a signal ended the run, this
 * process has ended by it.
 */
int guard_run(struct run *run, const struct emulate_options *options, guard_work_fn *work);

/** guard_lock() - the work begins to do what is not to be interrupted: fork, or to rename files */
void guard_lock(void);

/** guard_unlock() - it has done it; @finished: the directory is not to be removed any more */
void guard_unlock(bool finished);

/** guard_now() - nanoseconds of the monotonic clock */
uint64_t guard_now(void);

/** guard_program() - the program has begun, with number @pid */
void guard_program(pid_t pid);

/** guard_program_ended() - the program has ended with @status, as waitpid() gives it */
void guard_program_ended(int status);

/**
 * guard_child() - in a child that is about to become QEMU
 * @parent: process that forked
 *
 * The child has the signals of the command as they were, and dies with its parent.
 */
void guard_child(pid_t parent);

#endif /* HWFLOW_EMULATE_GUARD_H */
