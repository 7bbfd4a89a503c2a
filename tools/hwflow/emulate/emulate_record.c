// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwflow emulate: the run as a perf.data file. Each thread has a trace unit and an AUX area of
 * its own, as with perf record --per-thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/input_file.h"
#include "emulate_syscalls.h"
#include "emulate_trace.h"
#include "perfdata/perfdata_write.h"
#include "source/input.h"

#define RECORDS_PER_ROUND 4096

/* What is to be recorded, in the order of things at the same time */
enum entry_kind {
	ENTRY_FORK,
	ENTRY_EXEC,
	ENTRY_HAPPENING,
	ENTRY_START,
	ENTRY_SESSION,
	ENTRY_EXIT,
};

struct entry {
	uint64_t time;
	enum entry_kind kind;
	size_t order;
	size_t index; /* of the happening, or of the thread */
	size_t session;
};

struct recorder {
	const struct run *run;
	const struct emulate_options *options;
	struct perfdata_writer *writer;
	struct traced **threads;
	size_t thread_count;
	struct entry *entries;
	size_t entry_count;
	size_t entry_room;
	char code_path[PATH_MAX];
};

/* From the files and the happenings: when each thread was there, and who made it. */
static void fill_thread(const struct run *run, struct traced *traced)
{
	struct session *last =
		traced->session_count ? &traced->sessions[traced->session_count - 1] : NULL;
	uint64_t last_start = 0;
	bool first = true;

	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_thread *head = &run->files[i].head;

		if (head->tid != traced->tid)
			continue;
		if (first)
			traced->start = head->start;
		traced->end = head->end;
		last_start = head->start;
		first = false;
	}
	traced->parent_pid = run->main_pid;
	traced->parent_tid = run->main_pid;
	for (size_t i = 0; i < run->happening_count; i++) {
		const struct run_event *event = &run->happenings[i].event;

		if (event->kind != RUN_FORK || event->a != (uint64_t)traced->tid)
			continue;
		traced->forked = true;
		traced->parent_pid = event->pid;
		traced->parent_tid = event->tid;
	}
	/* all that was mapped until it ended; nothing of the program that followed */
	if (last && last->time >= last_start)
		last->time = traced->end;
}

static int add_entry(struct recorder *recorder, struct entry entry)
{
	if (recorder->entry_count == recorder->entry_room) {
		size_t room = recorder->entry_room ? recorder->entry_room * 2 : 256;
		struct entry *more = realloc(recorder->entries, room * sizeof(*more));

		if (!more)
			return verb_error("not enough memory");
		recorder->entries = more;
		recorder->entry_room = room;
	}
	entry.order = recorder->entry_count;
	recorder->entries[recorder->entry_count++] = entry;
	return 0;
}

