// SPDX-License-Identifier: GPL-2.0-only
/* The ground-truth log as a file: sections, threads, text. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hwflow/ete.h"
#include "truth_private.h"

struct stream {
	struct truth_stream head;
	const uint8_t *bytes; /* in the file */
	size_t length;
	size_t thread;
	int32_t cpu; /* -1 where the log does not say */
};

/* its streams stand together, in order of their parts */
struct thread {
	struct truth_thread public;
	size_t first;
	size_t end;
};

/* its streams stand together in truth.by_cpu, in order of the file */
struct cpu {
	int32_t number;
	size_t first;
	size_t end;
};

struct truth {
	char *path;
	const uint8_t *bytes;
	size_t length;
	struct truth_table table;
	struct stream *streams;
	size_t stream_count;
	struct thread *threads;
	size_t thread_count;
	struct stream **by_cpu;
	struct cpu *cpus;
	size_t cpu_count;
};

static int __attribute__((format(printf, 4, 5)))
bad(char *message, const char *path, uint64_t offset, const char *format, ...)
{
	va_list args;
	int length = snprintf(message, TRUTH_MESSAGE, "%s: offset %#" PRIx64 ": ", path, offset);

	if (length < 0 || length >= TRUTH_MESSAGE)
		return -EINVAL;
	va_start(args, format);
	vsnprintf(message + length, (size_t)(TRUTH_MESSAGE - length), format, args);
	va_end(args);
	return -EINVAL;
}

/* One more element of @size bytes at the end of an array; NULL without memory. */
static void *array_add(void **array, size_t *count, size_t size)
{
	uint8_t *more = *array;

	/* full at powers of two */
	if ((*count & (*count - 1)) == 0) {
		more = realloc(*array, (*count ? *count * 2 : 1) * size);
		if (!more)
			return NULL;
		*array = more;
	}
	memset(more + *count * size, 0, size);
	return more + (*count)++ * size;
}

static struct thread *thread_of(struct truth *truth, const struct truth_stream *head)
{
	struct thread *thread;

	for (size_t i = 0; i < truth->thread_count; i++) {
		if (truth->threads[i].public.tid == head->tid)
			return &truth->threads[i];
	}
	thread = array_add((void **)&truth->threads, &truth->thread_count, sizeof(*thread));
	if (thread)
		thread->public = (struct truth_thread){.pid = head->pid, .tid = head->tid};
	return thread;
}

static int add_stream(struct truth *truth, const uint8_t *bytes, size_t length, uint64_t offset,
		      char *message)
{
	struct stream *stream;
	struct thread *thread;

	if (length < sizeof(stream->head))
		return bad(message, truth->path, offset, "a stream has no head; make the log anew");
	stream = array_add((void **)&truth->streams, &truth->stream_count, sizeof(*stream));
	if (!stream)
		return bad(message, truth->path, offset, "not enough memory for the streams");
	memcpy(&stream->head, bytes, sizeof(stream->head));
	stream->bytes = bytes + sizeof(stream->head);
	stream->length = length - sizeof(stream->head);
	thread = thread_of(truth, &stream->head);
	if (!thread)
		return bad(message, truth->path, offset, "not enough memory for the threads");
	stream->thread = (size_t)(thread - truth->threads);
	return 0;
}

/* By thread, part and place in the file */
static int stream_order(const void *one, const void *other)
{
	const struct stream *a = one, *b = other;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->head.part != b->head.part)
		return a->head.part < b->head.part ? -1 : 1;
	return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/*
 * A part is written when it is complete. Where a thread goes from CPU to CPU, one that began later
 * may be complete earlier.
 */
static void sort_streams(struct truth *truth)
{
	if (truth->stream_count)
		qsort(truth->streams, truth->stream_count, sizeof(*truth->streams), stream_order);
	for (size_t i = truth->stream_count; i-- > 0;) {
		struct thread *thread = &truth->threads[truth->streams[i].thread];

		thread->first = i;
		if (!thread->end)
			thread->end = i + 1;
	}
}

