// SPDX-License-Identifier: GPL-2.0-only
/* Threads and their streams. */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "hwflow/element.h"
#include "plugin.h"

#define FIRST_WINDOW ((size_t)1 << 16)

__thread struct thread *self_thread __attribute__((tls_model("initial-exec")));

/* this thread's recording is over: its limit was reached */
static __thread bool stopped;

static struct thread *threads;
static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;

void thread_put(struct thread *thread, uint64_t number)
{
	uint8_t *pos = thread->stream.pos;

	while (number >= 0x80) {
		*pos++ = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	*pos++ = (uint8_t)number;
	thread->stream.pos = pos;
}

void thread_put_time(struct thread *thread, uint64_t now)
{
	thread_put(thread, TRUTH_TIME);
	thread_put(thread, now - thread->time);
	thread->time = now;
}

void thread_put_exception(struct thread *thread, const struct truth_trap *trap)
{
	thread_put(thread, TRUTH_EXCEPTION);
	thread_put(thread, trap->type);
	/* where a PC alignment fault has others, trace has no place for them */
	thread_put(thread, trap->ret & ~(uint64_t)(target->align - 1u));
	if (target->trap_value)
		thread_put(thread, trap->value);
}

static void thread_put_context(struct thread *thread)
{
	thread_put(thread, TRUTH_CONTEXT);
	thread_put(thread, 0);
	thread_put(thread, HWF_SEC_NONSECURE);
	thread_put(thread, 0);
	/* Linux has the thread's number in CONTEXTIDR, and with VHE in CONTEXTIDR_EL2 */
	thread_put(thread, (uint32_t)thread->shared->tid);
	thread_put(thread, (uint32_t)thread->shared->tid);
}

/* The head of its file stays mapped apart from the window, which moves. */
static struct run_thread *map_head(const struct stream *stream)
{
	int fd = run_open(stream->name, O_RDWR);
	void *head;

	if (fd < 0)
		return NULL;
	head = mmap(NULL, RUN_THREAD_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return head == MAP_FAILED ? NULL : head;
}

/* Begin to record the calling thread; NULL if it is not to be recorded. */
struct thread *thread_begin(const uint8_t *cpu_state)
{
	struct thread *thread;

	if (stopped || run_has_failed())
		return NULL;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	if (stream_open(&thread->stream, "thread", getpid(), gettid(), FIRST_WINDOW))
		goto free_thread;
	thread->shared = map_head(&thread->stream);
	if (!thread->shared)
		goto close_stream;
	thread->stream.pos += RUN_THREAD_HEAD;
	/* with the program, so that nothing of the program before is later than exec */
	thread->time = plugin.began ? plugin.began : run_now();
	plugin.began = 0;
	*thread->shared = (struct run_thread){.start = thread->time,
					      .pid = getpid(),
					      .tid = gettid(),
					      .written = RUN_THREAD_HEAD,
					      .read = RUN_THREAD_HEAD};
	thread->block = &block_unknown;
	thread->cpu_state = cpu_state;
	thread->left = plugin.limit;
	thread_put_context(thread);
	/* the command reads it from here on */
	__atomic_store_n(&thread->shared->magic, RUN_MAGIC, __ATOMIC_RELEASE);
	pthread_mutex_lock(&threads_lock);
	thread->next = threads;
	threads = thread;
	pthread_mutex_unlock(&threads_lock);
	self_thread = thread;
	return thread;

close_stream:
	run_failed("%s: cannot map it", thread->stream.name);
	stream_close(&thread->stream, true);
free_thread:
	free(thread);
	return NULL;
}

/*
 * The window is full: move it on, once the command has read what was written before. False if no
 * more can be recorded.
 */
bool thread_advance(struct thread *thread)
{
	const struct timespec pause = {.tv_nsec = 500000};
	struct stream *stream = &thread->stream;
	uint64_t written = stream->offset + (uint64_t)(stream->pos - stream->base);

	__atomic_store_n(&thread->shared->written, written, __ATOMIC_RELEASE);
	while (plugin.control->worker > 0 && !run_has_failed() &&
	       written - __atomic_load_n(&thread->shared->read, __ATOMIC_ACQUIRE) > RUN_AHEAD)
		nanosleep(&pause, NULL);
	return !run_has_failed() && !stream_advance(stream);
}

static void thread_free(struct thread *thread, bool ours)
{
	stream_close(&thread->stream, ours);
	munmap(thread->shared, RUN_THREAD_HEAD);
	free(thread);
}

/* The stream of the calling thread is complete. */
void thread_close(struct thread *thread)
{
	struct thread **at = &threads;

	pthread_mutex_lock(&threads_lock);
	while (*at != thread)
		at = &(*at)->next;
	*at = thread->next;
	pthread_mutex_unlock(&threads_lock);

	thread->shared->end = run_now();
	__atomic_store_n(&thread->shared->state, RUN_CLOSED, __ATOMIC_RELEASE);
	self_thread = NULL;
	thread_free(thread, true);
}

/* The calling thread is not to be recorded any more. */
void thread_stop(void)
{
	stopped = true;
}

/* Code that may have been executed was replaced at @time: each thread's trace is split there. */
void threads_remap(uint64_t time)
{
	pthread_mutex_lock(&threads_lock);
	for (struct thread *thread = threads; thread; thread = thread->next) {
		uint64_t none = 0;

		__atomic_compare_exchange_n(&thread->attention, &none, time, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	}
	pthread_mutex_unlock(&threads_lock);
}

/* In a forked child: what is mapped belongs to the parent, and its other threads are not here. */
void threads_fork_child(void)
{
	pthread_mutex_init(&threads_lock, NULL);
	while (threads) {
		struct thread *thread = threads;

		threads = thread->next;
		thread_free(thread, false);
	}
	self_thread = NULL;
}