static int add_thread_entries(struct recorder *recorder, size_t index)
{
	const struct traced *traced = recorder->threads[index];
	uint64_t end = traced->end;
	int status = 0;

	if (!traced->forked && traced->tid != recorder->run->main_pid)
		status |= add_entry(
			recorder,
			(struct entry){.time = traced->start, .kind = ENTRY_FORK, .index = index});
	/* of each program: no trace before is of it */
	for (size_t i = 0; i < recorder->run->file_count; i++) {
		const struct run_thread *head = &recorder->run->files[i].head;

		if (head->tid == traced->tid)
			status |= add_entry(recorder, (struct entry){.time = head->start,
								     .kind = ENTRY_START,
								     .index = index});
	}
	for (size_t i = 0; i < traced->session_count; i++) {
		if (traced->sessions[i].time > end)
			end = traced->sessions[i].time;
		status |= add_entry(recorder, (struct entry){.time = traced->sessions[i].time,
							     .kind = ENTRY_SESSION,
							     .index = index,
							     .session = i});
	}
	return status |
	       add_entry(recorder, (struct entry){.time = end, .kind = ENTRY_EXIT, .index = index});
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int make_entries(struct recorder *recorder)
{
	const struct run *run = recorder->run;
	int status = 0;

	for (size_t i = 0; i < run->happening_count; i++) {
		const struct run_event *event = &run->happenings[i].event;

		status |= add_entry(recorder,
				    (struct entry){.time = event->time,
						   .kind = event->kind == RUN_FORK ? ENTRY_FORK
							   : event->kind == RUN_EXEC
								   ? ENTRY_EXEC
								   : ENTRY_HAPPENING,
						   .index = i,
						   .session = SIZE_MAX});
	}
	for (size_t i = 0; i < recorder->thread_count; i++)
		status |= add_thread_entries(recorder, i);
	if (!status && recorder->entries)
		qsort(recorder->entries, recorder->entry_count, sizeof(*recorder->entries),
		      compare_entries);
	return status;
}

static int write_mapping(struct recorder *recorder, const struct perfdata_stamp *stamp,
			 const struct run_happening *happening)
{
	const struct run_event *event = &happening->event;
	struct perfdata_mapping mapping = {
		.address = event->a,
		.length = event->b,
		.file_offset = event->c,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
		.path = event->kind == RUN_CODE ? recorder->code_path : happening->text,
		.major = event->device_major,
		.minor = event->device_minor,
		.inode = event->d,
		.build_id_size = happening->build_id_size,
	};

	memcpy(mapping.build_id, happening->build_id, sizeof(mapping.build_id));
	return perfdata_write_mmap2(recorder->writer, stamp, &mapping);
}

static int write_happening(struct recorder *recorder, const struct run_happening *happening)
{
	const struct run_event *event = &happening->event;
	struct perfdata_stamp stamp = {
		.time = event->time, .pid = event->pid, .tid = event->tid, .cpu = PERFDATA_ANY};
	const char *base;

	switch (event->kind) {
	case RUN_EXEC:
		base = strrchr(happening->text, '/');
		stamp.tid = stamp.pid;
		return perfdata_write_comm(recorder->writer, &stamp,
					   base ? base + 1 : happening->text, true);
	case RUN_COMM:
		return perfdata_write_comm(recorder->writer, &stamp, happening->text, false);
	case RUN_FORK:
		stamp.tid = (int32_t)event->a;
		stamp.pid = event->b ? event->pid : stamp.tid;
		return perfdata_write_fork(recorder->writer, &stamp, event->pid, event->tid);
	case RUN_MAP:
	case RUN_CODE:
		return write_mapping(recorder, &stamp, happening);
	case RUN_SYSCALL:
	case RUN_SYSCALL_DONE:
		return emulate_syscalls_write(recorder->writer, event);
	default:
		return 0;
	}
}

static int write_session(struct recorder *recorder, const struct traced *traced, size_t index,
			 const struct session *session)
{
	const struct perfdata_stamp stamp = {
		.time = session->time, .pid = traced->pid, .tid = traced->tid, .cpu = PERFDATA_ANY};
	const struct perfdata_area area = {.idx = (uint32_t)index,
					   .pid = traced->pid,
					   .tid = traced->tid,
					   .cpu = PERFDATA_ANY};
	int fd, error;
	void *bytes;

	if (!session->size)
		return 0;
	fd = input_file_open(traced->path, 0, NULL);
	if (fd < 0)
		return fd;
	bytes = mmap(NULL, traced->size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return -errno;
	error = perfdata_write_session(recorder->writer, &stamp, &area, session->offset,
				       (const uint8_t *)bytes + session->offset, session->size, 0);
	munmap(bytes, traced->size);
	return error;
}

static int write_entry(struct recorder *recorder, const struct entry *entry)
{
	struct perfdata_stamp stamp = {.time = entry->time, .cpu = PERFDATA_ANY};
	const struct traced *traced;

	if (entry->session == SIZE_MAX)
		return write_happening(recorder, &recorder->run->happenings[entry->index]);
	traced = recorder->threads[entry->index];
	stamp.pid = traced->pid;
	stamp.tid = traced->tid;
	switch (entry->kind) {
	case ENTRY_FORK:
		return perfdata_write_fork(
			recorder->writer, &stamp,
			traced->tid == traced->pid ? traced->parent_pid : traced->pid,
			traced->tid == traced->pid ? traced->parent_tid : traced->pid);
	case ENTRY_START:
		return perfdata_write_itrace_start(recorder->writer, &stamp);
	case ENTRY_SESSION:
		return write_session(recorder, traced, entry->index,
				     &traced->sessions[entry->session]);
	case ENTRY_EXIT:
		return perfdata_write_exit(recorder->writer, &stamp, traced->parent_pid,
					   traced->parent_tid);
	default:
		return 0;
	}
}

/* The copies of code that no file has become FILE.code: in FILE is its full name. */
static int name_code(struct recorder *recorder)
{
	const char *target = recorder->run->target, *slash = strrchr(target, '/');
	char parent[PATH_MAX], path[PATH_MAX];

	snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - target) + 1 : 0, target);
	if (!realpath(*parent ? parent : ".", path))
		return verb_error("%s: %s", target, strerror(errno));
	if (snprintf(recorder->code_path, PATH_MAX, "%s/%s.code", strcmp(path, "/") ? path : "",
		     slash ? slash + 1 : target) >= PATH_MAX)
		return verb_error("%s: the name is too long", target);
	return 0;
}

