// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting for room in an AUX area. One who reads says so to nobody, but by a word in memory: it is
 * looked at again and again. The event stays on: one that is turned off is turned on again by one
 * who has read, and nobody would if that came before it was off.
 *
 * All but trbe_wait_setup() and trbe_wait_teardown() run on the CPU they are about with interrupts
 * off.
 */
#include <linux/perf_event.h>

#include "arm_ete.h"
#include "arm_ete_compat.h"
#include "arm_ete_trace.h"

#define TRBE_WAIT_PERIOD	(NSEC_PER_MSEC)

/* What begins a record anew where there is still no room waits again. */
static enum hrtimer_restart trbe_wait_over(struct hrtimer *timer)
{
	struct ete_cpu *cpu = container_of(timer, struct ete_cpu, wait.timer);
	struct perf_event *event = cpu->wait.event;

	if (event && cpu->online && !cpu->unit.broken && trbe_session_start(cpu, event))
		event->hw.state = 0;
	return HRTIMER_NORESTART;
}

/**
 * trbe_wait_setup() - nothing waits
 * @cpu: a CPU
 */
void trbe_wait_setup(struct ete_cpu *cpu)
{
	hrtimer_init(&cpu->wait.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	cpu->wait.timer.function = trbe_wait_over;
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

/**
 * trbe_wait_begin() - have an event wait for room, or go on waiting
 * @cpu: this CPU, which has no record open
 * @event: the event, which is active here, and for which perf has just found no room
 */
void trbe_wait_begin(struct ete_cpu *cpu, struct perf_event *event)
{
	if (cpu->wait.event != event) {
		cpu->stats.refusals++;
		trace_arm_ete_refusal(cpu->number);
	}
	ete_event_of(event)->missed = true;
	ete_compat_event_keep(event);
	cpu->wait.event = event;
	hrtimer_start(&cpu->wait.timer, ns_to_ktime(TRBE_WAIT_PERIOD),
		      HRTIMER_MODE_REL_PINNED_HARD);
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
