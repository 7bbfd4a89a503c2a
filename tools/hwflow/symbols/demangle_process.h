/* SPDX-License-Identifier: GPL-2.0-only */
/* C++ names that may take long to make, made by another process. */
#ifndef HWFLOW_DEMANGLE_PROCESS_H
#define HWFLOW_DEMANGLE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/** typedef demangle_fn - abi::__cxa_demangle() of the Itanium C++ ABI, which has no header for C */
typedef char *demangle_fn(const char *symbol, char *buffer, size_t *size, int *status);

/**
 * demangle_in_process() - make a C++ name in a process that has little memory and time
 * @function: makes it
 * @symbol: the symbol, with no more than DEMANGLE_SYMBOL_MAX bytes
 * @most: bytes of the longest name; the same in each call
 * @too_long: receives whether there is a name that is longer
 *
 * The process is started with the first such name. A name that takes too much memory or time ends
 * it. It is started again a few times: names that take much too long take a second in all.
 *
 * Return: the name, for free(); NULL where there is none.
 */
char *demangle_in_process(demangle_fn *function, const char *symbol, size_t most, bool *too_long);

/** demangle_process_end() - end the process, and count from 0 how often it is started */
void demangle_process_end(void);

/** DEMANGLE_SYMBOL_MAX - bytes of the longest symbol that demangle_in_process() takes */
#define DEMANGLE_SYMBOL_MAX 16384u

#endif /* HWFLOW_DEMANGLE_PROCESS_H */
