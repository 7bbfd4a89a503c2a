// SPDX-License-Identifier: GPL-2.0-only
/* The ground-truth log as a file: sections, threads, text. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/input_limits.h"
#include "truth_file.h"

int truth_bad(char *message, const char *path, uint64_t offset, const char *format, ...)
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
	if (!more || (*count & (*count - 1)) == 0) {
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
	const ptrdiff_t known = truth_find(truth, head->tid);
	struct thread *thread;

	if (known >= 0)
		return &truth->threads[known];
	if (source_index_add(&truth->by_tid, false, head->tid, truth->thread_count))
		return NULL;
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
		return truth_bad(
			message, truth->path, offset,
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
		return truth_bad(message, truth->path, offset,
				 "a stream has no head; make the log anew");
	stream = array_add((void **)&truth->streams, &truth->stream_count, sizeof(*stream));
	if (!stream)
		return truth_bad(message, truth->path, offset, "not enough memory for the streams");
	memcpy(&stream->head, bytes, sizeof(stream->head));
	stream->bytes = bytes + sizeof(stream->head);
	stream->length = length - sizeof(stream->head);
	thread = thread_of(truth, &stream->head);
	if (!thread)
		return truth_bad(message, truth->path, offset, "not enough memory for the threads");
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
	int32_t cpu = -1;

	if (stream->head.pid < 0)
		return stream->head.tid;
	/* of these the log does not say */
	if (stream->size)
		return -1;
	while (cpu < 0 && truth_decode(&truth->table, &cursor, &event, &error) > 0 &&
	       event.kind != TRUTH_EVENT_RUN && event.kind != TRUTH_EVENT_EXCEPTION)
		if (event.kind == TRUTH_EVENT_CONTEXT)
			cpu = event.u.context.cpu;
	file_map_release(&truth->map, stream->bytes, cursor.at);
	return cpu;
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
		return truth_bad(message, truth->path, at, "not enough memory for the blocks");
	truth->unpacked_bytes += truth_unpacked_size(truth->map.bytes + at, size);
	if (truth->unpacked_bytes > TRUTH_PACKED_MAX &&
	    truth->unpacked_bytes / truth->map.size > limit_of(LIMIT_ratio))
		return truth_bad(message, truth->path, at,
				 "the packed blocks unpack to more than hwflow packs; %s",
				 limit_text(LIMIT_ratio));
	*unpacked = truth_unpack(truth->map.bytes + at, size, &length);
	if (!*unpacked)
		return truth_bad(
			message, truth->path, at,
			"packed blocks cannot be unpacked: the log is damaged; make it anew");
	truth->table.limit += length / sizeof(struct truth_block);
	error = truth_table_add(&truth->table, *unpacked, length, false, &used);
	return error ? truth_bad(message, truth->path, at, "%s: the log is damaged; make it anew",
				 error)
		     : 0;
}

static int add_section(struct truth *truth, const struct truth_section *section, size_t at,
		       char *message)
{
	const char *error;
	size_t used;

	switch (section->type) {
	case TRUTH_BLOCKS:
		error = truth_table_add(&truth->table, truth->map.bytes + at, section->length,
					false, &used);
		return error ? truth_bad(message, truth->path, at + used,
					 "%s: the log is damaged; make it anew", error)
			     : 0;
	case TRUTH_PACKED_BLOCKS:
		return add_packed_blocks(truth, at, section->length, message);
	case TRUTH_STREAM:
	case TRUTH_PACKED_STREAM:
		return add_stream(truth, truth->map.bytes + at, section->length, at,
				  section->type == TRUTH_PACKED_STREAM, message);
	default:
		return truth_bad(message, truth->path, at - sizeof(*section),
				 "a section of unknown type %u: the log is damaged; make it anew",
				 section->type);
	}
}

/* All sections were read. */
static int end_sections(struct truth *truth, size_t at, char *message)
{
	bool sorted;

	sort_streams(truth);
	sorted = sort_cpus(truth);
	/* the heads of all sections were read */
	file_map_release(&truth->map, truth->map.bytes, truth->map.bytes + truth->map.size);
	return sorted ? 0 : truth_bad(message, truth->path, at, "not enough memory for the CPUs");
}

