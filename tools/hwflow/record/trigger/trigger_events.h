/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a trigger: breakpoints, uprobes, tracepoints. */
#ifndef HWFLOW_RECORD_TRIGGER_EVENTS_H
#define HWFLOW_RECORD_TRIGGER_EVENTS_H

#include "record/events/events.h"
#include "trigger.h"

/**
 * record_trigger_events() - make the attributes of a trigger's events
 * @trigger: the trigger; its points receive file and offset
 * @options: the command line
 * @target: what is recorded
 * @machine: this machine
 * @list: receives the events, RECORD_TRIGGER_EVENTS at most
 * @count: receives their number
 *
 * A breakpoint stops at an address of one process. An uprobe stops at an offset of a file in every
 * process, but the kernel executes the instruction elsewhere, and the trace shows that. Breakpoints
 * are used where the address is known, or is known when the program begins: then the address of
 * the event is 0, and recorder_trigger_place() sets it.
 *
 * Return: 0, or an exit status after an error, which is reported.
 */
int record_trigger_events(struct record_trigger *trigger, const struct record_options *options,
			  const struct record_target *target, const struct machine *machine,
			  struct record_event *list, size_t *count);

/**
 * record_trigger_is_late() - whether an address is known only when the program has begun
 * @trigger: the trigger
 * @events: its events
 */
bool record_trigger_is_late(const struct record_trigger *trigger,
			    const struct record_event *events);

/**
 * record_trigger_remove() - remove the probes that record_trigger_events() has defined
 * @trigger: the trigger, whose events are closed
 */
void record_trigger_remove(struct record_trigger *trigger);

#endif /* HWFLOW_RECORD_TRIGGER_EVENTS_H */
