// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwflow emulate: what the plugin left, to a ground-truth log.
 *
 * A thread whose stream was not closed was killed, by a signal or with its process. What is
 * certain is written: of the block entered last, the instructions up to the last point that was
 * noted, and no branch of which is not known where it went; then an exception.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hwflow/ete.h"
#include "hwflow/insn.h"
#include "hwflow/rv_insn.h"
#include "emulate.h"
#include "input.h"
#include "truth_private.h"

/* causes of RISC-V */
#define RV_ILLEGAL     2
#define RV_BREAKPOINT  3
#define RV_LOAD_FAULT  13
#define RV_STORE_FAULT 15
#define RV_TIMER       5 /* among the interrupts */

/* One more element of @size bytes, zeroed, at the end of an array; NULL without memory. */
static void *array_add(void **array, size_t *count, size_t size)
{
	uint8_t *more = *array;

	/* full at powers of two */
	if ((*count & (*count - 1)) == 0) {
		more = realloc(*array, (*count ? *count * 2 : 1) * size);
		if (!more) {
			emulate_error("not enough memory");
			return NULL;
		}
		*array = more;
	}
	memset(more + *count * size, 0, size);
	return more + (*count)++ * size;
}

/* Map a file of the run. */
static bool map_file(const struct run *run, const char *name, const uint8_t **bytes, size_t *length)
{
	struct stat status;
	void *map = NULL;
	char *path;
	int fd = -1;

	if (asprintf(&path, "%s/%s", run->directory, name) >= 0) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		free(path);
	}
	if (fd < 0 || fstat(fd, &status)) {
		emulate_error("%s: %s", name, strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (status.st_size)
		map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED) {
		emulate_error("%s: %s", name, strerror(errno));
		return false;
	}
	*bytes = map;
	*length = (size_t)status.st_size;
	return true;
}

static int add_blocks(struct run *run, const char *name)
{
	struct run_blocks *blocks =
		array_add((void **)&run->blocks, &run->block_count, sizeof(*blocks));
	const char *error;

	if (!blocks || !map_file(run, name, &blocks->bytes, &blocks->mapped))
		return EXIT_UNREADABLE;
	error = truth_table_add(&run->table, blocks->bytes, blocks->mapped, true, &blocks->length);
	return error ? emulate_error("%s: offset %#zx: %s; this is a fault of hwflow", name,
				     blocks->length, error)
		     : 0;
}

static int add_events(struct run *run, const char *name)
{
	const uint8_t *bytes;
	size_t mapped;
	int status = 0;

	if (!map_file(run, name, &bytes, &mapped))
		return EXIT_UNREADABLE;
	for (size_t at = 0; mapped - at >= sizeof(struct run_event);) {
		struct run_happening *happening;
		struct run_event event;

		memcpy(&event, bytes + at, sizeof(event));
		if (!event.size)
			break;
		if (event.size < sizeof(event) + event.text || event.size > mapped - at) {
			status = emulate_error(
				"%s: offset %#zx: malformed; this is a fault of hwflow", name, at);
			break;
		}
		happening = array_add((void **)&run->happenings, &run->happening_count,
				      sizeof(*happening));
		if (!happening) {
			status = EXIT_UNREADABLE;
			break;
		}
		happening->event = event;
		happening->order = run->happening_count;
		happening->text = strndup((const char *)bytes + at + sizeof(event), event.text);
		at += event.size;
	}
	munmap((void *)(uintptr_t)bytes, mapped);
	return status;
}

static int add_thread(struct run *run, const char *name)
{
	struct run_file file = {.order = run->file_count}, *more;

	if (!map_file(run, name, &file.bytes, &file.mapped))
		return EXIT_UNREADABLE;
	if (file.mapped >= RUN_THREAD_HEAD)
		memcpy(&file.head, file.bytes, sizeof(file.head));
	/* killed when it had hardly begun */
	if (file.head.magic != RUN_MAGIC) {
		if (file.mapped)
			munmap((void *)(uintptr_t)file.bytes, file.mapped);
		return 0;
	}
	more = array_add((void **)&run->files, &run->file_count, sizeof(*more));
	if (!more)
		return EXIT_UNREADABLE;
	*more = file;
	return 0;
}

static int add_file(struct run *run, const char *name)
{
	if (!strncmp(name, "blocks.", 7))
		return add_blocks(run, name);
	if (!strncmp(name, "events.", 7))
		return add_events(run, name);
	if (!strncmp(name, "thread.", 7))
		return add_thread(run, name);
	return 0;
}

