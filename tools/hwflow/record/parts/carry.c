// SPDX-License-Identifier: GPL-2.0-only
/* What a part of a recording begins with. */
#include "carry.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* struct carried_thread - a thread that is alive */
struct carried_thread {
	int32_t tid;
	char comm[16];
};

/**
 * struct carried_process - a process that is alive
 * @pid: its number; -1: the kernel
 * @ppid: the process that made it
 * @threads: its threads
 * @thread_count: number of @threads
 * @maps: what it has mapped; where two overlap, the later one counts
 * @map_count: number of @maps
 */
struct carried_process {
	int32_t pid;
	int32_t ppid;
	struct carried_thread *threads;
	size_t thread_count;
	const struct perfdata_mapping **maps;
	size_t map_count;
};

/**
 * struct carry - processes at a time
 * @processes: of tsearch(3), by pid
 * @writer: the next part
 * @failed: memory ran out
 */
struct carry {
	void *processes;
	struct perfdata_writer *writer;
	bool failed;
};

static int compare_processes(const void *a, const void *b)
{
	const struct carried_process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static struct carried_process *find_process(const struct carry *carry, int32_t pid)
{
	const struct carried_process key = {.pid = pid};
	struct carried_process *const *node = tfind(&key, &carry->processes, compare_processes);

	return node ? *node : NULL;
}

static void free_process(void *pointer)
{
	struct carried_process *process = pointer;

	free(process->threads);
	free(process->maps);
	free(process);
}

static struct carried_process *add_process(struct carry *carry, int32_t pid)
{
	struct carried_process *process = find_process(carry, pid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (process)
		*process = (struct carried_process){.pid = pid, .ppid = pid};
	if (!process || !tsearch(process, &carry->processes, compare_processes)) {
		carry->failed = true;
		free(process);
		return NULL;
	}
	return process;
}

static void remove_process(struct carry *carry, struct carried_process *process)
{
	tdelete(process, &carry->processes, compare_processes);
	free_process(process);
}

static struct carried_thread *find_thread(const struct carried_process *process, int32_t tid)
{
	for (size_t i = 0; i < process->thread_count; i++)
		if (process->threads[i].tid == tid)
			return &process->threads[i];
	return NULL;
}

/* The thread of a process, which is added if it is new; NULL without memory */
static struct carried_thread *add_thread(struct carry *carry, struct carried_process *process,
					 int32_t tid)
{
	struct carried_thread *threads = find_thread(process, tid);

	if (threads)
		return threads;
	threads = reallocarray(process->threads, process->thread_count + 1, sizeof(*threads));
	if (!threads) {
		carry->failed = true;
		return NULL;
	}
	process->threads = threads;
	threads[process->thread_count] = (struct carried_thread){.tid = tid};
	return &threads[process->thread_count++];
}

static bool covers(const struct perfdata_mapping *mapping, const struct perfdata_mapping *other)
{
	return other->address >= mapping->address &&
	       other->address - mapping->address <= mapping->length &&
	       other->length <= mapping->length - (other->address - mapping->address);
}

static void take_mapping(struct carry *carry, const struct perfdata_event *event)
{
	struct carried_process *process = add_process(carry, event->pid);
	const struct perfdata_mapping **maps;
	size_t count = 0;

	if (!process)
		return;
	for (size_t i = 0; i < process->map_count; i++)
		if (!covers(event->u.mapping, process->maps[i]))
			process->maps[count++] = process->maps[i];
	process->map_count = count;
	maps = reallocarray(process->maps, count + 1, sizeof(const void *));
	if (!maps) {
		carry->failed = true;
		return;
	}
	maps[process->map_count++] = event->u.mapping;
	process->maps = maps;
}

/* exec ends all threads but the one that is the process, and unmaps everything. */
static void take_comm(struct carry *carry, const struct perfdata_event *event)
{
	struct carried_process *process = add_process(carry, event->pid);
	struct carried_thread *thread;

	if (process && event->u.comm.exec) {
		process->map_count = 0;
		process->thread_count = 0;
	}
	thread = process ? add_thread(carry, process, event->tid) : NULL;
	if (thread)
		snprintf(thread->comm, sizeof(thread->comm), "%.15s", event->u.comm.name);
}

/* A process begins as a copy of its maker, and a thread with its maker's name. */
static void take_fork(struct carry *carry, const struct perfdata_event *event)
{
	const struct carried_process *maker = find_process(carry, event->u.parent.pid);
	const struct carried_thread *creator =
		maker ? find_thread(maker, event->u.parent.tid) : NULL;
	const struct carried_thread named = creator ? *creator : (struct carried_thread){.tid = 0};
	struct carried_process *process = find_process(carry, event->pid);
	struct carried_thread *thread;

	if (process && event->pid == event->tid && event->u.parent.pid != event->pid &&
	    !event->u.parent.listed) {
		/* the number of a process that has ended is given to another one */
		remove_process(carry, process);
		process = NULL;
	}
	if (!process) {
		process = add_process(carry, event->pid);
		if (!process)
			return;
		process->ppid = event->u.parent.pid;
		if (maker && maker != process && !event->u.parent.listed && maker->map_count) {
			process->maps = reallocarray(NULL, maker->map_count, sizeof(const void *));
			carry->failed |= !process->maps;
			for (size_t i = 0; process->maps && i < maker->map_count; i++)
				process->maps[process->map_count++] = maker->maps[i];
		}
	}
	thread = add_thread(carry, process, event->tid);
	if (thread && !event->u.parent.listed)
		memcpy(thread->comm, named.comm, sizeof(thread->comm));
}

static void take_exit(struct carry *carry, const struct perfdata_event *event)
{
	struct carried_process *process = find_process(carry, event->pid);
	struct carried_thread *thread = process ? find_thread(process, event->tid) : NULL;

	if (!thread)
		return;
	*thread = process->threads[--process->thread_count];
	if (!process->thread_count)
		remove_process(carry, process);
}

static void take(struct carry *carry, const struct perfdata_event *event)
{
	switch (event->kind) {
	case PERFDATA_MMAP:
		take_mapping(carry, event);
		break;
	case PERFDATA_COMM:
		take_comm(carry, event);
		break;
	case PERFDATA_FORK:
		take_fork(carry, event);
		break;
	case PERFDATA_EXIT:
		take_exit(carry, event);
		break;
	default:
		break;
	}
}

/* Writes a process as one that existed before the recording. Errors stay in the writer. */
static void write_process(const struct carry *carry, const struct carried_process *process)
{
	struct perfdata_stamp stamp = {
		.pid = process->pid, .tid = process->pid, .cpu = PERFDATA_ANY};

	for (size_t i = 0; i < process->thread_count; i++) {
		const struct carried_thread *thread = &process->threads[i];
		const int32_t maker = thread->tid == process->pid ? process->ppid : process->pid;

		stamp.tid = thread->tid;
		perfdata_write_listed(carry->writer, &stamp, maker, maker);
		if (*thread->comm)
			perfdata_write_comm(carry->writer, &stamp, thread->comm, false);
	}
	stamp.tid = process->pid;
	for (size_t i = 0; i < process->map_count; i++)
		perfdata_write_mmap2(carry->writer, &stamp, process->maps[i]);
}

static void write_node(const void *node, VISIT which, void *ctx)
{
	if (which == postorder || which == leaf)
		write_process(ctx, *(struct carried_process *const *)node);
}

/* Writes a record of a thread or mapping again. Errors stay in the writer. */
static void repeat(struct perfdata_writer *writer, const struct perfdata_event *event)
{
	const struct perfdata_stamp stamp = {
		.time = event->time, .pid = event->pid, .tid = event->tid, .cpu = event->cpu};

	switch (event->kind) {
	case PERFDATA_MMAP:
		perfdata_write_mmap2(writer, &stamp, event->u.mapping);
		break;
	case PERFDATA_COMM:
		perfdata_write_comm(writer, &stamp, event->u.comm.name, event->u.comm.exec);
		break;
	case PERFDATA_FORK:
		if (event->u.parent.listed)
			perfdata_write_listed(writer, &stamp, event->u.parent.pid,
					      event->u.parent.tid);
		else
			perfdata_write_fork(writer, &stamp, event->u.parent.pid,
					    event->u.parent.tid);
		break;
	case PERFDATA_EXIT:
		perfdata_write_exit(writer, &stamp, event->u.parent.pid, event->u.parent.tid);
		break;
	case PERFDATA_ITRACE_START:
		perfdata_write_itrace_start(writer, &stamp);
		break;
	default:
		break;
	}
}

/* Errors stay in the writer. */
static void write_cgroups(struct perfdata_writer *writer, const struct perfdata_info *before)
{
	for (size_t i = 0; i < before->cgroup_count; i++)
		perfdata_write_cgroup(writer, &before->cgroups[i]);
}

/* Where events were lost it is not known for certain which process has which code, to the end. */
static void write_loss(struct perfdata_writer *writer, const struct perfdata_info *before)
{
	for (size_t i = 0; i < before->event_count; i++) {
		const struct perfdata_event *event = &before->events[i];
		const struct perfdata_stamp stamp = {.time = event->time,
						     .pid = event->pid,
						     .tid = event->tid,
						     .cpu = event->cpu};

		if (event->kind != PERFDATA_LOST)
			continue;
		perfdata_write_lost(writer, &stamp, 0);
		return;
	}
}

static bool is_same_area(const struct perfdata_session *a, const struct perfdata_session *b)
{
	return a->cpu == b->cpu && (a->cpu != PERFDATA_ANY || a->tid == b->tid);
}

/*
 * The last AUX record of each AUX area, without its trace: the trace of the next one is no older
 * than that.
 */
static void write_ends(struct perfdata_writer *writer, const struct perfdata_info *before)
{
	for (size_t i = before->session_count; i > 0; i--) {
		const struct perfdata_session *session = &before->sessions[i - 1];
		const struct perfdata_stamp stamp = {
			.time = session->time,
			.pid = session->pid,
			.tid = session->tid,
			.cpu = session->cpu != PERFDATA_ANY ? session->cpu : session->written_on};
		size_t later = before->session_count;

		while (later > i && !is_same_area(session, &before->sessions[later - 1]))
			later--;
		if (later == i)
			perfdata_write_aux(writer, &stamp, 0, 0, PERFDATA_AUX_RAW);
	}
}

/* The latest time of a record before an offset: rings are read one after the other */
static uint64_t latest_before(const struct perfdata_info *info, uint64_t offset)
{
	uint64_t latest = 0;

	for (size_t i = 0; i < info->event_count; i++)
		if (info->events[i].at < offset && info->events[i].time > latest)
			latest = info->events[i].time;
	return latest;
}

int carry_write(struct perfdata_writer *writer, const struct perfdata_info *before,
		uint64_t settled)
{
	const uint64_t latest = latest_before(before, settled);
	struct carry carry = {.writer = writer};
	size_t i = 0;

	for (; latest && i < before->event_count && before->events[i].time <= latest; i++)
		take(&carry, &before->events[i]);
	twalk_r(carry.processes, write_node, &carry);
	for (; i < before->event_count; i++)
		repeat(writer, &before->events[i]);
	tdestroy(carry.processes, free_process);
	write_cgroups(writer, before);
	write_loss(writer, before);
	write_ends(writer, before);
	return carry.failed ? -ENOMEM : perfdata_write_round(writer);
}
