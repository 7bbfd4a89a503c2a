// SPDX-License-Identifier: GPL-2.0-only
/*
 * make_cpus INPUT OUTPUT CPUS ROUNDS PERCENT - write a recording of CPUs and its ground-truth log,
 * from a recording of threads and its log: the threads of INPUT are executed one after the other,
 * in ROUNDS rounds, on one CPU after the other. The log begins with another recording, the time of
 * which is before all timestamps of INPUT. With CPUS 0 only the log is written, by threads.
 *
 * The log lacks one instruction, where PERCENT of all runs of instructions are passed; with 100 it
 * lacks none. A64 blocks of several instructions begin with another one than in the program, which
 * verify shows if it finds a difference there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_write.h"
#include "truth/truth.h"

/* Of the other recording, and when that of INPUT is enabled and disabled */
#define OTHER_BEGIN 1
#define OTHER_END   2
#define BEGIN       3
#define END         INT64_MAX

/* struct make - what is read and written; @pass: the number of the run that lacks an instruction */
struct make {
	const struct perfdata_info *info;
	const struct truth *truth;
	FILE *log;
	uint8_t *events;
	size_t size;
	size_t room;
	uint64_t cpus;
	uint64_t rounds;
	uint64_t runs;
	uint64_t pass;
};

static void *need(void *memory)
{
	if (memory)
		return memory;
	perror("make_cpus");
	exit(1);
}

static void put(FILE *file, const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, file) != size)
		need(NULL);
}

static void put_section(FILE *file, uint32_t type, const void *head, size_t head_size,
			const void *bytes, size_t size)
{
	const struct truth_section section = {.type = type, .length = head_size + size};
	static const uint8_t zeros[8];

	put(file, &section, sizeof(section));
	put(file, head, head_size);
	put(file, bytes, size);
	put(file, zeros, -section.length & 7);
}

/* ---- events ---- */

static void add(struct make *make, uint64_t value)
{
	if (make->size + 10 > make->room) {
		make->room = 2 * make->room + 4096;
		make->events = need(realloc(make->events, make->room));
	}
	for (; value > 0x7f; value >>= 7)
		make->events[make->size++] = (uint8_t)(value | 0x80);
	make->events[make->size++] = (uint8_t)value;
}

static void add_run(struct make *make, const struct truth_run *run)
{
	uint32_t count = run->count;

	if (make->runs++ == make->pass && count)
		count--;
	add(make, TRUTH_FIRST_BLOCK + (uint64_t)run->number);
	if (count == run->block_count)
		return;
	add(make, TRUTH_STOP);
	add(make, count);
}

static void add_event(struct make *make, const struct truth_event *event)
{
	if (event->kind == TRUTH_EVENT_RUN)
		add_run(make, &event->u.run);
	if (event->kind != TRUTH_EVENT_EXCEPTION)
		return;
	add(make, TRUTH_EXCEPTION);
	add(make, event->u.exception.type);
	add(make, event->u.exception.ret);
	if (event->u.exception.type >= TRUTH_RV_EXCEPTION)
		add(make, event->u.exception.value);
}

static void add_time(struct make *make, enum truth_code code, uint64_t time)
{
	add(make, code);
	add(make, time);
}

static void put_stream(struct make *make, size_t thread, uint64_t part)
{
	const struct truth_thread *of = truth_thread(make->truth, thread);
	const struct truth_stream head = {.pid = of->pid, .tid = of->tid, .part = (uint32_t)part};

	put_section(make->log, TRUTH_STREAM, &head, sizeof(head), make->events, make->size);
	make->size = 0;
}

