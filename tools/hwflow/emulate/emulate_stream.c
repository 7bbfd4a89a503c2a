// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwflow emulate: streams of threads, read while the program runs.
 *
 *        read          written             (end of the window)
 *   head  |    events     |  events, zeros      |
 *   -----------------------------------------------> file
 *   holes |
 *
 * Up to "written" events are whole, but for a TRUTH_STOP that may follow: the last MARGIN bytes
 * wait. What follows "written" is read when the thread has ended.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "emulate_blocks.h"
#include "emulate_stream.h"
#include "hwflow/ete.h"
#include "source/input.h"
#include "truth/truth_write.h"

/* more than the longest event and the TRUTH_STOP after it */
#define MARGIN 64

/* what may follow "written", and a tail */
#define ROOM (3 * RUN_WINDOW)

/* of a run that goes on, where the number of blocks changes while they are read */
#define MAX_BLOCKS (1u << 28)

struct stream {
	char name[48];
	struct run_thread *head;
	struct traced *traced;
	struct truth_stream part;
	struct truth_cursor cursor;
	bool begun;
	bool ended;
};

struct live {
	struct run *run;
	const struct emulate_options *options;
	struct tracer *tracer;
	struct blocks blocks;
	struct truth *before; /* the log of a run that is recovered */
	struct truth_writer *writer;
	void *names; /* of files seen: a tree */
	struct timespec changed;
	struct stream **streams;
	size_t count;
	uint8_t *buffer;
};

static int memory_error(void)
{
	return verb_error("not enough memory");
}

static int log_error(int error)
{
	return error ? verb_error("cannot write the log: %s", strerror(-error)) : 0;
}

/* ---- the events of a stream ---- */

/* Free the blocks of the file that were read. On a file system without holes they stay. */
static void forget(const struct stream *stream, int fd, uint64_t until)
{
	const uint64_t read = stream->head->read & ~(uint64_t)(RUN_WINDOW - 1);
	const uint64_t from = read > RUN_THREAD_HEAD ? read : RUN_THREAD_HEAD;
	const uint64_t end = until & ~(uint64_t)(RUN_WINDOW - 1);

	if (end > from)
		(void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
				(off_t)(end - from));
	__atomic_store_n(&stream->head->read, until, __ATOMIC_RELEASE);
}

static int decode(struct live *live, struct stream *stream, struct truth_event *event)
{
	const char *error;
	int got = truth_decode(&live->blocks.table, &stream->cursor, event, &error), status;

	if (got >= 0)
		return got;
	/* a block that is new */
	status = blocks_read(&live->blocks,
			     live->options->recover ? live->run->control->next_block : MAX_BLOCKS);
	if (status)
		return -status;
	got = truth_decode(&live->blocks.table, &stream->cursor, event, &error);
	return got < 0 ? -verb_error("thread %d: %s; this is a fault of hwflow", stream->part.tid,
				     error)
		       : got;
}

/* All events that begin before @until */
static int feed(struct live *live, struct stream *stream, const uint8_t *until)
{
	struct truth_event event;
	int status = 0, got;

	if (!stream->begun) {
		event = (struct truth_event){.kind = TRUTH_EVENT_PROGRAM,
					     .u.time = stream->part.start};
		stream->begun = true;
		status = tracer_event(live->tracer, stream->traced, &event);
	}
	while (!status && stream->cursor.at < until) {
		/* at the end of the stream there is no margin */
		if (until != stream->cursor.end)
			status = tracer_blocks(stream->traced, &stream->cursor, until);
		if (status || stream->cursor.at >= until)
			break;
		got = decode(live, stream, &event);
		if (got <= 0)
			return -got;
		status = tracer_event(live->tracer, stream->traced, &event);
	}
	return status;
}