static int compare_happenings(const void *a, const void *b)
{
	const struct run_happening *x = a, *y = b;

	if (x->event.time != y->event.time)
		return x->event.time < y->event.time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_files(const void *a, const void *b)
{
	const struct run_file *x = a, *y = b;

	if (x->head.start != y->head.start)
		return x->head.start < y->head.start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Of a load or store; else it was none of the instruction's. */
static uint8_t rv_memory_fault(uint32_t opcode, unsigned int size)
{
	if (size == 2) {
		/* quadrants 0 and 2: funct3 1 to 3 are loads, 5 to 7 stores */
		if ((opcode & 1) != 0 || (opcode >> 13 & 3) == 0)
			return TRUTH_RV_INTERRUPT + RV_TIMER;
		return TRUTH_RV_EXCEPTION +
		       ((opcode & 0x8000) != 0 ? RV_STORE_FAULT : RV_LOAD_FAULT);
	}
	switch (opcode & 0x7f) {
	case 0x03:
	case 0x07:
		return TRUTH_RV_EXCEPTION + RV_LOAD_FAULT;
	case 0x23:
	case 0x27:
		return TRUTH_RV_EXCEPTION + RV_STORE_FAULT;
	case 0x2f: /* lr reads, all other atomics write */
		return TRUTH_RV_EXCEPTION + (opcode >> 27 == 2 ? RV_LOAD_FAULT : RV_STORE_FAULT);
	default:
		return TRUTH_RV_INTERRUPT + RV_TIMER;
	}
}

/* Which exception ended a thread at this instruction, if its process died of @signal. */
static uint8_t last_exception_rv(uint32_t opcode, int signal)
{
	struct hwf_rv_insn insn;

	hwf_rv_insn(opcode, 0, HWF_RV_64, &insn);
	if (signal == SIGTRAP && insn.kind == HWF_RV_EBREAK)
		return TRUTH_RV_EXCEPTION + RV_BREAKPOINT;
	if (signal == SIGILL)
		return TRUTH_RV_EXCEPTION + RV_ILLEGAL;
	if (signal == SIGSEGV || signal == SIGBUS)
		return rv_memory_fault(opcode, insn.size);
	return TRUTH_RV_INTERRUPT + RV_TIMER;
}

static uint8_t last_exception(uint32_t opcode, int signal)
{
	struct hwf_insn insn;
	bool memory = (opcode >> 25 & 5) == 4 || (opcode >> 25 & 0xf) == 2;

	hwf_insn_a64(opcode, 0, &insn);
	if (signal == SIGTRAP && insn.call == HWF_CALL_BRK)
		return HWF_EXC_INST_DEBUG;
	if (signal == SIGILL)
		return HWF_EXC_TRAP;
	if ((signal == SIGSEGV || signal == SIGBUS) && memory)
		return HWF_EXC_DATA_FAULT;
	return HWF_EXC_IRQ;
}

static void put_tail(struct run_file *file, uint64_t number)
{
	while (number >= 0x80) {
		file->tail[file->tail_length++] = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	file->tail[file->tail_length++] = (uint8_t)number;
}

/* As end_run(), of RISC-V: ebreak counts as executed, and there is a trap value. */
static void end_run_rv(struct run_file *file, const struct truth_run *run, uint32_t executed,
		       int signal)
{
	struct hwf_rv_insn insn = {0};
	uint8_t type = TRUTH_RV_INTERRUPT + RV_TIMER;
	uint64_t epc;

	if (executed == run->block_count) {
		hwf_rv_insn(run->opcodes[executed - 1], 0, HWF_RV_64, &insn);
		executed -= insn.kind == HWF_RV_BRANCH || insn.kind == HWF_RV_JUMP ||
			    insn.kind == HWF_RV_JUMP_REG;
	}
	epc = run->pc + truth_run_bytes(run, executed);
	if (executed < run->block_count) {
		type = last_exception_rv(run->opcodes[executed], signal);
		executed += type == TRUTH_RV_EXCEPTION + RV_BREAKPOINT;
	}
	if (executed < run->block_count) {
		put_tail(file, TRUTH_STOP);
		put_tail(file, executed);
	}
	put_tail(file, TRUTH_EXCEPTION);
	put_tail(file, type);
	put_tail(file, epc);
	put_tail(file, 0);
}

/* The block entered last, as far as it certainly was executed. */
static void end_run(struct run_file *file, const struct truth_run *run, int signal)
{
	uint32_t executed = file->head.reached < run->count ? file->head.reached : run->count;
	struct hwf_insn insn;

	if (run->isa == HWF_ISA_RV64) {
		end_run_rv(file, run, executed, signal);
		return;
	}
	if (executed == run->block_count) {
		hwf_insn_a64(run->opcodes[executed - 1], 0, &insn);
		executed -= insn.kind == HWF_INSN_DIRECT || insn.kind == HWF_INSN_INDIRECT;
	}
	if (executed < run->block_count) {
		put_tail(file, TRUTH_STOP);
		put_tail(file, executed);
	}
	put_tail(file, TRUTH_EXCEPTION);
	put_tail(file, executed < run->block_count ? last_exception(run->opcodes[executed], signal)
						   : HWF_EXC_IRQ);
	put_tail(file, run->pc + 4 * (uint64_t)executed);
}

/* Find the end of a stream, and complete it. */
static int end_stream(const struct run *run, struct run_file *file, int signal)
{
	struct truth_cursor cursor = {.at = file->bytes + RUN_THREAD_HEAD,
				      .end = file->bytes + file->mapped};
	struct truth_event event = {.kind = TRUTH_EVENT_CONTEXT};
	const uint8_t *last = cursor.at;
	const char *error;
	int got;

	/* closed: cut to its length */
	if (file->head.state == RUN_CLOSED) {
		file->length = file->mapped - RUN_THREAD_HEAD;
		return 0;
	}
	for (;;) {
		const uint8_t *at = cursor.at;

		got = truth_decode(&run->table, &cursor, &event, &error);
		if (got <= 0)
			break;
		last = at;
	}
	if (got < 0)
		return emulate_error("thread %d: %s; this is a fault of hwflow", file->head.tid,
				     error);
	/* one that was cut while it was written reads as a reset */
	if (event.kind == TRUTH_EVENT_EXCEPTION && event.u.exception.type == HWF_EXC_PE_RESET)
		cursor.at = last;
	file->length = (size_t)(cursor.at - file->bytes) - RUN_THREAD_HEAD;
	if (event.kind == TRUTH_EVENT_RUN && event.u.run.count == event.u.run.block_count)
		end_run(file, &event.u.run, signal);
	return 0;
}

/* When exec ended a thread that had begun at @start; the end of the run where none did */
static uint64_t end_by_exec(const struct run *run, int32_t pid, uint64_t start)
{
	for (size_t i = 0; i < run->happening_count; i++) {
		const struct run_event *event = &run->happenings[i].event;

		if (event->kind == RUN_EXEC && event->pid == pid && event->time > start)
			return event->time - 1;
	}
	return run->end;
}

static int end_streams(struct run *run)
{
	size_t open = 0;
	int signal = 0, status = 0;

	for (size_t i = 0; i < run->file_count; i++) {
		struct run_thread *head = &run->files[i].head;

		if (!head->end)
			head->end = end_by_exec(run, head->pid, head->start);
		open += head->pid == run->main_pid && head->state != RUN_CLOSED &&
			head->end == run->end;
	}
	/* of several threads it is not known which one it was */
	if (open == 1 && WIFSIGNALED(run->status))
		signal = WTERMSIG(run->status);
	for (size_t i = 0; i < run->file_count && !status; i++) {
		struct run_file *file = &run->files[i];
		const bool last = file->head.pid == run->main_pid && file->head.end == run->end;

		status = end_stream(run, file, last ? signal : 0);
	}
	return status;
}

int run_collect(struct run *run)
{
	DIR *directory = opendir(run->directory);
	struct dirent *entry;
	int status = 0;

	if (!directory)
		return emulate_error("%s: %s", run->directory, strerror(errno));
	run->table.limit = run->control->next_block;
	while (!status && (entry = readdir(directory)) != NULL)
		status = add_file(run, entry->d_name);
	closedir(directory);
	if (status)
		return status;
	if (run->happening_count)
		qsort(run->happenings, run->happening_count, sizeof(*run->happenings),
		      compare_happenings);
	if (run->file_count)
		qsort(run->files, run->file_count, sizeof(*run->files), compare_files);
	status = run_find_build_ids(run);
	return status ? status : end_streams(run);
}

/* A section: its head and payload, of two parts, and padding */
static void put_section(FILE *out, uint32_t type, const void *first, size_t first_length,
			const struct run_file *stream, const struct run_blocks *blocks)
{
	static const uint8_t zeros[8];
	struct truth_section section = {.type = type, .length = first_length};

	if (stream)
		section.length += stream->length + stream->tail_length;
	if (blocks)
		section.length += blocks->length;
	fwrite(&section, sizeof(section), 1, out);
	fwrite(first, 1, first_length, out);
	if (stream) {
		fwrite(stream->bytes + RUN_THREAD_HEAD, 1, stream->length, out);
		fwrite(stream->tail, 1, stream->tail_length, out);
	}
	if (blocks)
		fwrite(blocks->bytes, 1, blocks->length, out);
	fwrite(zeros, 1, (size_t)(-section.length & 7), out);
}

int run_write_truth(const struct run *run, const char *path)
{
	const struct truth_head head = {
		.magic = TRUTH_MAGIC, .version = TRUTH_VERSION, .size = sizeof(head)};
	FILE *out = fopen(path, "we");
	int failed;

	if (!out)
		return emulate_error("%s: %s", path, strerror(errno));
	fwrite(&head, sizeof(head), 1, out);
	for (size_t i = 0; i < run->block_count; i++)
		put_section(out, TRUTH_BLOCKS, "", 0, NULL, &run->blocks[i]);
	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->files[i];
		struct truth_stream stream = {
			.pid = file->head.pid, .tid = file->head.tid, .start = file->head.start};

		for (size_t j = 0; j < i; j++)
			stream.part += run->files[j].head.tid == file->head.tid;
		put_section(out, TRUTH_STREAM, &stream, sizeof(stream), file, NULL);
	}
	put_section(out, TRUTH_END, "", 0, NULL, NULL);
	failed = ferror(out);
	if (fclose(out) || failed)
		return emulate_error("%s: cannot write it: %s", path, strerror(errno));
	return 0;
}
