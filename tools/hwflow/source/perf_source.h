/* SPDX-License-Identifier: GPL-2.0-only */
/* The sources of a perf.data file: a CPU each, or a thread. */
#ifndef HWFLOW_PERF_SOURCE_H
#define HWFLOW_PERF_SOURCE_H

#include "base/source_index.h"

struct input;
struct input_source;
struct perfdata_cpu;
struct perfdata_session;

/**
 * perf_source() - the source that a session, or one trace ID of a framed one, belongs to
 * @input: the file; receives the source if it is a new one
 * @index: of its sources
 * @session: the session
 * @unit: the trace unit
 *
 * Return: the source, valid until the next call; NULL if there is no memory, or if the trace unit
 * was configured in a way that is not known, which is reported.
 */
struct input_source *perf_source(struct input *input, struct source_index *index,
				 const struct perfdata_session *session,
				 const struct perfdata_cpu *unit);

#endif /* HWFLOW_PERF_SOURCE_H */
