// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace buffer management event that a value of TRBSR_EL1 reports. No function here accesses a
 * register; the file is built and tested on any host.
 */
#include <linux/bitfield.h>

#include "trbe_event.h"
#include "trbe_regs.h"

/* The event is no fault according to EC; BSC has the reason why collection stopped, if it did */
static enum trbe_event trbe_event_other(u64 status)
{
	bool stopped = status & TRBE_SR_S;

	switch (FIELD_GET(TRBE_SR_BSC, status)) {
	case TRBE_BSC_FILLED:
		return stopped && status & TRBE_SR_WRAP ? TRBE_EVENT_FILLED : TRBE_EVENT_UNKNOWN;
	case TRBE_BSC_TRIGGER:
		return stopped && status & TRBE_SR_TRG ? TRBE_EVENT_TRIGGERED : TRBE_EVENT_UNKNOWN;
	case TRBE_BSC_NOT_STOPPED:
		break;
	default:
		return TRBE_EVENT_UNKNOWN;
	}
	if (stopped)
		return TRBE_EVENT_UNKNOWN;
	if (status & TRBE_SR_WRAP)
		return TRBE_EVENT_WRAPPED;
	return status & TRBE_SR_TRG ? TRBE_EVENT_WARNING : TRBE_EVENT_NONE;
}

/**
 * trbe_event_classify() - the event that a trace buffer's status reports
 * @status: a value of TRBSR_EL1
 *
 * An external abort comes first: it is not known which bytes it affects. A reason to stop
 * collection comes before events that do not stop it. A stop whose BSC disagrees with WRAP or TRG
 * is unknown (R_VHNTF). TRG without IRQ is no event: software wrote it, or the trigger's counter
 * still runs. WRAP without IRQ is a buffer that continued at its base (Table D6-7).
 *
 * Return: the event.
 */
enum trbe_event trbe_event_classify(u64 status)
{
	if (status & TRBE_SR_EA)
		return TRBE_EVENT_EXTERNAL_ABORT;
	if (!(status & (TRBE_SR_S | TRBE_SR_IRQ)))
		return TRBE_EVENT_NONE;
	switch (FIELD_GET(TRBE_SR_EC, status)) {
	case TRBE_EC_OTHER:
		return trbe_event_other(status);
	case TRBE_EC_STAGE1:
		return TRBE_EVENT_FAULT_STAGE1;
	case TRBE_EC_STAGE2:
		return TRBE_EVENT_FAULT_STAGE2;
	case TRBE_EC_IMPDEF:
		return TRBE_EVENT_IMPDEF;
	default:
		return TRBE_EVENT_UNKNOWN;
	}
}

/**
 * trbe_event_is_fatal() - whether the trace buffer is not to be used again at once
 * @event: the event
 *
 * A fault would occur again immediately, and an unknown event is not ignored.
 *
 * Return: true for a fault, an external abort, and an implementation defined or unknown event.
 */
bool trbe_event_is_fatal(enum trbe_event event)
{
	return event >= TRBE_EVENT_FAULT_STAGE1;
}

/**
 * trbe_event_may_have_lost() - whether trace may be missing after the collected bytes
 * @event: the event
 *
 * Return: true if collection stopped or a byte was not written.
 */
bool trbe_event_may_have_lost(enum trbe_event event)
{
	return event >= TRBE_EVENT_FILLED;
}

/**
 * trbe_event_name() - the name of an event in messages
 * @event: the event
 *
 * Return: a static string.
 */
const char *trbe_event_name(enum trbe_event event)
{
	static const char *const names[TRBE_NR_EVENTS] = {
		[TRBE_EVENT_NONE] = "nothing",
		[TRBE_EVENT_WARNING] = "early warning",
		[TRBE_EVENT_WRAPPED] = "wrapped",
		[TRBE_EVENT_FILLED] = "filled",
		[TRBE_EVENT_TRIGGERED] = "stopped by a trigger",
		[TRBE_EVENT_FAULT_STAGE1] = "stage 1 fault",
		[TRBE_EVENT_FAULT_STAGE2] = "stage 2 fault",
		[TRBE_EVENT_EXTERNAL_ABORT] = "external abort",
		[TRBE_EVENT_IMPDEF] = "implementation defined event",
		[TRBE_EVENT_UNKNOWN] = "unknown event",
	};

	return names[event];
}