/* The CPU that a stream was executed on: it is one stream of that CPU alone. */
static int32_t cpu_of(const struct truth *truth, const struct stream *stream)
{
	struct truth_cursor cursor = {.at = stream->bytes, .end = stream->bytes + stream->length};
	struct truth_event event;
	const char *error;

	if (stream->head.pid < 0)
		return stream->head.tid;
	while (truth_decode(&truth->table, &cursor, &event, &error) > 0 &&
	       event.kind != TRUTH_EVENT_RUN && event.kind != TRUTH_EVENT_EXCEPTION)
		if (event.kind == TRUTH_EVENT_CONTEXT)
			return event.u.context.cpu;
	return -1;
}

/* By CPU, and by place in the file: a CPU writes its streams one after the other. */
static int cpu_order(const void *one, const void *other)
{
	const struct stream *a = *(struct stream *const *)one, *b = *(struct stream *const *)other;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* The streams of each CPU; false without memory. */
static bool sort_cpus(struct truth *truth)
{
	size_t count = 0;

	truth->by_cpu = calloc(truth->stream_count + 1, sizeof(struct stream *));
	if (!truth->by_cpu)
		return false;
	for (size_t i = 0; i < truth->stream_count; i++) {
		struct stream *stream = &truth->streams[i];

		stream->cpu = cpu_of(truth, stream);
		if (stream->cpu >= 0)
			truth->by_cpu[count++] = stream;
	}
	qsort(truth->by_cpu, count, sizeof(struct stream *), cpu_order);
	for (size_t i = 0; i < count; i++) {
		const int32_t number = truth->by_cpu[i]->cpu;
		struct cpu *cpu = truth->cpu_count ? &truth->cpus[truth->cpu_count - 1] : NULL;

		if (!cpu || cpu->number != number) {
			cpu = array_add((void **)&truth->cpus, &truth->cpu_count, sizeof(*cpu));
			if (!cpu)
				return false;
			*cpu = (struct cpu){.number = number, .first = i};
		}
		cpu->end = i + 1;
	}
	return true;
}

static int read_sections(struct truth *truth, size_t at, char *message)
{
	struct truth_section section;

	for (;;) {
		size_t room, used;
		const char *error;
		int status = 0;

		if (truth->length - at < sizeof(section))
			return bad(message, truth->path, at,
				   "the log was cut; make it anew with 'hwflow emulate'");
		memcpy(&section, truth->bytes + at, sizeof(section));
		at += sizeof(section);
		room = truth->length - at;
		if (section.length > room)
			return bad(message, truth->path, at - sizeof(section),
				   "a section of %" PRIu64 " bytes, but only %zu are left: the log "
				   "was cut; make it anew with 'hwflow emulate'",
				   section.length, room);
		if (section.type == TRUTH_END) {
			sort_streams(truth);
			return sort_cpus(truth) ? 0
						: bad(message, truth->path, at,
						      "not enough memory for the CPUs");
		}
		if (section.type == TRUTH_BLOCKS) {
			error = truth_table_add(&truth->table, truth->bytes + at, section.length,
						false, &used);
			if (error)
				return bad(message, truth->path, at + used,
					   "%s: the log is damaged; make it anew", error);
		} else if (section.type == TRUTH_STREAM) {
			status = add_stream(truth, truth->bytes + at, section.length, at, message);
		} else {
			return bad(message, truth->path, at - sizeof(section),
				   "a section of unknown type %u: the log is damaged; make it anew",
				   section.type);
		}
		if (status)
			return status;
		section.length = (section.length + 7) & ~UINT64_C(7);
		at = section.length > room ? truth->length : at + section.length;
	}
}

static int read_head(struct truth *truth, char *message)
{
	struct truth_head head;

	if (truth->length < sizeof(head))
		return bad(message, truth->path, 0, "too short for a ground-truth log");
	memcpy(&head, truth->bytes, sizeof(head));
	if (head.magic != TRUTH_MAGIC)
		return bad(message, truth->path, 0,
			   "this is no ground-truth log; 'hwflow emulate' writes FILE.truth");
	if (head.version != TRUTH_VERSION)
		return bad(message, truth->path, 8,
			   "version %u of the log; this hwflow reads version %u: use the one that "
			   "wrote it",
			   head.version, TRUTH_VERSION);
	if (head.size < sizeof(head) || head.size > truth->length || head.size % 8 != 0)
		return bad(message, truth->path, 12, "the size of the head, %u, is wrong",
			   head.size);
	/* numbers are given out one by one; a few may be lost when a program is killed */
	truth->table.limit = truth->length / sizeof(struct truth_block) + 65536;
	return read_sections(truth, head.size, message);
}

static int map_file(struct truth *truth, int fd, char *message)
{
	struct stat status;
	void *bytes = NULL;
	int error;

	if (fstat(fd, &status))
		goto failed;
	errno = EINVAL;
	if (!S_ISREG(status.st_mode))
		goto failed;
	truth->length = (size_t)status.st_size;
	if (truth->length) {
		bytes = mmap(NULL, truth->length, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes == MAP_FAILED)
			goto failed;
	}
	truth->bytes = bytes;
	return 0;

failed:
	error = errno;
	truth->length = 0;
	snprintf(message, TRUTH_MESSAGE, "%s: %s", truth->path,
		 error == EINVAL ? "this is no file" : strerror(error));
	return -error;
}

int truth_open_fd(struct truth **result, int fd, const char *path, char message[TRUTH_MESSAGE])
{
	struct truth *truth = calloc(1, sizeof(*truth));
	int error;

	if (!truth || !(truth->path = strdup(path))) {
		snprintf(message, TRUTH_MESSAGE, "%s: not enough memory", path);
		free(truth);
		return -ENOMEM;
	}
	error = map_file(truth, fd, message);
	if (!error)
		error = read_head(truth, message);
	if (error) {
		truth_close(truth);
		return error;
	}
	*result = truth;
	return 0;
}

int truth_open(struct truth **result, const char *path, char message[TRUTH_MESSAGE])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error;

	if (fd < 0) {
		error = errno;
		snprintf(message, TRUTH_MESSAGE, "%s: %s", path, strerror(error));
		return -error;
	}
	error = truth_open_fd(result, fd, path, message);
	close(fd);
	return error;
}

