/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a recording: their attributes and names. */
#ifndef HWFLOW_RECORD_EVENTS_H
#define HWFLOW_RECORD_EVENTS_H

/* struct perf_event_attr of Linux 6.12, as libperf has it */
#include <linux/perf_event.h>

#include "doctor/machine_pmu.h"
#include "doctor/machine_user.h"
#include "record/record.h"
#include "record/target.h"
#include "record/trigger/trigger.h"

/* most events of a recording */
#define RECORD_LIST_MAX (RECORD_EVENTS_MAX + 4 + RECORD_TRIGGER_EVENTS)

/**
 * struct record_event - an event
 * @attr: its attributes
 * @name: as the user wrote it
 * @filter: argument of PERF_EVENT_IOC_SET_FILTER, or NULL
 * @spec: the -e option; NULL for an event that the command adds
 */
struct record_event {
	struct perf_event_attr attr;
	char name[256];
	const char *filter;
	const char *spec;
};

/**
 * struct record_events - all events
 * @machine: this machine
 * @user: what this process may record
 * @pmu: the PMU of program flow trace
 * @list: the trace event, the event that reports mappings and threads, those of -e, those of
 *	cgroups, then those of the trigger
 * @count: number of events in @list
 * @triggers_at: index of the trigger's first event
 * @has_cgroups: samples have the cgroups of threads
 * @by_time: records and trace have times
 */
struct record_events {
	struct machine machine;
	struct machine_user user;
	struct pmu pmu;
	struct record_event list[RECORD_LIST_MAX];
	size_t count;
	size_t triggers_at;
	bool has_cgroups;
	bool by_time;
};

/* places in struct record_events.list */
enum { RECORD_TRACE, RECORD_TRACKING, RECORD_OTHERS };

/**
 * record_events_find() - make the attributes of all events
 * @events: receives them
 * @options: the command line
 * @target: what is recorded
 * @trigger: the trigger; its points receive file and offset
 *
 * Return: 0, or an exit status after an error, which is reported.
 */
int record_events_find(struct record_events *events, const struct record_options *options,
		       const struct record_target *target, struct record_trigger *trigger);

/**
 * record_events_trcconfigr() - TRCCONFIGR of a trace unit that the trace event programs
 * @config: config of the trace event
 */
uint32_t record_events_trcconfigr(uint64_t config);

#endif /* HWFLOW_RECORD_EVENTS_H */