/* Bytes of the file into the buffer, from @from up to @end at most */
static ssize_t load(struct live *live, int fd, uint64_t from, uint64_t end)
{
	size_t length = end - from < ROOM ? (size_t)(end - from) : ROOM;
	size_t have = 0;

	while (have < length) {
		ssize_t got = pread(fd, live->buffer + have, length - have, (off_t)(from + have));

		if (got < 0)
			return verb_error("cannot read the stream of a thread: %s",
					  strerror(errno)),
			       -1;
		if (!got)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

/* The part of the buffer that was fed is in the trace; into the log, too. */
static int consume(struct live *live, struct stream *stream, int fd, uint64_t from)
{
	size_t used = (size_t)(stream->cursor.at - live->buffer);

	if (used && live->writer) {
		int status = log_error(
			truth_writer_stream(live->writer, &stream->part, live->buffer, used));

		if (status)
			return status;
	}
	forget(stream, fd, from + used);
	return 0;
}

/* Read the events up to "written", which are complete. */
static int take_written(struct live *live, struct stream *stream, int fd, bool *busy)
{
	uint64_t written = __atomic_load_n(&stream->head->written, __ATOMIC_ACQUIRE);

	for (;;) {
		uint64_t from = stream->head->read;
		ssize_t have;
		int status;

		if (written <= from + MARGIN)
			return 0;
		*busy = true;
		have = load(live, fd, from, written);
		if (have < 0)
			return EXIT_UNREADABLE;
		if (have <= MARGIN)
			return 0;
		stream->cursor.at = live->buffer;
		stream->cursor.end = live->buffer + have;
		status = feed(live, stream, stream->cursor.end - MARGIN);
		if (!status && stream->cursor.at == live->buffer)
			return 0;
		if (!status)
			status = consume(live, stream, fd, from);
		if (status)
			return status;
	}
}

/* How a stream that was not closed ends; @length: of its whole events, in the buffer */
static int find_end(struct live *live, struct stream *stream, int signal, size_t *length)
{
	struct truth_cursor before = stream->cursor;
	struct truth_event event = {.kind = TRUTH_EVENT_CONTEXT};
	const uint8_t *last = before.at;
	struct stream_tail tail = {0};
	int got;

	for (;;) {
		const uint8_t *at = stream->cursor.at;

		got = decode(live, stream, &event);
		if (got <= 0)
			break;
		last = at;
	}
	if (got < 0)
		return -got;
	/* one that was cut while it was written reads as a reset */
	if (event.kind == TRUTH_EVENT_EXCEPTION && event.u.exception.type == HWF_EXC_PE_RESET)
		stream->cursor.at = last;
	*length = (size_t)(stream->cursor.at - live->buffer);
	if (event.kind == TRUTH_EVENT_RUN && event.u.run.count == event.u.run.block_count)
		stream_end_run(&tail, &event.u.run, stream->head->reached, signal);
	memcpy(live->buffer + *length, tail.bytes, tail.length);
	*length += tail.length;
	stream->cursor = before;
	return 0;
}

/* Read the rest of the stream of a thread that has ended. */
static int take_rest(struct live *live, struct stream *stream, int fd, int signal)
{
	uint64_t from = stream->head->read;
	ssize_t have = load(live, fd, from, from + ROOM - sizeof(struct stream_tail));
	size_t length = have < 0 ? 0 : (size_t)have;
	int status = have < 0 ? EXIT_UNREADABLE : 0;

	stream->cursor.at = live->buffer;
	stream->cursor.end = live->buffer + length;
	if (!status && stream->head->state != RUN_CLOSED)
		status = find_end(live, stream, signal, &length);
	stream->cursor.end = live->buffer + length;
	if (!status)
		status = feed(live, stream, stream->cursor.end);
	return status ? status : consume(live, stream, fd, from);
}

static int open_stream(const struct live *live, const struct stream *stream)
{
	char path[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), "%s" RUN_STREAMS "/%s", live->run->directory, stream->name);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		verb_error("%s: %s", path, strerror(errno));
	return fd;
}

static int take(struct live *live, struct stream *stream, bool *busy)
{
	int fd, status;

	if (__atomic_load_n(&stream->head->written, __ATOMIC_ACQUIRE) <=
	    stream->head->read + MARGIN)
		return 0;
	fd = open_stream(live, stream);
	if (fd < 0)
		return EXIT_UNREADABLE;
	status = take_written(live, stream, fd, busy);
	close(fd);
	return status;
}

/* The thread has ended, or goes on with another program. */
static int end_stream(struct live *live, struct stream *stream, int signal)
{
	struct run *run = live->run;
	int fd = open_stream(live, stream), status;
	struct run_file *files;
	bool busy;

	if (fd < 0)
		return EXIT_UNREADABLE;
	status = take_written(live, stream, fd, &busy);
	if (!status)
		status = take_rest(live, stream, fd, signal);
	close(fd);
	files = realloc(run->files, (run->file_count + 1) * sizeof(*files));
	if (!files)
		return memory_error();
	run->files = files;
	files[run->file_count++].head = *stream->head;
	munmap(stream->head, RUN_THREAD_HEAD);
	stream->head = NULL;
	stream->ended = true;
	return status;
}

/* ---- files that appear ---- */

static int compare_streams(const void *a, const void *b)
{
	const struct stream *x = *(struct stream *const *)a, *y = *(struct stream *const *)b;

	return (x->part.start > y->part.start) - (x->part.start < y->part.start);
}

/* A stream that has begun; *@later: not yet, look again */
static int add_stream(struct live *live, const char *name, bool *later)
{
	struct stream *stream = calloc(1, sizeof(*stream)), **more;
	struct stat status;
	void *head = MAP_FAILED;
	int fd;

	more = realloc(live->streams, (live->count + 1) * sizeof(struct stream *));
	if (more)
		live->streams = more;
	if (!stream || !more) {
		free(stream);
		return memory_error();
	}
	snprintf(stream->name, sizeof(stream->name), "%.47s", name);
	fd = open_stream(live, stream);
	if (fd >= 0 && !fstat(fd, &status) && status.st_size >= RUN_THREAD_HEAD)
		head = mmap(NULL, RUN_THREAD_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	stream->head = head;
	if (head == MAP_FAILED ||
	    __atomic_load_n(&stream->head->magic, __ATOMIC_ACQUIRE) != RUN_MAGIC) {
		if (head != MAP_FAILED)
			munmap(head, RUN_THREAD_HEAD);
		free(stream);
		*later = true;
		return 0;
	}
	stream->part = (struct truth_stream){
		.pid = stream->head->pid, .tid = stream->head->tid, .start = stream->head->start};
	stream->cursor.time = stream->part.start;
	more[live->count++] = stream;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int add_file(struct live *live, const char *name, bool *later)
{
	bool is_thread = !strncmp(name, "thread.", 7), again = false;
	int status;
	char *copy;

	if ((!is_thread && strncmp(name, "blocks.", 7) != 0) ||
	    tfind(name, &live->names, compare_names))
		return 0;
	status = is_thread ? add_stream(live, name, &again)
			   : blocks_add_file(&live->blocks, live->run->directory, name);
	if (again)
		*later = true;
	if (status || again)
		return status;
	copy = strdup(name);
	return copy && tsearch(copy, &live->names, compare_names) ? 0 : memory_error();
}

/* Assign the new streams to their threads, in order of their start. */
static int begin_streams(struct live *live, size_t first)
{
	if (live->count - first > 1)
		qsort(live->streams + first, live->count - first, sizeof(struct stream *),
		      compare_streams);
	for (size_t i = first; i < live->count; i++) {
		struct stream *stream = live->streams[i];

		stream->traced = tracer_thread(live->tracer, stream->part.pid, stream->part.tid,
					       stream->part.start);
		if (!stream->traced)
			return memory_error();
		stream->part.part = stream->traced->parts++;
		if (!live->before)
			continue;
		stream->head->read =
			RUN_THREAD_HEAD +
			truth_part_bytes(live->before, stream->part.tid, stream->part.part);
		stream->begun = stream->head->read > RUN_THREAD_HEAD;
	}
	return 0;
}

/* Look into the directory if it has changed. */
static int look(struct live *live)
{
	const size_t first = live->count;
	struct dirent *entry;
	struct timespec now;
	struct stat stat_now;
	bool later = false;
	int status = 0;
	char path[PATH_MAX];
	DIR *directory;

	snprintf(path, sizeof(path), "%s" RUN_STREAMS, live->run->directory);
	if (stat(path, &stat_now))
		return verb_error("%s: %s", path, strerror(errno));
	if (stat_now.st_mtim.tv_sec == live->changed.tv_sec &&
	    stat_now.st_mtim.tv_nsec == live->changed.tv_nsec)
		return 0;
	directory = opendir(path);
	if (!directory)
		return verb_error("%s: %s", path, strerror(errno));
	while (!status && (entry = readdir(directory)) != NULL)
		status = add_file(live, entry->d_name, &later);
	closedir(directory);
	/* a file that appears in the same tick does not change the time */
	clock_gettime(CLOCK_REALTIME, &now);
	if (!later && now.tv_sec > stat_now.st_mtim.tv_sec)
		live->changed = stat_now.st_mtim;
	return status ? status : begin_streams(live, first);
}

/* ---- all streams ---- */

/* Has the thread of this stream begun another one? */
static bool has_successor(const struct stream *stream)
{
	return stream->traced->parts > stream->part.part + 1;
}

static void remove_ended(struct live *live)
{
	size_t kept = 0;

	for (size_t i = 0; i < live->count; i++) {
		if (live->streams[i]->ended)
			free(live->streams[i]);
		else
			live->streams[kept++] = live->streams[i];
	}
	live->count = kept;
}

int live_poll(struct live *live, bool *busy)
{
	int status = look(live);
	bool ended = false;

	for (size_t i = 0; i < live->count && !status; i++) {
		struct stream *stream = live->streams[i];
		bool closed = __atomic_load_n(&stream->head->state, __ATOMIC_ACQUIRE) == RUN_CLOSED;

		if (closed || has_successor(stream)) {
			status = end_stream(live, stream, 0);
			if (!status && closed)
				status = tracer_end(live->tracer, stream->traced);
			ended = true;
			*busy = true;
		} else {
			status = take(live, stream, busy);
		}
	}
	if (ended)
		remove_ended(live);
	return status;
}

/* The signal that the program died of, if it is known which of its threads it was */
static int signal_of_program(const struct live *live)
{
	const struct run *run = live->run;
	size_t open = 0;

	for (size_t i = 0; i < live->count; i++)
		open += live->streams[i]->part.pid == run->main_pid;
	return open == 1 && WIFSIGNALED(run->status) ? WTERMSIG(run->status) : 0;
}

static int compare_files(const void *a, const void *b)
{
	const struct run_file *x = a, *y = b;

	return (x->head.start > y->head.start) - (x->head.start < y->head.start);
}

static int end_all(struct live *live)
{
	struct run *run = live->run;
	int status = 0, signal = signal_of_program(live);

	for (size_t i = 0; i < live->count && !status; i++) {
		struct stream *stream = live->streams[i];

		status = end_stream(live, stream, stream->part.pid == run->main_pid ? signal : 0);
	}
	remove_ended(live);
	for (size_t i = 0; i < live->tracer->count && !status; i++)
		status = tracer_end(live->tracer, live->tracer->threads[i]);
	if (run->file_count)
		qsort(run->files, run->file_count, sizeof(*run->files), compare_files);
	tracer_sort(live->tracer);
	return status;
}

int live_end(struct live *live)
{
	bool busy;
	int status, error;

	live->changed = (struct timespec){0};
	status = live_poll(live, &busy);
	if (!status)
		status = end_all(live);
	error = truth_writer_close(live->writer, !status);
	live->writer = NULL;
	return status ? status : log_error(error);
}

/* ---- a run that was killed ---- */

static int open_before(struct live *live, const char *path, uint64_t *whole)
{
	char message[TRUTH_MESSAGE];

	/* killed before it had begun */
	if (access(path, F_OK))
		return 0;
	if (truth_open_cut(&live->before, path, whole, message))
		return verb_error("%s", message);
	live->blocks.written = live->before;
	return run_replay(live->before, live->tracer);
}

static int open_log(struct live *live)
{
	char path[PATH_MAX + 16];
	uint64_t whole = 0;
	int status = 0, error;

	snprintf(path, sizeof(path), "%s/truth", live->run->directory);
	if (live->options->recover)
		status = open_before(live, path, &whole);
	if (status)
		return status;
	error = truth_writer_open(&live->writer, path, whole);
	live->blocks.writer = live->writer;
	return error ? verb_error("%s: %s", path, strerror(-error)) : 0;
}

int live_open(struct live **result, struct run *run, const struct emulate_options *options,
	      struct tracer *tracer)
{
	struct live *live = calloc(1, sizeof(*live));
	int status = 0;

	if (live)
		live->buffer = malloc(ROOM);
	if (!live || !live->buffer) {
		free(live);
		return memory_error();
	}
	live->run = run;
	live->options = options;
	live->tracer = tracer;
	if (!options->no_truth)
		status = open_log(live);
	else if (options->recover)
		status = verb_error("%s: the run had --no-truth: there is nothing that a "
				    "recording could be made of",
				    options->recover);
	if (status)
		live_free(live);
	else
		*result = live;
	return status;
}

void live_free(struct live *live)
{
	if (!live)
		return;
	for (size_t i = 0; i < live->count; i++) {
		if (live->streams[i]->head)
			munmap(live->streams[i]->head, RUN_THREAD_HEAD);
		free(live->streams[i]);
	}
	tdestroy(live->names, free);
	truth_writer_close(live->writer, false);
	blocks_free(&live->blocks);
	truth_close(live->before);
	free(live->streams);
	free(live->buffer);
	free(live);
}