void truth_close(struct truth *truth)
{
	if (!truth)
		return;
	if (truth->bytes)
		munmap((void *)(uintptr_t)truth->bytes, truth->length);
	free(truth->table.blocks);
	free(truth->streams);
	free(truth->threads);
	free(truth->by_cpu);
	free(truth->cpus);
	free(truth->path);
	free(truth);
}

size_t truth_threads(const struct truth *truth)
{
	return truth->thread_count;
}

const struct truth_thread *truth_thread(const struct truth *truth, size_t index)
{
	return &truth->threads[index].public;
}

ptrdiff_t truth_find(const struct truth *truth, int32_t tid)
{
	for (size_t i = 0; i < truth->thread_count; i++) {
		if (truth->threads[i].public.tid == tid)
			return (ptrdiff_t)i;
	}
	return -1;
}

size_t truth_cpus(const struct truth *truth)
{
	return truth->cpu_count;
}

int32_t truth_cpu(const struct truth *truth, size_t index)
{
	return truth->cpus[index].number;
}

uint32_t truth_blocks(const struct truth *truth)
{
	return (uint32_t)truth->table.count;
}

void truth_reader_init(struct truth_reader *reader, const struct truth *truth, size_t thread)
{
	*reader = (struct truth_reader){
		.truth = truth,
		.stream = truth->threads[thread].first,
		.end = truth->threads[thread].end,
	};
}

void truth_reader_init_cpu(struct truth_reader *reader, const struct truth *truth, size_t index)
{
	*reader = (struct truth_reader){
		.truth = truth,
		.stream = truth->cpus[index].first,
		.end = truth->cpus[index].end,
		.by_cpu = true,
	};
}

uint64_t truth_bytes(const struct truth *truth)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < truth->stream_count; i++)
		bytes += truth->streams[i].length;
	return bytes;
}

uint64_t truth_reader_at(const struct truth_reader *reader)
{
	if (!reader->begin)
		return 0;
	return reader->before + (uint64_t)(reader->cursor.at - reader->begin);
}

/* Go to the next stream of the thread, if there is one; its head is an event. */
static int next_stream(struct truth_reader *reader, struct truth_event *event)
{
	const struct truth *truth = reader->truth;
	const struct stream *stream;

	if (reader->stream == reader->end)
		return 0;
	stream = reader->by_cpu ? truth->by_cpu[reader->stream] : &truth->streams[reader->stream];
	reader->stream++;
	reader->before = truth_reader_at(reader);
	reader->begin = stream->bytes;
	reader->cursor = (struct truth_cursor){.at = stream->bytes,
					       .end = stream->bytes + stream->length,
					       .time = stream->head.start};
	event->kind = TRUTH_EVENT_PROGRAM;
	event->u.time = stream->head.start;
	return 1;
}

