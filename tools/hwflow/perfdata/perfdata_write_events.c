/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of a perf.data file: those that were opened, or made-up ones. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata_writer.h"

/* any dynamic type will do: names come from EVENT_DESC */
#define MADE_UP_PMU_TYPE 8

static const char *const event_name[PERFDATA_EVENTS] = {
	[PERFDATA_EVENT_TRACE] = "cs_etm//",
	[PERFDATA_EVENT_TRACKING] = "dummy:u",
};

uint32_t perfdata_writer_pmu_type(const struct perfdata_recording *recording)
{
	return recording->pmu_type ? recording->pmu_type : MADE_UP_PMU_TYPE;
}

static uint64_t trace_config(uint32_t trcconfigr)
{
	static const struct {
		uint32_t trcconfigr;
		uint64_t config;
	} bits[] = {
		{ARM_ETE_PMU_TRCCONFIGR_BB, ARM_ETE_PMU_MASK(branch_broadcast)},
		{ARM_ETE_PMU_TRCCONFIGR_CCI, ARM_ETE_PMU_MASK(cycacc)},
		{ARM_ETE_PMU_TRCCONFIGR_CID, ARM_ETE_PMU_MASK(contextid1)},
		{ARM_ETE_PMU_TRCCONFIGR_VMID, ARM_ETE_PMU_MASK(contextid2)},
		{ARM_ETE_PMU_TRCCONFIGR_TS, ARM_ETE_PMU_MASK(deprecated_timestamp)},
		{ARM_ETE_PMU_TRCCONFIGR_RS, ARM_ETE_PMU_MASK(retstack)},
	};
	uint64_t config = 0;

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		config |= trcconfigr & bits[i].trcconfigr ? bits[i].config : 0;
	return config;
}

/* In ETMCR the options of the event are where the event has them. */
static uint64_t event_config(const struct perfdata_cpu *cpu)
{
	if (cpu->protocol == PERFDATA_ETMV3)
		return cpu->etmv3.etmcr &
		       (ARM_ETE_PMU_MASK(cycacc) | ARM_ETE_PMU_MASK(deprecated_timestamp) |
			ARM_ETE_PMU_MASK(retstack));
	return trace_config(cpu->regs.trcconfigr);
}

void perfdata_writer_attr(const struct perfdata_recording *recording, unsigned int which,
			  struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_IDENTIFIER,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
		.sample_id_all = 1,
	};
	if (recording->per_cpu)
		attr->sample_type |= PERF_SAMPLE_CPU;
	if (which == PERFDATA_EVENT_TRACE) {
		attr->type = perfdata_writer_pmu_type(recording);
		attr->config = event_config(&recording->cpus[0]);
		attr->exclude_kernel = recording->exclude_kernel;
		attr->exclude_user = recording->exclude_user;
		attr->exclude_hv = recording->exclude_kernel;
		return;
	}
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
}

static void tracepoint_attr(const struct perfdata_recording *recording, size_t which,
			    struct perf_event_attr *attr)
{
	perfdata_writer_attr(recording, PERFDATA_EVENT_TRACKING, attr);
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = recording->tracepoints[which].id;
	attr->sample_type |= PERF_SAMPLE_RAW;
	attr->exclude_kernel = 0;
	attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = 0;
}

/* Copy an event, whose attributes are in @attr. */
static int keep_event(struct perfdata_writer *writer, size_t which, const void *attr,
		      const char *name, const uint64_t *ids, size_t id_count)
{
	struct perfdata_writer_event *event = &writer->events[which];

	memcpy(event->attr, attr, writer->attr_size);
	event->name = strdup(name);
	if (!event->name)
		return -ENOMEM;
	return perfdata_writer_ids(writer, (unsigned int)which, ids, id_count);
}

/* The events of a recording that no kernel made */
static int make_events(struct perfdata_writer *writer, const struct perfdata_recording *recording)
{
	struct perf_event_attr attr;

	writer->attr_size = sizeof(attr);
	writer->events =
		calloc(PERFDATA_EVENTS + recording->tracepoint_count, sizeof(*writer->events));
	if (!writer->events)
		return -ENOMEM;
	writer->event_count = PERFDATA_EVENTS + recording->tracepoint_count;
	writer->has_time = true;
	writer->has_cpu = recording->per_cpu;
	for (unsigned int i = 0; i < PERFDATA_EVENTS; i++) {
		const uint64_t id = i + 1;
		int error;

		perfdata_writer_attr(recording, i, &attr);
		error = keep_event(writer, i, &attr, event_name[i], &id, 1);
		if (error)
			return error;
	}
	for (size_t i = 0; i < recording->tracepoint_count; i++) {
		const uint64_t id = PERFDATA_EVENTS + i + 1;
		int error;

		tracepoint_attr(recording, i, &attr);
		error = keep_event(writer, PERFDATA_EVENTS + i, &attr,
				   recording->tracepoints[i].name, &id, 1);
		if (error)
			return error;
	}
	return 0;
}

/* The events that were opened */
static int keep_events(struct perfdata_writer *writer, const struct perfdata_recording *recording)
{
	const struct perf_event_attr *first = recording->events[0].attr;

	if (recording->event_count < PERFDATA_EVENTS || first->size > PERFDATA_ATTR_MAX)
		return -EINVAL;
	writer->attr_size = first->size;
	writer->has_time = first->sample_type & PERF_SAMPLE_TIME;
	writer->has_cpu = first->sample_type & PERF_SAMPLE_CPU;
	writer->events = calloc(recording->event_count, sizeof(*writer->events));
	if (!writer->events)
		return -ENOMEM;
	writer->event_count = recording->event_count;
	for (size_t i = 0; i < recording->event_count; i++) {
		const struct perfdata_recorded_event *event = &recording->events[i];
		int error = keep_event(writer, i, event->attr, event->name, event->ids,
				       event->id_count);

		if (error)
			return error;
	}
	return 0;
}

int perfdata_writer_events(struct perfdata_writer *writer,
			   const struct perfdata_recording *recording)
{
	return recording->events ? keep_events(writer, recording) : make_events(writer, recording);
}

void perfdata_writer_free_events(struct perfdata_writer *writer)
{
	for (size_t i = 0; i < writer->event_count; i++) {
		free(writer->events[i].name);
		free(writer->events[i].ids);
	}
	free(writer->events);
}

int perfdata_writer_ids(struct perfdata_writer *writer, unsigned int which, const uint64_t *ids,
			size_t count)
{
	uint64_t *copy;

	if (!count)
		return -EINVAL;
	copy = reallocarray(NULL, count, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, ids, count * sizeof(*copy));
	free(writer->events[which].ids);
	writer->events[which].ids = copy;
	writer->events[which].id_count = count;
	writer->ids_changed = true;
	return 0;
}
