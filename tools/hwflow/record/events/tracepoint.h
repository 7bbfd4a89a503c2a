/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints, parsed by libtraceevent. */
#ifndef HWFLOW_RECORD_TRACEPOINT_H
#define HWFLOW_RECORD_TRACEPOINT_H

#include <stddef.h>

struct perf_event_attr;

/**
 * tracepoint_find() - make the attributes of a tracepoint event
 * @name: SYSTEM:EVENT, for example "sched:sched_switch"
 * @attr: type, config, period and sample_type are set
 * @message: receives the reason of an error, with the remedy
 * @size: bytes of @message
 *
 * Return: 0 or a negative errno.
 */
int tracepoint_find(const char *name, struct perf_event_attr *attr, char *message, size_t size);

/**
 * tracepoint_directory() - where tracefs is mounted
 *
 * Return: a directory whose events can be listed; if there is none, where the kernel's
 * documentation mounts it.
 */
const char *tracepoint_directory(void);

/**
 * tracefs_open() - open a file of tracefs
 * @name: the file, for example "uprobe_events"
 * @flags: of open(2)
 *
 * Return: a file descriptor, or a negative errno: -ENOENT if tracefs is not mounted.
 */
int tracefs_open(const char *name, int flags);

#endif /* HWFLOW_RECORD_TRACEPOINT_H */