static int read_sections(struct truth *truth, size_t at, char *message)
{
	struct truth_section section;

	for (;;) {
		size_t room;
		int status;

		if (truth->whole)
			*truth->whole = at;
		if (truth->map.size - at < sizeof(section))
			return truth->whole
				       ? end_sections(truth, at, message)
				       : truth_bad(message, truth->path, at,
						   "the log was cut; make it anew with 'hwflow "
						   "emulate'");
		memcpy(&section, truth->map.bytes + at, sizeof(section));
		at += sizeof(section);
		room = truth->map.size - at;
		if (section.length > room && truth->whole)
			return end_sections(truth, at, message);
		if (section.length > room)
			return truth_bad(message, truth->path, at - sizeof(section),
					 "a section of %" PRIu64
					 " bytes, but only %zu are left: the log "
					 "was cut; make it anew with 'hwflow emulate'",
					 section.length, room);
		if (section.type == TRUTH_END)
			return end_sections(truth, at, message);
		status = add_section(truth, &section, at, message);
		if (status)
			return status;
		file_map_release(&truth->map, truth->map.bytes + at - sizeof(section),
				 truth->map.bytes + at + section.length);
		section.length = (section.length + 7) & ~UINT64_C(7);
		at = section.length > room ? truth->map.size : at + section.length;
	}
}

static int read_head(struct truth *truth, char *message)
{
	struct truth_head head;

	if (truth->map.size < sizeof(head))
		return truth_bad(message, truth->path, 0, "too short for a ground-truth log");
	memcpy(&head, truth->map.bytes, sizeof(head));
	if (head.magic != TRUTH_MAGIC)
		return truth_bad(
			message, truth->path, 0,
			"this is not a ground-truth log; 'hwflow emulate' writes FILE.truth");
	if (head.version != TRUTH_VERSION && head.version != TRUTH_VERSION_PACKED)
		return truth_bad(
			message, truth->path, 8,
			"version %u of the log; this hwflow reads versions %u and %u: use the "
			"one that wrote it",
			head.version, TRUTH_VERSION, TRUTH_VERSION_PACKED);
	if (head.size < sizeof(head) || head.size > truth->map.size || head.size % 8 != 0)
		return truth_bad(message, truth->path, 12, "the size of the head, %u, is wrong",
				 head.size);
	/* numbers are given out one by one; a few may be lost when a program is killed */
	truth->table.limit = truth->map.size / sizeof(struct truth_block) + 65536;
	return read_sections(truth, head.size, message);
}

static int map_file(struct truth *truth, int fd, char *message)
{
	struct stat status;
	int error = 0;

	if (fstat(fd, &status))
		error = -errno;
	else if (!S_ISREG(status.st_mode))
		error = -EINVAL;
	else
		error = file_map_fd(&truth->map, fd, (size_t)status.st_size);
	if (error)
		snprintf(message, TRUTH_MESSAGE, "%s: %s", truth->path,
			 error == -EINVAL ? "this is no file" : strerror(-error));
	return error;
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
	const int fd = input_file_open(path, 0, NULL);
	int error;

	if (fd < 0) {
		snprintf(message, TRUTH_MESSAGE, "%s: %s", path, input_file_error(fd));
		return fd;
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
	file_unmap(&truth->map);
	for (size_t i = 0; i < truth->unpacked_count; i++)
		free(truth->unpacked[i]);
	free(truth->unpacked);
	truth_cache_free(truth->cache);
	free(truth->table.blocks);
	free(truth->streams);
	free(truth->threads);
	source_index_free(&truth->by_tid);
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
	size_t count;
	const size_t *found = source_index_get(&truth->by_tid, false, tid, &count);

	return found ? (ptrdiff_t)*found : -1;
}

ptrdiff_t truth_find_cpu(const struct truth *truth, int32_t number)
{
	size_t low = 0, high = truth->cpu_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (truth->cpus[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < truth->cpu_count && truth->cpus[low].number == number ? (ptrdiff_t)low : -1;
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
