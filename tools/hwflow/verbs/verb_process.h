/* SPDX-License-Identifier: GPL-2.0-only */
/* A process of its own for a verb that writes a file: what decodes can be in the sandbox. */
#ifndef HWFLOW_VERBS_VERB_PROCESS_H
#define HWFLOW_VERBS_VERB_PROCESS_H

#include "source/input.h"

/**
 * verb_process() - call a function in a process of its own, and wait for its end
 * @run: the function; returns an enum exit_status
 * @ctx: its first argument
 * @options: and the next: @options->path is named in messages
 * @fd: and the next
 *
 * Return: what @run has returned; EXIT_UNREADABLE if its process did not come to that: the reason
 * was printed on stderr.
 */
int verb_process(int (*run)(const void *ctx, struct input_options *options, int fd),
		 const void *ctx, struct input_options *options, int fd);

/**
 * verb_process_output() - verb_process() for a verb that writes one file of one SRC
 * @run: as of verb_process()
 * @ctx: likewise
 * @options: with @options->paths; @options->path is set
 * @path: of the file; - for standard output
 * @what: the file is, for messages
 *
 * The file takes the place of an older one when all of it is written.
 *
 * Return: as verb_process().
 */
int verb_process_output(int (*run)(const void *ctx, struct input_options *options, int fd),
			const void *ctx, struct input_options *options, const char *path,
			const char *what);

#endif /* HWFLOW_VERBS_VERB_PROCESS_H */
