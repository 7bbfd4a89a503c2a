/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace buffer management events.
 */
#ifndef _TRBE_EVENT_H
#define _TRBE_EVENT_H

#include <linux/types.h>

/**
 * enum trbe_event - a trace buffer management event
 * @TRBE_EVENT_NONE: none
 * @TRBE_EVENT_WARNING: the Trigger Counter reached zero; collection continues
 * @TRBE_EVENT_WRAPPED: the limit was reached; collection continued at the base
 * @TRBE_EVENT_FILLED: the limit was reached, and collection stopped
 * @TRBE_EVENT_TRIGGERED: a trigger stopped collection
 * @TRBE_EVENT_FAULT_STAGE1: a write faulted in stage 1 translation
 * @TRBE_EVENT_FAULT_STAGE2: a write faulted in stage 2 translation
 * @TRBE_EVENT_EXTERNAL_ABORT: the memory system aborted a write
 * @TRBE_EVENT_IMPDEF: an implementation defined event
 * @TRBE_EVENT_UNKNOWN: a status that this driver does not know
 * @TRBE_NR_EVENTS: number of events
 *
 * From TRBE_EVENT_FILLED on, trace may be lost; from TRBE_EVENT_FAULT_STAGE1 on, the event is
 * fatal.
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
