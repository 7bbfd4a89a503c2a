/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a trace buffer's status says.
 */
#ifndef _TRBE_EVENT_H
#define _TRBE_EVENT_H

#include <linux/types.h>

/**
 * enum trbe_event - what happened to a trace buffer
 * @TRBE_EVENT_NONE: nothing
 * @TRBE_EVENT_WARNING: as many bytes were collected as was asked for; collection goes on
 * @TRBE_EVENT_WRAPPED: the limit was reached; collection went on at the base
 * @TRBE_EVENT_FILLED: the limit was reached, and collection stopped
 * @TRBE_EVENT_TRIGGERED: a trigger stopped collection
 * @TRBE_EVENT_FAULT_STAGE1: a byte could not be written: stage 1 of its translation
 * @TRBE_EVENT_FAULT_STAGE2: the same of stage 2
 * @TRBE_EVENT_EXTERNAL_ABORT: the memory system refused a write
 * @TRBE_EVENT_IMPDEF: something that only the CPU's maker knows
 * @TRBE_EVENT_UNKNOWN: what this driver does not know
 * @TRBE_NR_EVENTS: how many there are
 */
enum trbe_event {
	TRBE_EVENT_NONE,
	TRBE_EVENT_WARNING,
	TRBE_EVENT_WRAPPED,
	TRBE_EVENT_FILLED,
	TRBE_EVENT_TRIGGERED,
	TRBE_EVENT_FAULT_STAGE1,
	TRBE_EVENT_FAULT_STAGE2,
	TRBE_EVENT_EXTERNAL_ABORT,
	TRBE_EVENT_IMPDEF,
	TRBE_EVENT_UNKNOWN,
	TRBE_NR_EVENTS
};

enum trbe_event trbe_event_classify(u64 status);
bool trbe_event_is_fatal(enum trbe_event event);
bool trbe_event_may_have_lost(enum trbe_event event);
const char *trbe_event_name(enum trbe_event event);

#endif /* _TRBE_EVENT_H */