/* All of a thread, in a stream */
static void put_thread(struct make *make, size_t thread, uint64_t round)
{
	const uint64_t turn = round * truth_threads(make->truth) + thread;
	struct truth_reader reader;
	struct truth_event event;

	if (make->cpus) {
		add(make, TRUTH_CONTEXT);
		add(make, 0);
		add(make, 1);
		add(make, turn % make->cpus + 1);
		add(make, 0);
		add(make, 0);
		if (turn < make->cpus) {
			add_time(make, TRUTH_ENABLED, OTHER_BEGIN);
			add(make, TRUTH_FIRST_BLOCK);
			add_time(make, TRUTH_DISABLED, OTHER_END);
		}
		add_time(make, TRUTH_ENABLED, BEGIN);
	}
	truth_reader_init(&reader, make->truth, thread);
	while (truth_next(&reader, &event) > 0)
		add_event(make, &event);
	if (make->cpus)
		add_time(make, TRUTH_DISABLED, END);
	put_stream(make, thread, round);
}

/* ---- the log ---- */

static void put_block(FILE *log, const struct truth_run *run)
{
	const size_t opcodes = run->block_count * sizeof(uint32_t);
	const struct truth_block block = {.size = (uint32_t)(sizeof(block) + opcodes),
					  .number = run->number,
					  .pc = run->pc,
					  .isa = run->isa,
					  .count = (uint16_t)run->block_count};
	uint32_t *changed = need(malloc(opcodes));

	memcpy(changed, run->opcodes, opcodes);
	/* another destination */
	changed[0] ^= run->isa == HWF_ISA_A64 && run->block_count > 1;
	put_section(log, TRUTH_BLOCKS, &block, sizeof(block), changed, opcodes);
	free(changed);
}

/* All blocks that are executed; returns how many runs there are. */
static uint64_t put_blocks(const struct make *make)
{
	bool *seen = need(calloc(truth_blocks(make->truth), sizeof(*seen)));
	uint64_t runs = 0;

	for (size_t i = 0; i < truth_threads(make->truth); i++) {
		struct truth_reader reader;
		struct truth_event event;

		truth_reader_init(&reader, make->truth, i);
		while (truth_next(&reader, &event) > 0) {
			if (event.kind != TRUTH_EVENT_RUN)
				continue;
			runs++;
			if (!seen[event.u.run.number])
				put_block(make->log, &event.u.run);
			seen[event.u.run.number] = true;
		}
	}
	free(seen);
	return runs;
}

static void put_log(struct make *make, uint64_t percent)
{
	const struct truth_head head = {
		.magic = TRUTH_MAGIC, .version = TRUTH_VERSION, .size = sizeof(head)};

	put(make->log, &head, sizeof(head));
	make->pass = put_blocks(make) * make->rounds * percent / 100;
	for (uint64_t i = 0; i < make->rounds; i++)
		for (size_t j = 0; j < truth_threads(make->truth); j++)
			put_thread(make, j, i);
	put_section(make->log, TRUTH_END, "", 0, "", 0);
}

/* ---- the recording ---- */

/* The process that mapped the program, whose thread need not be the first of the log; 0: none */
static int32_t mapping_process(const struct perfdata_info *info)
{
	for (size_t i = 0; i < info->event_count; i++)
		if (info->events[i].kind == PERFDATA_MMAP)
			return info->events[i].pid;
	return 0;
}

/* What the process has mapped, and its threads and other processes, which have the same */
static int put_processes(const struct make *make, struct perfdata_writer *writer)
{
	const int32_t pid = mapping_process(make->info);
	const struct perfdata_stamp stamp = {1, pid, pid, PERFDATA_ANY};
	int error = 0;

	for (size_t i = 0; i < make->info->event_count && !error; i++) {
		const struct perfdata_event *event = &make->info->events[i];

		if (event->kind == PERFDATA_MMAP && event->pid == pid)
			error = perfdata_write_mmap2(writer, &stamp, event->u.mapping);
	}
	for (size_t i = 0; i < truth_threads(make->truth) && !error; i++) {
		const struct truth_thread *thread = truth_thread(make->truth, i);
		const struct perfdata_stamp made = {2, thread->pid, thread->tid, PERFDATA_ANY};

		if (thread->tid != pid)
			error = perfdata_write_fork(writer, &made, pid, pid);
	}
	return error;
}