/* Timestamps are nanoseconds of the perf clock, unless they count instructions. */
static bool has_counter_time(const struct emulate_options *options)
{
	return !options->is_riscv && !options->encode.virtual_time &&
	       options->encode.unit.regs.trcconfigr & ARM_ETE_PMU_TRCCONFIGR_TS;
}

static struct perfdata_cpu unit_of(const struct emulate_options *options)
{
	const struct riscv_options *riscv = &options->riscv.riscv;

	if (options->is_riscv)
		return (struct perfdata_cpu){.protocol = PERFDATA_RISCV,
					     .riscv = {.params = riscv->params,
						       .framing = riscv->framing,
						       .dialect = riscv->dialect,
						       .isa = (uint8_t)riscv_options_isa(riscv)}};
	return (struct perfdata_cpu){.protocol = PERFDATA_ETE,
				     .regs = options->encode.unit.regs,
				     .counter_time = has_counter_time(options)};
}

static int write_file(struct recorder *recorder)
{
	const struct emulate_options *options = recorder->options;
	const struct perfdata_cpu cpu = unit_of(options);
	struct perfdata_recording recording = {
		.argv = options->argv,
		.argc = options->argc,
		.cpus = &cpu,
		.cpu_count = 1,
		.exclude_kernel = true,
		.clock = {.known = has_counter_time(options), .mult = 1}};
	char path[PATH_MAX + 8];
	int status = name_code(recorder), error, closed;

	if (status)
		return status;
	snprintf(path, sizeof(path), "%s/data", recorder->run->directory);
	error = options->syscalls ? emulate_syscalls_describe(&recording) : 0;
	if (!error)
		error = perfdata_writer_open(&recorder->writer, path, &recording);
	emulate_syscalls_free(&recording);
	if (error)
		return verb_error("%s: %s", path, strerror(-error));
	for (size_t i = 0; i < recorder->entry_count && !error; i++) {
		error = write_entry(recorder, &recorder->entries[i]);
		if (!error && i % RECORDS_PER_ROUND == RECORDS_PER_ROUND - 1)
			error = perfdata_write_round(recorder->writer);
	}
	closed = perfdata_writer_close(recorder->writer);
	if (!error)
		error = closed;
	return error ? verb_error("%s: cannot write it: %s", path, strerror(-error)) : 0;
}

int run_write_perfdata(const struct run *run, const struct tracer *tracer,
		       const struct emulate_options *options)
{
	struct recorder recorder = {.run = run,
				    .options = options,
				    .threads = tracer->threads,
				    .thread_count = tracer->count};
	int status;

	for (size_t i = 0; i < tracer->count; i++)
		fill_thread(run, tracer->threads[i]);
	status = make_entries(&recorder);
	if (!status)
		status = write_file(&recorder);
	free(recorder.entries);
	return status;
}
