/* SPDX-License-Identifier: GPL-2.0-only */
/* The section TRACING_DATA of perf.data: how the fields of tracepoints are laid out. */
#ifndef HWFLOW_RECORD_TRACING_DATA_H
#define HWFLOW_RECORD_TRACING_DATA_H

#include <stddef.h>

/**
 * struct tracing_data - contents of the section
 * @bytes: the contents, from malloc(); NULL if there are none
 * @size: bytes of them
 */
struct tracing_data {
	char *bytes;
	size_t size;
};

/**
 * tracing_data_read() - describe tracepoints
 * @data: receives the description; the caller frees @data->bytes
 * @tracefs: directory where tracefs is mounted
 * @names: tracepoints as SYSTEM:EVENT; several may be the same
 * @count: number of @names
 *
 * The optional parts of the section (symbols of the kernel, texts of trace_printk(), names of
 * threads) are empty if the file that has them cannot be read. perf.data has the names of threads
 * in its own records, and perf takes the kernel's symbols from elsewhere.
 *
 * Return: 0 or a negative errno: of a file that describes a tracepoint, or -ENOMEM.
 */
int tracing_data_read(struct tracing_data *data, const char *tracefs, const char *const *names,
		      size_t count);

#endif /* HWFLOW_RECORD_TRACING_DATA_H */
