// SPDX-License-Identifier: GPL-2.0-only
#include "trigger_events.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/hw_breakpoint.h>
#include <perf/threadmap.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "perfdata/perfdata_samples.h"
#include "record/events/tracepoint.h"
#include "source/input.h"

/* The kernel rounds the address of a breakpoint down. */
#define INSTRUCTION_BYTES 4

static int refuse(const struct record_trigger *trigger, const char *message)
{
	verb_error("--trigger %s: %s", trigger->text, message);
	return EXIT_USAGE;
}

/* Count each occurrence; with @wake, the command reads each one at once. */
static void set_period(struct perf_event_attr *attr, bool wake)
{
	attr->freq = 0;
	attr->sample_period = 1;
	attr->wakeup_events = wake;
}

static int make_tracepoint(const struct record_trigger *trigger, struct record_event *event)
{
	char message[512];

	if (tracepoint_find(trigger->tracepoint, &event->attr, message, sizeof(message)))
		return refuse(trigger, message);
	/* the fields are not needed, and the kernel gives them to fewer users */
	event->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_RAW;
	event->filter = *trigger->filter ? trigger->filter : NULL;
	set_period(&event->attr, true);
	return 0;
}

/* The address that all recorded processes have an instruction at */
static int find_address(const struct record_trigger *trigger, size_t index,
			const struct record_target *target, uint64_t *address)
{
	const struct record_trigger_point *point = &trigger->points[index];
	uint64_t other;
	char message[8192];

	for (int i = 0; i < perf_thread_map__nr(target->threads); i++) {
		if (record_trigger_address(point, target->pids[i], &other, message,
					   sizeof(message)))
			return refuse(trigger, message);
		if (i && other != *address)
			return refuse(trigger, "the processes of -p or -t have it at different "
					       "addresses; record one of them");
		*address = other;
	}
	return 0;
}

static int make_breakpoint(const struct record_trigger *trigger, size_t index,
			   const struct record_options *options, const struct record_target *target,
			   struct perf_event_attr *attr)
{
	uint64_t address = trigger->points[index].is_address ? trigger->points[index].value : 0;
	int status = 0;

	if (!trigger->points[index].is_address && !options->command)
		status = find_address(trigger, index, target, &address);
	attr->type = PERF_TYPE_BREAKPOINT;
	attr->bp_type = HW_BREAKPOINT_X;
	attr->bp_addr = address;
	attr->bp_len = HW_BREAKPOINT_LEN_4;
	/* the kernel's addresses are the upper half */
	attr->exclude_kernel = !(address >> 63);
	attr->exclude_hv = 1;
	return status;
}

/* Write a line to the list of uprobes in tracefs. Returns 0 or a negative errno. */
static int change_probes(const char *line)
{
	const int fd = tracefs_open("uprobe_events", O_WRONLY | O_APPEND);
	const ssize_t length = (ssize_t)strlen(line);
	int error = 0;

	if (fd < 0)
		return fd;
	if (write(fd, line, (size_t)length) != length)
		error = -errno;
	close(fd);
	return error;
}

/* An uprobe that is a tracepoint */
static int define_probe(struct record_trigger *trigger, size_t index, struct perf_event_attr *attr)
{
	const struct record_trigger_point *point = &trigger->points[index];
	char line[sizeof(point->file) + 128], name[64], message[512];
	int error;

	if (strchr(point->file, ' '))
		return refuse(trigger,
			      "the kernel does not accept a path with a space here; rename "
			      "the file, or record all CPUs with -a");
	snprintf(line, sizeof(line), "p:hwflow_%d/trigger%zu %s:%#" PRIx64 "\n", getpid(), index,
		 point->file, point->value);
	error = change_probes(line);
	if (error) {
		snprintf(message, sizeof(message),
			 "an uprobe cannot be defined: %s; uprobes require root, and the file "
			 "system tracefs at /sys/kernel/tracing",
			 strerror(-error));
		return refuse(trigger, message);
	}
	trigger->probes = index + 1;
	snprintf(name, sizeof(name), "hwflow_%d:trigger%zu", getpid(), index);
	if (tracepoint_find(name, attr, message, sizeof(message)))
		return refuse(trigger, message);
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_RAW;
	return 0;
}

void record_trigger_remove(struct record_trigger *trigger)
{
	for (; trigger->probes; trigger->probes--) {
		char line[64];

		snprintf(line, sizeof(line), "-:hwflow_%d/trigger%zu\n", getpid(),
			 trigger->probes - 1);
		change_probes(line);
	}
}

