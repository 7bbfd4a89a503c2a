/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests that a recording has marked: --request. */
#ifndef HWFLOW_SELECT_REQUEST_H
#define HWFLOW_SELECT_REQUEST_H

#include "source/input.h"

/**
 * request_times() - the time of a request
 * @input: the recording
 * @number: of the request, from 1 up
 * @begin: receives the time at which its thread executed the first instruction of the trigger
 * @end: receives the time of the second one, both in nanoseconds of the perf clock
 *
 * Return: 0, or an enum exit_status; the reason was printed on stderr.
 */
int request_times(const struct input *input, uint64_t number, uint64_t *begin, uint64_t *end);

#endif /* HWFLOW_SELECT_REQUEST_H */
