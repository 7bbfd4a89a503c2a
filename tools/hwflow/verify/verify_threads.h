/* SPDX-License-Identifier: GPL-2.0-only */
/* Whose trace is compared with whose log: threads, or for a recording of CPUs the CPUs. */
#ifndef HWFLOW_VERIFY_THREADS_H
#define HWFLOW_VERIFY_THREADS_H

#include "base/source_index.h"
#include "source/input.h"
#include "truth/truth.h"

/** verify_by_cpu() - is it a recording of CPUs? */
bool verify_by_cpu(const struct input *input);

/** verify_count() - how many threads or CPUs the log has */
size_t verify_count(const struct truth *truth, bool cpus);

/** verify_number() - of the thread or CPU at @index of the log */
int32_t verify_number(const struct truth *truth, size_t index, bool cpus);

/** verify_index_sources() - the sources by the number of their thread or CPU; Return: 0 or -ENOMEM
 */
int verify_index_sources(struct source_index *index, const struct input *input);

/**
 * verify_source_of() - the trace of a thread or CPU
 * @input: the recording
 * @truth: the log
 * @index: of verify_index_sources()
 * @number: of the thread or CPU
 *
 * Return: the source; NULL if there is none.
 */
const struct input_source *verify_source_of(const struct input *input, const struct truth *truth,
					    const struct source_index *index, int32_t number);

/**
 * verify_strangers() - trace of a thread or CPU that the log does not know is a difference too
 * @truth: the log
 * @input: the recording
 *
 * Names them on stdout.
 *
 * Return: 0, or EXIT_GAPS if there are any.
 */
int verify_strangers(const struct truth *truth, const struct input *input);

#endif /* HWFLOW_VERIFY_THREADS_H */
