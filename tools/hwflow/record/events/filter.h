/* SPDX-License-Identifier: GPL-2.0-only */
/* Address filters: names of functions become the offsets that the kernel takes. */
#ifndef HWFLOW_RECORD_FILTER_H
#define HWFLOW_RECORD_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * record_filter_resolve() - replace the names of functions in an address filter
 * @text: one or more of these, separated by commas or spaces:
 *	"filter POINT[/SIZE] [@FILE]", "filter POINT / POINT [@FILE]", "start POINT [@FILE]",
 *	"stop POINT [@FILE]". POINT is an offset into FILE, or an address of the kernel without
 * FILE, or the name of a function; NAME#N is the Nth function of that name, and NAME#g a global one
 * @message: receives the reason of an error, with the remedy
 * @size: bytes of @message
 *
 * Return: the filter as PERF_EVENT_IOC_SET_FILTER takes it, to be freed; NULL after an error.
 */
char *record_filter_resolve(const char *text, char *message, size_t size);

/**
 * record_filter_find() - the offset of a function, or the value of a number
 * @point: NAME, NAME#N, NAME#g or a number, as POINT of a filter
 * @path: the file with the function
 * @offset: receives the offset into @path
 * @message: receives the reason of an error, with the remedy
 * @size: bytes of @message
 *
 * Return: false after an error.
 */
bool record_filter_find(const char *point, const char *path, uint64_t *offset, char *message,
			size_t size);

#endif /* HWFLOW_RECORD_FILTER_H */
