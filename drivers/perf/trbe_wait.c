// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting until a record may be begun again: for room in an AUX area, and after a fault. One who
 * reads says so to nobody, but by a word in memory: it is looked at again and again. Whether a
 * buffer that could not write can again is known only where it is tried.
 *
 * The event stays on: one that is turned off is turned on again by one who has read, and nobody
 * would if that came before it was off, or if there was nothing to read.
 *
 * All but trbe_wait_setup() and trbe_wait_teardown() run on the CPU they are about with interrupts
 * off.
 */
#include <linux/perf_event.h>

#include "arm_ete.h"
#include "arm_ete_compat.h"
#include "arm_ete_trace.h"

#define TRBE_WAIT_ROOM	(NSEC_PER_MSEC)
/* What faults again at once has a record and an interrupt each time */
#define TRBE_WAIT_FAULT	(10 * NSEC_PER_MSEC)

/* What begins a record anew where there is still no room waits again. */
static enum hrtimer_restart trbe_wait_over(struct hrtimer *timer)
{
	struct ete_cpu *cpu = container_of(timer, struct ete_cpu, wait.timer);
	struct perf_event *event = cpu->wait.event;

	if (event && ete_cpu_usable(cpu) && trbe_session_start(cpu, event))
		event->hw.state = 0;
	return HRTIMER_NORESTART;
}

/**
 * trbe_wait_setup() - nothing waits
 * @cpu: a CPU
 */
void trbe_wait_setup(struct ete_cpu *cpu)
{
	ete_compat_timer_setup(&cpu->wait.timer, trbe_wait_over, HRTIMER_MODE_REL_PINNED_HARD);
	cpu->wait.event = NULL;
}

/**
 * trbe_wait_teardown() - wait until the timer is over
 * @cpu: a CPU, for which no event is left
 *
 * Context: process; may sleep.
 */
void trbe_wait_teardown(struct ete_cpu *cpu)
{
	hrtimer_cancel(&cpu->wait.timer);
}

static void trbe_wait_begin(struct ete_cpu *cpu, struct perf_event *event, u64 period)
{
	ete_event_of(event)->missed = true;
	cpu->wait.event = event;
	hrtimer_start(&cpu->wait.timer, ns_to_ktime(period), HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * trbe_wait_is_for_room() - does an event wait for room?
 * @cpu: this CPU
 * @event: the event
 *
 * Return: true if so.
 */
bool trbe_wait_is_for_room(const struct ete_cpu *cpu, const struct perf_event *event)
{
	return cpu->wait.event == event && cpu->wait.for_room;
}

/**
 * trbe_wait_for_room() - have an event wait for room, or go on waiting
 * @cpu: this CPU, which has no record open
 * @event: the event, which is active here, and for which perf has just found no room
 */
void trbe_wait_for_room(struct ete_cpu *cpu, struct perf_event *event)
{
	if (!trbe_wait_is_for_room(cpu, event)) {
		cpu->stats.refusals++;
		trace_arm_ete_refusal(cpu->number);
	}
	cpu->wait.for_room = true;
	ete_compat_event_keep(event);
	trbe_wait_begin(cpu, event, TRBE_WAIT_ROOM);
}

/**
 * trbe_wait_after_fault() - have an event wait before its buffer is tried again
 * @cpu: this CPU, which has no record open
 * @event: the event, which is active here, and whose buffer could not write
 */
void trbe_wait_after_fault(struct ete_cpu *cpu, struct perf_event *event)
{
	cpu->wait.for_room = false;
	trbe_wait_begin(cpu, event, TRBE_WAIT_FAULT);
}

/**
 * trbe_wait_end() - nothing is to wait any more
 * @cpu: this CPU
 *
 * The timer, if it still runs, finds that.
 */
void trbe_wait_end(struct ete_cpu *cpu)
{
	cpu->wait.event = NULL;
}
