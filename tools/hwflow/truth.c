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

#include "truth_private.h"

struct stream {
	struct truth_stream head;
	const uint8_t *bytes; /* in the file; of a packed one the frame */
	size_t size;          /* of the frame; 0 where it is not packed */
	size_t length;        /* of the events */
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
	uint8_t **unpacked; /* blocks */
	size_t unpacked_count;
	struct truth_cache *cache;
	uint64_t *whole; /* it may be cut: receives where the last whole section ends */
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

static int take_packed(struct truth *truth, struct stream *stream, uint64_t offset, char *message)
{
	struct truth_packed packed = {.length = UINT64_MAX};

	if (stream->length > sizeof(packed))
		memcpy(&packed, stream->bytes, sizeof(packed));
	if (packed.length > TRUTH_PACKED_MAX)
		return bad(message, truth->path, offset,
			   "the length of a packed stream is wrong: the log is damaged; make it "
			   "anew");
	stream->bytes += sizeof(packed);
	stream->size = stream->length - sizeof(packed);
	stream->length = (size_t)packed.length;
	return 0;
}

static int add_stream(struct truth *truth, const uint8_t *bytes, size_t length, uint64_t offset,
		      bool is_packed, char *message)
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
	return is_packed ? take_packed(truth, stream, offset, message) : 0;
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
	/* of these the log does not say */
	if (stream->size)
		return -1;
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

static int add_packed_blocks(struct truth *truth, size_t at, size_t size, char *message)
{
	uint8_t **unpacked =
		array_add((void **)&truth->unpacked, &truth->unpacked_count, sizeof(*unpacked));
	const char *error;
	size_t length, used;

	if (!unpacked)
		return bad(message, truth->path, at, "not enough memory for the blocks");
	*unpacked = truth_unpack(truth->bytes + at, size, &length);
	if (!*unpacked)
		return bad(message, truth->path, at,
			   "packed blocks cannot be unpacked: the log is damaged; make it anew");
	truth->table.limit += length / sizeof(struct truth_block);
	error = truth_table_add(&truth->table, *unpacked, length, false, &used);
	return error ? bad(message, truth->path, at, "%s: the log is damaged; make it anew", error)
		     : 0;
}

static int add_section(struct truth *truth, const struct truth_section *section, size_t at,
		       char *message)
{
	const char *error;
	size_t used;

	switch (section->type) {
	case TRUTH_BLOCKS:
		error = truth_table_add(&truth->table, truth->bytes + at, section->length, false,
					&used);
		return error ? bad(message, truth->path, at + used,
				   "%s: the log is damaged; make it anew", error)
			     : 0;
	case TRUTH_PACKED_BLOCKS:
		return add_packed_blocks(truth, at, section->length, message);
	case TRUTH_STREAM:
	case TRUTH_PACKED_STREAM:
		return add_stream(truth, truth->bytes + at, section->length, at,
				  section->type == TRUTH_PACKED_STREAM, message);
	default:
		return bad(message, truth->path, at - sizeof(*section),
			   "a section of unknown type %u: the log is damaged; make it anew",
			   section->type);
	}
}

/* All sections were read. */
static int end_sections(struct truth *truth, size_t at, char *message)
{
	sort_streams(truth);
	return sort_cpus(truth) ? 0
				: bad(message, truth->path, at, "not enough memory for the CPUs");
}

static int read_sections(struct truth *truth, size_t at, char *message)
{
	struct truth_section section;

	for (;;) {
		size_t room;
		int status;

		if (truth->whole)
			*truth->whole = at;
		if (truth->length - at < sizeof(section))
			return truth->whole ? end_sections(truth, at, message)
					    : bad(message, truth->path, at,
						  "the log was cut; make it anew with 'hwflow "
						  "emulate'");
		memcpy(&section, truth->bytes + at, sizeof(section));
		at += sizeof(section);
		room = truth->length - at;
		if (section.length > room && truth->whole)
			return end_sections(truth, at, message);
		if (section.length > room)
			return bad(message, truth->path, at - sizeof(section),
				   "a section of %" PRIu64 " bytes, but only %zu are left: the log "
				   "was cut; make it anew with 'hwflow emulate'",
				   section.length, room);
		if (section.type == TRUTH_END)
			return end_sections(truth, at, message);
		status = add_section(truth, &section, at, message);
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
	if (head.version != TRUTH_VERSION && head.version != TRUTH_VERSION_PACKED)
		return bad(message, truth->path, 8,
			   "version %u of the log; this hwflow reads versions %u and %u: use the "
			   "one that wrote it",
			   head.version, TRUTH_VERSION, TRUTH_VERSION_PACKED);
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

static int open_fd(struct truth **result, int fd, const char *path, uint64_t *whole, char *message)
{
	struct truth *truth = calloc(1, sizeof(*truth));
	int error;

	if (truth) {
		truth->path = strdup(path);
		truth->cache = calloc(1, sizeof(*truth->cache));
		truth->whole = whole;
	}
	if (!truth || !truth->path || !truth->cache) {
		snprintf(message, TRUTH_MESSAGE, "%s: not enough memory", path);
		truth_close(truth);
		return -ENOMEM;
	}
	error = map_file(truth, fd, message);
	if (!error)
		error = read_head(truth, message);
	truth->whole = NULL;
	if (error) {
		truth_close(truth);
		return error;
	}
	*result = truth;
	return 0;
}

int truth_open_fd(struct truth **result, int fd, const char *path, char message[TRUTH_MESSAGE])
{
	return open_fd(result, fd, path, NULL, message);
}

static int open_path(struct truth **result, const char *path, uint64_t *whole, char *message)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error;

	if (fd < 0) {
		error = errno;
		snprintf(message, TRUTH_MESSAGE, "%s: %s", path, strerror(error));
		return -error;
	}
	error = open_fd(result, fd, path, whole, message);
	close(fd);
	return error;
}

int truth_open(struct truth **result, const char *path, char message[TRUTH_MESSAGE])
{
	return open_path(result, path, NULL, message);
}

int truth_open_cut(struct truth **result, const char *path, uint64_t *whole,
		   char message[TRUTH_MESSAGE])
{
	return open_path(result, path, whole, message);
}

void truth_close(struct truth *truth)
{
	if (!truth)
		return;
	if (truth->bytes)
		munmap((void *)(uintptr_t)truth->bytes, truth->length);
	for (size_t i = 0; i < truth->unpacked_count; i++)
		free(truth->unpacked[i]);
	free(truth->unpacked);
	truth_cache_free(truth->cache);
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

bool truth_has_block(const struct truth *truth, uint32_t number)
{
	return number < truth->table.count && truth->table.blocks[number].opcodes;
}

uint64_t truth_part_bytes(const struct truth *truth, int32_t tid, uint32_t part)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < truth->stream_count; i++)
		bytes += truth->streams[i].head.tid == tid && truth->streams[i].head.part == part
				 ? truth->streams[i].length
				 : 0;
	return bytes;
}

static const struct stream *stream_at(const struct truth_reader *reader, size_t index)
{
	return reader->by_cpu ? reader->truth->by_cpu[index] : &reader->truth->streams[index];
}

/* The events of the section that is being read, from @offset on */
static int go_to(struct truth_reader *reader, const struct stream *stream, size_t offset)
{
	const struct truth *truth = reader->truth;
	const struct truth_slot *slot;

	reader->slot = NULL;
	reader->begin = stream->bytes;
	if (stream->size) {
		slot = truth_cache_get(truth->cache, (size_t)(stream - truth->streams),
				       stream->bytes, stream->size, stream->length);
		if (!slot)
			return bad(reader->message, truth->path,
				   (uint64_t)(stream->bytes - truth->bytes),
				   "a packed stream cannot be unpacked: the log is damaged; make "
				   "it anew");
		reader->slot = slot;
		reader->stamp = slot->stamp;
		reader->begin = slot->bytes;
	}
	reader->cursor.at = reader->begin + offset;
	reader->cursor.end = reader->begin + stream->length;
	return 0;
}

#define GOES_ON 2

/* Go to the next stream of the thread, if there is one; its head is an event. */
static int next_stream(struct truth_reader *reader, struct truth_event *event)
{
	const struct stream *stream, *last = NULL;
	int status;

	if (reader->stream == reader->end)
		return 0;
	if (reader->begin)
		last = stream_at(reader, reader->stream - 1);
	stream = stream_at(reader, reader->stream);
	reader->before = truth_reader_at(reader);
	status = go_to(reader, stream, 0);
	if (status)
		return status;
	reader->stream++;
	/* the same stream goes on */
	if (last && stream->size && last->head.tid == stream->head.tid &&
	    last->head.part == stream->head.part)
		return GOES_ON;
	reader->cursor = (struct truth_cursor){
		.at = reader->cursor.at, .end = reader->cursor.end, .time = stream->head.start};
	event->kind = TRUTH_EVENT_PROGRAM;
	event->u.time = stream->head.start;
	return 1;
}

static const struct stream *current(const struct truth_reader *reader)
{
	return stream_at(reader, reader->stream - 1);
}

/* An event of the section that is being read; 0 at its end */
static int next_event(struct truth_reader *reader, struct truth_event *event)
{
	const struct truth *truth = reader->truth;
	const char *error;
	int status;

	if (!reader->begin)
		return 0;
	/* another reader has needed the place */
	if (reader->slot && reader->slot->stamp != reader->stamp) {
		status =
			go_to(reader, current(reader), (size_t)(reader->cursor.at - reader->begin));
		if (status)
			return status;
	}
	status = truth_decode(&truth->table, &reader->cursor, event, &error);
	if (status < 0)
		bad(reader->message, truth->path,
		    (uint64_t)((reader->slot ? current(reader)->bytes : reader->cursor.at) -
			       truth->bytes),
		    "%s: the log is damaged; make it anew", error);
	return status;
}

int truth_next(struct truth_reader *reader, struct truth_event *event)
{
	int status;

	do {
		status = next_event(reader, event);
		if (!status)
			status = next_stream(reader, event);
	} while (status == GOES_ON);
	return status;
}