int truth_next(struct truth_reader *reader, struct truth_event *event)
{
	const struct truth *truth = reader->truth;
	const char *error;
	int status;

	if (!reader->cursor.at)
		return next_stream(reader, event);
	status = truth_decode(&truth->table, &reader->cursor, event, &error);
	if (!status)
		return next_stream(reader, event);
	if (status < 0)
		bad(reader->message, truth->path, (uint64_t)(reader->cursor.at - truth->bytes),
		    "%s: the log is damaged; make it anew", error);
	return status;
}

const char *truth_gap_name(unsigned int gap)
{
	switch (gap) {
	case TRUTH_GAP_LEFT:
		return "left";
	case TRUTH_GAP_SIGNAL:
		return "signal";
	default:
		return "unknown";
	}
}

const char *truth_exception_name(uint8_t type)
{
	/* the privileged specification's, shortened */
	static const char *const causes[] = {[0] = "instruction misaligned",
					     [1] = "instruction access",
					     [2] = "illegal instruction",
					     [3] = "breakpoint",
					     [4] = "load misaligned",
					     [5] = "load access",
					     [6] = "store misaligned",
					     [7] = "store access",
					     [8] = "user ecall",
					     [9] = "supervisor ecall",
					     [11] = "machine ecall",
					     [12] = "instruction page fault",
					     [13] = "load page fault",
					     [15] = "store page fault"};
	const size_t cause = type - (size_t)TRUTH_RV_EXCEPTION;

	if (type < TRUTH_RV_EXCEPTION)
		return hwf_exception_name(type);
	if (type >= TRUTH_RV_INTERRUPT)
		return "interrupt";
	return cause < sizeof(causes) / sizeof(causes[0]) && causes[cause] ? causes[cause]
									   : "reserved cause";
}

/* The name of an exception as one word */
static void print_exception(FILE *out, const struct truth_exception *exception)
{
	for (const char *name = truth_exception_name(exception->type); *name; name++)
		putc(*name == ' ' ? '-' : *name, out);
	fprintf(out, " %" PRIx64 "\n", exception->ret);
}

static const char *isa_name(uint8_t isa)
{
	switch (isa) {
	case HWF_ISA_A64:
		return "A64";
	case HWF_ISA_A32:
		return "A32";
	case HWF_ISA_RV64:
		return "RV64";
	default:
		return "T32";
	}
}

int truth_print(const struct truth *truth, size_t thread, FILE *out, char message[TRUTH_MESSAGE])
{
	int32_t tid = truth->threads[thread].public.tid;
	struct truth_context context = {.cpu = -1};
	struct truth_reader reader;
	struct truth_event event;
	uint64_t seq = 0;
	int status;

	truth_reader_init(&reader, truth, thread);
	while ((status = truth_next(&reader, &event)) > 0) {
		if (event.kind == TRUTH_EVENT_RUN) {
			uint64_t pc = event.u.run.pc;

			for (uint32_t i = 0; i < event.u.run.count; i++) {
				fprintf(out, "%" PRIu64 " %d %d %u %s %" PRIx64 "\n", seq++,
					context.cpu, tid, context.el, isa_name(event.u.run.isa),
					pc);
				pc += truth_insn_size(&event.u.run, i);
			}
		} else if (event.kind == TRUTH_EVENT_EXCEPTION) {
			fprintf(out, "%" PRIu64 " %d %d EXC ", seq++, context.cpu, tid);
			print_exception(out, &event.u.exception);
		} else if (event.kind == TRUTH_EVENT_GAP) {
			fprintf(out, "%" PRIu64 " %d %d GAP %s -\n", seq++, context.cpu, tid,
				truth_gap_name(event.u.gap));
		} else if (event.kind == TRUTH_EVENT_CONTEXT) {
			context = event.u.context;
		}
		if (ferror(out)) {
			snprintf(message, TRUTH_MESSAGE, "cannot write the text of the log");
			return -EIO;
		}
	}
	if (status < 0)
		memcpy(message, reader.message, TRUTH_MESSAGE);
	return status;
}
