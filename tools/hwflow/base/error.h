/* SPDX-License-Identifier: GPL-2.0-only */
/* What a verb ends with, and what it says of a file that it cannot use. */
#ifndef HWFLOW_BASE_ERROR_H
#define HWFLOW_BASE_ERROR_H

#include <stdint.h>

/* exit statuses of the command */
enum exit_status {
	EXIT_GOOD = 0,
	EXIT_USAGE = 1,
	EXIT_UNREADABLE = 2,
	EXIT_GAPS = 3,
};

/**
 * input_error() - say on stderr what is wrong with a file
 * @file: the file
 * @offset: in it; UINT64_MAX for none
 * @format: cause, and remedy
 */
void input_error(const char *file, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** verb_begin() - the verb that runs from here on, as verb_error() names it */
void verb_begin(const char *verb);

/**
 * verb_error() - say on stderr what keeps the verb from its work
 * @format: cause, and remedy
 *
 * Return: EXIT_UNREADABLE.
 */
int verb_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* HWFLOW_BASE_ERROR_H */
