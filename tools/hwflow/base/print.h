/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text for people, on standard output and standard error: the command prints strings by these
 * functions and by those of text.h only, because they escape what may come from an input (see
 * escape.h). A test looks for others: tools/setup/tests/escapes.sh.
 */
#ifndef HWFLOW_BASE_PRINT_H
#define HWFLOW_BASE_PRINT_H

#include <stdarg.h>
#include <stdio.h>

#include "escape.h"

/**
 * print() - print as fprintf() does, with each string and character of the arguments escaped
 * @file: to print to
 * @format: as for fprintf(), printed as it is; without %%n and without numbered arguments. Widths
 *	count the bytes of escaped text; a precision counts those of the string before
 *
 * Return: how many bytes were printed; -1 on an error.
 */
__attribute__((format(printf, 2, 3))) int print(FILE *file, const char *format, ...);

/** print_list() - print(), with a list of arguments */
__attribute__((format(printf, 2, 0))) int print_list(FILE *file, const char *format, va_list list);

/** print_bytes() - print @size bytes, escaped; returns how many bytes that made */
size_t print_bytes(FILE *file, enum escape what, const char *bytes, size_t size);

#endif /* HWFLOW_BASE_PRINT_H */