/*
 * The kernel removes an uprobe of the PMU when the event is closed. When a thread with such an
 * event creates another one, the kernel looks for the path at the address that it had in this
 * process, and clone(2) fails: events that are inherited need a tracepoint.
 */
static int make_uprobe(struct record_trigger *trigger, size_t index,
		       const struct record_target *target, const struct machine *machine,
		       struct perf_event_attr *attr)
{
	uint64_t type;

	if (target->inherit)
		return define_probe(trigger, index, attr);
	if (!machine_number(machine, &type, "sys/bus/event_source/devices/uprobe/type"))
		return refuse(trigger, "the kernel has no uprobes (CONFIG_UPROBE_EVENTS)");
	attr->type = (uint32_t)type;
	/* the kernel reads the name when the event is opened */
	attr->config1 = (uintptr_t)trigger->points[index].file;
	attr->config2 = trigger->points[index].value;
	return 0;
}

/* Whether an instruction is in another file than the program that the command starts */
static bool is_elsewhere(const struct record_trigger_point *point,
			 const struct record_trigger_point *program)
{
	return !point->is_address && strcmp(point->file, program->file) != 0;
}

/* Whether uprobes are needed. Returns a negative errno if the program cannot be found. */
static int needs_uprobe(const struct record_trigger *trigger, const struct record_options *options,
			const struct record_target *target, char *message, size_t size)
{
	/* "0": an offset of the program itself */
	struct record_trigger program = {.points = {{.point = "0"}}, .point_count = 1};
	bool elsewhere = false;
	int error = 0;

	if (target->by_cpu)
		return !trigger->points[0].is_address;
	if (!options->command)
		return 0;
	for (size_t i = 0; i < trigger->point_count; i++)
		elsewhere |= !trigger->points[i].is_address;
	if (!elsewhere)
		return 0;
	error = record_trigger_find(&program, options, 0, message, size);
	elsewhere = false;
	for (size_t i = 0; i < trigger->point_count; i++)
		elsewhere |= is_elsewhere(&trigger->points[i], &program.points[0]);
	return error ? error : elsewhere;
}

static int make_code(struct record_trigger *trigger, const struct record_options *options,
		     const struct record_target *target, const struct machine *machine,
		     struct record_event *list)
{
	const pid_t pid = target->by_cpu || options->command ? 0 : target->pids[0];
	char message[8192];
	int uprobe, status = 0;

	if (record_trigger_find(trigger, options, pid, message, sizeof(message)))
		return refuse(trigger, message);
	for (size_t i = 0; i < trigger->point_count; i++)
		if (trigger->points[i].value % INSTRUCTION_BYTES)
			return refuse(trigger, "no instruction is there: an A64 instruction is at "
					       "a multiple of 4");
	uprobe = needs_uprobe(trigger, options, target, message, sizeof(message));
	if (uprobe < 0)
		return refuse(trigger, message);
	for (size_t i = 0; !status && i < trigger->point_count; i++) {
		struct record_event *event = &list[i];

		snprintf(event->name, sizeof(event->name), "%s%s:%s:%#" PRIx64,
			 trigger->kind != TRIGGER_LATENCY ? ""
			 : i                              ? PERFDATA_REQUEST_END
							  : PERFDATA_REQUEST_BEGIN,
			 uprobe ? "uprobe" : "breakpoint", trigger->points[i].point,
			 trigger->points[i].value);
		status = uprobe ? make_uprobe(trigger, i, target, machine, &event->attr)
				: make_breakpoint(trigger, i, options, target, &event->attr);
		set_period(&event->attr, i + 1 == trigger->point_count);
	}
	return status;
}

int record_trigger_events(struct record_trigger *trigger, const struct record_options *options,
			  const struct record_target *target, const struct machine *machine,
			  struct record_event *list, size_t *count)
{
	*count = 0;
	if (trigger->kind == TRIGGER_NONE || trigger->kind == TRIGGER_EXIT)
		return 0;
	for (size_t i = 0; i < RECORD_TRIGGER_EVENTS; i++)
		list[i] = (struct record_event){.spec = trigger->text};
	*count = trigger->kind == TRIGGER_LATENCY ? 2 : 1;
	if (trigger->kind != TRIGGER_TRACEPOINT)
		return make_code(trigger, options, target, machine, list);
	snprintf(list->name, sizeof(list->name), "%s", trigger->tracepoint);
	return make_tracepoint(trigger, list);
}

bool record_trigger_is_late(const struct record_trigger *trigger, const struct record_event *events)
{
	bool late = false;

	for (size_t i = 0; i < trigger->point_count; i++)
		late |= events[i].attr.type == PERF_TYPE_BREAKPOINT && !events[i].attr.bp_addr;
	return late;
}