/* The trace of a thread, on a CPU of which @offset bytes were written */
static int put_trace(const struct make *make, struct perfdata_writer *writer, size_t thread,
		     int32_t cpu, uint64_t *offset, uint64_t *time)
{
	const struct truth_thread *of = truth_thread(make->truth, thread);
	const struct perfdata_area area = {(uint32_t)cpu, PERFDATA_ANY, PERFDATA_ANY, cpu};
	int error = 0;

	for (size_t i = 0; i < make->info->session_count && !error; i++) {
		const struct perfdata_session *session = &make->info->sessions[i];
		const struct perfdata_stamp stamp = {*time, of->pid, of->tid, cpu};

		if (session->tid != of->tid)
			continue;
		error = perfdata_write_session(writer, &stamp, &area, *offset, session->bytes,
					       session->size, 0);
		*offset += session->size;
		*time += 1000;
	}
	return error;
}

static int put_recording(const struct make *make, const char *path)
{
	static const char *const argv[] = {"make_cpus"};
	struct perfdata_cpu *cpus = need(calloc(make->cpus, sizeof(*cpus)));
	uint64_t *offsets = need(calloc(make->cpus, sizeof(*offsets)));
	const struct perfdata_recording recording = {
		.argv = argv,
		.argc = 1,
		.cpus = cpus,
		.cpu_count = make->cpus,
		.per_cpu = true,
		.exclude_kernel = true,
		.vdso = make->info->vdso,
		.vdso_size = make->info->vdso_size,
	};
	const uint64_t threads = truth_threads(make->truth);
	struct perfdata_writer *writer;
	uint64_t time = 1000;
	int error, closed;

	for (uint32_t i = 0; i < make->cpus; i++) {
		cpus[i] = make->info->cpus[0];
		cpus[i].cpu = i;
	}
	error = perfdata_writer_open(&writer, path, &recording);
	if (!error) {
		error = put_processes(make, writer);
		for (uint64_t i = 0; i < make->rounds * threads && !error; i++)
			error = put_trace(make, writer, i % threads, (int32_t)(i % make->cpus),
					  &offsets[i % make->cpus], &time);
		closed = perfdata_writer_close(writer);
		error = error ? error : closed;
	}
	free(cpus);
	free(offsets);
	return error;
}

static void open_all(struct make *make, struct perfdata **data, struct truth **truth, char **argv)
{
	char message[PERFDATA_MESSAGE > TRUTH_MESSAGE ? PERFDATA_MESSAGE : TRUTH_MESSAGE];
	char path[4096];

	if (perfdata_open(data, argv[1], 0, message)) {
		fprintf(stderr, "%s\n", message);
		exit(1);
	}
	snprintf(path, sizeof(path), "%s.truth", argv[1]);
	if (truth_open(truth, path, message)) {
		fprintf(stderr, "%s\n", message);
		exit(1);
	}
	snprintf(path, sizeof(path), "%s.truth", argv[2]);
	make->log = need(fopen(path, "we"));
	make->info = perfdata_info(*data);
	make->truth = *truth;
}

int main(int argc, char **argv)
{
	struct perfdata *data;
	struct truth *truth;
	struct make make = {0};
	int error = 0;

	if (argc != 6 || !strtoull(argv[4], NULL, 10)) {
		fputs("usage: make_cpus INPUT OUTPUT CPUS ROUNDS PERCENT\n", stderr);
		return 1;
	}
	make.cpus = strtoull(argv[3], NULL, 10);
	make.rounds = strtoull(argv[4], NULL, 10);
	open_all(&make, &data, &truth, argv);
	put_log(&make, strtoull(argv[5], NULL, 10));
	if (make.cpus)
		error = put_recording(&make, argv[2]);
	if (error || fclose(make.log))
		fprintf(stderr, "%s: cannot be written\n", argv[2]);
	free(make.events);
	truth_close(truth);
	perfdata_close(data);
	return error != 0;
}
