/* SPDX-License-Identifier: GPL-2.0-only */
/* The exit status of verbs that run a command: record, stat and emulate. */
#ifndef HWFLOW_BASE_COMMAND_STATUS_H
#define HWFLOW_BASE_COMMAND_STATUS_H

#include <stdbool.h>

/**
 * enum command_status - exit statuses that are not those of the command
 * @EXIT_LOST: trace was lost, with --fail-on-loss
 * @EXIT_NOT_RECORDED: the recording failed
 * @EXIT_NOT_EXECUTABLE: the command was found and cannot be executed
 * @EXIT_NOT_FOUND: the command was not found
 *
 * env(1), timeout(1) and shells use the last two in the same way.
 */
enum command_status {
	EXIT_LOST = 124,
	EXIT_NOT_RECORDED = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

/**
 * command_status() - the exit status of a verb that ran a command
 * @recording: how the recording went: an enum exit_status, EXIT_NOT_EXECUTABLE or EXIT_NOT_FOUND
 * @ended: status of the command, as waitpid(2) has it
 * @fail_on_loss: EXIT_GAPS of @recording is a failure
 *
 * Return: a failure of the recording, else the status of the command: 128 + N if signal N ended it.
 */
int command_status(int recording, int ended, bool fail_on_loss);

/**
 * command_status_unstarted() - the exit status if a command cannot be executed
 * @error: of execve(2), positive
 */
int command_status_unstarted(int error);

/**
 * command_report() - print on standard error how a command ended, unless it ended with status 0
 * @verb: the verb that ran it
 * @command: the command, as the user named it
 * @ended: its status, as waitpid(2) has it
 */
void command_report(const char *verb, const char *command, int ended);

#endif /* HWFLOW_BASE_COMMAND_STATUS_H */
